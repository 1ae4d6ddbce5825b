/*
 * given.c -- operands and results in the memory of a run's caller
 */
#include "lib/matrix/given.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/error.h"
#include "lib/matrix/format.h"

/* Is it of this size?  A vector is a column. */
static int check(const struct asl_given *x, const char *name, uint64_t rows,
		 uint64_t cols)
{
	uint64_t columns = x->dims == 1 ? 1 : x->size[1];

	if (x->dims < 1 || x->dims > 2)
		return asl_fail(-EINVAL, "%s: has %d dimensions, expected 2",
				name, x->dims);
	if (x->size[0] == rows && columns == cols)
		return 0;
	return asl_fail(-EINVAL, "%s: is %ju x %ju, expected %ju x %ju", name,
			x->size[0], columns, rows, cols);
}

int asl_given_open(struct asl_matrix_in **out, const struct asl_given *from,
		   const char *name, uint64_t rows, uint64_t cols)
{
	int err = check(from, name, rows, cols);

	*out = NULL;
	if (err)
		return err;
	*out = calloc(1, sizeof **out);
	if (!*out)
		return asl_fail(-ENOMEM, "%s: no memory", name);
	**out = (struct asl_matrix_in){
		.rows = rows,
		.cols = cols,
		.entries = (const char *)from->at,
		.row_step = from->step[0],
		.col_step = from->step[1],
	};
	return 0;
}

static void copy(enum asl_type type, double *to, uint64_t to_step,
		 const double *from, uint64_t from_step, uint64_t count)
{
	if (to_step == 1 && from_step == 1) {
		memcpy(to, from, count * asl_type_bytes(type));
		return;
	}
	for (uint64_t i = 0; i < count; i++)
		asl_type_copy(type, asl_type_at(type, to, i * to_step),
			      asl_type_at(type, from, i * from_step));
}

void asl_given_read(enum asl_type type, const double *from, uint64_t step,
		    double *at, uint64_t count)
{
	copy(type, at, 1, from, step, count);
}

void asl_given_write(enum asl_type type, double *to, uint64_t step,
		     const double *at, uint64_t count)
{
	copy(type, to, step, at, 1, count);
}

size_t asl_given_bytes(const struct asl_given *x)
{
	uint64_t last = 0;

	for (int i = 0; i < x->dims; i++) {
		if (!x->size[i])
			return 0;
		last += (x->size[i] - 1) * x->step[i];
	}
	return (last + 1) * asl_type_bytes(x->type);
}

/* ---- A format without a file ---- */

static int write_given(struct asl_matrix_out *out, const double *at,
		       uint64_t row, uint64_t col, uint64_t count)
{
	const struct asl_given *to = out->given;

	asl_given_write(to->type,
			to->at + row * to->step[0] + col * to->step[1],
			to->step[1], at, count);
	return 0;
}

static const struct asl_format format = {
	.name = "memory",
	.write = write_given,
};

int asl_given_create(struct asl_matrix_out **out, const struct asl_given *to,
		     uint64_t rows, uint64_t cols)
{
	int err = check(to, "the result", rows, cols);

	*out = NULL;
	if (err)
		return err;
	*out = calloc(1, sizeof **out);
	if (!*out)
		return asl_fail(-ENOMEM, "no memory for the result");
	**out = (struct asl_matrix_out){
		.format = &format,
		.rows = rows,
		.cols = cols,
		.given = to,
		.file.fd = -1,
	};
	return 0;
}
