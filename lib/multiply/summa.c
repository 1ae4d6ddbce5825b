/*
 * summa.c -- C = A B on a pr x pc plane of ranks, panel by panel
 *
 * k is walked in panels.  The column of ranks that owns a panel of A broadcasts
 * it along the rows, the row that owns the panel of B along the columns, and
 * every rank adds the product of the two to its block of C, which stays where it
 * is.  Panels are W deep (the part's `panel`), less where either cut of k ends,
 * so that each has one owner column and one owner row.
 *
 * C is read and written once a panel: a small W saves memory and costs words
 * and messages.  W = 0 takes whole blocks, which moves least: the sqrt(P) rounds
 * of the square original, pr + pc - gcd(pr, pc) panels where the grid divides k.
 *
 * Per rank, with s panels of w = k/s, where the grid divides the shape and
 * every panel can be shared out evenly:
 *
 *	B_h	(1 - 1/pc) (1 + 2/pc) mk/pr + (1 - 1/pr) (1 + 2/pr) kn/pc
 *	B_w	s mn/P
 *	B_r	s times the kernel's, of m/pr, n/pc, w, and (s - 1) mn/P
 *	owned	(mk + kn + mn)/P
 *	panels	(m/pr + n/pc) w; none along a line of one rank; twice where
 *		the next panels come while these are multiplied
 *
 * A broadcast is a scatter and an allgather.  Of W words the root moves
 * 2 (1 - 1/p) W and another rank W; each is the root once in p times.
 *
 * Rectangular shapes: B_h ~ mk/pr + kn/pc with pr pc = P is least for m/pr =
 * n/pc, so for square blocks of C: pr = sqrt(P m/n), pc = sqrt(P n/m), a line
 * where one of these is below 1.  The length of k does not matter.
 *
 * R. A. van de Geijn, J. Watts, SUMMA: scalable universal matrix multiplication
 * algorithm, Concurrency: Practice and Experience 9(4), 1997.
 */
#include "lib/multiply/brick.h"
#include "lib/multiply/plane.h"
#include "lib/rank/resume.h"

static uint64_t width(const struct asl_plan *plan)
{
	return plan->multiplication->panel ? plan->multiplication->panel
					   : asl_shape_of(plan)->k;
}

static struct asl_product product(const struct asl_plan *plan,
				  const struct asl_plane *x, uint64_t depth,
				  bool add)
{
	struct asl_product local = asl_plan_product(
		plan, x->m.count, x->n.count, depth,
		asl_brick_where(plan, &x->row), asl_brick_where(plan, &x->col));

	local.add = add;
	return local;
}

/* Does the next strip come while one is multiplied? */
static bool comes_ahead(const struct asl_plan *plan)
{
	return plan->overlap &&
	       asl_plane_deepest(plan, width(plan)) < asl_shape_of(plan)->k;
}

/* A strip's blocks, in panels or in place. */
struct strip_here {
	struct asl_strip s;
	struct asl_block A, B;
};

static struct strip_here spread(struct asl_rank *r, const struct asl_plan *plan,
				const struct asl_plane *x, uint64_t first,
				const struct asl_words own[ASL_OPERANDS],
				struct asl_panels *panels)
{
	struct asl_range rows = {0, x->m.count}, cols = {0, x->n.count};
	struct strip_here here = {0};

	if (first == asl_shape_of(plan)->k)
		return here;
	asl_phase(r, ASL_GATHER);
	here.s = asl_plane_strip(plan, first, width(plan));
	here.A = asl_plane_spread_A(r, x, &here.s, rows, &own[ASL_A], panels);
	here.B = asl_plane_spread_B(r, x, &here.s, cols, &own[ASL_B], panels);
	return here;
}

static void summa_run(struct asl_rank *r, const struct asl_plan *plan,
		      struct asl_words own[ASL_OPERANDS])
{
	struct asl_plane x = asl_plane(plan, r->id);
	struct asl_block C = asl_as_block(&own[ASL_C], x.m.count, x.n.count);
	struct asl_panels panels[2];
	struct strip_here here, next;
	bool ahead = comes_ahead(plan);

