/*
 * 3d.c -- C = A B on a p1 x p2 x p3 grid, with the fewest words on the network
 *
 * p1 cuts m, p2 cuts k, p3 cuts n.  Rank (i, l, j) gathers A(i, l) over the p3
 * ranks and B(l, j) over the p1 ranks that share it, multiplies, and the p2
 * ranks that hold summands of C(i, j) add them up, each keeping a share of the
 * sum.  Per rank, where the grid divides the shape:
 *
 *	B_h	(1 - 1/p3) mk/(p1 p2) + (1 - 1/p1) kn/(p2 p3)
 *		+ (1 - 1/p2) mn/(p1 p3)
 *	B_w	mn/(p1 p3)
 *	B_r	the kernel's, of m/p1, k/p2, n/p3
 *	owned	(mk + kn + mn)/P
 *	held	mk/(p1 p2) + kn/(p2 p3) + mn/(p1 p3), the paper's D
 *
 * A rank's shares of A and B lie within its panels from the start, and its share
 * of C within its summand.  Panels that are staged in DRAM are another memory:
 * then it also holds its shares of A and B, in the pool.
 *
 * The grid makes the bricks as nearly cubes as the shape allows: in one
 * dimension for P <= d1/d2, in two for P <= d1 d2/d3^2 and in three beyond, with
 * d1 >= d2 >= d3 the sorted dimensions.  It attains the lower bound of the same
 * paper exactly when it is integer and divides the shape.
 *
 * Where that does not fit into the memory budget, the brick is cut into R bands
 * of m, U slices of n and T layers of k.  A super-block of C, a band by a slice,
 * is completed layer after layer, out of panels of one layer's size:
 *
 *	held	owned, and mk/(R T p1 p2), kn/(T U p2 p3), mn/(R U p1 p3)
 *		as above
 *	B_h	A U times if T > 1; B R times if T > 1 or U > 1; else the same
 *	B_w	T times; T - 1 times as many reads of C are added to B_r
 *
 * So a grid of one or two dimensions can do with next to no memory beyond what
 * is owned, and sends no word more.  A, B and C are owned block by block, so that
 * each gathering and each reduction finds its words evenly shared.
 *
 * H. Al Daas, G. Ballard, L. Grigori, S. Kumar, K. Rouse, Tight
 * memory-independent parallel matrix multiplication communication lower
 * bounds, SPAA 2022, Algorithm 1, sections 5 and 6.2.
 */
#include <math.h>

#include "lib/multiply/brick.h"
#include "lib/multiply/multiply.h"
#include "lib/rank/resume.h"

/* A brick, cut in three ways; all ranks use the same numbers. */
struct cut_brick {
	const struct asl_plan *plan;
	struct asl_brick x;
	int bands, slices, layers;
};

static int or_one(int parts)
{
	return parts ? parts : 1;
}

static struct cut_brick cut(const struct asl_plan *plan, int rank)
{
	const struct asl_multiplication *part = plan->multiplication;

	return (struct cut_brick){
		.plan = plan,
		.x = asl_brick(plan, rank),
		.bands = or_one(part->bands),
		.slices = or_one(part->slices),
		.layers = or_one(part->layers),
	};
}

static struct asl_range band(const struct cut_brick *b, int i)
{
	return asl_part_of(b->x.m, b->bands, i);
}

static struct asl_range slice(const struct cut_brick *b, int j)
{
	return asl_part_of(b->x.n, b->slices, j);
}

static struct asl_range layer(const struct cut_brick *b, int l)
{
	return asl_part_of(b->x.k, b->layers, l);
}

/* A block of C, or what a layer adds to it. */
static struct asl_product product(const struct cut_brick *b, uint64_t m,
				  uint64_t n, uint64_t k, bool add)
{
	struct asl_product x = asl_plan_product(
		b->plan, m, n, k, asl_brick_where(b->plan, &b->x.along_n),
		asl_brick_where(b->plan, &b->x.along_m));

	x.add = add;
	return x;
}

/* No words, or nothing to add to them. */
static bool is_nothing(const struct asl_product *x)
{
	return !x->m || !x->n || (x->add && !x->k);
}

static bool is_cut(const struct asl_multiplication *part)
{
	return part->bands > 1 || part->slices > 1 || part->layers > 1;
}

/* How often blocks of A and of B are gathered. */
static int times_of_A(int slices, int layers)
{
	return layers > 1 ? slices : 1;
}

