/*
 * plan.c -- the steps on one rank, and the ranking of ways and kernels
 */
#include <math.h>
#include <stdlib.h>

#include "lib/contract/contract.h"
#include "lib/kernels/kernel.h"
#include "lib/rank/ledger.h"

/*
 * The steps on one rank: a tree of pairs
 *
 * The best tree for every set of inputs is found from the best trees of its
 * halves, by the time that `join` adds for the pair at its root.
 */

struct tree {
	double cost;
	int left; /* the set on one side; 0: a single input */
	struct asl_term term;
};

struct search {
	const struct asl_einsum *e;
	const uint64_t *len; /* of a rank's slices */
	struct tree of[1 << ASL_MOST_INPUTS];
};

static int all_inputs(const struct asl_einsum *e)
{
	return (1 << e->inputs) - 1;
}

static double points(uint32_t set, const uint64_t *len)
{
	double points = 1;

	for (int i = 0; i < ASL_MOST_INDICES; i++)
		points *= set >> i & 1 ? (double)len[i] : 1;
	return points;
}

/* A word of a temporary, written once and read once. */
#define TEMPORARY_NS 2.0

static void join(struct tree *t, const struct search *s, int set,
		 const struct tree *a, const struct tree *b)
{
	const struct asl_einsum *e = s->e;
	bool last = set == all_inputs(e);

	if (points(a->term.has | b->term.has, s->len) > ASL_MOST_POINTS)
		t->cost = INFINITY;
	t->cost += asl_pair_time(&t->term, &a->term, &b->term,
				 last ? &e->term[e->inputs] : NULL,
				 asl_einsum_kept(e, set), s->len);
	if (!last)
		t->cost +=
			TEMPORARY_NS * (double)asl_term_words(&t->term, s->len);
}

static void try_pair(struct search *s, int set, int left)
{
	const struct tree *a = &s->of[left], *b = &s->of[set & ~left];
	struct tree *best = &s->of[set];
	struct tree new = {.cost = a->cost + b->cost, .left = left};

	if (new.cost > best->cost)
		return;
	join(&new, s, set, a, b);
	if (new.cost < best->cost)
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

/* What is left of an input after its own sums, in the order that suits them. */
static struct asl_term summed(const struct search *s, int input)
{
	const struct asl_term *t = &s->e->term[input];
	uint32_t needed = asl_einsum_kept(s->e, 1 << input);
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
	struct search s = {.e = e, .len = len};

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
	asl_contract_stages((struct asl_contraction *)plan->contraction,
			    plan->ranks, plan->cache);
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

/* Stages of which one has more than a pair. */
static bool groups_more(const struct asl_contraction *c)
{
	bool more = false;

	for (int i = 0; c->stages > 1 && i < c->stages; i++)
		more |= c->stage[i].e.inputs > 2;
	return more;
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
	/* Else it has been tried; or there is none. */
	if (!c.stages || (way == ASL_WAY_BEST && !groups_more(&c)))
		return;
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
	/* A sequence of three inputs is one of pairs. */
	if (c->e.inputs > 3 && c->asked == ASL_WAY_BEST)
		try_way(list, base, ASL_WAY_BEST);
	return asl_candidates_end(list);
}
