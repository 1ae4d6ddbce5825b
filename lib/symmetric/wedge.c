/*
 * wedge.c -- a rank's wedge: which words it has, and what it knows of its peers
 */
#include "lib/symmetric/wedge.h"

#include <stdlib.h>
#include <string.h>

struct asl_range asl_wedge_place(const struct asl_wedge *w, int place,
				 struct asl_range x)
{
	x.first += w->l.at[place] -
		   asl_layout_row(&w->s->layout, w->row[place]).first;
	return x;
}

struct asl_range asl_wedge_share(const struct asl_wedge *w, int i)
{
	return asl_wedge_place(w, i,
			       asl_layout_part(&w->s->layout, w->rank, i));
}

uint64_t asl_wedge_words(const struct asl_wedge *w)
{
	return w->l.at[w->rows];
}

uint64_t asl_wedge_owned(const struct asl_wedge *w)
{
	uint64_t words = 0;

	for (int i = 0; i < w->rows; i++)
		words += asl_wedge_share(w, i).count;
	return words;
}

uint64_t asl_wedge_tensor(const struct asl_wedge *w)
{
	return asl_layout_words(&w->s->layout, w->rank);
}

void asl_wedge_forget(struct asl_wedge *w)
{
	free(w->l.theirs);
	free(w->l.mine);
	w->l.mine = w->l.theirs = NULL;
}

void asl_wedge_lists_give(struct asl_wedge_lists *l)
{
	free(l->theirs);
	free(l->mine);
	free(l->common);
	free(l->at);
	*l = (struct asl_wedge_lists){0};
}

bool asl_wedge_lists_take(struct asl_wedge_lists *l, int rows, int ranks)
{
	*l = (struct asl_wedge_lists){
		.at = malloc(((size_t)rows + 1) * sizeof *l->at),
		.mine = malloc((size_t)ranks * sizeof *l->mine),
		.theirs = malloc((size_t)ranks * sizeof *l->theirs),
		.common = malloc(((size_t)rows + 1) * sizeof *l->common),
	};
	if (l->at && l->mine && l->theirs && l->common)
		return true;
	asl_wedge_lists_give(l);
	return false;
}

static struct asl_wedge wedge_of(const struct asl_symmetric *s, int rank)
{
	return (struct asl_wedge){
		.s = s,
		.rank = rank,
		.rows = asl_list_length(&s->layout.rows, rank),
		.row = asl_list(&s->layout.rows, rank),
	};
}

static void fill_lists(struct asl_wedge *w)
{
	const struct asl_layout *l = &w->s->layout;
	size_t peers = (size_t)l->ranks * sizeof *w->l.mine;

	w->l.at[0] = 0;
	for (int i = 0; i < w->rows; i++)
		w->l.at[i + 1] =
			w->l.at[i] + asl_layout_row(l, w->row[i]).count;
	memset(w->l.mine, 0, peers);
	memset(w->l.theirs, 0, peers);
	asl_wedge_meet(w);
}

void asl_wedge_ponder(struct asl_wedge *w, const struct asl_symmetric *s,
		      int rank)
{
	*w = wedge_of(s, rank);
	w->l = s->pondered;
	fill_lists(w);
}

void asl_wedge_begin(struct asl_wedge *w, const struct asl_symmetric *s,
		     int rank)
{
	*w = wedge_of(s, rank);
	w->failed = !asl_wedge_lists_take(&w->l, w->rows, s->layout.ranks);
	if (w->failed)
		w->rows = 0;
	else
		fill_lists(w);
}

void asl_wedge_end(struct asl_wedge *w)
{
	asl_wedge_lists_give(&w->l);
}
