/*
 * array_out.c -- a tensor into a NumPy file, or into memory
 */
#include "lib/contract/array.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "lib/matrix/aside.h"
#include "lib/matrix/file.h"
#include "lib/matrix/npy.h"

struct asl_array_out {
	const struct asl_term *term;
	uint64_t stride[ASL_MOST_INDICES]; /* by index */
	const struct asl_given *given;	   /* into memory; NULL: a file */
	struct asl_aside aside;
	uint64_t data_at;
};

static int create(struct asl_array_out *out, const char *path,
		  const struct asl_einsum *e)
{
	uint64_t size[ASL_MOST_INDICES];
	char head[ASL_NPY_HEAD];
	int err = asl_aside_create(&out->aside, path);

	if (err)
		return err;
	for (int i = 0; i < out->term->count; i++)
		size[i] = e->size[out->term->index[i]];
	out->data_at = asl_npy_head(head, size, out->term->count);
	err = asl_aside_reserve(
		&out->aside, out->data_at + 8 * asl_term_words(e, out->term));
	if (!err)
		err = asl_aside_write(&out->aside, head, out->data_at, 0);
	if (err)
		asl_aside_discard(&out->aside);
	return err;
}

int asl_array_create(struct asl_array_out **out, const char *path,
		     const struct asl_einsum *e)
{
	struct asl_array_out *o;
	int err;

	*out = NULL;
	if (!asl_file_ends(path, ".npy"))
		return asl_file_fail(-EINVAL,
				     "%s: tensors are written as .npy, by the "
				     "name's ending",
				     path);
	o = calloc(1, sizeof *o);
	if (!o)
		return asl_file_fail(-ENOMEM, "%s: no memory", path);
	o->term = &e->term[e->inputs];
	asl_array_strides(o->stride, e, o->term, false);
	err = create(o, path, e);
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
		return asl_file_fail(-EINVAL,
				     "the result has %d dimensions, expected "
				     "%d",
				     to->dims, t->count);
	for (int i = 0; i < t->count; i++)
		if (to->size[i] != e->size[t->index[i]])
			return asl_file_fail(-EINVAL,
					     "dimension %d of the result is "
					     "%" PRIu64 ", expected %" PRIu64,
					     i, to->size[i],
					     e->size[t->index[i]]);
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
		return asl_file_fail(-ENOMEM, "no memory for the result");
	o->term = &e->term[e->inputs];
	asl_array_given_strides(o->stride, o->term, to);
	o->given = to;
	o->aside.fd = -1;
	*out = o;
	return 0;
}

static void write_given(const struct asl_given *to, const double *at,
			uint64_t entry, uint64_t count)
{
	uint64_t step = to->dims ? to->step[to->dims - 1] : 1;

	asl_given_write(to->at + entry, step, at, count);
}

int asl_array_write(struct asl_array_out *out, const double *at,
		    const struct asl_row *row)
{
	uint64_t entry = asl_array_place(out->term, out->stride, row->at);

	if (out->given) {
		write_given(out->given, at, entry, row->count);
		return 0;
	}
	return asl_aside_write(&out->aside, at, 8 * row->count,
			       out->data_at + 8 * entry);
}

int asl_array_commit(struct asl_array_out *out)
{
	int err = out->given ? 0 : asl_aside_commit(&out->aside);

	free(out);
	return err;
}

void asl_array_discard(struct asl_array_out *out)
{
	if (!out)
		return;
	asl_aside_discard(&out->aside);
	free(out);
}
