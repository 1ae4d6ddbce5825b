/*
 * fusion.c -- which contractions of a program are fused, over which loops and tiles
 *
 * For every set of inputs the cheapest way to have its tensor in the pools is kept,
 * found from all partitions of the set: each part is an input or another set's
 * tensor, and all parts together are a stage.  Its ranks' mesh is one of those of
 * fewest words that cut no index that is summed over.  Its tiles come from a lattice
 * at first: parts 1, 2, 3, 4, 6, 8, 12, ... of each index.  More parts move no fewer
 * words, so that the search goes from the cheapest point to the next, beginning with
 * none cut, and refines those that do not fit into the budget; it ends when no point
 * can cost less, arithmetic and the words of DRAM and cache included, than one that
 * fits, or has seen enough.  The best one's neighbours may cost less yet.
 *
 * Stages of up to two tensors, up to three, and so on make a candidate each.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/kernels/kernel.h"
#include "lib/outofcore/outofcore.h"
#include "lib/rank/collective.h"
#include "lib/run/path.h"

/* Points looked at for a stage on a mesh, and its meshes. */
enum { MOST_POINTS = 400, MOST_OPEN = 6000, MESHES = 3, MOST_SLABS = 4096 };

/* Tensors of a stage, where inputs are many: more would take long to plan. */
enum { MANY = 5, OF_MANY = 4 };

struct stage {
	double cost; /* INFINITY: nothing fits */
	int parts, set[ASL_MOST_TOGETHER];
	struct asl_mesh mesh;
	struct asl_ooc_loops loops;
};

enum { SETS = 1 << ASL_MOST_TOGETHER };

struct fusion {
	const struct asl_plan *base;
	const struct asl_einsum *e;
	struct asl_rates rates;
	/* By the most tensors of a stage and the set; costs with those of its parts. */
	struct stage best[ASL_MOST_TOGETHER + 1][SETS];
	uint64_t
		needed; /* the least that any tiles of a stage need, if none fit */
	bool failed;
};

/* ---- A stage's einsum ---- */

static struct asl_term term_of(const struct fusion *f, int set)
{
	uint32_t kept = asl_einsum_kept(f->e, set);
	struct asl_term t = {0};

	if (set == asl_einsum_inputs(f->e))
		return f->e->term[f->e->inputs];
	if (!(set & (set - 1)))
		return f->e->term[__builtin_ctz((unsigned)set)];
	for (int i = 0; i < f->e->indices; i++)
		if (kept >> i & 1)
			asl_term_add(&t, i);
	return t;
}

static int all_inputs(const struct stage *x)
{
	int all = 0;

	for (int i = 0; i < x->parts; i++)
		all |= x->set[i];
	return all;
}

static void einsum_of(struct asl_einsum *e, const struct fusion *f,
		      const struct stage *x)
{
	*e = (struct asl_einsum){.inputs = x->parts, .indices = f->e->indices};
	memcpy(e->letter, f->e->letter, sizeof e->letter);
	memcpy(e->size, f->e->size, sizeof e->size);
	for (int i = 0; i < x->parts; i++)
		e->term[i] = term_of(f, x->set[i]);
	e->term[e->inputs] = term_of(f, all_inputs(x));
}

/* ---- Loops and tiles of a stage on a mesh ---- */

struct point {
	double bound; /* words between pool and DRAM cost so much */
	int last;     /* none before this index is refined any more */
	struct asl_ooc_loops loops;
};

struct tiling {
	struct fusion *f;
	const struct asl_einsum *e;
	uint64_t len[ASL_MOST_INDICES], most[ASL_MOST_INDICES];
	bool adds;	  /* the stage's output is that of all, and added to */
	double beside;	  /* the cost of gathers and moves */
	double promising; /* a stage that costs more is not improved */
	double least;	  /* of what is left, whatever the tiles */
	int count, looked;
	struct point *open;
	struct stage *best;
};

static double traffic(const struct tiling *t, const struct asl_ooc_loops *l)
{
	struct asl_counts x = {{0}};

	asl_ooc_loops_traffic(&x, t->e, l, t->len);
	return asl_cost(&t->f->rates, &x);
}

