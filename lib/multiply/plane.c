/*
 * plane.c -- blocks and strips on a plane of ranks, and how they get around
 */
#include "lib/multiply/plane.h"

#include <math.h>

#include "lib/multiply/brick.h"

struct asl_plane asl_plane(const struct asl_plan *plan, int rank)
{
	const struct asl_shape *s = asl_shape_of(plan);
	int pr = plan->grid.p[0], pc = plan->grid.p[1];
	int i = rank / pc, j = rank % pc;

	return (struct asl_plane){
		.m = asl_part(s->m, pr, i),
		.n = asl_part(s->n, pc, j),
		.kA = asl_part(s->k, pc, j),
		.kB = asl_part(s->k, pr, i),
		.row = {.first = i * pc, .stride = 1, .size = pc, .me = j},
		.col = {.first = j, .stride = pc, .size = pr, .me = i},
	};
}

void asl_plane_ideal(double p[3], const struct asl_plan *plan)
{
	asl_grid_ideal(p, plan, INFINITY);
}

bool asl_plane_owns(struct asl_piece *x, const struct asl_plan *plan, int rank,
		    enum asl_operand which, int i)
{
	struct asl_plane p = asl_plane(plan, rank);

	*x = asl_whole_piece(which == ASL_B ? p.kB : p.m,
			     which == ASL_A ? p.kA : p.n);
	return i == 0;
}

uint64_t asl_plane_owned(const struct asl_plane *x)
{
	return x->m.count * x->kA.count + x->kB.count * x->n.count +
	       x->m.count * x->n.count;
}

/*
 * Panels of W words in all: a rank that does not own them receives all of them,
 * and the owner sends as many or more.  It packs them before.
 */
static void floor_spread(struct asl_counts *x, uint64_t W, uint64_t strips,
			 const struct asl_span *line, enum asl_where panels)
{
	uint64_t own = W / line->high;

	if (line->high == 1)
		return;
	x->of[ASL_BH] += W;
	x->of[ASL_NET_MSGS] += strips * asl_lower_bound_messages(line);
	x->of[ASL_NVM_LIFT] += own;
	x->of[panels == ASL_POOL ? ASL_NVM_LAND : ASL_BOUNCE_WRITE] +=
		panels == ASL_POOL ? W : own;
}

/* There are no fewer strips than the finer of the two cuts has parts. */
void asl_plane_lower_bound(struct asl_lower_bound *least,
			   const struct asl_plan *plan,
			   const struct asl_box *box,
			   const struct asl_rates *rates)
{
	struct asl_brick_bound x = asl_brick_bound(plan, box);
	struct asl_products *of = &x.of;
	uint64_t k = asl_shape_of(plan)->k, strips;

	strips = asl_min(k, asl_max(x.pm.low, x.pn.low));
	if (plan->multiplication->panel)
		strips = asl_max(strips,
				 asl_ceil_div(k, plan->multiplication->panel));
	of->passes = strips;
	floor_spread(&least->counts, of->A, strips, &x.pn, plan->panels);
	floor_spread(&least->counts, of->B, strips, &x.pm, plan->panels);
	plan->kernel->lower_bound(&least->counts, of, rates);
	least->memory += of->A / x.pn.high + of->B / x.pm.high + of->C +
			 (x.pn.high > 1 ? of->x.m : 0) +
			 (x.pm.high > 1 ? of->x.n : 0);
}

/* ---- Strips of k ---- */

/* The part of asl_part's cut that `at` lies in. */
static int part_of(uint64_t length, int parts, uint64_t at)
{
	uint64_t each = length / (uint64_t)parts;
	uint64_t more = length % (uint64_t)parts;

	if (at < (each + 1) * more)
		return (int)(at / (each + 1));
	return (int)(more + (at - (each + 1) * more) / each);
}

struct asl_strip asl_plane_strip(const struct asl_plan *plan, uint64_t first,
				 uint64_t most)
{
	int pr = plan->grid.p[0], pc = plan->grid.p[1];
	uint64_t k = asl_shape_of(plan)->k;
	struct asl_strip s = {
		.column = part_of(k, pc, first),
		.row = part_of(k, pr, first),
	};
	struct asl_range a = asl_part(k, pc, s.column);
	struct asl_range b = asl_part(k, pr, s.row);
	uint64_t left = asl_min(a.first + a.count, b.first + b.count) - first;

	s.k = (struct asl_range){first, asl_min(left, most)};
	return s;
}

