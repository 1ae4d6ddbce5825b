/*
 * tensor.c -- entries of a symmetric tensor, generated or from a file
 */
#include "lib/symmetric/tensor.h"

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/draw.h"
#include "lib/base/error.h"
#include "lib/base/parts.h"
#include "lib/base/text.h"
#include "lib/matrix/npy.h"
#include "lib/symmetric/block.h"
#include "lib/symmetric/order.h"

struct asl_tensor_in {
	uint64_t n;
	const char *entries; /* maybe not aligned */
	bool packed;	     /* else the cube, in either order */
	void *map;	     /* the file, or the entries of a .tns */
	size_t map_bytes;
};

/*
 * NumPy files
 *
 * The six places of an entry are far apart in the file.  They are compared for
 * one small cube of entries a >= b >= c at a time, so that cache lines fetched
 * for one entry are still there for its neighbours.
 */

#define SIDE 16 /* of a small cube: six of them fit 256 KiB */

struct cube {
	const char *path, *entries;
	uint64_t n;
	bool by_columns;
	double rounding; /* what places may differ by; 0: not known yet */
};

struct place {
	uint64_t at[3];
};

static const char *find(const struct cube *x, struct place p)
{
	return x->entries + 8 * ((p.at[0] * x->n + p.at[1]) * x->n + p.at[2]);
}

static double value(const struct cube *x, struct place p)
{
	double entry;

	memcpy(&entry, find(x, p), sizeof entry);
	return entry;
}

/* In NumPy's order of indices. */
static struct place named(const struct cube *x, struct place p)
{
	return x->by_columns ? (struct place){{p.at[2], p.at[1], p.at[0]}} : p;
}

static int unsymmetric(const struct cube *x, struct place p, struct place q)
{
	struct place a = named(x, p), b = named(x, q);

	return asl_fail(-EINVAL,
			"%s: entry [%ju, %ju, %ju] (from 0) is %.17g, but "
			"[%ju, %ju, %ju] is %.17g: expected a tensor symmetric "
			"up to rounding, 1e-12 of its largest entry",
			x->path, a.at[0], a.at[1], a.at[2], value(x, p),
			b.at[0], b.at[1], b.at[2], value(x, q));
}

static int not_finite(const struct cube *x, struct place p)
{
	struct place a = named(x, p);

	return asl_fail(-EINVAL,
			"%s: entry [%ju, %ju, %ju] (from 0) is %g, expected a "
			"finite number",
			x->path, a.at[0], a.at[1], a.at[2], value(x, p));
}

static double rounding_of(const struct cube *x)
{
	uint64_t all = x->n * x->n * x->n;
	double most = 0;

	for (uint64_t i = 0; i < all; i++) {
		double entry;

		memcpy(&entry, x->entries + 8 * i, sizeof entry);
		if (isfinite(entry) && fabs(entry) > most)
			most = fabs(entry);
	}
	return most * ASL_SYMMETRIC_TO;
}

/* To the last bit, mostly: only the others cost a look at all entries, once. */
static bool is_equal(struct cube *x, struct place p, struct place q)
{
	if (!memcmp(find(x, p), find(x, q), 8))
		return true;
	if (x->rounding <= 0)
		x->rounding = rounding_of(x);
	return fabs(value(x, p) - value(x, q)) <= x->rounding;
}

static int check_entry(struct cube *x, uint64_t a, uint64_t b, uint64_t c)
{
	struct place first = {{a, b, c}};
	struct place others[] = {
		{{a, c, b}}, {{b, a, c}}, {{b, c, a}}, {{c, a, b}}, {{c, b, a}},
	};

	for (int i = 0; i < 5; i++)
		if (!is_equal(x, first, others[i]))
			return unsymmetric(x, first, others[i]);
	return isfinite(value(x, first)) ? 0 : not_finite(x, first);
}

/* Check the small cube with this corner. */
static int check_small(struct cube *x, uint64_t i, uint64_t j, uint64_t k)
{
	int err = 0;

	for (uint64_t a = i; a < asl_min(x->n, i + SIDE); a++)
		for (uint64_t b = j; b <= asl_min(a, j + SIDE - 1); b++)
			for (uint64_t c = k;
			     !err && c <= asl_min(b, k + SIDE - 1); c++)
				err = check_entry(x, a, b, c);
	return err;
}