static int times_of_B(int bands, int slices, int layers)
{
	return layers > 1 || slices > 1 ? bands : 1;
}

/*
 * The cut of least cost that fits
 *
 * Numbers are those of the largest brick, and shares are taken to be rounded up,
 * so that what is chosen fits on every rank.
 */

struct sizes {
	const struct asl_plan *plan;
	uint64_t m, n, k;
	uint64_t pm, pn, pk; /* ranks of the lines */
};

static struct sizes sizes_of(const struct asl_plan *plan)
{
	struct asl_brick x = asl_brick(plan, 0);

	return (struct sizes){
		.plan = plan,
		.m = x.m.count,
		.n = x.n.count,
		.k = x.k.count,
		.pm = (uint64_t)x.along_m.size,
		.pn = (uint64_t)x.along_n.size,
		.pk = (uint64_t)x.along_k.size,
	};
}

struct choice {
	int bands, slices, layers;
	uint64_t memory_needed;
	double cost;
};

/* Gathered in one piece, in the pool: around what is owned. */
static bool is_around(const struct asl_plan *plan, int rows, int cols)
{
	return plan->panels == ASL_POOL && rows == 1 && cols == 1;
}

/* The largest sum of one share of each of rows x cols blocks, p to a block. */
static uint64_t owned_at_most(uint64_t m, int rows, uint64_t n, int cols,
			      uint64_t p)
{
	uint64_t words = 0;

	if (p == 1)
		return m * n;
	for (int i = 0; i < 4; i++) {
		struct asl_alike x = asl_parts_alike(m, rows, i / 2);
		struct asl_alike y = asl_parts_alike(n, cols, i % 2);

		words += x.many * y.many * asl_ceil_div(x.length * y.length, p);
	}
	return words;
}

/* A rows x cols of blocks that p ranks share, and room for one: what is held. */
struct part {
	uint64_t always, panel; /* words that stay; words that are given back */
};

static struct part part_of(uint64_t m, int rows, uint64_t n, int cols,
			   uint64_t p, bool around)
{
	uint64_t block = asl_ceil_div(m, (uint64_t)rows) *
			 asl_ceil_div(n, (uint64_t)cols);

	if (around)
		return (struct part){m * n, 0};
	return (struct part){owned_at_most(m, rows, n, cols, p),
			     p > 1 ? block : 0};
}

static struct part part_A(const struct sizes *s, const struct choice *c)
{
	return part_of(s->m, c->bands, s->k, c->layers, s->pn,
		       is_around(s->plan, c->bands, c->layers));
}

static uint64_t memory_needed(const struct sizes *s, const struct choice *c)
{
	bool whole = c->bands == 1 && c->slices == 1;
	struct part A = part_A(s, c);
	struct part B = part_of(s->k, c->layers, s->n, c->slices, s->pm,
				is_around(s->plan, c->layers, c->slices));
	struct part C = part_of(s->m, c->bands, s->n, c->slices, s->pk, whole);
	uint64_t block = asl_ceil_div(s->m, (uint64_t)c->bands) *
			 asl_ceil_div(s->n, (uint64_t)c->slices);
	uint64_t panels = A.panel + B.panel;
	uint64_t reducing =
		asl_reduce_scatter_scratch(block, (int)s->pk, (int)s->pk - 1);

	return A.always + B.always + C.always + C.panel +
	       (whole ? asl_max(panels, reducing) : panels + reducing);
}

static double messages(uint64_t p)
{
	return asl_is_power_of_two((int)p) ? log2((double)p) : (double)p - 1;
}

/* A matrix that is gathered in so many blocks. */
static double cost_of_gathers(const struct asl_costs *costs, double words,
			      uint64_t p, double blocks, int times)
{
	return times * (costs->net * words * (1 - 1 / (double)p) +
			costs->latency * blocks * messages(p));
}

