/*
 * sequence.c -- the tree of pairs that moves fewest words, stage by stage
 *
 * The best tree for every set of inputs is known from those of its halves: least
 * words of the busiest ranks, and among equals the fewest multiplications.  Here
 * an intermediate moves as much as a rank has of it.
 */
#include <math.h>

#include "lib/contract/make.h"

enum { SETS = 1 << ASL_MOST_INPUTS };

struct tree {
	double words, volume;
	int left; /* the set on one side; 0: a single input */
	struct asl_term term;
	struct asl_mesh mesh;
};

struct search {
	const struct asl_einsum *e;
	int ranks;
	struct tree of[SETS];
};

/* An index that both sides have once comes where the first one has it. */
static struct asl_term result(const struct asl_einsum *e, int set,
			      const struct asl_term *a,
			      const struct asl_term *b)
{
	const struct asl_term *side[] = {a, b};
	uint32_t needed = e->term[e->inputs].has;
	int index[ASL_MOST_INDICES], count = 0;

	if (set == (1 << e->inputs) - 1)
		return e->term[e->inputs];
	for (int i = 0; i < e->inputs; i++)
		if (!(set >> i & 1))
			needed |= e->term[i].has;
	for (int s = 0; s < 2; s++)
		for (int i = 0; i < side[s]->count; i++) {
			int x = side[s]->index[i];

			if (needed >> x & 1 && !(s == 1 && asl_term_has(a, x)))
				index[count++] = x;
		}
	return asl_term_of(index, count);
}

/* The pair of two terms, as an einsum in the indices of the whole. */
static struct asl_einsum pair_of(const struct asl_einsum *e,
				 const struct asl_term *a,
				 const struct asl_term *b,
				 const struct asl_term *out)
{
	struct asl_einsum pair = *e;

	pair.inputs = 2;
	pair.term[0] = *a;
	pair.term[1] = *b;
	pair.term[2] = *out;
	return pair;
}

/* What is moved there at most, of an intermediate. */
static double moved(const struct search *s, const struct tree *t)
{
	double words = (double)asl_term_words(s->e, &t->term);

	return t->left ? words / asl_mesh_ranks(s->e, &t->mesh) : 0;
}

static void join(struct search *s, int set, int left)
{
	const struct tree *a = &s->of[left], *b = &s->of[set & ~left];
	struct tree new = {.left = left,
			   .words = a->words + b->words,
			   .volume = a->volume + b->volume};
	struct asl_einsum pair;

	if (new.words > s->of[set].words)
		return;
	new.term = result(s->e, set, &a->term, &b->term);
	pair = pair_of(s->e, &a->term, &b->term, &new.term);
	new.mesh = asl_mesh_choose(&pair, s->ranks);
	new.words += (double)asl_mesh_busiest(&pair, &new.mesh);
	if (s->ranks > 1)
		new.words += moved(s, a) + moved(s, b);
	new.volume += (double)asl_mesh_volume(&pair, &new.mesh);
	if (new.words < s->of[set].words ||
	    (new.words == s->of[set].words &&new.volume < s->of[set].volume))
		s->of[set] = new;
}

static void find_trees(struct search *s)
{
	for (int set = 1; set < 1 << s->e->inputs; set++) {
		int lowest = set & -set;
		struct tree *t = &s->of[set];

		if (set == lowest) {
			t->term = s->e->term[__builtin_ctz((unsigned)set)];
			continue;
		}
		t->words = INFINITY;
		for (int left = (set - 1) & set; left; left = (left - 1) & set)
			if (left & lowest)
				join(s, set, left);
	}
}

/* ---- Stages ---- */

/* Where a set's tensor comes from: an operand, or the stage that made it. */
static int add_tree(struct asl_contraction *c, const struct search *s, int set,
		    uint64_t cache)
{
	const struct tree *t = &s->of[set], *a, *b;
	struct asl_einsum pair;
	struct asl_stage *x;
	int from[2];

	if (!t->left)
		return __builtin_ctz((unsigned)set);
	a = &s->of[t->left];
	b = &s->of[set & ~t->left];
	from[0] = add_tree(c, s, t->left, cache);
	from[1] = add_tree(c, s, set & ~t->left, cache);
	pair = pair_of(s->e, &a->term, &b->term, &t->term);
	x = &c->stage[c->stages];
	asl_contraction_add_stage(c, &pair, &t->mesh, cache);
	x->from[0] = from[0];
	x->from[1] = from[1];
	return s->e->inputs + c->stages - 1;
}

void asl_contraction_add_sequence(struct asl_contraction *c, uint64_t cache)
{
	struct search s = {.e = &c->e, .ranks = c->given};

	find_trees(&s);
	add_tree(c, &s, (1 << c->e.inputs) - 1, cache);
}