/* 0: the cube is symmetric and finite; -EINVAL. */
static int check_cube(const struct asl_tensor_in *in, const char *path,
		      bool by_columns)
{
	struct cube x = {path, in->entries, in->n, by_columns, 0};
	int err = 0;

	for (uint64_t i = 0; i < x.n; i += SIDE)
		for (uint64_t j = 0; j <= i; j += SIDE)
			for (uint64_t k = 0; !err && k <= j; k += SIDE)
				err = check_small(&x, i, j, k);
	return err;
}

static int open_npy(struct asl_tensor_in *in, const char *path)
{
	struct asl_npy_header h;
	int err = asl_npy_open(&h, &in->entries, path, in->map, in->map_bytes,
			       ASL_FLOAT64, 3);

	if (err)
		return err;
	if (h.size[0] != h.size[1] || h.size[0] != h.size[2])
		return asl_fail(-EINVAL,
				"%s: %ju x %ju x %ju can't be symmetric: "
				"expected a cube",
				path, h.size[0], h.size[1], h.size[2]);
	in->n = h.size[0];
	return check_cube(in, path, h.by_columns);
}

/*
 * FROSTT's text, into packed memory
 *
 * One pass is enough, although n is known only at the end: the packed tensor
 * grows at its end as larger indices appear.  A bit for each entry tells
 * whether it has been seen; a message about a repeated entry searches the file
 * again.
 */

#define MOST ((uint64_t)1 << 32) /* indices */

struct area {
	void *map;
	size_t bytes;
};

struct reader {
	struct asl_lines lines;
	struct asl_text text; /* the whole file */
	uint64_t n, found;
	struct area entries, seen;
};

struct entry {
	uint64_t a, b, c; /* a >= b >= c, from 0 */
	double value;
};

static int take_entry(const struct asl_lines *lines, struct asl_text *line,
		      struct entry *x)
{
	uint64_t i, j, k;
	int err = asl_take_index(lines, line, "the first index", &i, MOST);

	if (!err)
		err = asl_take_index(lines, line, "the second index", &j, MOST);
	if (!err)
		err = asl_take_index(lines, line, "the third index", &k, MOST);
	if (!err)
		err = asl_take_value(lines, line, false, &x->value);
	if (!err)
		err = asl_take_end(lines, line);
	if (err)
		return err;
	x->a = asl_max(i, asl_max(j, k));
	x->c = asl_min(i, asl_min(j, k));
	x->b = i + j + k - x->a - x->c;
	return 0;
}

/* Extend to entries with a < n.  `words` is exact as long as memory holds them. */
static int grow(struct reader *r, uint64_t n)
{
	double m = (double)n, words = m * (m + 1) / 2 * (m + 2) / 3;
	char where[PATH_MAX + 32], what[80];
	int err;

	snprintf(where, sizeof where, "%s:%ju", r->lines.path, r->lines.line);
	snprintf(what, sizeof what,
		 "the entries of a symmetric tensor of size %ju", n);
	err = asl_file_allocate(&r->entries.map, &r->entries.bytes, where, what,
				words);
	if (!err)
		err = asl_file_allocate(&r->seen.map, &r->seen.bytes, where,
					what, floor(words / 64) + 1);
	if (!err)
		r->n = n;
	return err;
}

/* Find the line that listed the entry before. */
static int repeated(const struct reader *r, const struct entry *x)
{
	struct asl_lines again = r->lines;
	struct asl_text line;
	struct entry y;

	again.rest = r->text;
	again.line = 0;
	do {
		asl_next_data_line(&again, &line);
		take_entry(&again, &line, &y);
	} while (y.a != x->a || y.b != x->b || y.c != x->c);
	return asl_fail(-EINVAL,
			"%s:%ju: entry (%ju, %ju, %ju), in any order, is in "
			"line %ju already; expected each once",
			r->lines.path, r->lines.line, x->a + 1, x->b + 1,
			x->c + 1, again.line);
}

