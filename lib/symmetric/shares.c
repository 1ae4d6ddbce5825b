/*
 * shares.c -- which words of x and y a rank owns
 *
 * With a Steiner system, P ranks of s row blocks each, m row blocks of lambda =
 * sP/m ranks each: a rank that owns w of the W words of its row blocks sends
 * w (lambda-1) words of x and receives W - w of them; of y, it sends W - w sums
 * and receives w (lambda-1).  So it takes, at least,
 *
 *	B_h	2 max(w (lambda-1), W - w)
 *
 * and the busiest one max(c (lambda-1), W' - c) each way, where c = ceil(n/P)
 * and W' is the largest W: some rank owns c words or more, one with W' = W owns
 * c or fewer, or else it sends (c+1)(lambda-1), which is no less since W' <
 * lambda c + s, and s < m <= lambda + 1 by Fisher's inequality for the blocks of
 * one point.  Shares and schedules reach that for every n.  No rank owns more
 * than c words, and none fewer than n/P, rounded down.
 *
 * Such shares exist.  If each rank could own n/P words exactly, in fractions,
 * whole words would do for it rounded either way, because flows have integer
 * solutions.  By Hall's theorem it can if the ranks that work with any z of the
 * row blocks have room for their words.  y = m - z row blocks contain at most
 * P y(y-1)(y-2) / m(m-1)(m-2) <= P (y/m)^3 blocks of the system, so the others,
 * P (1 - (y/m)^3) or more, work with those z.  For z <= 0.38 m that is enough
 * for z ceil(n/m) < 2 z n/m words; for more, the y row blocks have at least
 * y floor(n/m) > y n/2m words, and the ranks within them need n (y/m)^3, less.
 *
 * A share of each row block is `even` words and perhaps an extra one.  The flow
 * goes from row blocks to ranks, one extra at most along each edge: first until
 * each rank has its least, W - B_h/2 or n/P, and then up to c.  (With the extras
 * so confined, and the least required, no proof is known; tests try every n up
 * to the period, s P, after which all repeats.)
 *
 * With one exception: if every row block can have the same number of ranks, P/m,
 * and shares would not all be even, a rank owns words of a single row block.
 * That is as many words in lambda-1 messages.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/symmetric/layout.h"

/* The words of row blocks, as the sharers come to them in order. */
static int put_shares(struct asl_layout *l, const uint64_t *count)
{
	size_t shares = l->rows.first[l->ranks];
	uint64_t *next = malloc((size_t)l->m * sizeof *next);
	uint64_t longest = 2 * l->even;

	if (!next)
		return -ENOMEM;
	for (int i = 0; i < l->m; i++)
		next[i] = asl_layout_row(l, i).first;
	/* Two ranks have two row blocks in common at most. */
	for (size_t x = 0; x < shares; x++) {
		int i = l->rows.item[x];

		l->share[x] = (struct asl_range){next[i], count[x]};
		l->extras[i] += count[x] > l->even;
		longest = asl_max(longest, count[x] - l->even);
		next[i] += count[x];
	}
	free(next);
	l->longest = l->ranks > 1 ? longest : 0;
	return 0;
}

int asl_shares_by_parts(struct asl_layout *l)
{
	size_t shares = l->rows.first[l->ranks];
	int *next = calloc((size_t)l->m, sizeof *next);

	l->even = UINT64_MAX;
	l->share = malloc((shares + 1) * sizeof *l->share);
	for (size_t x = 0; next && l->share && x < shares; x++) {
		int i = l->rows.item[x];

		l->share[x] =
			asl_part_of(asl_layout_row(l, i),
				    asl_list_length(&l->sharers, i), next[i]++);
	}
	free(next);
	return next && l->share ? 0 : -ENOMEM;
}

/* ---- A single row block ---- */

static int own_single(struct asl_layout *l, uint64_t *count)
{
	int *row_of = malloc((size_t)l->ranks * sizeof *row_of);
	int *next = calloc((size_t)l->m, sizeof *next);
	int err = row_of && next ? asl_match_evenly(row_of, &l->rows, l->m)
				 : -ENOMEM;

	for (int p = 0; !err && p < l->ranks; p++) {
		int i = row_of[p], place = asl_list_find(&l->rows, p, i);

		count[l->rows.first[p] + (size_t)place] =
			asl_part_of(asl_layout_row(l, i), l->ranks / l->m,
				    next[i]++)
				.count;
	}
	free(next);
	free(row_of);
	return err;
}

