/*
 * chunks.c -- shares where row blocks have different numbers of ranks
 *
 * Each row block is cut into c chunks, as even as possible, for c of the ranks
 * that work with it, or for all; a rank's share of a row block is a chunk or
 * empty.  A chunk goes to all other ranks of its row block, in a message to each.
 * There are as many steps as some rank sends or receives messages (schedule.c),
 * and a step costs what its longer message costs.  So the words each way are
 *
 *	no fewer than	those that some rank sends or receives
 *	no more than	the longest chunk, times the steps
 *
 * With few chunks some ranks have one more than others; many chunks are short,
 * and some are one word longer.  Different c are tried, and the one is taken for
 * which the middle of the two is least.  Ranks that send the fewest words so far
 * get a row block's chunks, and of these the ones with fewer row blocks to come.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/symmetric/layout.h"

/* The messages and words of x that a rank exchanges. */
struct tally {
	uint64_t out, in, sent, received;
	int left;    /* row blocks to come */
	bool chosen; /* for a chunk of the present one */
};

struct dealer {
	struct asl_layout *l;
	struct tally *of; /* [ranks] */
	int *sorted; /* the ranks of a row block; as many as there are ranks */
};

static _Thread_local const struct tally *tallies;

static int by_words_sent(const void *a, const void *b)
{
	int p = *(const int *)a, q = *(const int *)b;

	if (tallies[p].sent != tallies[q].sent)
		return tallies[p].sent < tallies[q].sent ? -1 : 1;
	return tallies[p].left != tallies[q].left
		       ? tallies[p].left - tallies[q].left
		       : p - q;
}

static void choose(struct dealer *d, int row)
{
	int sharers = asl_list_length(&d->l->sharers, row);

	memcpy(d->sorted, asl_list(&d->l->sharers, row),
	       (size_t)sharers * sizeof *d->sorted);
	tallies = d->of;
	qsort(d->sorted, (size_t)sharers, sizeof *d->sorted, by_words_sent);
	for (int i = 0; i < sharers; i++)
		d->of[d->sorted[i]].chosen = i < d->l->extras[row];
}

static void give_chunks(struct dealer *d, int row)
{
	struct asl_layout *l = d->l;
	struct asl_range all = asl_layout_row(l, row);
	int sharers = asl_list_length(&l->sharers, row), next = 0;

	for (int i = 0; i < sharers; i++) {
		int p = asl_list(&l->sharers, row)[i];
		size_t at = l->rows.first[p] +
			    (size_t)asl_list_find(&l->rows, p, row);
		struct tally *x = &d->of[p];

		x->left--;
		x->in += (uint64_t)l->extras[row];
		x->received += all.count;
		l->share[at] = (struct asl_range){all.first, 0};
		if (!x->chosen)
			continue;
		l->share[at] = asl_part_of(all, l->extras[row], next++);
		x->in--;
		x->received -= l->share[at].count;
		x->out += (uint64_t)sharers - 1;
		x->sent += l->share[at].count * ((uint64_t)sharers - 1);
	}
}

static uint64_t estimate(const struct dealer *d)
{
	uint64_t steps = 0, words = 0;

	for (int p = 0; p < d->l->ranks; p++) {
		const struct tally *x = &d->of[p];

		steps = asl_max(steps, asl_max(x->out, x->in));
		words = asl_max(words, asl_max(x->sent, x->received));
	}
	return (words + steps * d->l->longest) / 2;
}

/* Share all row blocks; returns the words each way, about. */
static uint64_t share(struct dealer *d, int most)
{
	struct asl_layout *l = d->l;

	l->even = l->longest = 0;
	for (int p = 0; p < l->ranks; p++)
		d->of[p] = (struct tally){.left = asl_list_length(&l->rows, p)};
	for (int i = 0; i < l->m; i++) {
		uint64_t words = asl_layout_row(l, i).count;
		int sharers = asl_list_length(&l->sharers, i);

		l->extras[i] = (int)asl_min(
			words, (uint64_t)(most < sharers ? most : sharers));
		if (l->ranks > 1)
			l->longest = asl_max(
				l->longest,
				asl_ceil_div(words, (uint64_t)l->extras[i]));
		choose(d, i);
		give_chunks(d, i);
	}
	return estimate(d);
}

static int most_sharers(const struct asl_layout *l)
{
	int most = 0;

	for (int i = 0; i < l->m; i++)
		if (asl_list_length(&l->sharers, i) > most)
			most = asl_list_length(&l->sharers, i);
	return most;
}

int asl_shares_by_chunks(struct asl_layout *l, uint64_t *words)
{
	size_t ranks = (size_t)l->ranks;
	struct dealer d = {
		.l = l,
		.of = malloc(ranks * sizeof *d.of),
		.sorted = malloc(ranks * sizeof *d.sorted),
	};
	int best = 1, most = most_sharers(l), err = -ENOMEM;

	l->share = malloc((l->rows.first[ranks] + 1) * sizeof *l->share);
	l->extras = malloc((size_t)l->m * sizeof *l->extras);
	if (d.of && d.sorted && l->share && l->extras) {
		*words = UINT64_MAX;
		/* Many numbers take long: only some of them are tried. */
		for (int c = 1; c <= most; c += 1 + c / 16) {
			uint64_t now = share(&d, c);

			if (now < *words) {
				*words = now;
				best = c;
			}
		}
		*words = share(&d, best);
		err = 0;
	}
	free(d.sorted);
	free(d.of);
	return err;
}
