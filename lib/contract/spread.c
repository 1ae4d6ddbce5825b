/*
 * spread.c -- runs of words, and their rows
 */
#include "lib/contract/spread.h"

struct asl_run asl_spread_run(const struct asl_spread *s, int rank)
{
	const struct asl_term *t = s->term;
	struct asl_run x = {.dims = t->count};
	struct asl_cell cell;

	if (s->mesh && rank < asl_mesh_ranks(s->e, s->mesh)) {
		cell = asl_mesh_cell(s->e, s->mesh, rank);
		for (int i = 0; i < t->count; i++)
			x.box[i] = cell.of[t->index[i]];
		x.words = asl_mesh_share(s->e, s->mesh, t, rank);
	} else if (!s->mesh && rank == 0) {
		for (int i = 0; i < t->count; i++)
			x.box[i].count = s->e->size[t->index[i]];
		x.words.count = asl_term_words(s->e, t);
	}
	return x;
}

struct asl_row asl_run_row(const struct asl_run *x, uint64_t done,
			   uint64_t most)
{
	struct asl_row row = {.count = asl_least(most, 1)};
	uint64_t word = x->words.first + done;

	for (int i = x->dims - 1; i >= 0; i--) {
		uint64_t at = word % x->box[i].count;

		if (i == x->dims - 1)
			row.count = asl_least(most, x->box[i].count - at);
		row.at[i] = x->box[i].first + at;
		word /= x->box[i].count;
	}
	return row;
}

static bool same_run(const struct asl_run *x, const struct asl_run *y)
{
	if (x->dims != y->dims || x->words.first != y->words.first ||
	    x->words.count != y->words.count)
		return false;
	for (int i = 0; i < x->dims; i++)
		if (x->box[i].first != y->box[i].first ||
		    x->box[i].count != y->box[i].count)
			return false;
	return true;
}

/* Of those that have nothing it does not matter where. */
bool asl_spread_same(const struct asl_spread *a, const struct asl_spread *b,
		     int ranks)
{
	for (int r = 0; r < ranks; r++) {
		struct asl_run x = asl_spread_run(a, r);
		struct asl_run y = asl_spread_run(b, r);

		if ((x.words.count || y.words.count) && !same_run(&x, &y))
			return false;
	}
	return true;
}
