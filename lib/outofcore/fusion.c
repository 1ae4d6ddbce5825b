/*
 * fusion.c -- which contractions of a program are fused, over which loops and tiles
 *
 * For every set of inputs the cheapest ways to have its tensor in the pools are kept,
 * on one mesh of ranks or another: they are found from all partitions of the set, of
 * which each part is an input or another set's tensor, and all parts together are a
 * stage.  Meshes are those of fewest words, some of which cut no index that is summed
 * over.  What a stage needs moves, unless the same mesh has made it.
 *
 * Tiles come from a lattice at first: parts 1, 2, 3, 4, 6, 8, 12, ... of each index.
 * More parts move no fewer words, so that the search goes from the cheapest point to
 * the next, beginning with none cut, and refines those that do not fit into the budget;
 * it ends when no point can cost less, arithmetic and the words of DRAM and cache
 * included, than one that fits, or has seen enough.  The best one's neighbours may
 * cost less yet.
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

/* Points looked at for a stage on a mesh; and its meshes, without sums and of all. */
enum { MOST_POINTS = 400, MOST_OPEN = 6000, MESHES = 3, OF_PAIRS = 6 };
enum { TRIED = 1 << 13 };

/* At most so many slabs that move, and tiles that ranks share: few of intermediates. */
enum { MOST_SLABS = 4096, FEW_TILES = 64, MOST_TILES = 4096 };

/* Tensors of a stage, where inputs are many: more would take long to plan. */
enum { MANY = 5, OF_MANY = 4 };

struct stage {
	double cost; /* INFINITY: nothing fits */
	int parts, set[ASL_MOST_TOGETHER];
	struct asl_mesh mesh;
	struct asl_loops loops;
	uint32_t in_tiles;
	int way[ASL_MOST_TOGETHER]; /* to make a part, if it is no input */
};

enum { SETS = 1 << ASL_MOST_TOGETHER, WAYS = 6 };

/* To have a set's tensor in the pools, on one mesh or another; none of an input. */
struct ways {
	int count;
	struct stage of[WAYS];
};

struct point {
	double bound; /* words between pool and DRAM cost so much */
	int last;     /* none before this index is refined any more */
	struct asl_loops loops;
};

struct fusion {
	const struct asl_plan *base;
	const struct asl_einsum *e;
	struct asl_rates rates;
	/* By the most tensors of a stage and the set; costs with those of its parts. */
	struct ways best[ASL_MOST_TOGETHER + 1][SETS];
	uint64_t
		needed; /* the least that any tiles of a stage need, if none fit */
	bool failed;
	/* For one search after another: points not looked at yet; hashes of parts. */
	struct point open[MOST_OPEN];
	uint64_t tried[TRIED];
};

/* ---- A stage's einsum ---- */

static bool is_input(int set)
{
	return !(set & (set - 1));
}

static struct asl_term term_of(const struct fusion *f, int set)
{
	uint32_t kept = asl_einsum_kept(f->e, set);
	struct asl_term t = {0};