/* ---- Even shares and extra words, by a flow ---- */

struct row {
	uint64_t left; /* words that no rank owns yet */
	/* Reached by taking this word from its rank, for that one. */
	size_t given, taken;
	bool reached;
};

struct owner {
	uint64_t words, most; /* owned; how many it may own */
	int remain;	      /* row blocks still to be dealt out */
	bool seen;
};

struct flow {
	struct asl_layout *l;
	uint64_t *count; /* of each share */
	int *rank_of;	 /* of each share */
	size_t *edge;	 /* of sharers.item: its share */
	struct row *row;
	struct owner *owner;
	int *queue;    /* [m] */
	uint64_t room; /* words that ranks may own, but do not */
};

static void add(struct flow *f, int row, size_t share)
{
	f->count[share]++;
	f->owner[f->rank_of[share]].words++;
	f->row[row].left--;
	f->room--;
}

static bool has_extra(const struct flow *f, size_t share)
{
	return f->count[share] > f->l->even;
}

static bool is_open(const struct flow *f, size_t share)
{
	const struct owner *p = &f->owner[f->rank_of[share]];

	return !has_extra(f, share) && p->words < p->most;
}

/* Ranks that need a word of nearly every row block that is left come first. */
static void begin(struct flow *f, int row)
{
	size_t first = f->l->sharers.first[row];
	size_t end = f->l->sharers.first[row + 1];

	for (uint64_t spare = 0; spare < (uint64_t)f->l->s; spare++)
		for (size_t x = first; x < end && f->row[row].left; x++) {
			struct owner *p = &f->owner[f->l->sharers.item[x]];

			if (is_open(f, f->edge[x]) &&
			    p->most - p->words + spare >= (uint64_t)p->remain)
				add(f, row, f->edge[x]);
		}
	for (size_t x = first; x < end; x++)
		f->owner[f->l->sharers.item[x]].remain--;
}

/* Reach the row blocks whose extra words a full rank could give. */
static int reach(struct flow *f, size_t share, int rows)
{
	const struct asl_lists *of = &f->l->rows;
	int p = f->rank_of[share];

	if (f->owner[p].seen)
		return rows;
	f->owner[p].seen = true;
	for (size_t x = of->first[p]; x < of->first[p + 1]; x++) {
		struct row *row = &f->row[of->item[x]];

		if (!has_extra(f, x) || row->reached)
			continue;
		row->reached = true;
		row->given = x;
		row->taken = share;
		f->queue[rows++] = of->item[x];
	}
	return rows;
}

/* Find a share, of a row block that can be reached, whose rank has room. */
static bool search(struct flow *f, size_t *share, int row)
{
	const struct asl_lists *of = &f->l->sharers;
	int rows = 1;

	for (int i = 0; i < f->l->m; i++)
		f->row[i].reached = i == row;
	for (int p = 0; p < f->l->ranks; p++)
		f->owner[p].seen = false;
	f->queue[0] = row;
	for (int i = 0; i < rows; i++) {
		size_t first = of->first[f->queue[i]];
		size_t end = of->first[f->queue[i] + 1];

		for (size_t x = first; x < end; x++)
			if (is_open(f, *share = f->edge[x]))
				return true;
		for (size_t x = first; x < end; x++)
			if (!has_extra(f, f->edge[x]))
				rows = reach(f, f->edge[x], rows);
	}
	return false;
}

/* False: no rank with room can be reached. */
static bool augment(struct flow *f, int row)
{
	size_t share;

	if (!f->room || !search(f, &share, row))
		return false;
	add(f, row, share);
	for (int i; (i = f->l->rows.item[share]) != row; f->count[share]++) {
		f->count[f->row[i].given]--;
		share = f->row[i].taken;
	}
	return true;
}