static void insert(struct asl_ooc_loops *l, int place, int index)
{
	memmove(&l->index[place + 1], &l->index[place],
		(size_t)(l->count++ - place));
	l->index[place] = (unsigned char)index;
}

/* One loop after another goes where it costs least; returns the cost of all. */
static double set_order(const struct tiling *t, struct asl_ooc_loops *l)
{
	double cost = INFINITY;

	l->count = 0;
	for (int i = 0; i < t->e->indices; i++) {
		struct asl_ooc_loops best = *l;

		if (l->parts[i] < 2)
			continue;
		cost = INFINITY;
		for (int place = 0; place <= l->count; place++) {
			struct asl_ooc_loops x = *l;
			double now;

			insert(&x, place, i);
			now = traffic(t, &x);
			if (now < cost) {
				cost = now;
				best = x;
			}
		}
		*l = best;
	}
	return l->count ? cost : traffic(t, l);
}

/* 1, 2, 3, 4, 6, 8, 12, ...: up to one part a word. */
static bool refine(const struct tiling *t, struct asl_ooc_loops *l, int index)
{
	uint64_t now = (uint64_t)l->parts[index];
	uint64_t next = now < 3 ? now + 1 : now % 3 ? now / 2 * 3 : now / 3 * 4;

	if (now >= t->most[index])
		return false;
	l->parts[index] = (int)asl_min(next, t->most[index]);
	return true;
}

/* All that the stage costs; *dram words of it are held. */
static double cost_of(const struct tiling *t, const struct asl_ooc_loops *l,
		      uint64_t *dram)
{
	uint64_t tile[ASL_MOST_INDICES];
	struct asl_counts x = {{0}};
	struct asl_local local;

	asl_ooc_loops_tile(tile, l, t->len);
	asl_local_make(&local, t->e, tile, t->f->base->cache);
	*dram = asl_ooc_loops_predict(&x, t->f->base, t->e, &local, l, t->len);
	return asl_cost(&t->f->rates, &x);
}

/* Those that fit are kept if none is better. */
static bool fits(struct tiling *t, const struct asl_ooc_loops *l,
		 uint64_t *dram)
{
	double cost;

	*dram = asl_ooc_loops_room(t->e, l, t->len);
	if (*dram > t->f->base->budget)
		return false;
	cost = cost_of(t, l, dram) + t->beside;
	if (*dram > t->f->base->budget)
		return false;
	if (cost < t->best->cost) {
		t->best->cost = cost;
		t->best->loops = *l;
	}
	return true;
}

/* Whatever fits: the index that saves most words for what it costs is cut. */
static void dive(struct tiling *t, struct asl_ooc_loops l)
{
	uint64_t held;

	while (!fits(t, &l, &held)) {
		struct asl_ooc_loops best = l;
		double gain = -1, now = set_order(t, &l);

		for (int i = 0; i < t->e->indices; i++) {
			struct asl_ooc_loops x = l;
			uint64_t dram;
			double better, worse;

			if (!refine(t, &x, i))
				continue;
			worse = set_order(t, &x) / now - 1;
			dram = asl_ooc_loops_room(t->e, &x, t->len);
			better = (double)held / (double)dram - 1;
			better = fmax(0, better) / (1e-3 + fmax(0, worse));
			if (better > gain) {
				gain = better;
				best = x;
			}
		}
		if (gain < 0) {
			t->f->needed = asl_min(t->f->needed, held);
			return;
		}
		l = best;
	}
}

static void open_point(struct tiling *t, const struct point *from, int index)
{
	struct point x = *from;

	if (t->count == MOST_OPEN || !refine(t, &x.loops, index))
		return;
	x.last = index;
	x.bound = set_order(t, &x.loops);
	t->open[t->count++] = x;
}

static struct point take_cheapest(struct tiling *t)
{
	int at = 0;
	struct point x;

	for (int i = 1; i < t->count; i++)
		if (t->open[i].bound < t->open[at].bound)
			at = i;
	x = t->open[at];
	t->open[at] = t->open[--t->count];
	return x;
}

