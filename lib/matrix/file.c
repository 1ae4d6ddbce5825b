/*
 * file.c -- the formats of matrix files, and what they have in common
 *
 * A file is mapped to be read.  Its ending names the format or, if the ending is
 * another, its first bytes do.
 */
#include "lib/matrix/file.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/draw.h"
#include "lib/base/error.h"
#include "lib/matrix/format.h"

static const struct asl_format *const table[] = {
	&asl_format_npy,
	&asl_format_mtx,
};

#define FORMATS (sizeof(table) / sizeof(table[0]))

int asl_matrix_allocate(void **map, size_t *map_bytes, const char *path,
			uint64_t rows, uint64_t cols)
{
	char what[64];

	snprintf(what, sizeof(what), "%ju x %ju entries", rows, cols);
	*map = NULL;
	return asl_file_allocate(map, map_bytes, path, what,
				 (double)rows * (double)cols);
}

static const struct asl_format *by_ending(const char *path)
{
	for (size_t i = 0; i < FORMATS; i++)
		if (asl_file_ends(path, table[i]->ending))
			return table[i];
	return NULL;
}

static bool begins(const struct asl_matrix_in *in, const struct asl_format *f)
{
	size_t n = strlen(f->magic);

	return in->map_bytes >= n && memcmp(in->map, f->magic, n) == 0;
}

static int find_format(const struct asl_format **out,
		       const struct asl_matrix_in *in, const char *path)
{
	char found[ASL_QUOTE];

	*out = by_ending(path);
	for (size_t i = 0; i < FORMATS && !*out; i++)
		if (begins(in, table[i]))
			*out = table[i];
	if (!*out)
		return asl_fail(
			-EINVAL,
			"%s: is neither .npy nor .mtx, by name or by content",
			path);
	if (begins(in, *out))
		return 0;
	asl_quote(found, in->map, in->map_bytes < 16 ? in->map_bytes : 16);
	return asl_fail(-EINVAL, "%s: is no %s file: begins with '%s'", path,
			(*out)->name, found);
}

int asl_matrix_open(struct asl_matrix_in **out, const char *path)
{
	const struct asl_format *format;
	struct asl_matrix_in *in = calloc(1, sizeof(*in));
	int err;

	*out = NULL;
	if (!in)
		return asl_fail(-ENOMEM, "%s: no memory", path);
	err = asl_file_map(&in->map, &in->map_bytes, path);
	if (!err)
		err = find_format(&format, in, path);
	if (!err)
		err = format->open(in, path);
	if (err) {
		asl_matrix_close(in);
		return err;
	}
	*out = in;
	return 0;
}

void asl_matrix_close(struct asl_matrix_in *in)
{
	if (!in)
		return;
	asl_file_unmap(in->map, in->map_bytes);
	free(in);
}

uint64_t asl_matrix_rows(const struct asl_matrix_in *in)
{
	return in->rows;
}

uint64_t asl_matrix_cols(const struct asl_matrix_in *in)
{
	return in->cols;
}

void asl_matrix_read(const struct asl_matrix_in *in, double *at, uint64_t row,
		     uint64_t col, uint64_t count)
{
	const char *from;

	assert(row < in->rows && col <= in->cols && count <= in->cols - col);
	from = in->entries + (row * in->row_step + col * in->col_step) * 8;
	if (in->col_step == 1) {
		memcpy(at, from, count * 8);
		return;
	}
	for (uint64_t j = 0; j < count; j++)
		memcpy(at + j, from + j * in->col_step * 8, 8);
}

static int create(struct asl_matrix_out *out, const char *path)
{
	int err = asl_atomic_file_create(&out->file, path);

	if (err)
		return err;
	err = out->format->create(out);
	if (err)
		asl_atomic_file_discard(&out->file);
	return err;
}

int asl_matrix_create(struct asl_matrix_out **out, const char *path,
		      uint64_t rows, uint64_t cols)
{
	const struct asl_format *format = by_ending(path);
	struct asl_matrix_out *o;
	int err;

	*out = NULL;
	if (!format)
		return asl_fail(-EINVAL,
				"%s: matrices are written as .npy or .mtx, by "
				"the name's ending",
				path);
	if (rows == 0 || cols == 0)
		return asl_fail(-EINVAL,
				"%s: %ju x %ju is not the size of a matrix",
				path, rows, cols);
	o = calloc(1, sizeof(*o));
	if (!o)
		return asl_fail(-ENOMEM, "%s: no memory", path);
	o->format = format;
	o->rows = rows;
	o->cols = cols;
	err = create(o, path);
	if (err)
		free(o);
	else
		*out = o;
	return err;
}

int asl_matrix_write(struct asl_matrix_out *out, const double *at, uint64_t row,
		     uint64_t col, uint64_t count)
{
	assert(row < out->rows && col <= out->cols && count <= out->cols - col);
	if (!out->err)
		out->err = out->format->write(out, at, row, col, count);
	if (!out->err)
		out->written += count;
	return out->err;
}

/* A result without some of its entries must not look complete. */
static int check_whole(const struct asl_matrix_out *out)
{
	if (out->written >= out->rows * out->cols)
		return 0;
	return asl_fail(-EINVAL,
			"%s: only %ju of %ju x %ju entries were written",
			out->given ? "the result" : out->file.path,
			out->written, out->rows, out->cols);
}

static void free_out(struct asl_matrix_out *out)
{
	asl_file_unmap(out->map, out->map_bytes);
	free(out);
}

int asl_matrix_commit(struct asl_matrix_out *out)
{
	int err = out->err;

	if (!err)
		err = check_whole(out);
	if (!err && out->format->finish)
		err = out->format->finish(out);
	if (err)
		asl_atomic_file_discard(&out->file);
	else if (!out->given)
		err = asl_atomic_file_commit(&out->file);
	free_out(out);
	return err;
}

void asl_matrix_discard(struct asl_matrix_out *out)
{
	if (!out)
		return;
	asl_atomic_file_discard(&out->file);
	free_out(out);
}

void asl_source_read(const struct asl_source *source, double *at, uint64_t row,
		     uint64_t col, uint64_t count)
{
	struct asl_draw draw = {.seed = source->seed,
				.row = {(uint32_t)row, source->matrix},
				.exact = source->exact};

	if (source->file)
		asl_matrix_read(source->file, at, row, col, count);
	else
		asl_draw(&draw, at, col, count);
}
