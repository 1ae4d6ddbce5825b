/*
 * plan.c -- trees of pairs, steps and stages, and the way that moves fewer words
 */
#include <math.h>
#include <stdlib.h>

#include "lib/contract/contract.h"
#include "lib/kernels/kernel.h"
#include "lib/rank/ledger.h"

/*
 * Trees of pairs
 *
 * The best tree for every set of inputs is found from the best trees of its
 * halves, by the cost that `join` adds for the pair at its root.
 */

enum { SETS = 1 << ASL_MOST_INPUTS };

struct tree {
	double cost, work; /* the least work decides between equal costs */
	int left;	   /* the set on one side; 0: a single input */
	struct asl_term term;
	struct asl_mesh mesh; /* of a sequence's pair */
};

struct search {
	const struct asl_einsum *e;
	/* Set t's term (and mesh), and add the pair's cost and work. */
	void (*join)(struct tree *t, const struct search *s, int set,
		     const struct tree *a, const struct tree *b);
	const uint64_t *len; /* of a rank's slices */
	int ranks;	     /* of a sequence */
	struct tree of[SETS];
};

static int all_inputs(const struct asl_einsum *e)
{
	return (1 << e->inputs) - 1;
}

/* Indices of a set of inputs that are still needed outside it. */
static uint32_t kept(const struct asl_einsum *e, int set)
{
	uint32_t inside = 0, outside = e->term[e->inputs].has;

	for (int i = 0; i < e->inputs; i++)
		*(set >> i & 1 ? &inside : &outside) |= e->term[i].has;
	return inside & outside;
}

static void try_pair(struct search *s, int set, int left)
{
	const struct tree *a = &s->of[left], *b = &s->of[set & ~left];
	struct tree *best = &s->of[set];
	struct tree new = {.cost = a->cost + b->cost,
			   .work = a->work + b->work,
			   .left = left};

	if (new.cost > best->cost)
		return;
	s->join(&new, s, set, a, b);
	if (new.cost < best->cost ||
	    (new.cost == best->cost &&new.work < best->work))
		*best = new;
}

/* The trees of single inputs are there. */
static void find_trees(struct search *s)
{
	for (int set = 1; set <= all_inputs(s->e); set++) {
		int lowest = set & -set;

		if (set != lowest)
			s->of[set].cost = INFINITY;
		for (int left = (set - 1) & set; left; left = (left - 1) & set)
			if (left & lowest)
				try_pair(s, set, left);
	}
}

/* ---- The steps on one rank ---- */

/* A word of a temporary, written once and read once. */
#define TEMPORARY_NS 2.0

static void join_steps(struct tree *t, const struct search *s, int set,
		       const struct tree *a, const struct tree *b)
{
	const struct asl_einsum *e = s->e;
	bool last = set == all_inputs(e);

	t->cost += asl_pair_time(&t->term, &a->term, &b->term,
				 last ? &e->term[e->inputs] : NULL,
				 kept(e, set), s->len);
	if (!last)
		t->cost +=
			TEMPORARY_NS * (double)asl_term_words(&t->term, s->len);
}

/* What is left of an input after its own sums, in the order that suits them. */
static struct asl_term summed(const struct search *s, int input)
{
	const struct asl_term *t = &s->e->term[input];
	uint32_t needed = kept(s->e, 1 << input);
	struct asl_term gone = asl_term_without(t, needed), rest;

	if (!gone.count)
		return *t;
	asl_pair_time(&rest, t, &gone, NULL, needed, s->len);
	return rest;
}

static int add_step(struct asl_local *l, int a, int b,
		    const struct asl_term *out)
{
	l->step[l->steps] = (struct asl_local_step){{a, b}, *out};
	return l->inputs + l->steps++;
}