/* The first part of the finer cut, the largest, lies within the other's first. */
uint64_t asl_plane_deepest(const struct asl_plan *plan, uint64_t most)
{
	int pr = plan->grid.p[0], pc = plan->grid.p[1];
	uint64_t parts = (uint64_t)(pr > pc ? pr : pc);

	return asl_min(asl_ceil_div(asl_shape_of(plan)->k, parts), most);
}

/* ---- Panels ---- */

void asl_panels_take(struct asl_rank *r, struct asl_panels *panels,
		     const struct asl_plan *plan, const struct asl_plane *x,
		     uint64_t rows, uint64_t cols, uint64_t depth)
{
	*panels = (struct asl_panels){{0}, {0}};
	if (x->row.size > 1)
		asl_take(r, &panels->A, plan->panels, rows * depth);
	if (x->col.size > 1)
		asl_take(r, &panels->B, plan->panels, depth * cols);
}

void asl_panels_give(struct asl_rank *r, struct asl_panels *panels,
		     const struct asl_plane *x)
{
	if (x->col.size > 1)
		asl_give(r, &panels->B);
	if (x->row.size > 1)
		asl_give(r, &panels->A);
}

/* `all` in the shape of the block; the owner has it to pack. */
static struct asl_block spread(struct asl_rank *r, const struct asl_group *line,
			       int owner, const struct asl_block *block,
			       const struct asl_words *panel)
{
	struct asl_words words;
	struct asl_block all;

	if (line->size == 1)
		return *block;
	words = asl_slice(panel, 0, block->rows * block->cols);
	all = asl_as_block(&words, block->rows, block->cols);
	if (line->me == owner)
		asl_copy_block(r, &all, block);
	asl_broadcast(r, line, owner, &words);
	return all;
}

struct asl_block
asl_plane_spread_A(struct asl_rank *r, const struct asl_plane *x,
		   const struct asl_strip *s, struct asl_range rows,
		   const struct asl_words *own, struct asl_panels *panels)
{
	struct asl_block A = asl_as_block(own, x->m.count, x->kA.count);
	struct asl_block block = {.rows = rows.count, .cols = s->k.count};

	if (x->row.me == s->column)
		block = asl_sub_block(&A, rows.first, s->k.first - x->kA.first,
				      rows.count, s->k.count);
	return spread(r, &x->row, s->column, &block, &panels->A);
}

struct asl_block
asl_plane_spread_B(struct asl_rank *r, const struct asl_plane *x,
		   const struct asl_strip *s, struct asl_range cols,
		   const struct asl_words *own, struct asl_panels *panels)
{
	struct asl_block B = asl_as_block(own, x->kB.count, x->n.count);
	struct asl_block block = {.rows = s->k.count, .cols = cols.count};

	if (x->col.me == s->row)
		block = asl_sub_block(&B, s->k.first - x->kB.first, cols.first,
				      s->k.count, cols.count);
	return spread(r, &x->col, s->row, &block, &panels->B);
}

/* ---- Closed forms ---- */

/* Depths repeat, gcd(pr, pc) times at least; those of large planes in batches. */
enum { DEPTHS = 48 };

struct batch {
	struct asl_depth of[DEPTHS];
	int count;
};

/* What of a strip is to be added: to all, to what a rank owns of A, of B. */
enum share { MANY, OF_A, OF_B };

static void add_depth(struct batch *b, enum share share, uint64_t depth,
		      uint64_t many)
{
	int i = 0;

	if (!depth || !many)
		return;
	while (i < b->count && b->of[i].depth != depth)
		i++;
	if (i == b->count)
		b->of[b->count++] = (struct asl_depth){.depth = depth};
	*(share == MANY	  ? &b->of[i].many
	  : share == OF_A ? &b->of[i].of_A
			  : &b->of[i].of_B) += many;
}

/*
 * How many strips of the same depth there are from s on: where one is a part of
 * the finer cut, so are the next ones, up to where the other cut ends a part.
 */
