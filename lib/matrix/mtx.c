/*
 * mtx.c -- Matrix Market files
 *
 *	%%MatrixMarket matrix array|coordinate real|integer SYMMETRY
 *	% comments
 *	rows cols		of an array: then a value a line, by columns
 *	rows cols entries	of coordinates: then lines `i j value`, from 1
 *
 * SYMMETRY is general, symmetric or skew-symmetric; of the latter two only the
 * lower triangle is listed, without the diagonal where it is skew.  A position
 * that is listed twice counts as the sum, as assembly codes expect.  Blank
 * lines and comments are passed over everywhere.
 *
 * Read (mtx_read.c) into a dense matrix by rows.  Written from one, for rows come
 * in any order and the text goes by columns: an array with 17 digits, which are
 * enough to read every double back exactly.
 *
 * R. F. Boisvert, R. Pozo, K. A. Remington, The Matrix Market exchange
 * formats: initial design, NISTIR 5935, 1996.
 */
#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/matrix/mtx.h"

#define BUFFER_BYTES 65536
#define VALUE_BYTES 32 /* a value of 17 digits and its newline fit */

static int mtx_create(struct asl_matrix_out *out)
{
	return asl_matrix_allocate(&out->map, &out->map_bytes, out->aside.path,
				   out->rows, out->cols);
}

static int mtx_write(struct asl_matrix_out *out, const double *at, uint64_t row,
		     uint64_t col, uint64_t count)
{
	memcpy((double *)out->map + row * out->cols + col, at, count * 8);
	return 0;
}

struct printer {
	struct asl_aside *to;
	uint64_t done; /* bytes */
	size_t held;
	char buffer[BUFFER_BYTES];
};

static int flush(struct printer *p)
{
	int err = asl_aside_write(p->to, p->buffer, p->held, p->done);

	p->done += p->held;
	p->held = 0;
	return err;
}

static int print_value(struct printer *p, double value)
{
	int err = 0;

	if (sizeof(p->buffer) - p->held < VALUE_BYTES)
		err = flush(p);
	p->held += (size_t)snprintf(p->buffer + p->held, VALUE_BYTES, "%.17g\n",
				    value);
	return err;
}

static int print(struct printer *p, const struct asl_matrix_out *out)
{
	const double *entries = out->map;
	int err = 0;

	p->held = (size_t)snprintf(p->buffer, sizeof(p->buffer),
				   "%%%%MatrixMarket matrix array real general"
				   "\n%" PRIu64 " %" PRIu64 "\n",
				   out->rows, out->cols);
	for (uint64_t j = 0; !err && j < out->cols; j++)
		for (uint64_t i = 0; !err && i < out->rows; i++)
			err = print_value(p, entries[i * out->cols + j]);
	return err ? err : flush(p);
}

/* A comma for a point, where the user's language has one, is not for files. */
static int mtx_finish(struct asl_matrix_out *out)
{
	locale_t c = newlocale(LC_NUMERIC_MASK, "C", 0), before;
	struct printer *p = calloc(1, sizeof(*p));
	int err = -ENOMEM;

	if (c && p) {
		p->to = &out->aside;
		before = uselocale(c);
		err = print(p, out);
		uselocale(before);
	} else {
		asl_file_fail(err, "%s: no memory", out->aside.path);
	}
	free(p);
	if (c)
		freelocale(c);
	return err;
}

const struct asl_format asl_format_mtx = {
	.name = "Matrix Market",
	.ending = ".mtx",
	.magic = "%%MatrixMarket",
	.open = asl_mtx_read,
	.create = mtx_create,
	.write = mtx_write,
	.finish = mtx_finish,
};
