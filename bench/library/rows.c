/*
 * rows.c -- runs.csv and ranks.csv, schema 1, and whether a repetition is right
 *
 * Other people's scripts depend on the names of columns and on their order.
 */
#include "bench/library/rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "bench/library/case.h"
#include "bench/library/cli.h"
#include "bench/library/noise.h"
#include "bench/library/options.h"
#include "bench/library/say.h"
#include "lib/machine/machine.h"
#include "lib/rank/blas.h"
#include "lib/symmetric/symmetric.h"

/* ---- Is a repetition right: its result, and what was counted? ---- */

/* The first counter that is not as predicted; if all are, the memory held. */
static void say_difference(int rank, const struct asl_rank_record *x)
{
	const struct asl_ledger *a = &x->counted, *b = &x->predicted;

	for (int p = 0; p < ASL_PHASES; p++)
		for (int c = 0; asl_phase_counts(p) && c < ASL_COUNTERS; c++) {
			if (a->in[p].of[c] == b->in[p].of[c])
				continue;
			asl_complain(
				0,
				"COUNTED IS NOT WHAT WAS PREDICTED: rank %d, "
				"phase %s, %s: counted %ju, predicted %ju",
				rank, asl_phase_name(p), asl_counter_name(c),
				a->in[p].of[c], b->in[p].of[c]);
			return;
		}
	asl_complain(0,
		     "COUNTED IS NOT WHAT WAS PREDICTED: rank %d held %ju "
		     "words (%ju in the pool), predicted %ju (%ju)",
		     rank, a->memory_high, a->pool_high, b->memory_high,
		     b->pool_high);
}

/* Times may not be those of the emulated machine. */
static void say_emulation(const struct asl_rep *rep)
{
	double error = rep->emulation_error;

	if (!rep->emulated)
		return;
	if (rep->rep == 0 && !rep->emulated_net && rep->ranks > 1)
		asl_complain(0,
			     "note: the network is as it is: a word takes %.3g "
			     "ns, %.3g in %s",
			     rep->emulated->net, rep->want->emulate.net,
			     rep->want->emulate.name);
	if (rep->rep == 0 && rep->crowded)
		asl_complain(0, "warning: ranks outnumber cores, and wait for "
				"each other: trust q_apm_path, not times");
	if (error > ASL_EMULATION_INVALID) {
		asl_complain(
			0,
			"EMULATION IS NOT VALID in repetition %d: words took "
			"%.3g%% longer than in %s, expected 15%% at most",
			rep->rep + 1, 100 * error, rep->want->emulate.name);
	} else if (error > ASL_EMULATION_OFF) {
		asl_complain(0,
			     "warning: in repetition %d words took %.3g%% "
			     "longer than in %s",
			     rep->rep + 1, 100 * error,
			     rep->want->emulate.name);
	}
}

static void note_threads(const struct asl_rep *rep)
{
	if (rep->rep == 0 && rep->threads > rep->cores)
		asl_complain(0,
			     "note: %d threads a rank, which has %d core%s to "
			     "itself",
			     rep->threads, rep->cores,
			     rep->cores == 1 ? "" : "s");
}

bool asl_rep_good(const struct asl_rep *rep)
{
	return rep->predicted_equal && rep->verified != 0 &&
	       (!rep->emulated ||
		rep->emulation_error <= ASL_EMULATION_INVALID);
}

bool asl_rep_check(const struct asl_rep *rep)
{
	int i = 0;

	note_threads(rep);
	while (i < rep->ranks &&
	       asl_ledger_equal(&rep->rank[i].counted, &rep->rank[i].predicted))
		i++;
	if (!rep->predicted_equal && i < rep->ranks)
		say_difference(i, &rep->rank[i]);
	if (rep->verified == 0)
		asl_complain(0,
			     "VERIFICATION FAILED in repetition %d: residual "
			     "%g, expected 16 at most",
			     rep->rep + 1, rep->residual);
	say_emulation(rep);
	return asl_rep_good(rep);
}

/*
 * ---- Ranks.csv: one row a rank and phase ----
 *
 * A phase is listed, for every rank, if any rank counted anything in it or was
 * predicted to.  Nothing is predicted of fill and verify, which are in no
 * total either.
 */

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

static void put_count(struct asl_csv *csv, const char *name, bool known,
		      uint64_t x)
{
	if (known)
		asl_csv_put_count(csv, name, x);
	else
		asl_csv_put(csv, name, NULL);
}

