/*
 * array.c -- tensors from and to NumPy files or memory, or generated
 */
#include "lib/contract/array.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/atomic_file.h"
#include "lib/base/draw.h"
#include "lib/base/error.h"
#include "lib/matrix/npy.h"

struct asl_array_in {
	struct asl_npy_header header;
	const char *entries; /* possibly not aligned */
	int dims;
	const struct asl_given *given; /* memory; NULL: a file */
	void *map;
	size_t map_bytes;
};

/* As Python writes it: 1, or 1+2j. */
static const char *text_of(char text[64], enum asl_type type, const char *entry)
{
	struct asl_number x;
	double word[2];

	asl_type_copy(type, word, entry);
	x = asl_number_get(type, word);
	if (!asl_type(type)->is_complex)
		snprintf(text, 64, "%g", x.re);
	else
		snprintf(text, 64, "%g%+gj", x.re, x.im);
	return text;
}

static int check_finite(const struct asl_array_in *in, enum asl_type type,
			const char *path)
{
	uint64_t all = 1, at;
	char found[64];

	for (int i = 0; i < in->dims; i++)
		all *= in->header.size[i];
	at = asl_type_finite(type, in->entries, all);
	if (at == all)
		return 0;
	return asl_fail(
		-EINVAL,
		"%s: entry %" PRIu64 " of %" PRIu64
		" (from 0, as they lie in the file) is %s, expected a "
		"finite number",
		path, at, all,
		text_of(found, type, in->entries + asl_type_bytes(type) * at));
}

static int open_mapped(struct asl_array_in *in, enum asl_type type,
		       const char *path)
{
	int err;

	if (in->map_bytes < 6 || memcmp(in->map, "\x93NUMPY", 6) != 0)
		return asl_fail(-EINVAL, "%s: is no NumPy file", path);
	err = asl_npy_open(&in->header, &in->entries, path, in->map,
			   in->map_bytes, type,
			   in->dims < 0 ? ASL_NPY_ANY : (uint64_t)in->dims);
	in->dims = (int)in->header.dims;
	return err ? err : check_finite(in, type, path);
}

int asl_array_open(struct asl_array_in **out, const char *path,
		   enum asl_type type, int dims)
{
	struct asl_array_in *in = calloc(1, sizeof *in);
	int err;

	*out = NULL;
	if (!in)
		return asl_fail(-ENOMEM, "%s: no memory", path);
	in->dims = dims;
	err = asl_file_map(&in->map, &in->map_bytes, path);
	if (!err)
		err = open_mapped(in, type, path);
	if (err)
		asl_array_close(in);
	else
		*out = in;
	return err;
}

enum asl_type asl_array_type(const char *path)
{
	enum asl_type type = ASL_FLOAT64;
	size_t bytes;
	void *map;

	if (asl_file_map(&map, &bytes, path))
		return type;
	type = asl_npy_type(path, map, bytes);
	asl_file_unmap(map, bytes);
	return type;
}

