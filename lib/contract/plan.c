/*
 * plan.c -- the steps on one rank, and the ranking of ways and kernels
 */
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

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
	const uint64_t *len;		 /* of a rank's slices */
	struct asl_grouping path;	 /* of many inputs */
	struct tree of[ASL_MOST_PLACES]; /* place_of a set */
};

/* A word of a temporary, written once and read once. */
#define TEMPORARY_NS 2.0

static int place_of(const struct search *s, int set)
{
	return asl_grouping_place(&s->path, s->e->inputs, set);
}

static void join(struct tree *t, const struct search *s, int set,
		 const struct tree *a, const struct tree *b)
{
	const struct asl_einsum *e = s->e;
	bool last = set == asl_einsum_inputs(e);

	if (asl_points(a->term.has | b->term.has, s->len) > ASL_MOST_POINTS)
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
	const struct tree *a = &s->of[place_of(s, left)];
	const struct tree *b = &s->of[place_of(s, set & ~left)];
	struct tree *best = &s->of[place_of(s, set)];
	struct tree new = {.cost = a->cost + b->cost, .left = left};

	if (new.cost > best->cost)
		return;
	join(&new, s, set, a, b);
	if (new.cost < best->cost)
		*best = new;
}

/* The pairs of a greedy path. */
static void follow_path(struct search *s)
{
	asl_grouping_greedy(&s->path, s->e, s->len);
	for (int i = 0; i < s->path.stages; i++) {
		const int *pair = s->path.stage[i].set;
		int set = pair[0] | pair[1];

		s->of[place_of(s, set)].cost = INFINITY;
		try_pair(s, set, pair[0]);
	}
}