/* Returns the number of the tensor that the set makes. */
static int add_steps(struct asl_local *l, const struct search *s, int set)
{
	const struct tree *t = &s->of[set];
	int input = __builtin_ctz((unsigned)set), a, b;

	if (t->left) {
		a = add_steps(l, s, t->left);
		b = add_steps(l, s, set & ~t->left);
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
	uint64_t most = asl_max(cache / 4, 1), words;

	l->slab = -1;
	for (int i = 0; i < l->steps - 1; i++) {
		words = asl_term_words(&l->step[i].out, len);
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
		l->thick = asl_max(1, cache / 4 / (most / len[index]));
		return;
	}
}

void asl_local_make(struct asl_local *l, const struct asl_einsum *e,
		    const uint64_t *len, uint64_t cache)
{
	struct search s = {.e = e, .join = join_steps, .len = len};

	*l = (struct asl_local){.inputs = e->inputs};
	if (e->inputs == 1) {
		add_step(l, 0, -1, &e->term[1]);
	} else {
		for (int i = 0; i < e->inputs; i++)
			s.of[1 << i].term = summed(&s, i);
		find_trees(&s);
		add_steps(l, &s, all_inputs(e));
	}
	choose_slab(l, e, len, cache);
}

static struct asl_stage *add_stage(struct asl_contraction *c,
				   const struct asl_einsum *e,
				   const struct asl_mesh *mesh, uint64_t cache)
{
	struct asl_stage *x = &c->stage[c->stages++];
	struct asl_cell cell = asl_mesh_cell(e, mesh, 0);
	uint64_t len[ASL_MOST_INDICES] = {0};

	x->e = *e;
	x->mesh = *mesh;
	for (int i = 0; i < e->indices; i++)
		len[i] = cell.of[i].count;
	asl_local_make(&x->local, e, len, cache);
	if (c->ranks < asl_mesh_ranks(e, mesh))
		c->ranks = asl_mesh_ranks(e, mesh);
	return x;
}

static void make_direct(struct asl_contraction *c, uint64_t cache)
{
	struct asl_stage *x = add_stage(c, &c->e, &c->whole, cache);

	c->way = ASL_WAY_DIRECT;
	for (int i = 0; i < c->e.inputs; i++)
		x->from[i] = i;
}

/* ---- The stages of a sequence ---- */

/* An index of both sides comes where the first side has it. */
static struct asl_term result(const struct asl_einsum *e, int set,
			      const struct asl_term *a,
			      const struct asl_term *b)
{
	const struct asl_term *side[] = {a, b};
	uint32_t needed = kept(e, set);
	struct asl_term t = {0};

	if (set == all_inputs(e))
		return e->term[e->inputs];
	for (int s = 0; s < 2; s++)
		for (int i = 0; i < side[s]->count; i++)
			if (needed >> side[s]->index[i] & 1 &&
			    !asl_term_has(&t, side[s]->index[i]))
				asl_term_add(&t, side[s]->index[i]);
	return t;
}

/* The einsum of two terms, in the indices of the whole. */
static struct asl_einsum einsum_of(const struct asl_einsum *e,
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

/* Words of an intermediate that a rank of its mesh has, and may have to move. */
static double moved(const struct search *s, const struct tree *t)
{
	double words = (double)asl_term_words(&t->term, s->e->size);

	return t->left ? words / asl_mesh_ranks(s->e, &t->mesh) : 0;
}

/* The cost is the words of the busiest rank, the work is its multiplications. */
static void join_stages(struct tree *t, const struct search *s, int set,
			const struct tree *a, const struct tree *b)
{
	struct asl_einsum pair;

	t->term = result(s->e, set, &a->term, &b->term);
	pair = einsum_of(s->e, &a->term, &b->term, &t->term);
	t->mesh = asl_mesh_choose(&pair, s->ranks);
	t->cost += (double)asl_mesh_busiest(&pair, &t->mesh);
	if (s->ranks > 1)
		t->cost += moved(s, a) + moved(s, b);
	t->work += (double)asl_mesh_volume(&pair, &t->mesh);
}

/* Returns the origin of the set's tensor, as in struct asl_stage. */
static int add_stages(struct asl_contraction *c, const struct search *s,
		      int set, uint64_t cache)
{
	const struct tree *t = &s->of[set];
	const struct tree *a = &s->of[t->left], *b = &s->of[set & ~t->left];
	struct asl_einsum pair;
	struct asl_stage *x;
	int from[2];

	if (!t->left)
		return __builtin_ctz((unsigned)set);
	from[0] = add_stages(c, s, t->left, cache);
	from[1] = add_stages(c, s, set & ~t->left, cache);
	pair = einsum_of(s->e, &a->term, &b->term, &t->term);
	x = add_stage(c, &pair, &t->mesh, cache);
	x->from[0] = from[0];
	x->from[1] = from[1];
	return s->e->inputs + c->stages - 1;
}

static void note_moves(struct asl_contraction *c, struct asl_stage *x)
{
	struct asl_spread to, from;

	for (int j = 0; j < x->e.inputs; j++)
		x->moves[j] = asl_stage_origin(&to, &from, c, x, j) &&
			      !asl_spread_same(&to, &from, c->ranks);
}

/* All ranks of the direct way's mesh take part: they verify the result. */
static void make_sequence(struct asl_contraction *c, int ranks, uint64_t cache)
{
	struct search s = {.e = &c->e, .join = join_stages, .ranks = ranks};

	c->way = ASL_WAY_SEQUENCE;
	c->ranks = asl_mesh_ranks(&c->e, &c->whole);
	for (int i = 0; i < c->e.inputs; i++)
		s.of[1 << i].term = c->e.term[i];
	find_trees(&s);
	add_stages(c, &s, all_inputs(&c->e), cache);
	for (int i = 0; i < c->stages; i++)
		note_moves(c, &c->stage[i]);
}

/* Beyond so many ranks, a sequence's words are not asked rank by rank. */
enum { FEW_RANKS = 512 };

/* B_h of intermediates that move to a stage. */
static uint64_t moved_words(const struct asl_contraction *c,
			    const struct asl_stage *x, int rank)
{
	struct asl_counts counts = {{0}};
	struct asl_spread to, from;

	for (int j = 0; j < x->e.inputs; j++)
		if (x->moves[j] && asl_stage_origin(&to, &from, c, x, j))
			asl_spread_predict(&counts, rank, c->ranks, &to,
					   ASL_DRAM, &from, ASL_DRAM);
	return counts.of[ASL_BH];
}

static uint64_t words_of_rank(const struct asl_contraction *c, int rank)
{
	uint64_t words = 0;

	for (int i = 0; i < c->stages; i++) {
		const struct asl_stage *x = &c->stage[i];

		if (rank < asl_mesh_ranks(&x->e, &x->mesh))
			words += asl_mesh_words(&x->e, &x->mesh, rank);
		words += moved_words(c, x, rank);
	}
	return words;
}

/* An upper bound: each stage's busiest rank, and all words of intermediates. */
static uint64_t words_at_most(const struct asl_contraction *c)
{
	uint64_t words = 0;

	for (int i = 0; i < c->stages; i++) {
		const struct asl_stage *x = &c->stage[i];
		struct asl_spread out = asl_stage_spread(x, x->e.inputs);

		words += asl_mesh_busiest(&x->e, &x->mesh);
		if (i < c->stages - 1)
			words += 2 * asl_spread_run(&out, 0).words.count;
	}
	return words;
}

uint64_t asl_contraction_words(const struct asl_contraction *c)
{
	uint64_t most = 0;

	if (c->stages > 1 && c->ranks > FEW_RANKS)
		return words_at_most(c);
	for (int r = 0; r < c->ranks; r++)
		most = asl_max(most, words_of_rank(c, r));
	return most;
}

/* Points of the largest cells. */
static uint64_t volume(const struct asl_contraction *c)
{
	uint64_t sum = 0;

	for (int i = 0; i < c->stages; i++)
		sum += asl_mesh_volume(&c->stage[i].e, &c->stage[i].mesh);
	return sum;
}

static void make(struct asl_contraction *c, int ranks, uint64_t cache)
{
	struct asl_contraction other;
	uint64_t here, there;

	*c = (struct asl_contraction){.e = c->e,
				      .on_root = c->on_root,
				      .asked = c->asked,
				      .whole = asl_mesh_choose(&c->e, ranks)};
	if (c->e.inputs < 3 || c->asked == ASL_WAY_DIRECT) {
		make_direct(c, cache);
		return;
	}
	other = *c;
	make_sequence(c, ranks, cache);
	if (c->asked == ASL_WAY_SEQUENCE)
		return;
	make_direct(&other, cache);
	here = asl_contraction_words(c);
	there = asl_contraction_words(&other);
	if (there < here || (there == here && volume(&other) < volume(c)))
		*c = other;
}

const char *asl_contract_way_name(enum asl_contract_way way)
{
	static const char *const names[ASL_WAYS] = {
		[ASL_WAY_BEST] = "best",
		[ASL_WAY_DIRECT] = "direct",
		[ASL_WAY_SEQUENCE] = "sequence",
	};

	return names[way];
}

void asl_contract_settle(struct asl_plan *plan)
{
	/* The plan owns its contraction. */
	make((struct asl_contraction *)plan->contraction, plan->ranks,
	     plan->cache);
}

enum { MOST_KERNELS = 8 };

static int list_kernels(struct asl_plan with[MOST_KERNELS],
			const struct asl_plan *settled)
{
	const struct asl_plan *plan = settled;
	int count = 0;

	for (int i = 0; asl_kernels[i] && count < MOST_KERNELS; i++) {
		if (plan->kernel ? plan->kernel != asl_kernels[i]
				 : plan->cache < asl_kernels[i]->least_cache)
			continue;
		with[count] = *settled;
		with[count++].kernel = asl_kernels[i];
	}
	return count;
}

/* Each candidate owns its contraction. */
static void add_kernel(struct asl_candidates *list, const struct asl_plan *plan,
		       const struct asl_forecast *forecast)
{
	struct asl_candidate x = {.plan = *plan, .forecast = *forecast};
	struct asl_contraction *c = malloc(sizeof *c);

	list->failed |= !c;
	if (!c)
		return;
	*c = *plan->contraction;
	x.plan.contraction = c;
	asl_candidates_judge(list, &x);
}

/* The kernels share the meshes, which do not depend on them. */
static void try_way(struct asl_candidates *list, const struct asl_plan *base,
		    enum asl_contract_way way)
{
	struct asl_contraction c = *base->contraction;
	struct asl_plan settled = *base, plan[MOST_KERNELS];
	struct asl_forecast forecast[MOST_KERNELS];
	int count;

	c.asked = way;
	settled.contraction = &c;
	asl_contract_settle(&settled);
	count = list_kernels(plan, &settled);
	if (!asl_contract_forecast(forecast, plan, count))
		list->failed = true;
	for (int i = 0; !list->failed && i < count; i++)
		add_kernel(list, &plan[i], &forecast[i]);
}

int asl_contract_rank(struct asl_candidates *list, const struct asl_plan *base)
{
	const struct asl_contraction *c = base->contraction;
	bool choice = c->e.inputs >= 3;

	if (!choice || c->asked != ASL_WAY_SEQUENCE)
		try_way(list, base, ASL_WAY_DIRECT);
	if (choice && c->asked != ASL_WAY_DIRECT)
		try_way(list, base, ASL_WAY_SEQUENCE);
	return asl_candidates_end(list);
}