static void search(struct tiling *t)
{
	struct point x = {.last = 0};
	uint64_t dram;

	for (int i = 0; i < ASL_MOST_INDICES; i++)
		x.loops.parts[i] = 1;
	x.loops.adds = t->adds;
	x.bound = traffic(t, &x.loops);
	t->least = cost_of(t, &x.loops, &dram) - x.bound + t->beside;
	dive(t, x.loops);
	t->open[t->count++] = x;
	while (t->count && t->looked++ < MOST_POINTS) {
		x = take_cheapest(t);
		if (x.bound + t->least >= t->best->cost)
			return;
		if (fits(t, &x.loops, &dram))
			continue;
		for (int i = x.last; i < t->e->indices; i++)
			open_point(t, &x, i);
	}
}

/*
 * From the best point of the lattice on: more or fewer parts of an index, or more of
 * one and fewer of another, as long as that costs less.
 */

enum { STEPS = 8 };
#define PROMISING 1.3

/* Fewer parts, then more: those of the next length, or by up to four times. */
static bool take_step(const struct tiling *t, struct asl_ooc_loops *l,
		      int index, int step)
{
	uint64_t now = (uint64_t)l->parts[index], most = t->most[index];
	uint64_t length = asl_ceil_div(t->len[index], now);
	uint64_t next[STEPS] = {
		asl_ceil_div(t->len[index], length + 1),
		now * 2 / 3,
		now / 2,
		now / 4,
		length > 1 ? asl_ceil_div(t->len[index], length - 1) : now,
		now + asl_ceil_div(now, 2),
		now * 2,
		now * 4,
	};
	uint64_t parts = asl_min(next[step], most);

	if (!parts || parts == now || most == 1)
		return false;
	l->parts[index] = (int)parts;
	return true;
}

/* Keeps it, if it fits and costs less. */
static bool try_loops(struct tiling *t, struct asl_ooc_loops l)
{
	double before = t->best->cost;
	uint64_t dram;

	return set_order(t, &l) + t->beside < before && fits(t, &l, &dram) &&
	       t->best->cost < before;
}

static bool try_steps(struct tiling *t, int index)
{
	bool better = false;

	for (int step = 0; step < STEPS; step++) {
		struct asl_ooc_loops l = t->best->loops;

		if (!take_step(t, &l, index, step))
			continue;
		better |= try_loops(t, l);
		for (int i = 0; i < t->e->indices; i++)
			for (int j = 0; i != index && j < STEPS; j++) {
				struct asl_ooc_loops other = l;

				if (take_step(t, &other, i, j))
					better |= try_loops(t, other);
			}
	}
	return better;
}

/* From whatever it is cut into, or from none, to all parts of the lattice. */
static bool try_lattice(struct tiling *t, int index)
{
	bool better = false;

	for (int alone = 0; alone < 2; alone++) {
		struct asl_ooc_loops l = t->best->loops;

		for (int i = 0; alone && i < ASL_MOST_INDICES; i++)
			l.parts[i] = 1;
		l.parts[index] = 1;
		do
			better |= try_loops(t, l);
		while (refine(t, &l, index));
	}
	return better;
}

static void improve(struct tiling *t)
{
	bool better = t->best->cost < t->promising;

	while (better) {
		better = false;
		for (int i = 0; i < t->e->indices; i++)
			better |= try_lattice(t, i) | try_steps(t, i);
	}
}

/* ---- Meshes of a stage ---- */

/* Slices that ranks share are gathered, and intermediates move from other ranks. */
static double beside(const struct fusion *f, const struct asl_einsum *e,
		     const struct stage *x, const uint64_t *len)
{
	struct asl_counts sum = {{0}};
	struct asl_cell cell = asl_mesh_cell(e, &x->mesh, 0);

	for (int i = 0; i < e->inputs; i++) {
		struct asl_spread s = {e, &e->term[i], &x->mesh};
		struct asl_group g = asl_cell_group(&s, &cell);
		uint64_t words = asl_term_words(&e->term[i], len);
		uint64_t mine = words / (uint64_t)g.size;

		if (x->set[i] & (x->set[i] - 1) && f->base->ranks > 1) {
			asl_predict_copy(&sum, ASL_DRAM, ASL_POOL, mine);
			asl_predict_copy(&sum, ASL_POOL, ASL_DRAM, mine);
			asl_counts_add_net(&sum, mine, mine, mine, 1);
		}
		if (g.size == 1)
			continue;
		asl_predict_copy(&sum, ASL_POOL, ASL_POOL, mine);
		asl_predict_allgather(&sum, words, g.size, 0, ASL_POOL);
	}
	return asl_cost(&f->rates, &sum);
}