static int store(struct reader *r, const struct entry *x)
{
	int err = x->a < r->n ? 0 : grow(r, x->a + 1);
	uint64_t at, bit, *seen;

	if (err)
		return err;
	at = asl_packed_at(x->a, x->b, x->c);
	bit = (uint64_t)1 << at % 64;
	seen = (uint64_t *)r->seen.map + at / 64;
	if (*seen & bit)
		return repeated(r, x);
	*seen |= bit;
	((double *)r->entries.map)[at] = x->value;
	r->found++;
	return 0;
}

/* One is missing. */
static uint64_t first_missing(const struct reader *r)
{
	const uint64_t *seen = r->seen.map;
	uint64_t word = 0;

	while (seen[word] == UINT64_MAX)
		word++;
	return 64 * word + (uint64_t)__builtin_ctzll(~seen[word]);
}

static int check_whole(const struct reader *r)
{
	uint64_t all = asl_tetrahedron(r->n), at, a = 0, b = 0;

	if (r->found == 0)
		return asl_fail(-EINVAL, "%s: has no entries", r->lines.path);
	if (r->found == all)
		return 0;
	at = first_missing(r);
	while (asl_packed_at(a + 1, 0, 0) <= at)
		a++;
	while (asl_packed_at(a, b + 1, 0) <= at)
		b++;
	return asl_fail(
		-EINVAL,
		"%s: has %ju of the %ju entries of a symmetric tensor of size "
		"%ju: %ju are missing, the first is (%ju, %ju, %ju)",
		r->lines.path, r->found, all, r->n, all - r->found, a + 1,
		b + 1, at - asl_packed_at(a, b, 0) + 1);
}

static int read_entries(struct reader *r)
{
	struct asl_text line;
	struct entry x;
	int err = 0;

	while (!err && asl_next_data_line(&r->lines, &line)) {
		err = take_entry(&r->lines, &line, &x);
		if (!err)
			err = store(r, &x);
	}
	return err ? err : check_whole(r);
}

static int open_tns(struct asl_tensor_in *in, const char *path)
{
	struct reader r = {0};
	int err = asl_lines_open(&r.lines, path, in->map, in->map_bytes, '#');

	if (err)
		return err;
	r.text = r.lines.rest;
	err = read_entries(&r);
	asl_lines_close(&r.lines);
	asl_file_unmap(r.seen.map, r.seen.bytes);
	if (err) {
		asl_file_unmap(r.entries.map, r.entries.bytes);
		return err;
	}
	asl_file_unmap(in->map, in->map_bytes);
	*in = (struct asl_tensor_in){
		.n = r.n,
		.entries = r.entries.map,
		.packed = true,
		.map = r.entries.map,
		.map_bytes = r.entries.bytes,
	};
	return 0;
}

/* ---- Open and read ---- */

#define NUMPY "\x93NUMPY"

static int open_mapped(struct asl_tensor_in *in, const char *path)
{
	size_t magic = strlen(NUMPY);
	bool numpy =
		in->map_bytes >= magic && memcmp(in->map, NUMPY, magic) == 0;

	if (asl_file_ends(path, ".tns"))
		return open_tns(in, path);
	if (numpy)
		return open_npy(in, path);
	if (asl_file_ends(path, ".npy"))
		return asl_fail(-EINVAL, "%s: is no NumPy file", path);
	return asl_fail(
		-EINVAL,
		"%s: is neither .npy nor .tns, by name, nor NumPy by content",
		path);
}

int asl_tensor_open(struct asl_tensor_in **out, const char *path)
{
	struct asl_tensor_in *in = calloc(1, sizeof *in);
	int err;

	*out = NULL;
	if (!in)
		return asl_fail(-ENOMEM, "%s: no memory", path);
	err = asl_file_map(&in->map, &in->map_bytes, path);
	if (!err)
		err = open_mapped(in, path);
	if (err)
		asl_tensor_close(in);
	else
		*out = in;
	return err;
}