int asl_array_given(struct asl_array_in **out, const struct asl_given *from)
{
	struct asl_array_in *in = calloc(1, sizeof *in);

	*out = in;
	if (!in)
		return asl_fail(-ENOMEM, "no memory for an operand");
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

void asl_array_leave_out(struct asl_array_in *in, uint32_t dims)
{
	uint64_t *size = in->header.size;
	int kept = 0;

	for (int i = 0; i < in->dims; i++)
		if (!(dims >> i & 1))
			size[kept++] = size[i];
	in->dims = kept;
}

int asl_array_dims(const struct asl_array_in *in)
{
	return in->dims;
}

const uint64_t *asl_array_shape(const struct asl_array_in *in)
{
	return in->header.size;
}

/* An index that occurs twice steps along both of its modes at once. */
static void set_strides(uint64_t *stride, const struct asl_einsum *e,
			const struct asl_term *t, bool by_columns)
{
	uint64_t step = 1;

	for (int i = 0; i < t->modes; i++) {
		int mode = t->mode[by_columns ? i : t->modes - 1 - i];

		stride[mode] += step;
		step *= e->size[mode];
	}
}

static void set_given_strides(uint64_t *stride, const struct asl_term *t,
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
		set_given_strides(s.stride, s.term, file->given);
	else
		set_strides(s.stride, e, s.term,
			    file && file->header.by_columns);
	return s;
}

/* Doubles from place `at` on, and so on in steps. */
static void draw(const struct asl_array_source *s, double *to, uint64_t at,
		 uint64_t step, uint64_t count)
{
	/* Matrices and symmetric tensors have other numbers. */
	struct asl_draw draw = {.seed = s->seed,
				.row = {0, (uint32_t)s->operand, UINT32_MAX},
				.exact = s->exact};
	uint64_t some;

	for (uint64_t i = 0; i < count; i += some) {
		uint64_t place = at + i * step, low = place & UINT32_MAX;

		draw.row[0] = (uint32_t)(place >> 32);
		some = step == 1 ? asl_min(count - i, UINT32_MAX - low + 1) : 1;
		asl_draw(&draw, to + i, low, some);
	}
}

enum { DRAWN = 32 };

/*
 * An entry of another type than double is drawn as one, and rounded; both parts of a
 * complex entry are, one after the other.
 */
static void generate(const struct asl_array_source *s, double *to, uint64_t at,
		     uint64_t step, uint64_t count)
{
	uint64_t parts = asl_type(s->type)->is_complex ? 2 : 1, some;
	double part[2 * DRAWN];

	if (s->type == ASL_FLOAT64) {
		draw(s, to, at, step, count);
		return;
	}
	for (uint64_t i = 0; i < count; i += some) {
		some = step == 1 ? asl_min(count - i, DRAWN) : 1;
		draw(s, part, parts * (at + i * step), 1, parts * some);
		for (uint64_t j = 0; j < some; j++) {
			const double *x = part + parts * j;

			asl_number_put(s->type, asl_type_at(s->type, to, i + j),
				       (struct asl_number){
					       x[0], parts > 1 ? x[1] : 0});
		}
	}
}

static void read_entries(const struct asl_array_source *s, double *to,
			 uint64_t at, uint64_t step, uint64_t count)
{
	if (s->file)
		asl_given_read(s->type,
			       (const void *)(s->file->entries +
					      asl_type_bytes(s->type) * at),
			       step, to, count);
	else
		generate(s, to, at, step, count);
}

/* The number of the entry at a point of the term. */
static uint64_t place_of(const struct asl_term *t, const uint64_t *stride,
			 const uint64_t *at)
{
	uint64_t place = 0;

	for (int i = 0; i < t->count; i++)
		place += at[i] * stride[t->index[i]];
	return place;
}

void asl_array_read(const struct asl_array_source *source, double *at,
		    const struct asl_tensor_row *row)
{
	const struct asl_term *t = source->term;
	uint64_t step = t->count ? source->stride[t->index[t->count - 1]] : 1;

	read_entries(source, at, place_of(t, source->stride, row->at), step,
		     row->count);
}

struct asl_number asl_array_entry(const struct asl_array_source *source,
				  const uint64_t point[ASL_MOST_INDICES])
{
	const struct asl_term *t = source->term;
	uint64_t at = 0;
	double entry[2];

	for (int i = 0; i < t->count; i++)
		at += point[t->index[i]] * source->stride[t->index[i]];
	read_entries(source, entry, at, 1, 1);
	return asl_number_get(source->type, entry);
}

/* ---- The output ---- */

struct asl_array_out {
	const struct asl_term *term;
	uint64_t stride[ASL_MOST_INDICES]; /* by index */
	const struct asl_given *given;	   /* into memory; NULL: a file */
	struct asl_atomic_file aside;
	uint64_t data_at;
	enum asl_type type;
};

static int create(struct asl_array_out *out, const char *path,
		  enum asl_type type, const struct asl_einsum *e)
{
	uint64_t size[ASL_MOST_INDICES];
	char head[ASL_NPY_HEAD];
	int err = asl_atomic_file_create(&out->aside, path);

	if (err)
		return err;
	for (int i = 0; i < out->term->count; i++)
		size[i] = e->size[out->term->index[i]];
	out->data_at = asl_npy_head(head, type, size, out->term->count);
	err = asl_atomic_file_reserve(
		&out->aside,
		out->data_at + asl_type_bytes(type) *
				       asl_term_words(out->term, e->size));
	if (!err)
		err = asl_atomic_file_write(&out->aside, head, out->data_at, 0);
	if (err)
		asl_atomic_file_discard(&out->aside);
	return err;
}

int asl_array_create(struct asl_array_out **out, const char *path,
		     enum asl_type type, const struct asl_einsum *e)
{
	struct asl_array_out *o;
	int err;

	*out = NULL;
	if (!asl_file_ends(path, ".npy"))
		return asl_fail(
			-EINVAL,
			"%s: tensors are written as .npy, by the name's ending",
			path);
	o = calloc(1, sizeof *o);
	if (!o)
		return asl_fail(-ENOMEM, "%s: no memory", path);
	o->term = &e->term[e->inputs];
	o->type = type;
	set_strides(o->stride, e, o->term, false);
	err = create(o, path, type, e);
	if (err)
		free(o);
	else
		*out = o;
	return err;
}

static int check_size(const struct asl_given *to, const struct asl_einsum *e)
{
	const struct asl_term *t = &e->term[e->inputs];

	if (to->dims != t->count)
		return asl_fail(-EINVAL,
				"the result has %d dimensions, expected %d",
				to->dims, t->count);
	for (int i = 0; i < t->count; i++)
		if (to->size[i] != e->size[t->index[i]])
			return asl_fail(-EINVAL,
					"dimension %d of the result is %" PRIu64
					", expected %" PRIu64,
					i, to->size[i], e->size[t->index[i]]);
	return 0;
}

int asl_array_into(struct asl_array_out **out, const struct asl_given *to,
		   const struct asl_einsum *e)
{
	struct asl_array_out *o;
	int err = check_size(to, e);

	*out = NULL;
	if (err)
		return err;
	o = calloc(1, sizeof *o);
	if (!o)
		return asl_fail(-ENOMEM, "no memory for the result");
	o->term = &e->term[e->inputs];
	set_given_strides(o->stride, o->term, to);
	o->given = to;
	o->aside.fd = -1;
	*out = o;
	return 0;
}

/* The entries, so far apart in the file: one by one, unless they are neighbours. */
static int write_apart(struct asl_array_out *out, const double *at,
		       uint64_t count, uint64_t entry, uint64_t step)
{
	uint64_t once = step == 1 ? count : 1;
	uint64_t bytes = asl_type_bytes(out->type);
	int err = 0;

	for (uint64_t i = 0; !err && i < count; i += once)
		err = asl_atomic_file_write(
			&out->aside, asl_type_at(out->type, at, i),
			bytes * once,
			out->data_at + bytes * (entry + i * step));
	return err;
}

int asl_array_write(struct asl_array_out *out, const double *at,
		    const struct asl_term *term,
		    const struct asl_tensor_row *row)
{
	const struct asl_given *to = out->given;
	uint64_t entry = place_of(term, out->stride, row->at);
	int last = term->count - 1;
	uint64_t step = last < 0 ? 1 : out->stride[term->index[last]];

	if (to) {
		asl_given_write(to->type, asl_type_at(to->type, to->at, entry),
				step, at, row->count);
		return 0;
	}
	return write_apart(out, at, row->count, entry, step);
}

int asl_array_commit(struct asl_array_out *out)
{
	int err = out->given ? 0 : asl_atomic_file_commit(&out->aside);

	free(out);
	return err;
}

void asl_array_discard(struct asl_array_out *out)
{
	if (!out)
		return;
	asl_atomic_file_discard(&out->aside);
	free(out);
}