/* What a stage of these parts costs at most, where a program has a use for it. */
static double known(const struct fusion *f, const struct stage *x)
{
	double least = 0;

	for (int most = x->parts; most <= f->e->inputs; most++) {
		double cost = f->best[most][all_inputs(x)].cost;

		for (int i = 0; i < x->parts; i++)
			cost -= f->best[most][x->set[i]].cost;
		least = fmax(least, cost);
	}
	return least;
}

static void try_mesh(struct fusion *f, struct stage *best, struct stage x,
		     const struct asl_einsum *e, struct point *open)
{
	struct tiling t = {
		.f = f,
		.e = e,
		.promising = PROMISING * fmin(best->cost, known(f, &x)),
		.open = open,
		.best = &x,
	};
	struct asl_cell cell = asl_mesh_cell(e, &x.mesh, 0);
	uint32_t all = asl_einsum_all(e);

	for (int i = 0; i < e->indices; i++) {
		t.len[i] = cell.of[i].count;
		t.most[i] =
			all >> i & 1 ? e->size[i] / (uint64_t)x.mesh.p[i] : 1;
		t.most[i] = asl_min(t.most[i], 1 << 20);
	}
	t.adds = f->base->c_factor != 0 &&
		 all_inputs(&x) == asl_einsum_inputs(f->e);
	t.beside = beside(f, e, &x, t.len);
	x.cost = INFINITY;
	search(&t);
	improve(&t);
	if (x.cost < best->cost)
		*best = x;
}

/* On as many ranks as there can be without a sum over ranks. */
static int list_meshes(struct asl_mesh_found found[ASL_MOST_MESHES],
		       const struct asl_einsum *e, int ranks)
{
	struct asl_mesh none;
	struct asl_mesh_wish wish = {.most = MESHES, .like = &none};
	int count = 0;

	for (int i = 0; i < ASL_MOST_INDICES; i++)
		none.p[i] = 1;
	wish.kept = asl_einsum_all(e) & ~e->term[e->inputs].has;
	for (wish.ranks = ranks; !count && wish.ranks > 1; wish.ranks--)
		count = asl_mesh_list(found, e, &wish);
	if (!count)
		found[count++].mesh = none;
	return count;
}

/* The best mesh, loops and tiles for these parts. */
static void solve(struct fusion *f, struct stage *x)
{
	struct asl_mesh_found *found = calloc(ASL_MOST_MESHES, sizeof *found);
	struct point *open = calloc(MOST_OPEN, sizeof *open);
	struct asl_einsum *e = malloc(sizeof *e);
	struct stage best = {.cost = INFINITY};
	int count = 0;

	f->failed |= !found || !open || !e;
	if (!f->failed) {
		einsum_of(e, f, x);
		count = list_meshes(found, e, f->base->ranks);
	}
	for (int i = 0; i < count; i++) {
		x->mesh = found[i].mesh;
		try_mesh(f, &best, *x, e, open);
	}
	*x = best;
	free(e);
	free(open);
	free(found);
}

/* ---- Partitions ---- */

/* Do the parts make a chain of common indices? */
static bool hang_together(const struct fusion *f, const struct stage *x)
{
	uint32_t has[ASL_MOST_TOGETHER];
	int reached = 1, before = 0;

	for (int i = 0; i < x->parts; i++)
		has[i] = term_of(f, x->set[i]).has;
	while (reached != before) {
		before = reached;
		for (int i = 0; i < x->parts; i++)
			for (int j = 0; j < x->parts; j++)
				if (before >> i & 1 && has[i] & has[j])
					reached |= 1 << j;
	}
	return reached == (1 << x->parts) - 1;
}

