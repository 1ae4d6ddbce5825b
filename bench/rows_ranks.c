/*
 * rows_ranks.c -- ranks.csv, schema 1: one row a rank and phase
 *
 * A phase is listed, for every rank, if any rank counted anything in it or was
 * predicted to.  Nothing is predicted of fill and verify, which are in no
 * total either.
 */
#include "bench/rows.h"

static bool any(const struct asl_counts *x)
{
	for (int c = 0; c < ASL_COUNTERS; c++)
		if (x->of[c])
			return true;
	return false;
}

static bool is_listed(const struct asl_rep *rep, enum asl_phase phase)
{
	for (int i = 0; i < rep->ranks; i++)
		if (any(&rep->rank[i].counted.in[phase]) ||
		    any(&rep->rank[i].predicted.in[phase]))
			return true;
	return false;
}

/* On sim a phase with messages lasts as long as others make it wait. */
static bool has_seconds(const struct asl_rep *rep, enum asl_phase phase)
{
	return rep->moved &&
	       (rep->timed || phase == ASL_FILL || phase == ASL_COMPUTE);
}

static void put_row(struct asl_csv *csv, const struct asl_rep *rep, int rank,
		    enum asl_phase phase)
{
	const struct asl_rank_record *x = &rep->rank[rank];

	asl_csv_put_count(csv, "schema", ASL_SCHEMA);
	asl_csv_put(csv, "run_id", rep->run_id);
	asl_csv_put_count(csv, "rep", (uint64_t)rep->rep);
	asl_csv_put_count(csv, "rank", (uint64_t)rank);
	asl_csv_put(csv, "phase", asl_phase_name(phase));
	for (int c = 0; c < ASL_COUNTERS; c++)
		asl_csv_put_count(csv, asl_counter_name(c),
				  x->counted.in[phase].of[c]);
	if (has_seconds(rep, phase))
		asl_csv_put_number(csv, "seconds", x->seconds.in[phase]);
	else
		asl_csv_put_empty(csv, "seconds");
	for (int c = 0; c < ASL_COUNTERS; c++) {
		char name[64];

		snprintf(name, sizeof name, "predicted_%s",
			 asl_counter_name(c));
		if (asl_phase_counts(phase))
			asl_csv_put_count(csv, name,
					  x->predicted.in[phase].of[c]);
		else
			asl_csv_put_empty(csv, name);
	}
	asl_csv_end_row(csv);
}

void asl_put_ranks(struct asl_csv *csv, const struct asl_rep *rep)
{
	if (csv->naming) {
		put_row(csv, rep, 0, ASL_COMPUTE);
		return;
	}
	for (int rank = 0; rank < rep->ranks; rank++)
		for (int phase = 0; phase < ASL_PHASES; phase++)
			if (is_listed(rep, phase))
				put_row(csv, rep, rank, phase);
}