/* The kernel is taken to have square tiles that fill the cache. */
static double cost(const struct sizes *s, const struct choice *c)
{
	const struct asl_costs *costs = &s->plan->costs;
	double A = (double)s->m * (double)s->k, B = (double)s->k * (double)s->n;
	double C = (double)s->m * (double)s->n;
	double side = sqrt((double)s->plan->cache);
	double across = c->slices * ceil((double)s->n / c->slices / side);
	double down = c->bands * ceil((double)s->m / c->bands / side);

	return cost_of_gathers(costs, A, s->pn, (double)c->bands * c->layers,
			       times_of_A(c->slices, c->layers)) +
	       cost_of_gathers(costs, B, s->pm, (double)c->slices * c->layers,
			       times_of_B(c->bands, c->slices, c->layers)) +
	       cost_of_gathers(costs, C, s->pk, (double)c->bands * c->slices,
			       1) +
	       (costs->read + costs->write) * C * (c->layers - 1) +
	       costs->read * (A * across + B * down);
}

static bool fits(const struct sizes *s, struct choice *c)
{
	c->memory_needed = memory_needed(s, c);
	c->cost = cost(s, c);
	return c->memory_needed <= s->plan->budget;
}

/* The better one of two: if neither fits, that which needs less. */
static bool is_better(const struct sizes *s, const struct choice *a,
		      const struct choice *b)
{
	uint64_t budget = s->plan->budget;

	if (a->memory_needed <= budget && b->memory_needed <= budget)
		return a->cost < b->cost;
	return a->memory_needed < b->memory_needed;
}

static int more(int parts)
{
	return parts + 1 + parts / 4;
}

/* Returns whether it fits. */
static bool try(const struct sizes *s, struct choice *best, struct choice c)
{
	bool does = fits(s, &c);

	if (is_better(s, &c, best))
		*best = c;
	return does;
}

/* More layers until it fits, with these bands and slices. */
static void with_layers(const struct sizes *s, struct choice *best,
			struct choice c)
{
	for (;;) {
		if (try(s, best, c) || (uint64_t)c.layers >= s->k)
			return;
		c.layers = (int)asl_min((uint64_t)more(c.layers), s->k);
	}
}

/* Even with one layer it costs no less than the best that fits. */
static bool hopeless(const struct sizes *s, const struct choice *best,
		     const struct choice *c)
{
	return best->memory_needed <= s->plan->budget &&
	       cost(s, c) >= best->cost;
}

static int *parts_of(struct choice *c, int axis)
{
	return axis == 0 ? &c->bands : axis == 1 ? &c->slices : &c->layers;
}

/* Fewer of each, one at a time, while that is better. */
static void refine(const struct sizes *s, struct choice *best)
{
	struct choice before;

	do {
		before = *best;
		for (int i = 0; i < 3; i++) {
			struct choice c = before;

			if (--*parts_of(&c, i))
				try(s, best, c);
		}
	} while (best->cost < before.cost);
}

enum { TRIES = 1024, CHOICES = 1 << 17 };

/*
 * Every number of parts along one axis, then along the next, then along m and n
 * alike, until it fits or nothing needs less: rounded shares fit well where
 * blocks divide evenly.
 */
static void squeeze(const struct sizes *s, struct choice *best)
{
	const uint64_t side[] = {s->m, s->n, s->k, asl_min(s->m, s->n)};
	uint64_t before;

	do {
		before = best->memory_needed;
		for (int i = 0; i < 4; i++) {
			struct choice c = *best;
			uint64_t step = 1 + side[i] / TRIES;

			for (uint64_t x = 1; x <= side[i]; x += step) {
				if (i < 3)
					*parts_of(&c, i) = (int)x;
				else
					c.bands = c.slices = (int)x;
				try(s, best, c);
			}
		}
	} while (best->memory_needed > s->plan->budget &&
		 best->memory_needed < before);
}

/* The memory needed is at least this, whatever the number of slices. */
static uint64_t least_needed(const struct sizes *s, const struct choice *c)
{
	struct part A = part_A(s, c);

	return A.always + A.panel + asl_ceil_div(s->k * s->n, s->pm) +
	       asl_ceil_div(s->m * s->n, s->pk);
}

/* All numbers of parts of a small brick, until they fit. */
static void try_all(const struct sizes *s, struct choice *best)
{
	uint64_t m = s->m, n = s->n, k = s->k, budget = s->plan->budget;

	if (m * n * k > CHOICES)
		return;
	for (uint64_t i = 0; i < m * k && best->memory_needed > budget; i++) {
		struct choice c = {1 + (int)(i % m), 1, 1 + (int)(i / m), 0, 0};

		if (least_needed(s, &c) > budget)
			continue;
		for (; (uint64_t)c.slices <= n; c.slices++)
			try(s, best, c);
	}
}

