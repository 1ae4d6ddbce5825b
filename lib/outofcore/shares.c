/*
 * shares.c -- an array of which every rank owns a share of each leaf
 */
#include <errno.h>
#include <stdlib.h>

#include "lib/outofcore/methods.h"

void asl_ooc_shares_take(struct asl_rank *r, struct asl_ooc_shares *s,
			 const struct asl_ooc_layout *l, enum asl_operand which)
{
	int rows = l->leaves[asl_ooc_rows(which)];
	int cols = l->leaves[asl_ooc_cols(which)];
	uint64_t first = 0;

	s->all = (struct asl_group){0, 1, l->ranks, l->rank, NULL};
	s->first = calloc((size_t)rows * (size_t)cols, sizeof *s->first);
	if (!s->first) {
		asl_rank_fail(r, -ENOMEM,
			      "no memory for %d x %d tiles' records", rows,
			      cols);
		return;
	}
	for (int i = 0; i < rows * cols; i++) {
		uint64_t words =
			asl_ooc_leaf(l, asl_ooc_rows(which), 0, i / cols)
				.count *
			asl_ooc_leaf(l, asl_ooc_cols(which), 0, i % cols).count;

		s->first[i] = first;
		first += asl_share(words, l->ranks, l->rank).count;
	}
}

void asl_ooc_shares_give(struct asl_ooc_shares *s)
{
	free(s->first);
	s->first = NULL;
}

struct asl_range asl_ooc_share_within(const struct asl_ooc_shares *s,
				      const struct asl_words *tile)
{
	return asl_share(tile->count, s->all.size, s->all.me);
}

struct asl_words asl_ooc_share_owned(const struct asl_ooc_shares *s,
				     const struct asl_ooc_walk *w,
				     const struct asl_ooc_tile *t,
				     const struct asl_words *own)
{
	enum asl_operand rows = asl_ooc_rows(t->which);
	enum asl_operand cols = asl_ooc_cols(t->which);
	int leaf = t->leaf[rows] * w->l->leaves[cols] + t->leaf[cols];
	struct asl_words words = asl_ooc_tile_words(w, t);

	return asl_slice(own, s->first[leaf],
			 asl_ooc_share_within(s, &words).count);
}
