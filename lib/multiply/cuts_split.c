/*
 * cuts_split.c -- the cut that leads to the fewest words
 *
 * P ranks into about P/2 and P/2, in proportion, across the longest axis: that
 * alone ends in boxes up to twice as long as wide, and 1.2 times the words of
 * cubes for some P.  What decides is how few ranks share what is left in the
 * end, so with FEW of them or fewer every sensible cut is tried, to the last
 * one: across the longest axis or the second, into halves, nearly so, or thirds;
 * and the one is taken that leaves the least faces in all.  Many ranks are halved
 * without looking ahead.
 *
 * The same few boxes come up time and again, so what was found is noted, in a
 * table that forgets: a note is overwritten by another that falls on its place.
 */
#include "lib/multiply/cuts_split.h"

#include <stdlib.h>

#include "lib/matrix/parts.h"

enum { FEW = 32, NOTES = 1 << 16 };

struct note {
	uint64_t d[ASL_CUTS_AXES];
	int ranks; /* 0: nothing here */
	struct asl_cut cut;
	uint64_t words;
};

struct asl_cuts_memo {
	struct note note[NOTES];
};

struct asl_cuts_memo *asl_cuts_memo_open(void)
{
	return calloc(1, sizeof(struct asl_cuts_memo));
}

void asl_cuts_memo_close(struct asl_cuts_memo *memo)
{
	free(memo);
}

static struct note *note_of(struct asl_cuts_memo *memo,
			    const uint64_t d[ASL_CUTS_AXES], int ranks)
{
	uint64_t x = (uint64_t)ranks;

	for (int i = 0; i < ASL_CUTS_AXES; i++)
		x = (x ^ d[i]) * 0x9e3779b97f4a7c15;
	return &memo->note[x >> 48];
}

static bool is_about(const struct note *x, const uint64_t d[ASL_CUTS_AXES],
		     int ranks)
{
	return x->ranks == ranks && x->d[0] == d[0] && x->d[1] == d[1] &&
	       x->d[2] == d[2];
}

static uint64_t faces(const uint64_t d[ASL_CUTS_AXES])
{
	return d[ASL_CUTS_M] * d[ASL_CUTS_K] + d[ASL_CUTS_K] * d[ASL_CUTS_N] +
	       d[ASL_CUTS_M] * d[ASL_CUTS_N];
}

/* ---- Cuts ---- */

/* length * part / whole, to the nearest, without an overflow on the way. */
static uint64_t portion(uint64_t length, int part, int whole)
{
	uint64_t p = (uint64_t)part, q = (uint64_t)whole;

	return length / q * p + (2 * (length % q) * p + q) / (2 * q);
}

bool asl_cut_leaves_work(const struct asl_cut *x,
			 const uint64_t d[ASL_CUTS_AXES], int ranks)
{
	uint64_t across = d[0] * d[1] * d[2] / d[x->axis];

	return x->ranks > 0 && x->ranks < ranks &&
	       x->length * across >= (uint64_t)x->ranks &&
	       (d[x->axis] - x->length) * across >=
		       (uint64_t)(ranks - x->ranks);
}

static struct asl_cut in_proportion(const uint64_t d[ASL_CUTS_AXES],
				    enum asl_cuts_axis axis, int first,
				    int ranks)
{
	return (struct asl_cut){axis, portion(d[axis], first, ranks), first};
}

/* In the middle, and the ranks as their work allows: always possible. */
static struct asl_cut in_the_middle(const uint64_t d[ASL_CUTS_AXES],
				    enum asl_cuts_axis axis, int ranks)
{
	uint64_t across = d[0] * d[1] * d[2] / d[axis], half = d[axis] / 2;
	uint64_t most = half * across, others = (d[axis] - half) * across;
	uint64_t all = (uint64_t)ranks, first = all / 2;

	if (all - first > others)
		first = all - others;
	return (struct asl_cut){axis, half, (int)asl_least(first, most)};
}

/* The axes from the longest to the shortest. */
static void sort(enum asl_cuts_axis axis[ASL_CUTS_AXES],
		 const uint64_t d[ASL_CUTS_AXES])
{
	for (int i = 0; i < ASL_CUTS_AXES; i++) {
		int j = i;

		for (; j > 0 && d[axis[j - 1]] < d[i]; j--)
			axis[j] = axis[j - 1];
		axis[j] = (enum asl_cuts_axis)i;
	}
}

/* ---- The search ---- */

static uint64_t least_words(struct asl_cuts_memo *memo,
			    const uint64_t d[ASL_CUTS_AXES], int ranks);

static uint64_t words_after(struct asl_cuts_memo *memo,
			    const uint64_t d[ASL_CUTS_AXES], int ranks,
			    const struct asl_cut *x)
{
	uint64_t one[] = {d[0], d[1], d[2]}, other[] = {d[0], d[1], d[2]};

	one[x->axis] = x->length;
	other[x->axis] -= x->length;
	return least_words(memo, one, x->ranks) +
	       least_words(memo, other, ranks - x->ranks);
}

static void try_cut(struct asl_cuts_memo *memo, struct note *best,
		    const struct asl_cut *x)
{
	uint64_t words;

	if (!asl_cut_leaves_work(x, best->d, best->ranks))
		return;
	words = words_after(memo, best->d, best->ranks, x);
	if (words < best->words) {
		best->words = words;
		best->cut = *x;
	}
}

static void try_axis(struct asl_cuts_memo *memo, struct note *best,
		     enum asl_cuts_axis axis)
{
	int P = best->ranks;
	const int first[] = {P / 2 - 1,	    P / 2, P - P / 2,
			     P - P / 2 + 1, P / 3, P - P / 3};

	for (int i = 0; i < 6; i++) {
		struct asl_cut x = in_proportion(best->d, axis, first[i], P);

		try_cut(memo, best, &x);
	}
}

static struct note search(struct asl_cuts_memo *memo,
			  const uint64_t d[ASL_CUTS_AXES], int ranks)
{
	struct note best = {{d[0], d[1], d[2]}, ranks, {0}, UINT64_MAX};
	enum asl_cuts_axis axis[ASL_CUTS_AXES];

	sort(axis, d);
	try_axis(memo, &best, axis[0]);
	if (d[axis[1]] > d[axis[0]] / 2)
		try_axis(memo, &best, axis[1]);
	if (best.words == UINT64_MAX) {
		best.cut = in_the_middle(d, axis[0], ranks);
		best.words = words_after(memo, d, ranks, &best.cut);
	}
	return best;
}

static struct note recall(struct asl_cuts_memo *memo,
			  const uint64_t d[ASL_CUTS_AXES], int ranks)
{
	struct note *known = note_of(memo, d, ranks);

	if (!is_about(known, d, ranks)) {
		struct note new = search(memo, d, ranks);

		*known = new;
	}
	return *known;
}

static uint64_t least_words(struct asl_cuts_memo *memo,
			    const uint64_t d[ASL_CUTS_AXES], int ranks)
{
	return ranks == 1 ? faces(d) : recall(memo, d, ranks).words;
}

struct asl_cut asl_cuts_split(struct asl_cuts_memo *memo,
			      const uint64_t d[ASL_CUTS_AXES], int ranks)
{
	enum asl_cuts_axis axis[ASL_CUTS_AXES];
	struct asl_cut x;

	if (ranks <= FEW)
		return recall(memo, d, ranks).cut;
	sort(axis, d);
	x = in_proportion(d, axis[0], ranks / 2, ranks);
	return asl_cut_leaves_work(&x, d, ranks)
		       ? x
		       : in_the_middle(d, axis[0], ranks);
}