static struct choice choose(const struct sizes *s)
{
	struct choice best = {1, 1, 1, 0, 0};

	fits(s, &best);
	for (int R = 1; (uint64_t)R <= s->m; R = more(R))
		for (int U = 1; (uint64_t)U <= s->n; U = more(U)) {
			struct choice c = {R, U, 1, 0, 0};

			if (hopeless(s, &best, &c))
				break;
			with_layers(s, &best, c);
		}
	if (best.memory_needed > s->plan->budget)
		squeeze(s, &best);
	try_all(s, &best);
	refine(s, &best);
	return best;
}

/* The ranks are asked only where rounding up decides. */
static bool fits_whole(const struct asl_plan *plan, const struct sizes *s)
{
	struct choice whole = {1, 1, 1, 0, 0};
	uint64_t slack = 3;

	if (fits(s, &whole))
		return true;
	return whole.memory_needed <= plan->budget + slack &&
	       asl_forecast(plan).memory_needed <= plan->budget;
}

static void mm3d_blocks(struct asl_multiplication *out,
			const struct asl_plan *plan)
{
	struct sizes s = sizes_of(plan);
	struct choice best;

	if (!plan->budget || is_cut(plan->multiplication) ||
	    fits_whole(plan, &s))
		return;
	best = choose(&s);
	out->bands = best.bands;
	out->slices = best.slices;
	out->layers = best.layers;
}

static void mm3d_ideal(double p[3], const struct asl_plan *plan)
{
	asl_grid_ideal(p, plan, 1);
}

/*
 * Words that a rank owns: of each block that is gathered or reduced, a share
 */

static bool owns_of(struct asl_piece *x, struct asl_piece block,
		    const struct asl_group *line)
{
	*x = block;
	x->words = asl_share(block.words.count, line->size, line->me);
	return true;
}

static bool mm3d_owns(struct asl_piece *x, const struct asl_plan *plan,
		      int rank, enum asl_operand which, int i)
{
	struct cut_brick b = cut(plan, rank);
	const struct asl_group *line =
		which == ASL_A ? &b.x.along_n : &b.x.along_m;
	int l = i % b.layers, block = i / b.layers;

	if (which == ASL_C)
		return i < b.bands * b.slices &&
		       owns_of(x,
			       asl_whole_piece(band(&b, i / b.slices),
					       slice(&b, i % b.slices)),
			       &b.x.along_k);
	if (line->size == 1)
		return i == 0 && owns_of(x, asl_brick_block(&b.x, which), line);
	if (which == ASL_A)
		return block < b.bands &&
		       owns_of(x,
			       asl_whole_piece(band(&b, block), layer(&b, l)),
			       line);
	return block < b.slices &&
	       owns_of(x, asl_whole_piece(layer(&b, l), slice(&b, block)),
		       line);
}

/*
 * The counts in closed form
 *
 * Bands, slices and layers come in two lengths each: as many of each kind are
 * counted, and none is walked.
 */

struct tally {
	const struct cut_brick *b;
	struct asl_ledger *out;
	uint64_t own, reducing;
};

static void predict_gathers(struct tally *t, struct asl_range rows, int down,
			    struct asl_range cols, int across,
			    const struct asl_group *line, int times)
{
	struct asl_counts *counts = &t->out->in[ASL_GATHER];

	if (down == 1 && across == 1) {
		asl_brick_predict_take(counts, t->b->plan,
				       rows.count * cols.count, line);
		return;
	}
	for (int i = 0; i < 4; i++) {
		struct asl_alike x = asl_parts_alike(rows.count, down, i / 2);
		struct asl_alike y = asl_parts_alike(cols.count, across, i % 2);
		uint64_t words = x.length * y.length, many = x.many * y.many;
		struct asl_counts once = {{0}};

		asl_brick_predict_gather(&once, words, line,
					 t->b->plan->panels);
		asl_counts_add_times(counts, &once, many * (uint64_t)times);
	}
}

/* Adds what is owned, with its panel if that lies around it; else returns that. */
static uint64_t predict_room(struct tally *t, struct asl_range rows, int down,
			     struct asl_range cols, int across,
			     const struct asl_group *line, bool around)
{
	if (around || line->size == 1) {
		t->own += rows.count * cols.count;
		return 0;
	}
	for (int i = 0; i < 4; i++) {
		struct asl_alike x = asl_parts_alike(rows.count, down, i / 2);
		struct asl_alike y = asl_parts_alike(cols.count, across, i % 2);
		struct asl_range mine =
			asl_share(x.length * y.length, line->size, line->me);

		t->own += x.many * y.many * mine.count;
	}
	return asl_ceil_div(rows.count, (uint64_t)down) *
	       asl_ceil_div(cols.count, (uint64_t)across);
}

