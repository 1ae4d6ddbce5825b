/*
 * plan.c -- what is asked of a plan, whichever family it belongs to
 */
#include "lib/plan/plan.h"

#include "lib/base/parts.h"
#include "lib/plan/family.h"

int asl_plan_ranks(const struct asl_plan *plan)
{
	return plan->algorithm->family->ranks(plan);
}

uint64_t asl_plan_owned(const struct asl_plan *plan, int rank, int which)
{
	return plan->algorithm->family->owned(plan, rank, which);
}

void asl_plan_take(struct asl_rank *r, const struct asl_plan *plan,
		   struct asl_words *room, struct asl_words *own)
{
	const struct asl_family *family = plan->algorithm->family;

	for (int i = 0; i < family->operands(plan); i++) {
		uint64_t owned = family->owned(plan, r->id, i);
		struct asl_range place = {0, owned};

		if (family->room)
			place = family->room(plan, r->id, i);
		asl_take(r, &room[i], ASL_POOL, place.count);
		own[i] = asl_slice(&room[i], place.first, owned);
	}
}

void asl_plan_predict(struct asl_ledger *out, const struct asl_plan *plan,
		      int rank)
{
	*out = (struct asl_ledger){0};
	if (rank < asl_plan_ranks(plan))
		asl_plan_runs(plan)->predict(out, plan, rank);
}

void asl_plan_release(struct asl_plan *plan)
{
	const struct asl_algorithm *a = plan->algorithm;

	if (a && a->family->release)
		a->family->release(plan);
}

/* ---- The busiest rank ---- */

static unsigned raise_costs(struct asl_forecast *most,
			    const struct asl_plan *plan,
			    const struct asl_counts *total)
{
	unsigned grew = 0;

	for (int a = 0; a < ASL_ACCOUNTINGS; a++) {
		struct asl_rates rates = asl_rates(&plan->costs, a);
		double q = asl_cost(&rates, total);

		if (q > most->q[a]) {
			most->q[a] = q;
			grew |= 1u << a;
		}
	}
	return grew;
}

static unsigned raise_words(struct asl_forecast *most,
			    const struct asl_ledger *ledger,
			    const struct asl_counts *total)
{
	uint64_t *field[] = {&most->read, &most->written, &most->bh,
			     &most->memory_high, &most->pool_high};
	uint64_t now[] = {asl_words_read(total), asl_words_written(total),
			  total->of[ASL_BH], ledger->memory_high,
			  ledger->pool_high};
	unsigned grew = 0;

	for (int i = 0; i < 5; i++)
		if (now[i] > *field[i]) {
			*field[i] = now[i];
			grew |= 1u << (ASL_ACCOUNTINGS + i);
		}
	return grew;
}

unsigned asl_forecast_ledger(struct asl_forecast *most,
			     const struct asl_plan *plan,
			     const struct asl_ledger *ledger)
{
	struct asl_counts total = asl_ledger_total(ledger);
	uint64_t held = ledger->memory_high;

	if (plan->algorithm->family->dram_budget)
		held -= ledger->pool_high;
	most->memory_needed = asl_max(most->memory_needed, held);
	return raise_costs(most, plan, &total) |
	       raise_words(most, ledger, &total);
}

unsigned asl_forecast_rank(struct asl_forecast *most,
			   const struct asl_plan *plan, int rank)
{
	struct asl_ledger ledger;

	asl_plan_predict(&ledger, plan, rank);
	return asl_forecast_ledger(most, plan, &ledger);
}

struct asl_forecast asl_forecast(const struct asl_plan *plan)
{
	const struct asl_family *family = plan->algorithm->family;
	struct asl_forecast most = {.read = 0};

	if (!family->forecast || !family->forecast(&most, plan))
		for (int rank = 0; rank < asl_plan_ranks(plan); rank++)
			asl_forecast_rank(&most, plan, rank);
	return most;
}