/* Returns the words left. */
static uint64_t fill(struct flow *f)
{
	uint64_t left = 0;

	f->room = 0;
	for (int p = 0; p < f->l->ranks; p++)
		f->room += f->owner[p].most - f->owner[p].words;
	for (int i = 0; i < f->l->m; i++) {
		while (f->row[i].left && augment(f, i))
			;
		left += f->row[i].left;
	}
	return left;
}

/* Deal out extra words, up to the least required, and then up to c. */
static void deal(struct flow *f)
{
	const struct asl_layout *l = f->l;
	uint64_t B_h = asl_shares_least(l), left;
	uint64_t c = asl_ceil_div(l->n, (uint64_t)l->ranks);

	for (int p = 0; p < l->ranks; p++) {
		uint64_t W = asl_layout_rows_words(l, p);

		f->owner[p] = (struct owner){
			.words = l->even * (uint64_t)l->s,
			.most = asl_max(l->n / (uint64_t)l->ranks,
					W > B_h ? W - B_h : 0),
			.remain = l->s,
		};
	}
	for (int i = 0; i < l->m; i++)
		begin(f, i);
	for (left = fill(f); left; left = fill(f), c++)
		for (int p = 0; p < l->ranks; p++)
			f->owner[p].most = c;
}

static void begin_flow(struct flow *f)
{
	const struct asl_layout *l = f->l;
	size_t x = 0;

	for (int i = 0; i < l->m; i++) {
		uint64_t sharers = (uint64_t)asl_list_length(&l->sharers, i);

		f->row[i].left = asl_layout_row(l, i).count - sharers * l->even;
	}
	for (int p = 0; p < l->ranks; p++)
		for (; x < l->rows.first[p + 1]; x++) {
			int i = l->rows.item[x];

			f->rank_of[x] = p;
			f->count[x] = l->even;
			f->edge[l->sharers.first[i] +
				(size_t)asl_list_find(&l->sharers, i, p)] = x;
		}
}

static int own_evenly(struct asl_layout *l, uint64_t *count)
{
	size_t shares = l->rows.first[l->ranks];
	struct flow f = {
		.l = l,
		.count = count,
		.rank_of = malloc(shares * sizeof *f.rank_of),
		.edge = malloc(shares * sizeof *f.edge),
		.row = calloc((size_t)l->m, sizeof *f.row),
		.owner = calloc((size_t)l->ranks, sizeof *f.owner),
		.queue = malloc((size_t)l->m * sizeof *f.queue),
	};
	bool ready = f.rank_of && f.edge && f.row && f.owner && f.queue;

	if (ready) {
		begin_flow(&f);
		deal(&f);
	}
	free(f.rank_of);
	free(f.edge);
	free(f.row);
	free(f.owner);
	free(f.queue);
	return ready ? 0 : -ENOMEM;
}

/* ---- Either ---- */

uint64_t asl_shares_least(const struct asl_layout *l)
{
	uint64_t c = asl_ceil_div(l->n, (uint64_t)l->ranks), most = 0;
	uint64_t sharers = (uint64_t)asl_list_length(&l->sharers, 0);

	for (int p = 0; p < l->ranks; p++)
		most = asl_max(most, asl_layout_rows_words(l, p));
	return asl_max(c * (sharers - 1), most - c);
}

int asl_shares_make(struct asl_layout *l, enum asl_shares how)
{
	uint64_t sharers = (uint64_t)asl_list_length(&l->sharers, 0);
	uint64_t m = (uint64_t)l->m;
	bool single = how == ASL_SINGLE && l->ranks % l->m == 0 &&
		      l->n % (m * sharers);
	uint64_t *count = calloc(l->rows.first[l->ranks] + 1, sizeof *count);
	int err;

	l->share = malloc((l->rows.first[l->ranks] + 1) * sizeof *l->share);
	l->extras = calloc((size_t)l->m, sizeof *l->extras);
	if (!count || !l->share || !l->extras) {
		free(count);
		return -ENOMEM;
	}
	l->even = single ? 0 : l->n / m / sharers;
	err = single ? own_single(l, count) : own_evenly(l, count);
	if (!err)
		err = put_shares(l, count);
	free(count);
	return err;
}
