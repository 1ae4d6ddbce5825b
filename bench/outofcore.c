/*
 * outofcore.c -- contractions out of core as the command shows them
 *
 * The grid is of m x n x k, with the order of loops: 2x2x1/CAB is a torus, 1x4x1
 * replicates A, 4x1x1 B, and 1x1x4 adds up C.  Tiles are numbers of parts of m, n
 * and k, each of a rank's own; `again` are those of the index that the second
 * array of the order lacks, once more within.
 */
#include "bench/outofcore.h"

#include <math.h>
#include <string.h>

#include "lib/base/parts.h"
#include "lib/outofcore/walk.h"

static const char *const names[ASL_OOC_ORDERS] = {"ABC", "ACB", "BAC",
						  "BCA", "CAB", "CBA"};

static char letter(enum asl_operand which)
{
	return "ABC"[which];
}

static bool is_named(const struct asl_ooc_order *order, const char *name)
{
	for (int i = 0; i < ASL_OPERANDS; i++)
		if (letter(order->at[i]) != name[i])
			return false;
	return true;
}

const char *asl_ooc_order_name(const struct asl_ooc_order *order)
{
	int i = 0;

	while (i < ASL_OOC_ORDERS - 1 && !is_named(order, names[i]))
		i++;
	return names[i];
}

const struct asl_ooc_order *asl_ooc_order_find(const char *name)
{
	for (int i = 0; i < ASL_OOC_ORDERS; i++)
		if (is_named(&asl_ooc_orders[i], name))
			return &asl_ooc_orders[i];
	return NULL;
}

/* ---- In tables ---- */

/* Which tiles have been chosen. */
static bool is_settled(const struct asl_plan *plan)
{
	return plan->outofcore->again > 0;
}

static void show_grid(struct asl_shown *out, const struct asl_plan *plan)
{
	const struct asl_outofcore *o = plan->outofcore;
	int ranks = asl_ooc_ranks(plan), p[ASL_OPERANDS] = {1, 1, 1};

	if (o->method == ASL_ROTATION)
		p[ASL_A] = p[ASL_B] = (int)asl_isqrt((uint64_t)ranks);
	else
		p[o->method == ASL_ACCUMULATION ? ASL_C : o->replicated] =
			ranks;
	snprintf(out->grid, sizeof out->grid, "%dx%dx%d/%s", p[ASL_B], p[ASL_A],
		 p[ASL_C], asl_ooc_order_name(&o->order));
}

static void show_tiles(struct asl_shown *out, const struct asl_outofcore *o)
{
	int used = snprintf(out->blocks, sizeof out->blocks, "tiles=%dx%dx%d",
			    o->n[ASL_B], o->n[ASL_A], o->n[ASL_C]);

	if (o->again > 1)
		snprintf(out->blocks + used, sizeof out->blocks - (size_t)used,
			 " again=%d", o->again);
}

void asl_ooc_show(struct asl_shown *out, const struct asl_plan *plan)
{
	out->kernel = plan->kernel ? plan->kernel->name : NULL;
	asl_show_sizes(out, &plan->shape);
	if (!is_settled(plan))
		return;
	show_grid(out, plan);
	show_tiles(out, plan->outofcore);
}

/* ---- For people ---- */

void asl_ooc_print_what(FILE *f, const struct asl_plan *plan)
{
	fprintf(f, "%s with kernel %s: C = A B, %s", plan->algorithm->name,
		plan->kernel->name, asl_show(plan).problem);
}

void asl_ooc_print_ranks(FILE *f, const struct asl_plan *plan)
{
	const struct asl_outofcore *o = plan->outofcore;
	int idle = plan->ranks - asl_plan_ranks(plan);
	struct asl_shown shown = asl_show(plan);

	fprintf(f, "ranks     %d on a grid of %.*s (m x n x k)", plan->ranks,
		(int)strcspn(shown.grid, "/"), shown.grid);
	if (o->method == ASL_REPLICATION)
		fprintf(f, ", %c is replicated", letter(o->replicated));
	if (idle)
		fprintf(f, ", %d idle", idle);
	fprintf(f, "\ntiles     %dx%dx%d of a rank's m x n x k, order %s",
		o->n[ASL_B], o->n[ASL_A], o->n[ASL_C],
		asl_ooc_order_name(&o->order));
	if (o->again > 1)
		fprintf(f, ", %c's in %d once more", letter(o->order.at[2]),
			o->again);
	fprintf(f, "\n          %ju of %ju words of DRAM\n",
		asl_ooc_predicted_dram(plan), plan->budget);
}

/* ---- Bounds ---- */

int asl_ooc_bounds(struct asl_bound bound[ASL_BOUNDS],
		   const struct asl_plan *plan)
{
	const struct asl_shape *s = &plan->shape;
	double m = (double)s->m, n = (double)s->n, k = (double)s->k;
	struct asl_plan large = *plan;
	int count = 0;
	double net;

	/* Pools of any size: no bound that asks for M. */
	large.memory = (uint64_t)1 << 62;
	net = asl_bound_net_words(&large);
	if (net > 0)
		bound[count++] = (struct asl_bound){
			"net_words", net, "words",
			"Al Daas et al. 2022, Theorem 3.1, for any memory"};
	bound[count++] = (struct asl_bound){
		"io_words", asl_bound_io_words(&large), "words",
		"between cache and DRAM: as for multiplication"};
	bound[count++] = (struct asl_bound){
		"pool_words", (m * k + k * n + m * n) / plan->ranks, "words",
		"every word of A and B is read and of C written once: "
		"(mk + kn + mn)/P"};
	return count;
}