static void judge(struct fusion *f, int set, const struct stage *parts)
{
	struct stage x = *parts;

	solve(f, &x);
	if (!isfinite(x.cost))
		return;
	for (int most = x.parts; most <= f->e->inputs; most++) {
		double cost = x.cost;

		for (int i = 0; i < x.parts; i++)
			cost += f->best[most][x.set[i]].cost;
		if (cost < f->best[most][set].cost) {
			f->best[most][set] = x;
			f->best[most][set].cost = cost;
		}
	}
}

/* All partitions of `left`, each part with the lowest input that is left. */
static void each_partition(struct fusion *f, int set, int left, struct stage *x,
			   bool apart)
{
	int lowest = left & -left, rest = left ^ lowest;

	if (f->e->inputs > MANY && x->parts + !!left > OF_MANY)
		return;
	if (!left) {
		if (x->parts > 1 && (apart || hang_together(f, x)))
			judge(f, set, x);
		return;
	}
	for (int more = rest;; more = (more - 1) & rest) {
		x->set[x->parts++] = lowest | more;
		if (isfinite(f->best[f->e->inputs][lowest | more].cost))
			each_partition(f, set, rest ^ more, x, apart);
		x->parts--;
		if (!more)
			return;
	}
}

/* Sets whose tensors share no index come in stages only where nothing else does. */
static void solve_all(struct fusion *f)
{
	int all = asl_einsum_inputs(f->e);
	struct stage x = {.parts = 0};

	for (int most = 0; most <= f->e->inputs; most++)
		for (int set = 1; set <= all; set++)
			f->best[most][set].cost =
				set & (set - 1) ? INFINITY : 0;
	for (int set = 1; set <= all; set++)
		if (set & (set - 1))
			each_partition(f, set, set, &x, false);
	if (!isfinite(f->best[f->e->inputs][all].cost))
		for (int set = 1; set <= all; set++)
			if (set & (set - 1))
				each_partition(f, set, set, &x, true);
}

/* ---- Plans ---- */

void asl_ooc_loops_local(struct asl_stage *s, const struct asl_ooc_loops *l,
			 uint64_t cache)
{
	struct asl_cell cell = asl_mesh_cell(&s->e, &s->mesh, 0);
	uint64_t len[ASL_MOST_INDICES], tile[ASL_MOST_INDICES];

	for (int i = 0; i < ASL_MOST_INDICES; i++)
		len[i] = i < s->e.indices ? cell.of[i].count : 0;
	asl_ooc_loops_tile(tile, l, len);
	asl_local_make(&s->local, &s->e, tile, cache);
}

/* Adds the stages that make a set; returns the tensor's number. */
static int add_stages(const struct fusion *f, struct asl_contraction *c,
		      struct asl_outofcore *o, int most, int set)
{
	const struct stage *x = &f->best[most][set];
	int from[ASL_MOST_TOGETHER];
	struct asl_stage *s;

	if (!(set & (set - 1)))
		return __builtin_ctz((unsigned)set);
	for (int i = 0; i < x->parts; i++)
		from[i] = add_stages(f, c, o, most, x->set[i]);
	s = &c->stage[c->stages];
	einsum_of(&s->e, f, x);
	memcpy(s->from, from, sizeof from);
	s->mesh = x->mesh;
	o->loops[c->stages] = x->loops;
	asl_ooc_loops_local(s, &x->loops, f->base->cache);
	return f->e->inputs + c->stages++;
}

static void finish(struct asl_contraction *c, int ranks)
{
	struct asl_spread to, from;

	c->way = c->stages > 1 ? ASL_WAY_SEQUENCE : ASL_WAY_DIRECT;
	c->whole = asl_mesh_choose(&c->e, ranks, NULL);
	c->ranks = asl_mesh_ranks(&c->e, &c->whole);
	for (int i = 0; i < c->stages; i++) {
		int used = asl_mesh_ranks(&c->stage[i].e, &c->stage[i].mesh);

		c->ranks = used > c->ranks ? used : c->ranks;
	}
	for (int i = 0; i < c->stages; i++) {
		struct asl_stage *x = &c->stage[i];

		for (int j = 0; j < x->e.inputs; j++)
			x->moves[j] = asl_stage_origin(&to, &from, c, x, j) &&
				      !asl_spread_same(&to, &from, c->ranks);
	}
}