static void predict_product(struct tally *t, struct asl_product local,
			    uint64_t many)
{
	const struct asl_kernel *kernel = t->b->plan->kernel;
	struct asl_counts once = {{0}};

	if (!many || is_nothing(&local))
		return;
	asl_kernel_predict(kernel, &once, &local);
	asl_counts_add_times(&t->out->in[ASL_COMPUTE], &once, many);
}

/* Super-blocks of one size: the first layer begins them, the others add. */
static void predict_blocks(struct tally *t, uint64_t m, uint64_t n,
			   uint64_t many)
{
	const struct cut_brick *b = t->b;
	const struct asl_group *line = &b->x.along_k;
	uint64_t first = layer(b, 0).count;
	struct asl_counts once = {{0}};

	if (!many)
		return;
	for (int longer = 0; longer < 2; longer++) {
		struct asl_alike x =
			asl_parts_alike(b->x.k.count, b->layers, longer);
		uint64_t fresh = x.many && x.length == first;

		predict_product(t, product(b, m, n, x.length, false),
				many * fresh);
		predict_product(t, product(b, m, n, x.length, true),
				many * (x.many - fresh));
	}
	asl_predict_reduce_scatter(&once, m * n, line->size, line->me, ASL_POOL,
				   ASL_POOL);
	asl_counts_add_times(&t->out->in[ASL_REDUCE], &once, many);
	t->reducing = asl_max(
		t->reducing,
		asl_reduce_scatter_scratch(m * n, line->size, line->me));
}

static void predict_memory(struct tally *t)
{
	const struct cut_brick *b = t->b;
	const struct asl_brick *x = &b->x;
	bool whole = b->bands == 1 && b->slices == 1;
	uint64_t panels, summand;

	panels = predict_room(t, x->m, b->bands, x->k, b->layers, &x->along_n,
			      is_around(b->plan, b->bands, b->layers));
	panels += predict_room(t, x->k, b->layers, x->n, b->slices, &x->along_m,
			       is_around(b->plan, b->layers, b->slices));
	summand = predict_room(t, x->m, b->bands, x->n, b->slices, &x->along_k,
			       whole);
	t->out->memory_high =
		t->own + summand +
		(whole ? asl_max(panels, t->reducing) : panels + t->reducing);
	t->out->pool_high =
		t->own + summand + (b->plan->panels == ASL_POOL ? panels : 0);
}

static void mm3d_predict(struct asl_ledger *out, const struct asl_plan *plan,
			 int rank)
{
	struct cut_brick b = cut(plan, rank);
	const struct asl_brick *x = &b.x;
	struct tally t = {.b = &b, .out = out};

	predict_gathers(&t, x->m, b.bands, x->k, b.layers, &x->along_n,
			times_of_A(b.slices, b.layers));
	predict_gathers(&t, x->k, b.layers, x->n, b.slices, &x->along_m,
			times_of_B(b.bands, b.slices, b.layers));
	for (int i = 0; i < 4; i++) {
		struct asl_alike rows =
			asl_parts_alike(x->m.count, b.bands, i / 2);
		struct asl_alike cols =
			asl_parts_alike(x->n.count, b.slices, i % 2);

		predict_blocks(&t, rows.length, cols.length,
			       rows.many * cols.many);
	}
	predict_memory(&t);
}

/*
 * At least, on any grid of a box
 */

static void bound_whole(struct asl_lower_bound *least,
			const struct asl_plan *plan,
			const struct asl_brick_bound *x,
			const struct asl_rates *rates)
{
	asl_lower_bound_brick(least, plan, x, rates);
	asl_lower_bound_reduce_scatter(&least->counts, x->of.C, &x->pk);
}

/*
 * Blocks may be as small as a word, and then only what all ranks of the grid own
 * together is known.  Tiles are cut anew in each, so that no side's remainder is.
 */