	if (set == asl_einsum_inputs(f->e))
		return f->e->term[f->e->inputs];
	if (is_input(set))
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

/* Its indices in this order: those of sets[0], then of sets[1], ... */
static void put_in_order(struct asl_term *t, const uint32_t sets[3])
{
	int count = 0;

	for (int i = 0; i < 3; i++)
		for (int j = 0; j < ASL_MOST_INDICES; j++)
			if (t->has & sets[i] & 1U << j)
				t->index[count++] = (unsigned char)j;
}

/* Is the first index of those that are in no batch in the set? */
static bool begins_with(const struct asl_term *t, uint32_t batch, uint32_t set)
{
	for (int i = 0; i < t->count; i++)
		if (!(batch >> t->index[i] & 1))
			return set >> t->index[i] & 1;
	return false;
}

/*
 * Operands of a pair, and the result, lie in the pool as matrices of a product, batch
 * after batch; or as their transposes, if an intermediate is one.  So tiles are
 * multiplied where they lie.
 */
static void order_pair(struct asl_einsum *e, const struct stage *x, bool last)
{
	struct asl_term *A = &e->term[0], *B = &e->term[1], *C = &e->term[2];
	bool free_A = is_input(x->set[0]), free_B = is_input(x->set[1]);
	uint32_t both = A->has & B->has, batch = both & C->has;
	uint32_t sum = both & ~batch, rows = A->has & ~both,
		 cols = B->has & ~both;
	bool turned = free_A ? !free_B && begins_with(B, batch, cols)
			     : begins_with(A, batch, sum);

	if (free_A)
		put_in_order(A, (uint32_t[]){batch, turned ? sum : rows,
					     turned ? rows : sum});
	if (free_B)
		put_in_order(B, (uint32_t[]){batch, turned ? cols : sum,
					     turned ? sum : cols});
	if (last)
		put_in_order(C, (uint32_t[]){batch, turned ? cols : rows,
					     turned ? rows : cols});
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
	if (x->parts == 2)
		order_pair(e, x, all_inputs(x) == asl_einsum_inputs(f->e));
}

/* ---- Loops and tiles of a stage on a mesh ---- */

struct tiling {
	struct fusion *f;
	const struct asl_einsum *e;
	struct asl_ooc_part part; /* rank 0's, without loops */
	uint64_t most[ASL_MOST_INDICES];
	uint64_t tiles[ASL_MOST_TOGETHER + 1]; /* of a term, at most */
	double beside;	  /* the cost of gathering slices first */
	double promising; /* a stage that costs more is not improved */
	double least;	  /* of what is left, whatever the tiles */
	int count, looked;
	struct stage *best;
};

static struct asl_ooc_part part_in(const struct tiling *t,
				   const struct asl_loops *l)
{
	struct asl_ooc_part p = t->part;

	p.loops = l;
	return p;
}

static uint64_t room(const struct tiling *t, const struct asl_loops *l)
{
	struct asl_ooc_part p = part_in(t, l);

	return asl_ooc_part_room(&p);
}

/* Where words are meant, short rows only tell equal costs apart. */
#define HARDLY 1e-9

/* The cost of what a stage counts; if time is meant, of short rows, too. */
static double price(const struct tiling *t, const struct asl_ooc_part *p,
		    const struct asl_counts *x)
{
	const struct asl_plan *base = t->f->base;
	bool timed = base->by_time && base->times;
	double beyond = asl_ooc_part_beyond(p, &t->f->rates, base->times);

	return asl_cost(&t->f->rates, x) + (timed ? 1 : HARDLY) * beyond;
}

/* The cost of words between pool and DRAM, and of gathers. */
static double traffic(const struct tiling *t, const struct asl_loops *l)
{
	struct asl_ooc_part p = part_in(t, l);
	struct asl_counts x = {{0}};

	asl_ooc_part_traffic(&(struct asl_ooc_counts){&x, &x, &x}, &p);
	return price(t, &p, &x);
}

static void insert(struct asl_loops *l, int place, int index)
{
	memmove(&l->index[place + 1], &l->index[place],
		(size_t)(l->count++ - place));
	l->index[place] = (unsigned char)index;
}

/* One loop after another goes where it costs least; returns the cost of all. */
static double set_order(const struct tiling *t, struct asl_loops *l)
{
	double cost = INFINITY;

	l->count = 0;
	for (int i = 0; i < t->e->indices; i++) {
		struct asl_loops best = *l;

		if (l->parts[i] < 2)
			continue;
		cost = INFINITY;
		for (int place = 0; place <= l->count; place++) {
			struct asl_loops x = *l;
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
static bool refine(const struct tiling *t, struct asl_loops *l, int index)
{
	uint64_t now = (uint64_t)l->parts[index];
	uint64_t next = now < 3 ? now + 1 : now % 3 ? now / 2 * 3 : now / 3 * 4;

	if (now >= t->most[index])
		return false;
	l->parts[index] = (int)asl_min(next, t->most[index]);
	return true;
}

/* All that the stage costs; *dram words of it are held. */
static double cost_of(const struct tiling *t, const struct asl_loops *l,
		      uint64_t *dram)
{
	struct asl_ooc_part p = part_in(t, l);
	uint64_t tile[ASL_MOST_INDICES];
	struct asl_counts x = {{0}};
	struct asl_local local;

	asl_ooc_part_tile(tile, &p);
	asl_local_make(&local, t->e, tile, t->f->base->cache);
	*dram = asl_ooc_part_predict(&(struct asl_ooc_counts){&x, &x, &x}, &p,
				     t->f->base, &local);
	return price(t, &p, &x);
}

/* Tiles that ranks share are listed, and move one by one. */
static bool has_too_many_tiles(const struct tiling *t,
			       const struct asl_loops *l)
{
	for (int i = 0; i <= t->e->inputs; i++) {
		struct asl_spread s = {t->e, &t->e->term[i], NULL, l, 0};

		if (t->part.sharers[i].size > 1 &&
		    asl_spread_tiles(&s) > t->tiles[i])
			return true;
	}
	return false;
}

/* Those that fit are kept if none is better. */
static bool fits(struct tiling *t, const struct asl_loops *l, uint64_t *dram)
{
	double cost;

	*dram = room(t, l);
	if (*dram > t->f->base->budget || has_too_many_tiles(t, l))
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
static void dive(struct tiling *t, struct asl_loops l)
{
	uint64_t held;

	while (!fits(t, &l, &held)) {
		struct asl_loops best = l;
		double gain = -1, now = set_order(t, &l);

		for (int i = 0; i < t->e->indices; i++) {
			struct asl_loops x = l;
			uint64_t dram;
			double better, worse;

			if (!refine(t, &x, i))
				continue;
			worse = set_order(t, &x) / now - 1;
			dram = room(t, &x);
			better = (double)held / (double)dram - 1;
			better = fmax(0, better) / (1e-3 + fmax(0, worse));
			if (better > gain) {
				gain = better;
				best = x;
			}
		}
		if (gain < 0 && has_too_many_tiles(t, &l))
			return;
		if (gain < 0) {
			cost_of(t, &l, &held);
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
	t->f->open[t->count++] = x;
}

static struct point take_cheapest(struct tiling *t)
{
	struct point *open = t->f->open;
	int at = 0;
	struct point x;

	for (int i = 1; i < t->count; i++)
		if (open[i].bound < open[at].bound)
			at = i;
	x = open[at];
	open[at] = open[--t->count];
	return x;
}

static void search(struct tiling *t)
{
	struct point x = {.last = 0};
	uint64_t dram;

	for (int i = 0; i < ASL_MOST_INDICES; i++)
		x.loops.parts[i] = 1;
	x.bound = traffic(t, &x.loops);
	t->least = cost_of(t, &x.loops, &dram) - x.bound + t->beside;
	dive(t, x.loops);
	t->f->open[t->count++] = x;
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
 * From the best point of the lattice on: more or fewer parts of an index, or of two, as
 * long as that costs less.
 */

enum { STEPS = 8 };
#define PROMISING 1.3

/* Fewer parts, then more: those of the next length, or by up to four times. */
static bool take_step(const struct tiling *t, struct asl_loops *l, int index,
		      int step)
{
	uint64_t now = (uint64_t)l->parts[index], most = t->most[index];
	uint64_t length = asl_ceil_div(t->part.len[index], now);
	uint64_t next[STEPS] = {
		asl_ceil_div(t->part.len[index], length + 1),
		now * 2 / 3,
		now / 2,
		now / 4,
		length > 1 ? asl_ceil_div(t->part.len[index], length - 1) : now,
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

/* Have these parts been tried?  What was no better then is no better now. */
static bool is_tried(struct tiling *t, const struct asl_loops *l)
{
	uint64_t hash = 1, at;

	for (int i = 0; i < t->e->indices; i++)
		hash = (hash ^ (uint64_t)l->parts[i]) *
		       UINT64_C(0x9e3779b97f4a7c15);
	hash |= 1;
	at = hash >> 32 & (TRIED - 1);
	if (t->f->tried[at] == hash)
		return true;
	t->f->tried[at] = hash;
	return false;
}

/* Keeps it, if it fits and costs less. */
static bool try_loops(struct tiling *t, struct asl_loops l)
{
	double before = t->best->cost;
	uint64_t dram;

	return !is_tried(t, &l) && set_order(t, &l) + t->beside < before &&
	       fits(t, &l, &dram) && t->best->cost < before;
}

static bool try_steps(struct tiling *t, int index)
{
	bool better = false;

	for (int step = 0; step < STEPS; step++) {
		struct asl_loops l = t->best->loops;

		if (!take_step(t, &l, index, step))
			continue;
		better |= try_loops(t, l);
		for (int i = 0; i < t->e->indices; i++)
			for (int j = 0; i != index && j < STEPS; j++) {
				struct asl_loops other = l;

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
		struct asl_loops l = t->best->loops;

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
		for (int i = 0; i < t->e->indices; i++) {
			better |= try_lattice(t, i);
			better |= try_steps(t, i);
		}
	}
}

/* ---- Meshes of a stage ---- */

/* The cost of gathering slices in the pools of all ranks that share them. */
static double cost_of_panels(const struct fusion *f, const struct stage *x,
			     const struct asl_einsum *e,
			     const struct asl_group *sharers,
			     const uint64_t *len)
{
	struct asl_counts sum = {{0}};

	for (int i = 0; i < e->inputs; i++) {
		uint64_t words = asl_term_words(&e->term[i], len);

		if (sharers[i].size == 1 || x->in_tiles >> i & 1)
			continue;
		asl_predict_copy(&sum, ASL_POOL, ASL_POOL,
				 words / (uint64_t)sharers[i].size);
		asl_predict_allgather(&sum, words, sharers[i].size, 0,
				      ASL_POOL);
	}
	return asl_cost(&f->rates, &sum);
}

/* The cost of moving an input from one mesh to another: the most of three ranks. */
static double cost_of_move(const struct fusion *f, const struct asl_einsum *e,
			   int input, const struct asl_mesh *to,
			   const struct asl_mesh *from)
{
	const struct asl_term *t = &e->term[input];
	struct asl_spread there = asl_spread_on(e, t, to);
	struct asl_spread here = asl_spread_on(e, t, from);
	int ranks = f->base->ranks;
	double most = 0;

	for (int i = 0; i < 3; i++) {
		struct asl_counts x = {{0}};

		asl_spread_predict(&x, i * (ranks - 1) / 2, ranks, &there,
				   ASL_POOL, &here, ASL_POOL);
		most = fmax(most, asl_cost(&f->rates, &x));
	}
	return most;
}

/* The cheapest way to have an input of a stage in its place; e NULL: in any. */
static double cost_of_input(const struct fusion *f, int most, struct stage *x,
			    int input, const struct asl_einsum *e)
{
	const struct ways *made = &f->best[most][x->set[input]];
	double least = INFINITY;

	if (is_input(x->set[input]))
		return 0;
	for (int i = 0; i < made->count; i++) {
		const struct stage *by = &made->of[i];
		double cost = by->cost;

		if (cost < least && e &&
		    memcmp(&by->mesh, &x->mesh, sizeof x->mesh) != 0)
			cost += cost_of_move(f, e, input, &x->mesh, &by->mesh);
		if (cost < least) {
			least = cost;
			x->way[input] = i;
		}
	}
	return least;
}

static double cost_of_inputs(const struct fusion *f, int most, struct stage *x,
			     const struct asl_einsum *e)
{
	double cost = 0;

	for (int i = 0; i < x->parts; i++)
		cost += cost_of_input(f, most, x, i, e);
	return cost;
}

static const struct stage *cheapest(const struct ways *x)
{
	const struct stage *best = NULL;

	for (int i = 0; i < x->count; i++)
		if (!best || x->of[i].cost < best->cost)
			best = &x->of[i];
	return best;
}

/* A stage of these parts that costs more makes no program better than the best so far. */
static double known(const struct fusion *f, const struct stage *parts)
{
	struct stage x = *parts;
	double least = 0;

	for (int most = x.parts; most <= f->e->inputs; most++) {
		const struct stage *best =
			cheapest(&f->best[most][all_inputs(&x)]);

		if (!best)
			return INFINITY;
		least = fmax(least,
			     best->cost - cost_of_inputs(f, most, &x, NULL));
	}
	return least;
}

static void try_tiling(struct fusion *f, struct stage *best, struct stage x,
		       const struct asl_einsum *e, double known)
{
	struct tiling t = {
		.f = f,
		.e = e,
		.part = {.e = e},
		.promising = PROMISING * fmin(best->cost, known),
		.best = &x,
	};
	struct asl_cell cell = asl_mesh_cell(e, &x.mesh, 0);
	struct asl_group sharers[ASL_MOST_TOGETHER + 1];
	uint32_t all = asl_einsum_all(e);

	for (int i = 0; i < e->indices; i++) {
		t.part.len[i] = cell.of[i].count;
		t.most[i] =
			all >> i & 1 ? e->size[i] / (uint64_t)x.mesh.p[i] : 1;
		t.most[i] = asl_min(t.most[i], 1 << 20);
	}
	for (int i = 0; i <= e->inputs; i++) {
		struct asl_spread s = asl_spread_on(e, &e->term[i], &x.mesh);

		sharers[i] = asl_cell_group(&s, &cell);
		if (sharers[i].size == 1)
			x.in_tiles &= ~(1U << i);
		t.part.sharers[i] = x.in_tiles >> i & 1
					    ? sharers[i]
					    : (struct asl_group){.size = 1};
		t.tiles[i] = i < e->inputs && is_input(x.set[i]) ? MOST_TILES
								 : FEW_TILES;
	}
	if (all_inputs(&x) == asl_einsum_inputs(f->e)) {
		t.part.adds = f->base->c_factor != 0;
		t.tiles[e->inputs] = MOST_TILES;
	}
	t.beside = cost_of_panels(f, &x, e, sharers, t.part.len);
	x.cost = INFINITY;
	memset(f->tried, 0, sizeof f->tried);
	search(&t);
	improve(&t);
	if (x.cost < best->cost)
		*best = x;
}

/* The best meshes that do without a sum over ranks, and of all; on most ranks. */
static int list_meshes(struct asl_mesh_found *found, const struct asl_einsum *e,
		       int ranks)
{
	uint32_t summed = asl_einsum_all(e) & ~e->term[e->inputs].has;
	struct asl_mesh none;
	struct asl_mesh_wish wish = {.like = &none};
	int count = 0, without;

	for (int i = 0; i < ASL_MOST_INDICES; i++)
		none.p[i] = 1;
	wish.most = e->inputs == 2 ? OF_PAIRS : MESHES;
	wish.kept = summed;
	for (wish.ranks = ranks; !count && wish.ranks > 1; wish.ranks--)
		count = asl_mesh_list(found, e, &wish);
	if (!count)
		found[count++].mesh = none;
	without = count;
	wish.kept = 0;
	wish.like = NULL;
	wish.ranks = ranks;
	count += asl_mesh_list(found + count, e, &wish);
	for (int i = without; i < count; i++) {
		bool sums = false;

		for (int j = 0; j < e->indices; j++)
			sums |= summed >> j & 1 && found[i].mesh.p[j] > 1;
		if (!sums)
			found[i--] = found[--count];
	}
	return count;
}

static bool shares_inputs(const struct asl_einsum *e,
			  const struct asl_mesh *mesh)
{
	for (int i = 0; i < e->inputs; i++)
		for (int j = 0; j < e->indices; j++)
			if (mesh->p[j] > 1 && !asl_term_has(&e->term[i], j))
				return true;
	return false;
}

/*
 * The best loops and tiles for these parts on a few meshes; slices that ranks share are
 * gathered first, or tile by tile.  Returns the number of meshes on which some fit.
 */
static int solve(struct fusion *f, struct stage best[2 * ASL_MOST_MESHES],
		 const struct stage *parts, const struct asl_einsum *e)
{
	struct asl_mesh_found *found =
		calloc(2 * ASL_MOST_MESHES, sizeof *found);
	double least = known(f, parts);
	int count = 0, fit = 0;

	f->failed |= !found;
	if (!f->failed)
		count = list_meshes(found, e, f->base->ranks);
	for (int i = 0; i < count; i++) {
		struct stage x = *parts;

		x.mesh = found[i].mesh;
		best[fit].cost = INFINITY;
		x.in_tiles = (UINT32_C(2) << e->inputs) - 1;
		try_tiling(f, &best[fit], x, e, least);
		x.in_tiles = UINT32_C(1) << e->inputs;
		if (shares_inputs(e, &x.mesh))
			try_tiling(f, &best[fit], x, e, least);
		least = fmin(least, best[fit].cost);
		fit += isfinite(best[fit].cost);
	}
	free(found);
	return fit;
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

/* In the place of a dearer one on the same mesh; or of the dearest, without a place. */
static void keep(struct ways *ways, const struct stage *x)
{
	int dearest = 0, place = -1;

	for (int i = 0; i < ways->count; i++) {
		const struct stage *other = &ways->of[i];

		if (!memcmp(&other->mesh, &x->mesh, sizeof x->mesh))
			place = i;
		if (other->cost > ways->of[dearest].cost)
			dearest = i;
	}
	if (place < 0 && ways->count < WAYS)
		ways->of[ways->count++] = *x;
	else if (x->cost < ways->of[place < 0 ? dearest : place].cost)
		ways->of[place < 0 ? dearest : place] = *x;
}

static void judge(struct fusion *f, int set, const struct stage *parts)
{
	struct stage *found = calloc(2 * ASL_MOST_MESHES, sizeof *found);
	struct asl_einsum *e = malloc(sizeof *e);
	int count = 0;

	f->failed |= !found || !e;
	if (!f->failed) {
		einsum_of(e, f, parts);
		count = solve(f, found, parts, e);
	}
	for (int i = 0; i < count; i++)
		for (int most = parts->parts; most <= f->e->inputs; most++) {
			struct stage x = found[i];

			x.cost += cost_of_inputs(f, most, &x, e);
			if (isfinite(x.cost))
				keep(&f->best[most][set], &x);
		}
	free(e);
	free(found);
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
		if (is_input(lowest | more) ||
		    f->best[f->e->inputs][lowest | more].count)
			each_partition(f, set, rest ^ more, x, apart);
		x->parts--;
		if (!more)
			return;
	}
}

static void solve_sets(struct fusion *f, bool apart)
{
	int all = asl_einsum_inputs(f->e);
	struct stage x = {.parts = 0};

	for (int set = 1; set <= all; set++)
		if (!is_input(set))
			each_partition(f, set, set, &x, apart);
}

/* Sets whose tensors share no index come in stages only where nothing else does. */
static void solve_all(struct fusion *f)
{
	solve_sets(f, false);
	if (f->best[f->e->inputs][asl_einsum_inputs(f->e)].count)
		return;
	memset(f->best, 0, sizeof f->best);
	solve_sets(f, true);
}

/* ---- Plans ---- */

void asl_ooc_stage_local(struct asl_stage *s, uint64_t cache)
{
	struct asl_cell cell = asl_mesh_cell(&s->e, &s->mesh, 0);
	struct asl_ooc_part p = {.e = &s->e, .loops = &s->loops};
	uint64_t tile[ASL_MOST_INDICES];

	for (int i = 0; i < s->e.indices; i++)
		p.len[i] = cell.of[i].count;
	asl_ooc_part_tile(tile, &p);
	asl_local_make(&s->local, &s->e, tile, cache);
}

/* Adds a stage, after those that make its inputs. */
static void add_stages(const struct fusion *f, struct asl_contraction *c,
		       int most, const struct stage *x)
{
	int from[ASL_MOST_TOGETHER];
	struct asl_stage *s;

	for (int i = 0; i < x->parts; i++) {
		int set = x->set[i];

		from[i] = __builtin_ctz((unsigned)set);
		if (is_input(set))
			continue;
		add_stages(f, c, most, &f->best[most][set].of[x->way[i]]);
		from[i] = f->e->inputs + c->stages - 1;
	}
	s = &c->stage[c->stages];
	einsum_of(&s->e, f, x);
	memcpy(s->from, from, sizeof from);
	s->mesh = x->mesh;
	s->loops = x->loops;
	s->in_tiles = x->in_tiles;
	asl_ooc_stage_local(s, f->base->cache);
	c->stages++;
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
				      (to.tiles || from.tiles ||
				       !asl_spread_same(&to, &from, c->ranks));
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
	add_stages(f, c, most,
		   cheapest(&f->best[most][asl_einsum_inputs(f->e)]));
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
		const struct stage *best = cheapest(&f->best[most][all]);

		if (best && best->cost < before)
			add(f, list, most);
		before = best ? best->cost : INFINITY;
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
	return asl_path_best(plan, asl_ooc_program_rank, memory_needed);
}
