/*
 * array.c -- tensors out of NumPy files or memory, or generated
 */
#include "lib/contract/array.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/matrix/draw.h"
#include "lib/matrix/file.h"
#include "lib/matrix/npy.h"

struct asl_array_in {
	struct asl_npy_header header;
	const char *entries; /* nothing promises that they are aligned */
	int dims;
	const struct asl_given *given; /* it is there; NULL: in a file */
	void *map;
	size_t map_bytes;
};

static uint64_t all_entries(const struct asl_array_in *in)
{
	uint64_t all = 1;

	for (int i = 0; i < in->dims; i++)
		all *= in->header.size[i];
	return all;
}

static int check_finite(const struct asl_array_in *in, const char *path)
{
	uint64_t all = all_entries(in);
	double value;

	for (uint64_t i = 0; i < all; i++) {
		memcpy(&value, in->entries + 8 * i, 8);
		if (!isfinite(value))
			return asl_file_fail(
				-EINVAL,
				"%s: entry %" PRIu64 " of %" PRIu64
				" (from 0, as they lie in the file) is %g, "
				"expected a finite number",
				path, i, all, value);
	}
	return 0;
}

static int open_mapped(struct asl_array_in *in, const char *path)
{
	int err;

	if (in->map_bytes < 6 || memcmp(in->map, "\x93NUMPY", 6) != 0)
		return asl_file_fail(-EINVAL, "%s: is no NumPy file", path);
	err = asl_npy_open(&in->header, &in->entries, path, in->map,
			   in->map_bytes, (uint64_t)in->dims);
	return err ? err : check_finite(in, path);
}

int asl_array_open(struct asl_array_in **out, const char *path, int dims)
{
	struct asl_array_in *in = calloc(1, sizeof *in);
	int err;

	*out = NULL;
	if (!in)
		return asl_file_fail(-ENOMEM, "%s: no memory", path);
	in->dims = dims;
	err = asl_file_map(&in->map, &in->map_bytes, path);
	if (!err)
		err = open_mapped(in, path);
	if (err)
		asl_array_close(in);
	else
		*out = in;
	return err;
}

int asl_array_given(struct asl_array_in **out, const struct asl_given *from)
{
	struct asl_array_in *in = calloc(1, sizeof *in);

	*out = in;
	if (!in)
		return asl_file_fail(-ENOMEM, "no memory for an operand");
	in->dims = from->dims;
	in->given = from;
	in->entries = (const char *)from->at;
	memcpy(in->header.size, from->size, sizeof from->size);
	return 0;
}

void asl_array_close(struct asl_array_in *in)
{
	if (!in)
		return;
	asl_file_unmap(in->map, in->map_bytes);
	free(in);
}

int asl_array_dims(const struct asl_array_in *in)
{
	return in->dims;
}

const uint64_t *asl_array_shape(const struct asl_array_in *in)
{
	return in->header.size;
}

void asl_array_strides(uint64_t *stride, const struct asl_einsum *e,
		       const struct asl_term *t, bool by_columns)
{
	uint64_t step = 1;

	for (int i = 0; i < t->modes; i++) {
		int mode = t->mode[by_columns ? i : t->modes - 1 - i];

		stride[mode] += step;
		step *= e->size[mode];
	}
}

void asl_array_given_strides(uint64_t *stride, const struct asl_term *t,
			     const struct asl_given *x)
{
	for (int i = 0; i < t->modes; i++)
		stride[t->mode[i]] += x->step[i];
}

struct asl_array_source asl_array_source(const struct asl_einsum *e, int which,
					 const struct asl_array_in *file)
{
	struct asl_array_source s = {
		.file = file, .operand = which, .term = &e->term[which]};

	if (file && file->given)
		asl_array_given_strides(s.stride, s.term, file->given);
	else
		asl_array_strides(s.stride, e, s.term,
				  file && file->header.by_columns);
	return s;
}

/* Entries from place `at` on, in equal steps. */
static void generate(const struct asl_array_source *s, double *to, uint64_t at,
		     uint64_t step, uint64_t count)
{
	/* No matrix and no symmetric tensor has this number. */
	struct asl_draw draw = {.seed = s->seed,
				.row = {0, (uint32_t)s->operand, UINT32_MAX},
				.exact = s->exact};
	uint64_t some;

	for (uint64_t i = 0; i < count; i += some) {
		uint64_t place = at + i * step, low = place & UINT32_MAX;

		draw.row[0] = (uint32_t)(place >> 32);
		some = step == 1 ? asl_least(count - i, UINT32_MAX - low + 1)
				 : 1;
		asl_draw(&draw, to + i, low, some);
	}
}

static void copy_entries(const struct asl_array_in *in, double *to, uint64_t at,
			 uint64_t step, uint64_t count)
{
	if (step == 1) {
		memcpy(to, in->entries + 8 * at, 8 * count);
		return;
	}
	for (uint64_t i = 0; i < count; i++)
		memcpy(to + i, in->entries + 8 * (at + i * step), 8);
}

static void read_entries(const struct asl_array_source *s, double *to,
			 uint64_t at, uint64_t step, uint64_t count)
{
	if (s->file)
		copy_entries(s->file, to, at, step, count);
	else
		generate(s, to, at, step, count);
}

uint64_t asl_array_place(const struct asl_term *t, const uint64_t *stride,
			 const uint64_t *at)
{
	uint64_t place = 0;

	for (int i = 0; i < t->count; i++)
		place += at[i] * stride[t->index[i]];
	return place;
}

void asl_array_read(const struct asl_array_source *source, double *at,
		    const struct asl_row *row)
{
	const struct asl_term *t = source->term;
	uint64_t step = t->count ? source->stride[t->index[t->count - 1]] : 1;

	read_entries(source, at, asl_array_place(t, source->stride, row->at),
		     step, row->count);
}

double asl_array_entry(const struct asl_array_source *source,
		       const uint64_t point[ASL_MOST_INDICES])
{
	const struct asl_term *t = source->term;
	uint64_t at = 0;
	double entry;

	for (int i = 0; i < t->count; i++)
		at += point[t->index[i]] * source->stride[t->index[i]];
	read_entries(source, &entry, at, 1, 1);
	return entry;
}