static void put_number(struct asl_csv *csv, const char *name, bool known,
		       double x)
{
	if (known)
		asl_csv_put_number(csv, name, x);
	else
		asl_csv_put(csv, name, NULL);
}

static void put_near(struct asl_csv *csv, const struct asl_near *x)
{
	put_count(csv, "core_node", x->core_node >= 0, (uint64_t)x->core_node);
	put_count(csv, "pool_node", x->node >= 0, (uint64_t)x->node);
	put_count(csv, "pool_distance", x->distance, (uint64_t)x->distance);
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
	put_number(csv, "seconds", has_seconds(rep, phase),
		   x->seconds.in[phase]);
	for (int c = 0; c < ASL_COUNTERS; c++) {
		char name[64];

		snprintf(name, sizeof name, "predicted_%s",
			 asl_counter_name(c));
		put_count(csv, name, asl_phase_counts(phase),
			  x->predicted.in[phase].of[c]);
	}
	put_near(csv, &x->near);
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

/* ---- Runs.csv: one row a repetition, of the columns of columns.def ---- */

/* A note is in every row: without commas awk -F, finds the other columns. */
static const char *without_commas(char text[640], const char *note)
{
	snprintf(text, 640, "%s", note);
	for (char *c = text; (c = strchr(c, ','));)
		*c = ';';
	return text;
}

/* The nodes of all ranks' cores, or of their pools: "0 1"; "": not known. */
static const char *list_nodes(char text[64], const struct asl_rep *rep,
			      bool cores)
{
	size_t used = 0;
	bool listed[64] = {false};

	for (int i = 0; i < rep->ranks; i++) {
		const struct asl_near *x = &rep->rank[i].near;
		int node = cores ? x->core_node : x->node;

		if (node >= 0 && node < 64)
			listed[node] = true;
	}
	*text = '\0';
	for (int i = 0; i < 64 && used < 60; i++)
		if (listed[i])
			used += (size_t)snprintf(text + used, 64 - used, "%s%d",
						 used ? " " : "", i);
	return text;
}

static int longest_way(const struct asl_rep *rep)
{
	int most = 0;

	for (int i = 0; i < rep->ranks; i++)
		if (most < rep->rank[i].near.distance)
			most = rep->rank[i].near.distance;
	return most;
}

static uint64_t ternary_mults(const struct asl_rep *rep)
{
	const struct asl_plan *plan = &rep->want->plan;
	uint64_t times = (uint64_t)rep->outcome.iterations;

	if (!plan->symmetric)
		return 0;
	return asl_symmetric_ternary(plan) * (times ? times : 1);
}

bool asl_rep_busy(const struct asl_rep *rep)
{
	int here = asl_job().here ? asl_job().here : 1;

	return rep->moved &&
	       asl_noise_disturbs(asl_noise(),
				  here * (rep->threads > 1 ? rep->threads : 1));
}

static _Thread_local const char *label;

static _Thread_local const char *expected;

void asl_rows_expected(const char *text)
{
	expected = text;
}

void asl_rows_label(const char *text)
{
	label = text;
}

void asl_put_run(struct asl_csv *csv, const struct asl_rep *rep)
{
	const struct asl_run_want *want = rep->want;
	const struct asl_plan *plan = &want->plan;
	const struct asl_rep_hardware *hwc = &rep->hardware;
	const struct asl_lru_shape *lru = &want->cache_model;
	struct asl_shown shown = asl_show(plan);
	const struct asl_family *family = plan->algorithm->family;
	struct asl_plan made = asl_rep_made(rep);
	double bound = family->net_bound(&made);
	double joint = family->joint_bound(&made);
	double error = rep->emulation_error;
	uint64_t ternary = ternary_mults(rep);
	char note[640], model[ASL_CACHE_MODEL_TEXT], utc[32];
	char cores[64], pools[64];
	int distance = longest_way(rep);
	const struct asl_noise *noise = asl_noise();
	bool noisy = rep->moved && !isnan(noise->others);
	double joules = asl_joules(&want->costs_from.energy, &rep->total);
	bool busy = asl_rep_busy(rep);
	struct tm tm;

	strftime(utc, sizeof utc, "%Y-%m-%dT%H:%M:%SZ",
		 gmtime_r(&rep->ended, &tm));
#define TEXT(name, role, value) asl_csv_put(csv, #name, value);
#define COUNT(name, role, known, value) put_count(csv, #name, known, value);
#define NUMBER(name, role, known, value) put_number(csv, #name, known, value);
#include "bench/library/columns.def"
	asl_csv_end_row(csv);
}
