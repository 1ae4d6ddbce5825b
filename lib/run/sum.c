/*
 * sum.c -- one row out of every rank's records
 */
#include <math.h>

#include "lib/matrix/parts.h"
#include "lib/run/place.h"

/* After a power cut the pool may know of less than was moved. */
static void sum_redone(struct asl_rep *rep, const struct asl_rank_record *rank,
		       const struct asl_counts *counted)
{
	const struct asl_counts *moved = &rank->resumed.moved;

	rep->safety_words += rank->resumed.safety_words;
	for (int c = 0; c < ASL_COUNTERS; c++)
		if (moved->of[c] > counted->of[c])
			rep->redone.of[c] += moved->of[c] - counted->of[c];
}

static void sum_rank(struct asl_rep *rep, const struct asl_rank_record *rank,
		     const struct asl_rates rates[ASL_ACCOUNTINGS])
{
	struct asl_counts x = asl_ledger_total(&rank->counted);
	struct asl_counts foreseen = asl_ledger_total(&rank->predicted);

	asl_counts_add(&rep->total, &x);
	sum_redone(rep, rank, &x);
	for (int c = 0; c < ASL_COUNTERS; c++)
		rep->max.of[c] = asl_larger(rep->max.of[c], x.of[c]);
	rep->read_max = asl_larger(rep->read_max, asl_words_read(&x));
	rep->written_max = asl_larger(rep->written_max, asl_words_written(&x));
	rep->memory_high =
		asl_larger(rep->memory_high, rank->counted.memory_high);
	for (int a = 0; a < ASL_ACCOUNTINGS; a++) {
		double q = asl_cost(&rates[a], &x);

		rep->q_max[a] = fmax(rep->q_max[a], q);
		/* Summed in another order, a clock can be an ulp short of Q. */
		if (fabs(rank->clock.at[a] - q) <= 1e-12 * q)
			rep->q_path[a] = fmax(rep->q_path[a], q);
		rep->q_path[a] = fmax(rep->q_path[a], rank->clock.at[a]);
		rep->predicted_q_max[a] = fmax(rep->predicted_q_max[a],
					       asl_cost(&rates[a], &foreseen));
	}
	rep->lru_max.read = asl_larger(rep->lru_max.read, rank->lru.read);
	rep->lru_max.written =
		asl_larger(rep->lru_max.written, rank->lru.written);
	rep->lru_total.read += rank->lru.read;
	rep->lru_total.written += rank->lru.written;
	rep->predicted_equal &=
		asl_ledger_equal(&rank->counted, &rank->predicted);
	rep->wall_s = fmax(rep->wall_s, rank->wall_s);
	rep->compute_s = fmax(rep->compute_s, rank->seconds.compute);
	rep->comm_s = fmax(rep->comm_s, rank->seconds.comm);
	if (rep->io_s <= rank->seconds.io) {
		rep->io_s = rank->seconds.io;
		rep->io_queued_s = rank->seconds.queued;
	}
	rep->residual = asl_worse(rep->residual, rank->residual);
}

static double emulation_error(const struct asl_rep *rep)
{
	double target = 0, late = 0;

	for (int i = 0; i < rep->ranks; i++) {
		target += rep->rank[i].seconds.target;
		late += rep->rank[i].seconds.late;
	}
	return target > 0 ? late / target : NAN;
}

void asl_rep_sum(struct asl_rep *rep)
{
	struct asl_rates rates[ASL_ACCOUNTINGS];

	for (int a = 0; a < ASL_ACCOUNTINGS; a++)
		rates[a] = asl_rates(&rep->want->plan.costs, a);
	rep->predicted_equal = true;
	rep->outcome = rep->rank[0].outcome;
	rep->lives = rep->rank[0].resumed.lives;
	rep->emulation_error = emulation_error(rep);
	for (int i = 0; i < rep->ranks; i++)
		sum_rank(rep, &rep->rank[i], rates);
}