static uint64_t alike(const struct asl_plan *plan, const struct asl_strip *s,
		      uint64_t end)
{
	int pr = plan->grid.p[0], pc = plan->grid.p[1];
	int fine = pr > pc ? pr : pc, coarse = pr > pc ? pc : pr;
	int i = pr > pc ? s->row : s->column;
	uint64_t k = asl_shape_of(plan)->k, more = k % (uint64_t)fine;
	struct asl_range part = asl_part(k, fine, i);
	struct asl_range around =
		asl_part(k, coarse, pr > pc ? s->column : s->row);
	uint64_t left = (uint64_t)i < more ? more : (uint64_t)fine;

	if (s->k.first != part.first || s->k.count != part.count)
		return 1;
	end = asl_min(end, around.first + around.count);
	return asl_min(left - (uint64_t)i, (end - part.first) / part.count);
}

/*
 * The strips from l on, as long as there is room for two more depths; where the
 * next one begins.  The depths of what is owned are there already.
 */
static uint64_t add_strips(struct batch *b, enum share share,
			   const struct asl_plan *plan, uint64_t l,
			   uint64_t end, uint64_t most)
{
	while (l < end && (share != MANY || b->count < DEPTHS - 1)) {
		struct asl_strip s =
			asl_plane_strip(plan, l, asl_shape_of(plan)->k);
		uint64_t many = alike(plan, &s, end);

		add_depth(b, share, most, many * (s.k.count / most));
		add_depth(b, share, s.k.count % most, many);
		l += many * s.k.count;
	}
	return l;
}

/*
 * The last plane asked about: thousands of its ranks are, one after another, and
 * their strips differ only by who owns them.
 */
static const struct batch *all_strips(const struct asl_plan *plan,
				      uint64_t most, uint64_t *end)
{
	static _Thread_local struct batch all;
	static _Thread_local uint64_t k, depth, walked;
	static _Thread_local int pr, pc;
	const int *p = plan->grid.p;

	if (k != asl_shape_of(plan)->k || depth != most || pr != p[0] ||
	    pc != p[1]) {
		all.count = 0;
		walked = add_strips(&all, MANY, plan, 0, asl_shape_of(plan)->k,
				    most);
		k = asl_shape_of(plan)->k;
		depth = most;
		pr = p[0];
		pc = p[1];
	}
	*end = walked;
	return &all;
}

/* Where what is in [first, end) overlaps with x. */
static void add_owned(struct batch *b, enum share share,
		      const struct asl_plan *plan, struct asl_range x,
		      uint64_t first, uint64_t end, uint64_t most)
{
	uint64_t from = asl_max(first, x.first);

	add_strips(b, share, plan, from, asl_min(end, x.first + x.count), most);
}

void asl_plane_each_depth(const struct asl_plan *plan,
			  const struct asl_plane *x, uint64_t most,
			  void (*visit)(const struct asl_depth *d, void *arg),
			  void *arg)
{
	uint64_t k = asl_shape_of(plan)->k, first = 0, end;
	struct batch b = *all_strips(plan, most, &end);

	for (;;) {
		add_owned(&b, OF_A, plan, x->kA, first, end, most);
		add_owned(&b, OF_B, plan, x->kB, first, end, most);
		for (int i = 0; i < b.count; i++)
			visit(&b.of[i], arg);
		if (end == k)
			return;
		first = end;
		b.count = 0;
		end = add_strips(&b, MANY, plan, first, k, most);
	}
}

void asl_plane_predict_spread(struct asl_counts *counts,
			      const struct asl_group *line, uint64_t words,
			      uint64_t many, uint64_t own,
			      enum asl_where panels)
{
	int p = line->size, j = line->me;
	struct asl_counts owned = {{0}}, others = {{0}};

	if (p == 1 || !words)
		return;
	if (own) {
		owned.of[ASL_NVM_LIFT] += words;
		owned.of[panels == ASL_POOL ? ASL_NVM_LAND
					    : ASL_BOUNCE_WRITE] += words;
		asl_predict_broadcast(&owned, words, p, j, j, panels);
		asl_counts_add_times(counts, &owned, own);
	}
	/* Whose they are does not matter, as long as it is another's. */
	asl_predict_broadcast(&others, words, p, j, j ? 0 : 1, panels);
	asl_counts_add_times(counts, &others, many - own);
}

uint64_t asl_panels_words(const struct asl_plane *x, uint64_t rows,
			  uint64_t cols, uint64_t depth)
{
	return (x->row.size > 1 ? rows * depth : 0) +
	       (x->col.size > 1 ? depth * cols : 0);
}