static void bound_cut(struct asl_lower_bound *least,
		      const struct asl_plan *plan, struct asl_brick_bound x,
		      const struct asl_rates *rates)
{
	const struct asl_shape *s = asl_shape_of(plan);
	uint64_t P = (uint64_t)plan->ranks;
	uint64_t used =
		asl_min(P, x.pm.high * asl_min(P, x.pn.high * x.pk.high));

	asl_lower_bound_gather_blocks(&least->counts, x.of.A, &x.pn,
				      plan->panels);
	asl_lower_bound_gather_blocks(&least->counts, x.of.B, &x.pm,
				      plan->panels);
	asl_lower_bound_line(&least->counts, x.of.C, &x.pk);
	if (x.pk.high > 1)
		least->counts.of[ASL_NVM_LIFT] += x.of.C;
	x.of.x.m = x.of.x.n = 1;
	plan->kernel->lower_bound(&least->counts, &x.of, rates);
	least->memory += (s->m * s->k + s->k * s->n + s->m * s->n) / used;
}

static void mm3d_lower_bound(struct asl_lower_bound *least,
			     const struct asl_plan *plan,
			     const struct asl_box *box,
			     const struct asl_rates *rates)
{
	struct asl_brick_bound x = asl_brick_bound(plan, box);

	if (plan->budget || is_cut(plan->multiplication))
		bound_cut(least, plan, x, rates);
	else
		bound_whole(least, plan, &x, rates);
}

/*
 * The run
 */

/* An operand on its way through memory: where its next share is. */
struct panel {
	const struct asl_group *line; /* that gathers it; of one: it is here */
	struct asl_words own, room;
	bool around; /* the whole panel lies around its own words */
	struct asl_range rows, cols; /* of the brick's block */
	uint64_t used;		     /* of its own words */
	struct asl_block block;	     /* what is here */
};

static struct panel panel(const struct cut_brick *b, enum asl_operand which,
			  const struct asl_words own[ASL_OPERANDS])
{
	struct asl_piece all = asl_brick_block(&b->x, which);

	return (struct panel){
		.line = which == ASL_A ? &b->x.along_n : &b->x.along_m,
		.own = own[which],
		.around = is_around(b->plan, b->layers,
				    which == ASL_A ? b->bands : b->slices),
		.rows = all.rows,
		.cols = all.cols,
	};
}

/* The next block is gathered, or found. */
static void bring(struct asl_rank *r, struct panel *x, struct asl_range rows,
		  struct asl_range cols)
{
	struct asl_block all;
	struct asl_words words, mine;

	if (x->line->size == 1) {
		all = asl_as_block(&x->own, x->rows.count, x->cols.count);
		x->block = asl_sub_block(&all, rows.first - x->rows.first,
					 cols.first - x->cols.first, rows.count,
					 cols.count);
		return;
	}
	words = asl_slice(&x->room, 0, rows.count * cols.count);
	mine = asl_slice(
		&x->own, x->used,
		asl_share(words.count, x->line->size, x->line->me).count);
	if (x->around)
		asl_allgather(r, x->line, &words);
	else
		asl_brick_gather(r, x->line, &words, &mine);
	x->used += mine.count;
	x->block = asl_as_block(&words, rows.count, cols.count);
}

struct work {
	const struct cut_brick *b;
	struct panel A, B;
	uint64_t used_before;		/* of A, by the bands before */
	struct asl_words summand, rest; /* the rest of C's own words */
};

static void take_room(struct asl_rank *r, struct panel *x,
		      enum asl_where panels, uint64_t words)
{
	if (x->around)
		x->room = asl_brick_around(&x->own, words, x->line);
	else if (x->line->size > 1)
		asl_take(r, &x->room, panels, words);
}

static void give_room(struct asl_rank *r, struct panel *x)
{
	if (!x->around && x->line->size > 1)
		asl_give(r, &x->room);
}

/* Sums for several blocks of C cannot lie around what is owned of each. */
static bool has_summand(const struct cut_brick *b)
{
	return b->x.along_k.size > 1 && (b->bands > 1 || b->slices > 1);
}

static void begin(struct asl_rank *r, struct work *w, const struct cut_brick *b,
		  const struct asl_words own[ASL_OPERANDS])
{
	enum asl_where panels = b->plan->panels;
	uint64_t tall = band(b, 0).count, wide = slice(b, 0).count;
	uint64_t deep = layer(b, 0).count;

	*w = (struct work){
		.b = b,
		.A = panel(b, ASL_A, own),
		.B = panel(b, ASL_B, own),
		.rest = own[ASL_C],
	};
	take_room(r, &w->A, panels, tall * deep);
	take_room(r, &w->B, panels, deep * wide);
	w->summand = asl_brick_around(&w->rest, tall * wide, &b->x.along_k);
	if (has_summand(b))
		asl_take(r, &w->summand, ASL_POOL, tall * wide);
}

