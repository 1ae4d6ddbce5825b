/*
 * family.c -- symmetric tensors as a family: which words a rank owns
 */
#include "lib/symmetric/family.h"
#include "lib/symmetric/cube.h"
#include "lib/symmetric/wedge.h"

static bool by_wedges(const struct asl_plan *plan)
{
	return plan->symmetric->layout.ranks > 0;
}

/* ---- X and Y ---- */

static bool cube_piece(struct asl_range *x, const struct asl_plan *plan,
		       int rank, int which, int i)
{
	struct asl_cube c = asl_cube(plan, rank);

	*x = which == ASL_X ? asl_cube_x(&c) : asl_cube_y(&c);
	return i == 0;
}

static bool wedge_piece(struct asl_range *x, const struct asl_plan *plan,
			int rank, int i)
{
	const struct asl_layout *l = &plan->symmetric->layout;

	if (i >= asl_list_length(&l->rows, rank))
		return false;
	*x = asl_layout_part(l, rank, i);
	return true;
}

bool asl_symmetric_piece(struct asl_piece *x, const struct asl_plan *plan,
			 int rank, int which, int i)
{
	struct asl_range columns = {0, (uint64_t)plan->symmetric->columns};
	struct asl_range rows;
	bool more = by_wedges(plan) ? wedge_piece(&rows, plan, rank, i)
				    : cube_piece(&rows, plan, rank, which, i);

	if (more)
		*x = asl_whole_piece(rows, columns);
	return more;
}

/* ---- The tensor ---- */

typedef void user(const struct asl_entries *x, void *arg);

static void each_of_block(const struct asl_block_shape *shape, user *use,
			  void *arg)
{
	struct asl_block_row row = asl_block_row(shape, 0);

	for (uint64_t i = asl_block_rows(shape); i > 0; i--) {
		use(&(struct asl_entries){row.a, row.b, shape->c.first,
					  row.length, true},
		    arg);
		asl_block_next(shape, &row);
	}
}

static void each_of_cube(const struct asl_cube *c, user *use, void *arg)
{
	for (uint64_t a = 0; a < c->I.count; a++)
		for (uint64_t b = 0; b < c->J.count; b++)
			use(&(struct asl_entries){c->I.first + a,
						  c->J.first + b, c->L.first,
						  c->L.count, false},
			    arg);
}

void asl_symmetric_each(const struct asl_plan *plan, int rank, user *use,
			void *arg)
{
	const struct asl_layout *l = &plan->symmetric->layout;

	if (!by_wedges(plan)) {
		struct asl_cube c = asl_cube(plan, rank);

		each_of_cube(&c, use, arg);
		return;
	}
	for (size_t i = l->first[rank]; i < l->first[rank + 1]; i++) {
		struct asl_block_shape x = asl_layout_shape(l, &l->block[i]);

		each_of_block(&x, use, arg);
	}
}

static uint64_t tensor_words(const struct asl_plan *plan, int rank)
{
	struct asl_cube c;

	if (by_wedges(plan))
		return asl_layout_words(&plan->symmetric->layout, rank);
	c = asl_cube(plan, rank);
	return asl_cube_words(&c);
}

/* ---- As a family ---- */

static int operands(const struct asl_plan *plan)
{
	(void)plan;
	return ASL_SYMMETRIC_OPERANDS;
}

/* Not the vector, which becomes another when there are iterations. */
static int fixed(const struct asl_plan *plan)
{
	(void)plan;
	return ASL_X;
}

static uint64_t owned(const struct asl_plan *plan, int rank, int which)
{
	struct asl_piece x;
	uint64_t words = 0;

	if (which == ASL_TENSOR)
		return tensor_words(plan, rank);
	for (int i = 0; asl_symmetric_piece(&x, plan, rank, which, i); i++)
		words += x.words.count;
	return words;
}

static int ranks(const struct asl_plan *plan)
{
	const int *p = plan->grid.p;

	return by_wedges(plan) ? plan->symmetric->layout.ranks
			       : p[0] * p[1] * p[2];
}

const struct asl_family asl_family_symmetric = {
	.name = "symmetric tensors",
	.operands = operands,
	.fixed = fixed,
	.owned = owned,
	.ranks = ranks,
	.open = asl_symmetric_open,
	.create = asl_symmetric_create,
	.close = asl_symmetric_close,
	.fill = asl_symmetric_fill,
	.verify = asl_symmetric_verify,
	.write = asl_symmetric_write,
	.net_bound = asl_symmetric_net_bound,
	.io_bound = asl_symmetric_io_bound,
};

const struct asl_algorithm *const asl_symmetric_algorithms[] = {
	&asl_symmetric_sttsv, &asl_symmetric_hopm,     &asl_symmetric_cpgrad,
	&asl_symmetric_naive, &asl_symmetric_sequence, NULL,
};
