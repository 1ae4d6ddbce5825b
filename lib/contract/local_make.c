/*
 * local_make.c -- the order in which tensors are paired
 *
 * Of every set of inputs the best tree is known from those of its halves.
 */
#include <math.h>

#include "lib/contract/local.h"
#include "lib/matrix/parts.h"

/* Of a word of a temporary, written once and read once. */
#define TEMPORARY_NS 2.0

enum { SETS = 1 << ASL_MOST_INPUTS };

struct tree {
	double time;
	int left; /* the set on one side; 0: a single input */
	struct asl_term term;
};

struct search {
	const struct asl_einsum *e;
	const uint64_t *len;
	struct tree of[SETS];
};

static struct asl_view view_of(const struct asl_term *t, const uint64_t *len)
{
	struct asl_words nowhere = {.where = ASL_DRAM};

	return asl_view_dense(&nowhere, t, len);
}

/* Indices of a set of inputs that are still needed outside it. */
static uint32_t kept(const struct asl_einsum *e, int set)
{
	uint32_t inside = 0, outside = e->term[e->inputs].has;

	for (int i = 0; i < e->inputs; i++)
		*(set >> i & 1 ? &inside : &outside) |= e->term[i].has;
	return inside & outside;
}

static struct asl_term summed(const struct asl_term *t, uint32_t kept)
{
	int index[ASL_MOST_INDICES], count = 0;

	for (int i = 0; i < t->count; i++)
		if (!(kept >> t->index[i] & 1))
			index[count++] = t->index[i];
	return asl_term_of(index, count);
}

/* What is left of one input; the order in which that comes out. */
static struct asl_term alone(const struct search *s, const struct asl_term *t,
			     uint32_t kept)
{
	struct asl_term gone = summed(t, kept);
	struct asl_view A = view_of(t, s->len), B = view_of(&gone, s->len);
	struct asl_pairing p;

	if (!gone.count)
		return *t;
	asl_pair_choose(&p, &A, &B, NULL, kept, s->len);
	return p.order[2];
}

static void join(struct search *s, int set, int left)
{
	const struct tree *a = &s->of[left], *b = &s->of[set & ~left];
	const struct asl_term *out = &s->e->term[s->e->inputs];
	struct asl_view A = view_of(&a->term, s->len);
	struct asl_view B = view_of(&b->term, s->len);
	struct asl_view C = view_of(out, s->len);
	bool last = set == (1 << s->e->inputs) - 1;
	struct tree new = {a->time + b->time, left, *out};
	struct asl_pairing p;

	asl_pair_choose(&p, &A, &B, last ? &C : NULL, kept(s->e, set), s->len);
	new.time += asl_pairing_time(&p);
	if (!last) {
		new.term = p.order[2];
		new.time +=
			TEMPORARY_NS *(double)asl_view_words(&new.term, s->len);
	}
	if (new.time < s->of[set].time)
		s->of[set] = new;
}

static void find_trees(struct search *s)
{
	for (int set = 1; set < 1 << s->e->inputs; set++) {
		int lowest = set & -set;

		s->of[set].time = INFINITY;
		if (set == lowest)
			s->of[set] = (struct tree){
				0, 0,
				alone(s,
				      &s->e->term[__builtin_ctz((unsigned)set)],
				      kept(s->e, set))};
		for (int left = (set - 1) & set; left; left = (left - 1) & set)
			if (left & lowest)
				join(s, set, left);
	}
}

/* ---- The steps of the best tree ---- */

static int add_step(struct asl_local *l, int a, int b,
		    const struct asl_term *out)
{
	l->step[l->steps] = (struct asl_local_step){{a, b}, *out};
	return l->inputs + l->steps++;
}

/* The number of the tensor that a set makes. */
static int add_tree(struct asl_local *l, const struct search *s, int set)
{
	const struct tree *t = &s->of[set];
	int input = __builtin_ctz((unsigned)set), a, b;

	if (t->left) {
		a = add_tree(l, s, t->left);
		b = add_tree(l, s, set & ~t->left);
		return add_step(l, a, b, &t->term);
	}
	if (t->term.has == s->e->term[input].has)
		return input;
	return add_step(l, input, -1, &t->term);
}

/* Slabs in which the largest temporary takes a quarter of the cache. */
static void choose_slab(struct asl_local *l, const struct asl_einsum *e,
			const uint64_t *len, uint64_t cache)
{
	const struct asl_term *largest = NULL;
	uint64_t most = asl_larger(cache / 4, 1), words;

	l->slab = -1;
	for (int i = 0; i < l->steps - 1; i++) {
		words = asl_view_words(&l->step[i].out, len);
		if (words > most) {
			most = words;
			largest = &l->step[i].out;
		}
	}
	for (int i = 0; largest && i < largest->count; i++) {
		int index = largest->index[i];

		if (len[index] == 1 ||
		    !asl_term_has(&e->term[e->inputs], index))
			continue;
		l->slab = index;
		l->thick = asl_larger(1, cache / 4 / (most / len[index]));
		return;
	}
}

void asl_local_make(struct asl_local *l, const struct asl_einsum *e,
		    const uint64_t *len, uint64_t cache)
{
	struct search s = {.e = e, .len = len};

	*l = (struct asl_local){.inputs = e->inputs};
	if (e->inputs == 1) {
		add_step(l, 0, -1, &e->term[1]);
	} else {
		find_trees(&s);
		add_tree(l, &s, (1 << e->inputs) - 1);
	}
	choose_slab(l, e, len, cache);
}