/* Is it an n x n x n cube or packed, and without gaps? */
static bool is_whole(const struct asl_given *x, uint64_t n)
{
	if (x->dims == 1)
		return x->size[0] == asl_tetrahedron(n) && x->step[0] == 1;
	return x->dims == 3 && x->size[0] == n && x->size[1] == n &&
	       x->size[2] == n && x->step[0] == n * n && x->step[1] == n &&
	       x->step[2] == 1;
}

int asl_tensor_given(struct asl_tensor_in **out, const struct asl_given *from,
		     uint64_t n)
{
	struct asl_tensor_in *in;

	*out = NULL;
	if (!is_whole(from, n))
		return asl_fail(
			-EINVAL,
			"the tensor: expected %ju x %ju x %ju entries by rows, "
			"without gaps, or one dimension of %ju",
			n, n, n, asl_tetrahedron(n));
	in = calloc(1, sizeof *in);
	if (!in)
		return asl_fail(-ENOMEM, "no memory for the tensor");
	in->n = n;
	in->entries = (const char *)from->at;
	in->packed = from->dims == 1;
	*out = in;
	return in->packed ? 0 : check_cube(in, "the tensor", false);
}

void asl_tensor_close(struct asl_tensor_in *in)
{
	if (!in)
		return;
	asl_file_unmap(in->map, in->map_bytes);
	free(in);
}

uint64_t asl_tensor_size(const struct asl_tensor_in *in)
{
	return in->n;
}

static void read_file(const struct asl_tensor_in *in, double *at, uint64_t a,
		      uint64_t b, uint64_t c, uint64_t count)
{
	uint64_t from = in->packed ? asl_packed_at(a, b, c)
				   : (a * in->n + b) * in->n + c;

	assert(a < in->n);
	memcpy(at, in->entries + 8 * from, 8 * count);
}

/* The generator's counter has 0 as its fourth number for matrices. */
void asl_tensor_read(const struct asl_tensor_source *source, double *at,
		     uint64_t a, uint64_t b, uint64_t c, uint64_t count)
{
	struct asl_draw draw = {
		.seed = source->seed,
		.row = {(uint32_t)b, (uint32_t)a, source->tensor + 1},
		.exact = source->exact};

	assert(a >= b && b + 1 >= c + count);
	if (source->file)
		read_file(source->file, at, a, b, c, count);
	else
		asl_draw(&draw, at, c, count);
}

double asl_tensor_entry(const struct asl_tensor_source *source, uint64_t i,
			uint64_t j, uint64_t k)
{
	uint64_t most = asl_max(i, asl_max(j, k));
	uint64_t least = asl_min(i, asl_min(j, k));
	double entry;

	asl_tensor_read(source, &entry, most, i + j + k - most - least, least,
			1);
	return entry;
}

/* ---- Any order ---- */

/* A generator for the tensor's part whose first indices are these. */
static uint64_t seed_of(uint64_t seed, const uint64_t at[], int count)
{
	for (int i = 0; i < count; i++) {
		seed = (seed + at[i] + 1) * 0x9e3779b97f4a7c15;
		seed ^= seed >> 32;
	}
	return seed;
}

void asl_tensor_read_any(const struct asl_tensor_source *source, int order,
			 double *to, const uint64_t at[], uint64_t count)
{
	const uint64_t *last = at + order - 1;
	struct asl_draw draw = {
		.seed = seed_of(source->seed, at, order - 3),
		.row = {(uint32_t)last[-1], (uint32_t)last[-2],
			source->tensor + 1},
		.exact = source->exact,
	};

	assert(order == 3 || !source->file);
	if (order == 3)
		asl_tensor_read(source, to, at[0], at[1], at[2], count);
	else
		asl_draw(&draw, to, *last, count);
}

double asl_tensor_entry_any(const struct asl_tensor_source *source, int order,
			    const uint64_t at[])
{
	uint64_t sorted[ASL_MOST_ORDER];
	double entry;

	for (int i = 0; i < order; i++) {
		int j = i;

		for (; j > 0 && sorted[j - 1] < at[i]; j--)
			sorted[j] = sorted[j - 1];
		sorted[j] = at[i];
	}
	asl_tensor_read_any(source, order, &entry, sorted, 1);
	return entry;
}
