/*
 * layout.c -- ranges of indices, leaves, and who owns them
 */
#include "lib/outofcore/layout.h"

#include "lib/kernels/kernel.h"

static int side_of_torus(const struct asl_plan *plan)
{
	return (int)asl_isqrt((uint64_t)plan->ranks);
}

int asl_ooc_ranks(const struct asl_plan *plan)
{
	int q = side_of_torus(plan);

	return plan->outofcore->method == ASL_ROTATION ? q * q : plan->ranks;
}

/* The index that ranks share out, where there is no torus. */
static enum asl_operand shared_out(const struct asl_outofcore *o)
{
	return o->method == ASL_REPLICATION ? o->replicated : ASL_C;
}

static void on_torus(struct asl_ooc_layout *l)
{
	int q = side_of_torus(l->plan), i = l->rank / q, j = l->rank % q;

	l->q = q;
	l->home = (i + j) % q;
	l->row = (struct asl_group){i * q, 1, q, j, NULL};
	l->col = (struct asl_group){j, q, q, i, NULL};
	l->index[ASL_A] = asl_part_of(l->index[ASL_A], q, j);
	l->index[ASL_B] = asl_part_of(l->index[ASL_B], q, i);
}

struct asl_ooc_layout asl_ooc_layout(const struct asl_plan *plan, int rank)
{
	const struct asl_outofcore *o = plan->outofcore;
	struct asl_ooc_layout l = {
		.plan = plan,
		.o = o,
		.rank = rank,
		.ranks = asl_ooc_ranks(plan),
		.X = o->order.at[0],
		.Y = o->order.at[1],
		.Z = o->order.at[2],
		.q = 1,
		.index = {{0, plan->shape.n},
			  {0, plan->shape.m},
			  {0, plan->shape.k}},
	};

	if (o->method == ASL_ROTATION)
		on_torus(&l);
	else
		l.index[shared_out(o)] =
			asl_part_of(l.index[shared_out(o)], l.ranks, rank);
	for (int i = 0; i < ASL_OPERANDS; i++)
		l.leaves[i] =
			o->n[i] * (l.Y == (enum asl_operand)i ? o->again : 1);
	return l;
}

bool asl_ooc_spread(const struct asl_ooc_layout *l, enum asl_operand which)
{
	if (l->o->method == ASL_REPLICATION)
		return which == l->o->replicated;
	return l->o->method == ASL_ACCUMULATION && which == ASL_C;
}

struct asl_range asl_ooc_index(const struct asl_ooc_layout *l,
			       enum asl_operand lacking, int x)
{
	if (lacking == ASL_C)
		return asl_part_of(l->index[ASL_C], l->q, x);
	return l->index[lacking];
}

struct asl_range asl_ooc_leaf(const struct asl_ooc_layout *l,
			      enum asl_operand lacking, int x, int i)
{
	int again = l->Y == lacking ? l->o->again : 1;
	struct asl_range outer = asl_part_of(asl_ooc_index(l, lacking, x),
					     l->o->n[lacking], i / again);

	return asl_part_of(outer, again, i % again);
}

static uint64_t longest(const struct asl_ooc_layout *l,
			enum asl_operand lacking)
{
	/* The first part of a cut is its longest. */
	return asl_ooc_leaf(l, lacking, 0, 0).count;
}

uint64_t asl_ooc_largest(const struct asl_ooc_layout *l, enum asl_operand which)
{
	return longest(l, asl_ooc_rows(which)) *
	       longest(l, asl_ooc_cols(which));
}

int asl_ooc_passes(const struct asl_ooc_layout *l, enum asl_operand which)
{
	return l->X == which ? 1 : l->o->n[which];
}

/* ---- Owners ---- */

static struct asl_piece share_of_leaf(const struct asl_ooc_layout *l,
				      enum asl_operand which, int i)
{
	enum asl_operand rows = asl_ooc_rows(which), cols = asl_ooc_cols(which);
	struct asl_piece x =
		asl_whole_piece(asl_ooc_leaf(l, rows, 0, i / l->leaves[cols]),
				asl_ooc_leaf(l, cols, 0, i % l->leaves[cols]));

	x.words = asl_share(x.words.count, l->ranks, l->rank);
	return x;
}

static struct asl_piece piece(const struct asl_ooc_layout *l,
			      enum asl_operand which)
{
	if (asl_ooc_spread(l, which))
		return share_of_leaf(l, which, 0);
	return asl_whole_piece(asl_ooc_index(l, asl_ooc_rows(which), l->home),
			       asl_ooc_index(l, asl_ooc_cols(which), l->home));
}

void asl_ooc_owns(struct asl_piece own[ASL_OPERANDS],
		  const struct asl_plan *plan, int rank)
{
	struct asl_ooc_layout l = asl_ooc_layout(plan, rank);

	for (int i = 0; i < ASL_OPERANDS; i++)
		own[i] = piece(&l, i);
}

bool asl_ooc_owns_also(struct asl_piece *x, const struct asl_plan *plan,
		       int rank, enum asl_operand which, int i)
{
	struct asl_ooc_layout l = asl_ooc_layout(plan, rank);
	int leaves =
		l.leaves[asl_ooc_rows(which)] * l.leaves[asl_ooc_cols(which)];

	if (!asl_ooc_spread(&l, which) || i >= leaves)
		return false;
	*x = share_of_leaf(&l, which, i);
	return true;
}