/* As few slabs as make messages fit; or as many as there can be. */
static void set_slabs(struct asl_outofcore *o, const struct asl_plan *plan)
{
	const struct asl_einsum *e = &plan->contraction->e;
	uint64_t longest = 1;

	for (int i = 0; i < e->indices; i++)
		longest = asl_max(longest, e->size[i]);
	longest = asl_min(longest, MOST_SLABS);
	for (o->slabs = 1; (uint64_t)o->slabs < longest; o->slabs *= 2)
		if (asl_forecast(plan).memory_needed <= plan->budget)
			return;
	o->slabs = (int)longest;
}

static void add(struct fusion *f, struct asl_candidates *list, int most)
{
	struct asl_plan plan = *f->base;
	struct asl_outofcore *o = malloc(sizeof *o);
	struct asl_contraction *c = malloc(sizeof *c);

	if (!o || !c) {
		free(o);
		free(c);
		list->failed = true;
		return;
	}
	*o = *plan.outofcore;
	*c = *plan.contraction;
	c->stages = 0;
	add_stages(f, c, o, most, asl_einsum_inputs(f->e));
	finish(c, plan.ranks);
	plan.outofcore = o;
	plan.contraction = c;
	plan.multiplication = NULL;
	set_slabs(o, &plan);
	asl_candidates_add(list, &plan);
}

/* Programs that larger stages do not change are added once. */
static void add_all(struct fusion *f, struct asl_candidates *list)
{
	int all = asl_einsum_inputs(f->e);
	double before = INFINITY;

	for (int most = 2; most <= f->e->inputs; most++) {
		double cost = f->best[most][all].cost;

		if (cost < before)
			add(f, list, most);
		before = cost;
	}
	if (!isfinite(before))
		list->memory_needed = asl_min(list->memory_needed, f->needed);
}

static void rank_all(struct asl_candidates *list, const struct asl_plan *base)
{
	struct fusion *f = calloc(1, sizeof *f);
	struct asl_plan plan = *base;

	list->failed |= !f;
	if (!f)
		return;
	/* The apm has only one memory. */
	plan.accounting = ASL_FULL;
	plan.algorithm = &asl_ooc_program;
	if (!plan.kernel)
		plan.kernel = asl_kernel_find("vomm");
	f->base = &plan;
	f->e = &plan.contraction->e;
	f->rates = asl_rates(&plan.costs, ASL_FULL);
	f->needed = UINT64_MAX;
	solve_all(f);
	list->failed |= f->failed;
	if (!list->failed)
		add_all(f, list);
	free(f);
}

/* With more memory other tiles are chosen, which may need yet more of it. */
static void find_needed(struct asl_candidates *list,
			const struct asl_plan *base)
{
	struct asl_plan plan = *base;

	while (!list->count && !list->failed &&
	       plan.budget < list->memory_needed) {
		struct asl_candidates other = asl_candidates(1);

		plan.budget = list->memory_needed;
		rank_all(&other, &plan);
		if (!other.count)
			list->memory_needed = other.memory_needed;
		list->failed |= other.failed;
		asl_candidates_free(&other);
	}
}

int asl_ooc_program_rank(struct asl_candidates *list,
			 const struct asl_plan *base)
{
	rank_all(list, base);
	find_needed(list, base);
	return asl_candidates_end(list);
}

int asl_ooc_program_settle(struct asl_plan *plan, uint64_t *memory_needed)
{
	struct asl_candidates list = asl_candidates(asl_path_looks(1, plan));
	int err = asl_ooc_program_rank(&list, plan);

	*memory_needed = list.memory_needed;
	if (!err) {
		asl_path_rank(&list, 1);
		asl_candidates_take(plan, &list);
	}
	return err;
}