	asl_phase(r, ASL_GATHER);
	for (int i = 0; i <= ahead; i++)
		asl_panels_take(r, &panels[i], plan, &x, x.m.count, x.n.count,
				asl_plane_deepest(plan, width(plan)));
	next = spread(r, plan, &x, 0, own, &panels[0]);
	for (uint64_t l = 0, i = 1; l < asl_shape_of(plan)->k; i++) {
		struct asl_product local;

		here = next;
		local = product(plan, &x, here.s.k.count, l > 0);
		l += here.s.k.count;
		if (ahead) {
			asl_overlap_begin(r);
			next = spread(r, plan, &x, l, own, &panels[i % 2]);
			asl_overlap_end(r);
		}
		asl_phase(r, ASL_COMPUTE);
		plan->kernel->run(r, &local, &C, &here.A, &here.B);
		asl_overlap_wait(r);
		if (ahead)
			continue;
		asl_mark_epoch(r, NULL, 0);
		next = spread(r, plan, &x, l, own, &panels[0]);
	}
	for (int i = ahead; i >= 0; i--)
		asl_panels_give(r, &panels[i], &x);
}

struct summa_forecast {
	struct asl_ledger *out;
	const struct asl_plan *plan;
	struct asl_plane x;
	bool begun; /* the first panel overwrites C, the others add */
};

static void predict_panels(const struct asl_depth *d, void *arg)
{
	struct summa_forecast *f = arg;
	const struct asl_plane *x = &f->x;
	const struct asl_kernel *kernel = f->plan->kernel;
	struct asl_counts *gather = &f->out->in[ASL_GATHER];
	struct asl_counts *compute = &f->out->in[ASL_COMPUTE], added = {{0}};
	struct asl_product local = product(f->plan, x, d->depth, false);
	uint64_t adding = d->many;

	asl_plane_predict_spread(gather, &x->row, x->m.count * d->depth,
				 d->many, d->of_A, f->plan->panels);
	asl_plane_predict_spread(gather, &x->col, d->depth * x->n.count,
				 d->many, d->of_B, f->plan->panels);
	if (!f->begun) {
		kernel->predict(compute, &local);
		adding--;
		f->begun = true;
	}
	if (adding) {
		local.add = true;
		kernel->predict(&added, &local);
		asl_counts_add_times(compute, &added, adding);
	}
}

static void summa_predict(struct asl_ledger *out, const struct asl_plan *plan,
			  int rank)
{
	struct summa_forecast f = {out, plan, asl_plane(plan, rank), false};
	uint64_t W = asl_plane_deepest(plan, width(plan)), panels;

	asl_plane_each_depth(plan, &f.x, W, predict_panels, &f);
	panels = asl_panels_words(&f.x, f.x.m.count, f.x.n.count, W) *
		 (1 + comes_ahead(plan));
	out->memory_high = asl_plane_owned(&f.x) + panels;
	out->pool_high =
		asl_plane_owned(&f.x) + (plan->panels == ASL_POOL ? panels : 0);
}

/* What rank (0, 0), which has the largest blocks, holds with such panels. */
static uint64_t held(const struct asl_plan *plan, uint64_t panel)
{
	struct asl_multiplication part = *plan->multiplication;
	struct asl_plan with = *plan;
	struct asl_plane x = asl_plane(plan, 0);

	part.panel = panel;
	with.multiplication = &part;
	return asl_plane_owned(&x) +
	       asl_panels_words(&x, x.m.count, x.n.count, panel) *
		       (1 + comes_ahead(&with));
}

/* Whole blocks, which move least; if these do not fit, the widest panels that do. */
static void summa_blocks(struct asl_multiplication *out,
			 const struct asl_plan *plan)
{
	uint64_t low = 1, high = asl_plane_deepest(plan, asl_shape_of(plan)->k);

	if (plan->multiplication->panel || !plan->budget ||
	    held(plan, high) <= plan->budget)
		return;
	while (low < high) {
		uint64_t panel = low + (high - low + 1) / 2;

		if (held(plan, panel) <= plan->budget)
			low = panel;
		else
			high = panel - 1;
	}
	out->panel = low;
}

static const struct asl_matmul matmul = {
	.grid = ASL_PLANE_GRID,
	.ideal = asl_plane_ideal,
	.lower_bound = asl_plane_lower_bound,
	.blocks = summa_blocks,
	.owns = asl_plane_owns,
};

const struct asl_algorithm asl_multiply_summa = {
	.name = "summa",
	.summary = "2D, panels broadcast along rows and columns (van de Geijn)",
	.when = "matrices are not square, or you want to choose a panel",
	.family = &asl_family_multiply,
	.resumes = true,
	.overlaps = true,
	.matmul = &matmul,
	.predict = summa_predict,
	.run = summa_run,
};
