/*
 * tensor_npy.c -- a cube in a NumPy file, found to be symmetric
 *
 * The six places of an entry are far apart in the file.  They are compared for
 * one small cube of entries a >= b >= c at a time, so that what is fetched for
 * one entry is still there for its neighbours.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "lib/matrix/npy.h"
#include "lib/matrix/parts.h"
#include "lib/symmetric/tensor_format.h"

#define SIDE 16 /* of a small cube: six of them fit 256 KiB */

struct cube {
	const char *path, *entries;
	uint64_t n;
	bool by_columns;
};

struct place {
	uint64_t at[3];
};

static uint64_t bits(const struct cube *x, struct place p)
{
	uint64_t word;

	memcpy(&word,
	       x->entries + 8 * ((p.at[0] * x->n + p.at[1]) * x->n + p.at[2]),
	       8);
	return word;
}

static double value(const struct cube *x, struct place p)
{
	uint64_t word = bits(x, p);
	double entry;

	memcpy(&entry, &word, 8);
	return entry;
}

/* As NumPy says it: a cube by columns is ours with the indices turned round. */
static struct place named(const struct cube *x, struct place p)
{
	return x->by_columns ? (struct place){{p.at[2], p.at[1], p.at[0]}} : p;
}

static int unsymmetric(const struct cube *x, struct place p, struct place q)
{
	struct place a = named(x, p), b = named(x, q);

	return asl_file_fail(-EINVAL,
			     "%s: entry [%" PRIu64 ", %" PRIu64 ", %" PRIu64
			     "] (from 0) is %.17g, but [%" PRIu64 ", %" PRIu64
			     ", %" PRIu64
			     "] is %.17g: expected a symmetric tensor",
			     x->path, a.at[0], a.at[1], a.at[2], value(x, p),
			     b.at[0], b.at[1], b.at[2], value(x, q));
}

static int not_finite(const struct cube *x, struct place p)
{
	struct place a = named(x, p);

	return asl_file_fail(-EINVAL,
			     "%s: entry [%" PRIu64 ", %" PRIu64 ", %" PRIu64
			     "] (from 0) is %g, expected a finite number",
			     x->path, a.at[0], a.at[1], a.at[2], value(x, p));
}

static int check_entry(const struct cube *x, uint64_t a, uint64_t b, uint64_t c)
{
	struct place first = {{a, b, c}};
	struct place others[] = {{{a, c, b}},
				 {{b, a, c}},
				 {{b, c, a}},
				 {{c, a, b}},
				 {{c, b, a}}};

	for (int i = 0; i < 5; i++)
		if (bits(x, others[i]) != bits(x, first))
			return unsymmetric(x, first, others[i]);
	return isfinite(value(x, first)) ? 0 : not_finite(x, first);
}

/* The entries of the small cube whose corner this is. */
static int check_small(const struct cube *x, uint64_t i, uint64_t j, uint64_t k)
{
	int err = 0;

	for (uint64_t a = i; a < asl_least(x->n, i + SIDE); a++)
		for (uint64_t b = j; b <= asl_least(a, j + SIDE - 1); b++)
			for (uint64_t c = k;
			     !err && c <= asl_least(b, k + SIDE - 1); c++)
				err = check_entry(x, a, b, c);
	return err;
}

int asl_tensor_check(const struct asl_tensor_in *in, const char *path,
		     bool by_columns)
{
	struct cube x = {path, in->entries, in->n, by_columns};
	int err = 0;

	for (uint64_t i = 0; i < x.n; i += SIDE)
		for (uint64_t j = 0; j <= i; j += SIDE)
			for (uint64_t k = 0; !err && k <= j; k += SIDE)
				err = check_small(&x, i, j, k);
	return err;
}

int asl_tensor_npy_open(struct asl_tensor_in *in, const char *path)
{
	struct asl_npy_header h;
	int err =
		asl_npy_open(&h, &in->entries, path, in->map, in->map_bytes, 3);

	if (err)
		return err;
	if (h.size[0] != h.size[1] || h.size[0] != h.size[2])
		return asl_file_fail(-EINVAL,
				     "%s: %" PRIu64 " x %" PRIu64 " x %" PRIu64
				     " can't be symmetric: expected a cube",
				     path, h.size[0], h.size[1], h.size[2]);
	in->n = h.size[0];
	return asl_tensor_check(in, path, h.by_columns);
}