/* Without layers A stays for all slices, and without slices B for all bands. */
static void gather(struct asl_rank *r, struct work *w, int i, int j, int l)
{
	const struct cut_brick *b = w->b;

	asl_phase(r, ASL_GATHER);
	if (l == 0 && j == 0)
		w->used_before = w->A.used;
	if (l == 0 && b->layers > 1)
		w->A.used = w->used_before;
	if (l == 0 && j == 0)
		w->B.used = 0;
	if (b->layers > 1 || j == 0)
		bring(r, &w->A, band(b, i), layer(b, l));
	if (b->layers > 1 || b->slices > 1 || i == 0)
		bring(r, &w->B, layer(b, l), slice(b, j));
}

/* Panels that stay are gathered again by a run that resumes. */
static void mark(struct asl_rank *r, const struct cut_brick *b)
{
	if (b->layers == 1 && (b->bands > 1 || b->slices > 1))
		asl_mark_round(r);
	else
		asl_mark_epoch(r, NULL, 0);
}

static void multiply(struct asl_rank *r, struct work *w,
		     const struct asl_words *C, bool add)
{
	const struct cut_brick *b = w->b;
	struct asl_product local = product(b, w->A.block.rows, w->B.block.cols,
					   w->A.block.cols, add);
	struct asl_block c = asl_as_block(C, local.m, local.n);
	asl_phase(r, ASL_COMPUTE);
	if (!is_nothing(&local))
		b->plan->kernel->run(r, &local, &c, &w->A.block, &w->B.block);
}

/* A super-block of C, layer by layer, in its own words or in a summand. */
static void complete(struct asl_rank *r, struct work *w, int i, int j)
{
	const struct cut_brick *b = w->b;
	const struct asl_group *line = &b->x.along_k;
	bool last = i == b->bands - 1 && j == b->slices - 1;
	uint64_t words = band(b, i).count * slice(b, j).count;
	struct asl_range share = asl_share(words, line->size, line->me);
	struct asl_words mine = asl_slice(&w->rest, 0, share.count);
	struct asl_words C =
		line->size == 1 ? mine : asl_slice(&w->summand, 0, words);

	for (int l = 0; l < b->layers; l++) {
		gather(r, w, i, j, l);
		multiply(r, w, &C, l > 0);
		if (last && l == b->layers - 1) {
			give_room(r, &w->B);
			give_room(r, &w->A);
		}
		if (line->size > 1 || !last || l < b->layers - 1)
			mark(r, b);
	}
	if (line->size > 1) {
		asl_phase(r, ASL_REDUCE);
		if (!has_summand(b))
			asl_brick_save(r, &mine);
		asl_reduce_scatter(r, line, &mine, &C);
		if (!last)
			mark(r, b);
	}
	w->rest = asl_slice(&w->rest, share.count, w->rest.count - share.count);
}

static void mm3d_run(struct asl_rank *r, const struct asl_plan *plan,
		     struct asl_words own[ASL_OPERANDS])
{
	struct cut_brick b = cut(plan, r->id);
	struct work w;

	asl_phase(r, ASL_GATHER);
	begin(r, &w, &b, own);
	for (int i = 0; i < b.bands; i++)
		for (int j = 0; j < b.slices; j++)
			complete(r, &w, i, j);
	if (has_summand(&b))
		asl_give(r, &w.summand);
}

static const struct asl_matmul matmul = {
	.grid = {.axes = "mkn", .least_words = true},
	.ideal = mm3d_ideal,
	.lower_bound = mm3d_lower_bound,
	.blocks = mm3d_blocks,
	.owns = mm3d_owns,
	.in_panel = {true, true, true},
};

const struct asl_algorithm asl_multiply_3d = {
	.name = "3d",
	.summary = "1D, 2D or 3D grid of fewest network words (Al Daas et al.)",
	.when = "the network is what costs most, and memory is ample",
	.family = &asl_family_multiply,
	.resumes = true,
	.matmul = &matmul,
	.predict = mm3d_predict,
	.run = mm3d_run,
};
