/*
 * tensor_tns.c -- a tensor in FROSTT's text, into packed memory
 *
 * In one pass, although n is known only at the end: the packed tensor grows at
 * its end as larger indices appear (packed.h).  A bit an entry tells which have
 * been seen; what else was said about one is looked for again in the file when
 * there is something wrong with it.
 */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>

#include "lib/matrix/parts.h"
#include "lib/matrix/text.h"
#include "lib/symmetric/packed.h"
#include "lib/symmetric/tensor_format.h"

#define MOST ((uint64_t)1 << 32) /* indices that the product may have */

struct room {
	void *map;
	size_t bytes;
};

struct reader {
	struct asl_lines lines;
	struct asl_text text; /* all of it */
	uint64_t n, found;
	struct room entries, seen;
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
	x->a = asl_larger(i, asl_larger(j, k));
	x->c = asl_least(i, asl_least(j, k));
	x->b = i + j + k - x->a - x->c;
	return 0;
}

/*
 * Room for entries with a < n.  The number of words is exact as long as memory
 * holds them.
 */
static int grow(struct reader *r, uint64_t n)
{
	double m = (double)n, words = m * (m + 1) / 2 * (m + 2) / 3;
	char where[PATH_MAX + 32], what[80];
	int err;

	snprintf(where, sizeof where, "%s:%" PRIu64, r->lines.path,
		 r->lines.line);
	snprintf(what, sizeof what,
		 "the entries of a symmetric tensor of size %" PRIu64, n);
	err = asl_file_make_room(&r->entries.map, &r->entries.bytes, where,
				 what, words);
	if (!err)
		err = asl_file_make_room(&r->seen.map, &r->seen.bytes, where,
					 what, floor(words / 64) + 1);
	if (!err)
		r->n = n;
	return err;
}

/* The entry has been listed before: in which line? */
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
	return asl_file_fail(-EINVAL,
			     "%s:%" PRIu64 ": entry (%" PRIu64 ", %" PRIu64
			     ", %" PRIu64 "), in any order, is in line %" PRIu64
			     " already; expected each once",
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

/* Only to be asked where one is missing. */
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
		return asl_file_fail(-EINVAL, "%s: has no entries",
				     r->lines.path);
	if (r->found == all)
		return 0;
	at = first_missing(r);
	while (asl_packed_at(a + 1, 0, 0) <= at)
		a++;
	while (asl_packed_at(a, b + 1, 0) <= at)
		b++;
	return asl_file_fail(-EINVAL,
			     "%s: has %" PRIu64 " of the %" PRIu64
			     " entries of a symmetric tensor of size %" PRIu64
			     ": %" PRIu64 " are missing, the first is (%" PRIu64
			     ", %" PRIu64 ", %" PRIu64 ")",
			     r->lines.path, r->found, all, r->n, all - r->found,
			     a + 1, b + 1, at - asl_packed_at(a, b, 0) + 1);
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

int asl_tensor_tns_open(struct asl_tensor_in *in, const char *path)
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
	*in = (struct asl_tensor_in){.n = r.n,
				     .entries = r.entries.map,
				     .packed = true,
				     .map = r.entries.map,
				     .map_bytes = r.entries.bytes};
	return 0;
}
