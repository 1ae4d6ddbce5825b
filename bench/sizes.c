/*
 * sizes.c -- how large the multiplication is: from options and operand files
 *
 * A file fixes two of the three dimensions.  What files and options both say
 * must agree; what neither says is missing, but for --n alone, without files,
 * which is all three.
 */
#include "bench/sizes.h"

#include <errno.h>

#include "bench/say.h"
#include "lib/base/error.h"
#include "lib/matrix/file.h"
#include "lib/multiply/planner.h"

/* A dimension, and who says so: "--n" or a file's name; NULL: nobody yet. */
struct length {
	uint64_t is;
	const char *by, *what; /* "rows" or "columns" of a file, else "" */
};

static int settle(struct length *x, uint64_t is, const char *by,
		  const char *what)
{
	if (x->by && x->is != is)
		return asl_complain(ASL_BAD_INPUT,
				    "%s has %ju%s, but %s has %ju%s: "
				    "C is m x n, A is m x k, B is k x n",
				    x->by, x->is, x->what, by, is, what);
	*x = (struct length){is, by, what};
	return 0;
}

static int settle_file(struct length *rows, struct length *cols,
		       const char *path)
{
	struct asl_matrix_in *in;
	int err;

	if (!path)
		return 0;
	err = asl_matrix_open(&in, path);
	if (err)
		return asl_complain(err == -ENOMEM ? ASL_NO_MACHINE
						   : ASL_BAD_INPUT,
				    "%s", asl_failure());
	err = settle(rows, asl_matrix_rows(in), path, " rows");
	if (!err)
		err = settle(cols, asl_matrix_cols(in), path, " columns");
	asl_matrix_close(in);
	return err;
}

static int settle_option(struct length *x, uint64_t is, const char *name)
{
	return is ? settle(x, is, name, "") : 0;
}

int asl_sizes(struct asl_shape *shape, const struct asl_options *o)
{
	struct length m = {0}, n = {0}, k = {0};
	char why[256];
	int err = settle_file(&m, &k, o->a);

	if (!err)
		err = settle_file(&k, &n, o->b);
	if (!err)
		err = settle_option(&m, o->m, "--m");
	if (!err)
		err = settle_option(&n, o->n, "--n");
	if (!err)
		err = settle_option(&k, o->k, "--k");
	if (err)
		return err;
	if (n.by && !m.by && !k.by)
		m = k = n;
	if (!m.by && !n.by && !k.by)
		return asl_complain(ASL_BAD_INPUT,
				    "the size is missing: "
				    "expected --n N, or --m, --n and --k");
	if (!m.by || !n.by || !k.by)
		return asl_complain(ASL_BAD_INPUT,
				    "--%s is missing: C is m x n,"
				    " A is m x k, B is k x n",
				    !m.by   ? "m"
				    : !n.by ? "n"
					    : "k");
	*shape = (struct asl_shape){m.is, n.is, k.is};
	if (asl_shape_check(shape, why, sizeof why))
		return asl_complain(ASL_BAD_INPUT, "%s", why);
	return 0;
}