/* The trees of single inputs are there. */
static void find_trees(struct search *s)
{
	if (s->e->inputs > ASL_MOST_TOGETHER) {
		follow_path(s);
		return;
	}
	for (int set = 1; set <= asl_einsum_inputs(s->e); set++) {
		int lowest = set & -set;

		if (set != lowest)
			s->of[place_of(s, set)].cost = INFINITY;
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
	const struct tree *t = &s->of[place_of(s, set)];
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

/*
 * Slabs, and what of them stays in the cache
 *
 * Temporaries that the cache holds beside what passes through it are never written.
 * Slabs of every index that a temporary shares with the output are tried, as thick
 * as parts of the cache allow, and those taken that read and write the fewest words.
 */

struct slabs {
	struct asl_local *l;
	const struct asl_einsum *e;
	const uint64_t *len;
	uint64_t cache;
};

/* Slabs in which the largest temporary, in DRAM, takes a quarter of the cache. */
static void slab_in_dram(const struct slabs *s)
{
	const struct asl_term *largest = NULL;
	struct asl_local *l = s->l;
	uint64_t most = asl_max(s->cache / 4, 1), words;

	for (int i = 0; i < l->steps - 1; i++) {
		words = asl_term_words(&l->step[i].out, s->len);
		if (words > most) {
			most = words;
			largest = &l->step[i].out;
		}
	}
	for (int i = 0; largest && i < largest->count; i++) {
		int index = largest->index[i];

		if (s->len[index] == 1 ||
		    !asl_term_has(&s->e->term[s->e->inputs], index))
			continue;
		l->slab = index;
		l->thick = asl_max(1, s->cache / 4 / (most / s->len[index]));
		return;
	}
}

/* Words of the temporaries of a slab 1 thick or, without an index, of all. */
static double thinnest(const struct slabs *s, int index)
{
	double words = 0;

	for (int i = 0; i < s->l->steps - 1; i++) {
		const struct asl_term *t = &s->l->step[i].out;

		if (index < 0 || asl_term_has(t, index))
			words += asl_points(t->has, s->len);
	}
	return index < 0 ? words : words / (double)s->len[index];
}

/* All of them at once, or in slabs that take so many words; false: there is no room. */
static bool slab_in_cache(const struct slabs *s, int index, double words)
{
	double thin = thinnest(s, index);

	if (thin <= 0 || thin > words)
		return false;
	s->l->slab = index;
	s->l->thick = 1;
	if (index >= 0)
		s->l->thick = asl_min(s->len[index], (uint64_t)(words / thin));
	s->l->room = (uint64_t)thin * s->l->thick;
	return true;
}

static uint64_t words_of(const struct slabs *s)
{
	struct asl_plan plan = {.cache = s->cache,
				.kernel = asl_kernel_find("vomm"),
				.costs = {.read = 1, .write = 1}};
	const struct asl_einsum *e = s->e;
	struct asl_view in[ASL_MOST_INPUTS], out;
	struct asl_counts x = {{0}};

	for (int i = 0; i < e->inputs; i++)
		in[i] = asl_view_nowhere(&e->term[i], s->len);
	out = asl_view_nowhere(&e->term[e->inputs], s->len);
	asl_local_predict(&x, &plan, s->l, &out, in, s->len);
	return asl_words_read(&x) + asl_words_written(&x);
}

/* The fewer words of these slabs and of the best so far. */
static void keep_better(const struct slabs *s, struct asl_local *best,
			uint64_t *least)
{
	uint64_t words = words_of(s);

	if (words >= *least)
		return;
	*least = words;
	best->slab = s->l->slab;
	best->thick = s->l->thick;
	best->room = s->l->room;
}

/* Eighths of the cache for temporaries; so much is left for the rest. */
enum { LEAST_BESIDE = 16 };

static void try_slabs(const struct slabs *s, int index, struct asl_local *best,
		      uint64_t *least)
{
	static const int eighths[] = {2, 4, 6, 7};
	double most = (double)s->cache - LEAST_BESIDE;

	for (int i = 0; i < 4; i++)
		if (slab_in_cache(
			    s, index,
			    fmin(most, (double)s->cache / 8 * eighths[i])))
			keep_better(s, best, least);
}

static void choose_slab(struct asl_local *l, const struct asl_einsum *e,
			const uint64_t *len, uint64_t cache)
{
	struct asl_local tried = *l;
	struct slabs s = {&tried, e, len, cache};
	uint64_t least;

	tried.slab = -1;
	slab_in_dram(&s);
	*l = tried;
	if (l->steps == 1 || cache < 2 * LEAST_BESIDE)
		return;
	least = words_of(&s);
	for (int i = -1; i < e->indices; i++)
		if (i < 0 ||
		    (len[i] > 1 && asl_term_has(&e->term[e->inputs], i)))
			try_slabs(&s, i, l, &least);
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
			s.of[place_of(&s, 1 << i)].term = summed(&s, i);
		find_trees(&s);
		add_steps(l, &s, asl_einsum_inputs(e));
	}
	choose_slab(l, e, len, cache);
}

const char *asl_contract_way_name(enum asl_contract_way way)
{
	static const char *const names[ASL_WAYS] = {
		[ASL_WAY_BEST] = "best",	 [ASL_WAY_DIRECT] = "direct",
		[ASL_WAY_SEQUENCE] = "sequence", [ASL_WAY_PRODUCT] = "product",
		[ASL_WAY_CUTS] = "cuts",	 [ASL_WAY_GRAM] = "gram",
	};

	return names[way];
}

/*
 * Ranking
 *
 * Prices lead to a few candidates of each way, in stages and as a product: cells read
 * their inputs once or, if they are large, two words for every sqrt(S)
 * multiplications.  What each then is predicted to count decides.
 */

static struct asl_prices prices_of(const struct asl_plan *plan)
{
	const struct asl_costs *x = &plan->costs;

	return (struct asl_prices){
		.net = x->net,
		.in = x->read,
		.out = x->write,
		.flop = 2 * x->flop,
		.point = 2 * x->read / sqrt((double)plan->cache),
	};
}

enum { MOST_KERNELS = 8 };

/* The list that is made, of plans for this base, whose stages take a kernel. */
struct ranking {
	struct asl_candidates *list;
	const struct asl_plan *base;
	const struct asl_kernel *kernel; /* NULL: any */
	struct asl_prices prices;
	/* The base is for the first of so many slices of an index; 0: for the whole. */
	uint64_t slices, size;
	int sliced;
	/* The best of a way with each kernel. */
	struct asl_candidates of_way[MOST_KERNELS];
};

static int list_kernels(struct asl_plan with[MOST_KERNELS],
			const struct asl_plan *settled,
			const struct asl_kernel *only)
{
	int count = 0;

	for (int i = 0; asl_kernels[i] && count < MOST_KERNELS; i++) {
		if (only ? only != asl_kernels[i]
			 : settled->cache < asl_kernels[i]->least_cache)
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

	x.plan.contraction = asl_contraction_copy(plan->contraction);
	list->failed |= !x.plan.contraction;
	if (!list->failed)
		asl_candidates_judge(list, &x);
}

/* The kernels share the meshes, which do not depend on them. */
static void add_settled(struct ranking *x, const struct asl_contraction *c)
{
	struct asl_plan settled = *x->base, plan[MOST_KERNELS];
	struct asl_forecast forecast[MOST_KERNELS];
	int count;

	settled.contraction = c;
	count = list_kernels(plan, &settled, x->kernel);
	if (!count)
		return;
	if (!asl_contract_forecast(forecast, plan, count))
		x->list->failed = true;
	for (int i = 0; !x->list->failed && i < count; i++)
		add_kernel(&x->of_way[i], &plan[i], &forecast[i]);
}

static void add(struct ranking *x, const struct asl_contraction *c)
{
	struct asl_contraction *whole;

	if (!x->slices) {
		add_settled(x, c);
		return;
	}
	whole = asl_contraction_copy(c);
	x->list->failed |= !whole;
	if (whole && asl_slices_make(whole, x->sliced, x->size, x->slices))
		add_settled(x, whole);
	asl_contraction_free(whole);
}

static void begin_way(struct ranking *x)
{
	for (int i = 0; i < MOST_KERNELS; i++)
		x->of_way[i] = asl_candidates(1);
}

/* The best of each kernel into the list. */
static void end_way(struct ranking *x)
{
	for (int i = 0; i < MOST_KERNELS; i++) {
		struct asl_candidates *way = &x->of_way[i];

		x->list->failed |= way->failed;
		if (way->memory_needed < x->list->memory_needed)
			x->list->memory_needed = way->memory_needed;
		if (way->count)
			asl_candidates_put(x->list, &way->best[--way->count]);
		asl_candidates_free(way);
	}
}

static bool is_known(const struct asl_mesh *mesh,
		     const struct asl_mesh_found *found, int count)
{
	for (int i = 0; i < count; i++)
		if (!memcmp(mesh, &found[i].mesh, sizeof *mesh))
			return true;
	return false;
}

/* Meshes of least price and of fewest words; more if a budget may refuse some. */
static int list_meshes(struct asl_mesh_found found[2 * ASL_MOST_MESHES],
		       const struct ranking *x)
{
	const struct asl_einsum *e = &x->base->contraction->e;
	struct asl_mesh_wish wish = {
		.ranks = x->base->ranks,
		.most = x->base->budget && !x->slices ? ASL_MOST_MESHES : 6,
		.prices = &x->prices,
	};
	int count = asl_mesh_list(found, e, &wish), all = count, more;

	wish.most = x->base->budget && !x->slices ? ASL_MOST_MESHES : 1;
	wish.prices = NULL;
	more = asl_mesh_list(found + count, e, &wish);
	for (int i = 0; i < more; i++)
		if (!is_known(&found[count + i].mesh, found, all))
			found[all++] = found[count + i];
	return all;
}

static void try_direct(struct ranking *x)
{
	struct asl_mesh_found found[2 * ASL_MOST_MESHES];
	struct asl_contraction c = *x->base->contraction;
	int count;

	if (asl_mesh_points(&c.e) > ASL_MOST_POINTS)
		return;
	count = list_meshes(found, x);
	begin_way(x);
	for (int i = 0; i < count; i++) {
		asl_contract_direct(&c, &found[i].mesh, x->base->cache);
		add(x, &c);
	}
	end_way(x);
}

/* Stages of which one has more than a pair. */
static bool groups_more(const struct asl_contraction *c)
{
	bool more = false;

	for (int i = 0; c->stages > 1 && i < c->stages; i++)
		more |= c->stage[i].e.inputs > 2;
	return more;
}

static bool same_stages(const struct asl_contraction *a,
			const struct asl_contraction *b)
{
	bool same = a->stages == b->stages;

	for (int i = 0; same && i < a->stages; i++)
		same = !memcmp(&a->stage[i].mesh, &b->stage[i].mesh,
			       sizeof a->stage[i].mesh) &&
		       !memcmp(a->stage[i].from, b->stage[i].from,
			       sizeof a->stage[i].from);
	return same;
}

/* Beyond so many ranks a program is looked for once only. */
enum { FEW_RANKS = 128 };

/* Then a sequence of pairs is looked for among all others alone. */
static bool looks_once(const struct asl_plan *base)
{
	const struct asl_contraction *c = base->contraction;

	return base->ranks > FEW_RANKS && c->asked == ASL_WAY_BEST &&
	       c->e.inputs > 3;
}

static void list_programs(struct ranking *x, enum asl_contract_way way)
{
	const struct asl_plan *base = x->base;
	struct asl_contraction priced = *base->contraction, moves;

	priced.asked = way;
	moves = priced;
	asl_contract_stages(&priced, base->ranks, base->cache, &x->prices);
	/* Else it has been tried; or there is none. */
	if (priced.stages &&
	    (way != ASL_WAY_BEST || groups_more(&priced) || looks_once(base)))
		add(x, &priced);
	if (base->ranks > FEW_RANKS)
		return;
	asl_contract_stages(&moves, base->ranks, base->cache, NULL);
	if (moves.stages && (way != ASL_WAY_BEST || groups_more(&moves)) &&
	    !same_stages(&priced, &moves))
		add(x, &moves);
}

static void try_stages(struct ranking *x, enum asl_contract_way way)
{
	begin_way(x);
	list_programs(x, way);
	end_way(x);
}

/*
 * Boxes of no mesh, unless they are those of a product.  All ranks are asked, which
 * takes long if there are many.  They share words with more ranks, in more messages,
 * and are no candidates where that saves few of the words that the best mesh moves.
 */
enum { FEW_BOXES = 512, ONE_OF_SO_MANY = 20 };

static void drop_those_that_save_little(struct ranking *x)
{
	const struct asl_candidates *list = x->list;
	uint64_t most = list->count ? list->best[0].forecast.bh : UINT64_MAX;

	most -= most / ONE_OF_SO_MANY;
	for (int i = 0; i < MOST_KERNELS; i++)
		if (x->of_way[i].count &&
		    x->of_way[i].best[0].forecast.bh > most)
			asl_candidates_free(&x->of_way[i]);
}

static void try_cuts(struct ranking *x)
{
	struct asl_contraction c = *x->base->contraction;
	bool asked = c.asked == ASL_WAY_CUTS;
	struct asl_matrices product;

	if (c.on_root || !asl_boxes_of(&c.boxes, &c.e))
		return;
	if (!asked && (x->base->ranks > FEW_BOXES || x->base->ranks < 2 ||
		       asl_matrices_of(&product, &c.e)))
		return;
	begin_way(x);
	if (asl_boxes_make(&c, x->base->ranks) || asked)
		add(x, &c);
	if (!asked)
		drop_those_that_save_little(x);
	end_way(x);
}

static void try_gram(struct ranking *x)
{
	struct asl_gram_found found[ASL_MOST_GRAMS];
	struct asl_contraction c = *x->base->contraction;
	int count;

	if (!asl_gram_of(&c.gram, &c))
		return;
	count = asl_gram_list(found, x->base, &c);
	begin_way(x);
	for (int i = 0; i < count; i++) {
		asl_gram_make(&c, found[i].blocks, found[i].layers,
			      x->base->cache);
		add(x, &c);
	}
	end_way(x);
}

static void rank_whole(struct ranking *x)
{
	const struct asl_contraction *c = x->base->contraction;
	enum asl_contract_way asked = c->asked;
	bool choice = c->e.inputs >= 3;

	if (c->path.stages || c->e.inputs > ASL_MOST_TOGETHER) {
		try_stages(x, ASL_WAY_SEQUENCE);
		return;
	}
	if (asked == ASL_WAY_BEST || asked == ASL_WAY_GRAM)
		try_gram(x);
	if (asked == ASL_WAY_BEST || asked == ASL_WAY_PRODUCT)
		asl_matrices_rank(x->list, x->base);
	if (asked == ASL_WAY_PRODUCT || asked == ASL_WAY_GRAM)
		return;
	if (asked != ASL_WAY_CUTS && (!choice || asked != ASL_WAY_SEQUENCE))
		try_direct(x);
	if (asked == ASL_WAY_BEST || asked == ASL_WAY_CUTS)
		try_cuts(x);
	if (asked == ASL_WAY_CUTS)
		return;
	if (choice && asked != ASL_WAY_DIRECT && !looks_once(x->base))
		try_stages(x, ASL_WAY_SEQUENCE);
	/* A sequence of three inputs is one of pairs. */
	if (c->e.inputs > 3 && asked == ASL_WAY_BEST)
		try_stages(x, ASL_WAY_BEST);
}

/*
 * Slices, where no whole contraction fits into the budget: of any index, and as few
 * as fit.
 */

static void try_slices(struct ranking *x, struct asl_contraction *c, int index,
		       uint64_t slices)
{
	struct asl_plan base = *x->base;
	struct ranking y = *x;

	y.base = &base;
	y.slices = slices;
	y.sliced = index;
	y.size = x->base->contraction->e.size[index];
	*c = *x->base->contraction;
	c->e.size[index] = asl_ceil_div(y.size, slices);
	base.contraction = c;
	if (c->asked != ASL_WAY_SEQUENCE && !c->path.stages)
		try_direct(&y);
	if (c->asked != ASL_WAY_DIRECT && c->e.inputs >= 3)
		try_stages(&y, ASL_WAY_SEQUENCE);
}

static void rank_slices(struct ranking *x)
{
	const struct asl_contraction *c = x->base->contraction;
	struct asl_contraction *room = malloc(sizeof *room);
	uint32_t all = asl_einsum_all(&c->e);
	uint64_t longest = 0;

	x->list->failed |= !room;
	for (int i = 0; i < c->e.indices; i++)
		if (all >> i & 1)
			longest = asl_max(longest, c->e.size[i]);
	for (uint64_t slices = 2; !x->list->failed && !x->list->count &&
				  slices <= asl_min(longest, INT_MAX / 2);
	     slices *= 2)
		for (int i = 0; i < c->e.indices; i++)
			if (all >> i & 1 && c->e.size[i] >= slices)
				try_slices(x, room, i, slices);
	free(room);
}

static bool may_slice(const struct ranking *x)
{
	enum asl_contract_way asked = x->base->contraction->asked;

	return x->base->budget && !x->list->count && !x->list->failed &&
	       x->list->memory_needed < UINT64_MAX &&
	       (asked == ASL_WAY_BEST || asked == ASL_WAY_DIRECT ||
		asked == ASL_WAY_SEQUENCE);
}

static void rank(struct ranking *x)
{
	rank_whole(x);
	if (may_slice(x))
		rank_slices(x);
}

int asl_contract_rank(struct asl_candidates *list, const struct asl_plan *base)
{
	struct ranking x = {.list = list,
			    .base = base,
			    .kernel = base->kernel,
			    .prices = prices_of(base)};

	rank(&x);
	return asl_candidates_end(list);
}

int asl_contract_settle(struct asl_plan *plan, uint64_t *memory_needed)
{
	struct asl_contraction *c =
		(struct asl_contraction *)
			plan->contraction; /* the plan's own */
	enum asl_contract_way asked = c->asked;
	struct asl_candidates list = asl_candidates(1);
	struct ranking x = {.list = &list,
			    .base = plan,
			    .kernel = plan->kernel,
			    .prices = prices_of(plan)};

	if (!x.kernel)
		x.kernel = asl_kernel_find("vomm");
	rank(&x);
	*memory_needed = list.memory_needed;
	if (asl_candidates_end(&list))
		return list.memory_needed < UINT64_MAX || list.failed ? -ENOMEM
								      : -ERANGE;
	*c = *list.best->plan.contraction;
	/* c now owns its slices. */
	((struct asl_contraction *)list.best->plan.contraction)->slice = NULL;
	c->asked = asked;
	plan->kernel = list.best->plan.kernel;
	plan->runs = list.best->plan.runs;
	asl_candidates_free(&list);
	return 0;
}
