/*
 * rows.c -- runs.csv, schema 1: one row a repetition
 *
 * The names and their order are what other people's scripts depend on.
 */
#include "bench/library/rows.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "bench/library/cli.h"
#include "bench/library/options.h"
#include "bench/library/say.h"
#include "lib/machine/machine.h"

/*
 * Is a repetition right: its result, and what was counted?
 */

static const char *first_difference(enum asl_counter *counter,
				    enum asl_phase *phase,
				    const struct asl_rank_record *x)
{
	for (int p = 0; p < ASL_PHASES; p++)
		for (int c = 0; asl_phase_counts(p) && c < ASL_COUNTERS; c++)
			if (x->counted.in[p].of[c] !=
			    x->predicted.in[p].of[c]) {
				*counter = c;
				*phase = p;
				return asl_counter_name(c);
			}
	return NULL;
}

static void say_difference(const struct asl_rep *rep)
{
	enum asl_counter c = 0;
	enum asl_phase p = 0;

	for (int i = 0; i < rep->ranks; i++) {
		const struct asl_rank_record *x = &rep->rank[i];
		const char *name = first_difference(&c, &p, x);

		if (asl_ledger_equal(&x->counted, &x->predicted))
			continue;
		if (name)
			asl_complain(0,
				     "COUNTED IS NOT WHAT WAS PREDICTED: "
				     "rank %d, phase %s, %s: counted %ju, "
				     "predicted %ju",
				     i, asl_phase_name(p), name,
				     x->counted.in[p].of[c],
				     x->predicted.in[p].of[c]);
		else
			asl_complain(0,
				     "COUNTED IS NOT WHAT WAS PREDICTED: "
				     "rank %d held %ju words (%ju in the "
				     "pool), predicted %ju (%ju)",
				     i, x->counted.memory_high,
				     x->counted.pool_high,
				     x->predicted.memory_high,
				     x->predicted.pool_high);
		return;
	}
}

/* False: times are not those of the machine that was to be emulated. */
static bool judge_emulation(const struct asl_rep *rep)
{
	double error = rep->emulation_error;

	if (!rep->emulated)
		return true;
	if (rep->rep == 0 && !rep->emulated_net && rep->ranks > 1)
		asl_complain(0,
			     "note: the network is as it is: a word takes "
			     "%.3g ns, %.3g in %s",
			     rep->emulated->net, rep->want->emulate.net,
			     rep->want->emulate.name);
	if (rep->rep == 0 && rep->crowded)
		asl_complain(0, "warning: ranks outnumber cores, and wait for "
				"each other: trust q_path, not times");
	if (error > ASL_EMULATION_INVALID) {
		asl_complain(0,
			     "EMULATION IS NOT VALID in repetition %d: words "
			     "took %.3g%% longer than in %s, expected 15%% at "
			     "most",
			     rep->rep + 1, 100 * error,
			     rep->want->emulate.name);
	} else if (error > ASL_EMULATION_OFF) {
		asl_complain(0,
			     "warning: in repetition %d words took %.3g%% "
			     "longer than in %s",
			     rep->rep + 1, 100 * error,
			     rep->want->emulate.name);
	}
	return error <= ASL_EMULATION_INVALID;
}

bool asl_rep_check(const struct asl_rep *rep)
{
	bool right = rep->predicted_equal && rep->verified != 0;

	if (!rep->predicted_equal)
		say_difference(rep);
	if (rep->verified == 0)
		asl_complain(0,
			     "VERIFICATION FAILED in repetition %d: residual "
			     "%g, expected 16 at most",
			     rep->rep + 1, rep->residual);
	return judge_emulation(rep) && right;
}

/*
 * Ranks.csv, schema 1: one row a rank and phase
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

static void put_if(struct asl_csv *csv, const char *name, bool known, double x)
{
	if (known)
		asl_csv_put_number(csv, name, x);
	else
		asl_csv_put_empty(csv, name);
}

static void put_known(struct asl_csv *csv, const char *name, bool known,
		      uint64_t x)
{
	if (known)
		asl_csv_put_count(csv, name, x);
	else
		asl_csv_put_empty(csv, name);
}

static void put_what(struct asl_csv *csv, const struct asl_rep *rep)
{
	const struct asl_plan *plan = &rep->want->plan;
	struct asl_shown shown = asl_show(plan);

	asl_csv_put_count(csv, "schema", ASL_SCHEMA);
	asl_csv_put(csv, "run_id", rep->run_id);
	asl_csv_put_count(csv, "rep", (uint64_t)rep->rep);
	asl_csv_put(csv, "algorithm", plan->algorithm->name);
	asl_csv_put(csv, "kernel", shown.kernel);
	asl_csv_put_length(csv, "m", shown.m);
	asl_csv_put_length(csv, "n", shown.n);
	asl_csv_put_length(csv, "k", shown.k);
	asl_csv_put(csv, "spec", shown.spec);
	asl_csv_put(csv, "dims", shown.dims);
}

static void put_where(struct asl_csv *csv, const struct asl_rep *rep)
{
	const struct asl_run_want *want = rep->want;
	const struct asl_plan *plan = &want->plan;

	asl_csv_put_count(csv, "ranks", (uint64_t)plan->ranks);
	asl_csv_put_count(csv, "ranks_used", (uint64_t)asl_plan_ranks(plan));
	asl_csv_put(csv, "grid", asl_show(plan).grid);
	asl_csv_put_count(csv, "cache_words", plan->cache);
	asl_csv_put_count(csv, "memory_words", plan->memory);
	asl_csv_put(csv, "store", want->store);
	asl_csv_put(csv, "medium", rep->medium);
	asl_csv_put(csv, "panels", plan->panels == ASL_POOL ? "nvm" : "dram");
	asl_csv_put(csv, "transport", want->transport);
	asl_csv_put(csv, "provider", rep->provider);
	asl_csv_put_count(csv, "seed", want->seed);
	asl_csv_put_number(csv, "r", plan->costs.read);
	asl_csv_put_number(csv, "w", plan->costs.write);
	asl_csv_put_number(csv, "beta", plan->costs.net);
	asl_csv_put_number(csv, "alpha", plan->costs.latency);
	asl_csv_put_number(csv, "gamma", plan->costs.flop);
}

static void put_counted(struct asl_csv *csv, const struct asl_rep *rep)
{
	for (int c = 0; c < ASL_COUNTERS; c++) {
		char name[64];

		snprintf(name, sizeof name, "%s_max", asl_counter_name(c));
		asl_csv_put_count(csv, name, rep->max.of[c]);
		snprintf(name, sizeof name, "%s_total", asl_counter_name(c));
		asl_csv_put_count(csv, name, rep->total.of[c]);
	}
	asl_csv_put_count(csv, "read_words_max", rep->read_max);
	asl_csv_put_count(csv, "write_words_max", rep->written_max);
}

static void put_judged(struct asl_csv *csv, const struct asl_rep *rep)
{
	const struct asl_plan *plan = &rep->want->plan;
	const struct asl_family *family = plan->algorithm->family;
	double bound = family->net_bound(plan);

	asl_csv_put_number(csv, "q_apm_max", rep->q_max[ASL_APM]);
	asl_csv_put_number(csv, "q_apm_path", rep->q_path[ASL_APM]);
	asl_csv_put_number(csv, "q_full_max", rep->q_max[ASL_FULL]);
	asl_csv_put_number(csv, "q_full_path", rep->q_path[ASL_FULL]);
	asl_csv_put_number(csv, "predicted_q_apm_max",
			   rep->predicted_q_max[ASL_APM]);
	asl_csv_put_number(csv, "predicted_q_full_max",
			   rep->predicted_q_max[ASL_FULL]);
	asl_csv_put_count(csv, "predicted_equal", rep->predicted_equal);
	asl_csv_put_number(csv, "net_bound_words", bound);
	put_if(csv, "net_bound_ratio", bound > 0,
	       (double)rep->max.of[ASL_BH] / bound);
	asl_csv_put_number(csv, "io_bound_words", family->io_bound(plan));
	asl_csv_put_count(csv, "memory_high_words", rep->memory_high);
}

/* In every row: without commas nothing is quoted, and awk -F, finds the rest. */
static void put_note(struct asl_csv *csv, const char *name, const char *note)
{
	char text[640];

	snprintf(text, sizeof text, "%s", note);
	for (char *c = text; (c = strchr(c, ','));)
		*c = ';';
	asl_csv_put(csv, name, text);
}

static void put_measured(struct asl_csv *csv, const struct asl_rep *rep)
{
	double flops = (double)rep->total.of[ASL_FLOPS];
	const struct asl_outcome *found = &rep->outcome;
	const struct asl_rep_hardware *counted = &rep->hardware;

	put_if(csv, "wall_s", rep->moved, rep->wall_s);
	put_if(csv, "compute_s", rep->moved, rep->compute_s);
	put_if(csv, "comm_s", rep->moved && rep->timed, rep->comm_s);
	put_if(csv, "io_s", rep->moved, rep->io_s);
	put_if(csv, "gflops", rep->moved && rep->wall_s > 0,
	       flops / rep->wall_s * 1e-9);
	put_if(csv, "residual", rep->verified >= 0, rep->residual);
	put_if(csv, "verified", rep->verified >= 0, rep->verified);
	put_if(csv, "eigenvalue", !isnan(found->eigenvalue), found->eigenvalue);
	asl_csv_put_length(csv, "iterations", (uint64_t)found->iterations);
	asl_csv_put(csv, "hwc_backend", counted->backend);
	put_known(csv, "hwc_read_bytes", counted->memory, counted->read_bytes);
	put_known(csv, "hwc_write_bytes", counted->memory,
		  counted->write_bytes);
	put_note(csv, "hwc_note", counted->note);
}

static void put_replayed(struct asl_csv *csv, const struct asl_rep *rep)
{
	const struct asl_lru_shape *shape = &rep->want->cache_model;
	char text[ASL_CACHE_MODEL_TEXT];

	asl_csv_put(csv, "cache_model", asl_cache_model_write(text, shape));
	put_known(csv, "lru_read_words_max", shape->words, rep->lru_max.read);
	put_known(csv, "lru_read_words_total", shape->words,
		  rep->lru_total.read);
	put_known(csv, "lru_write_words_max", shape->words,
		  rep->lru_max.written);
	put_known(csv, "lru_write_words_total", shape->words,
		  rep->lru_total.written);
}

static void put_emulated(struct asl_csv *csv, const struct asl_rep *rep)
{
	double error = rep->emulation_error;
	bool any = rep->emulated, known = any && !isnan(error);

	asl_csv_put(csv, "emulated", any ? rep->want->emulate.name : NULL);
	asl_csv_put(csv, "emulated_parts",
		    !any		? NULL
		    : rep->emulated_net ? "pool+net"
					: "pool");
	put_if(csv, "io_queued_s", any, rep->io_queued_s);
	put_if(csv, "emulation_error", known, error);
	put_if(csv, "emulation_valid", known, error <= ASL_EMULATION_INVALID);
}

static void put_origin(struct asl_csv *csv, const struct asl_origin *from)
{
	asl_csv_put(csv, "profile", from->profile);
	asl_csv_put(csv, "cost_unit", from->timed ? "ns" : "relative");
	put_if(csv, "endurance_bytes", from->endurance > 0, from->endurance);
}

/* What else tells a case from others. */
static void put_more(struct asl_csv *csv, const struct asl_plan *plan)
{
	struct asl_shown shown = asl_show(plan);

	asl_csv_put(csv, "blocks", shown.blocks);
	asl_csv_put(csv, "initial", shown.initial);
	asl_csv_put_length(csv, "memory_budget_words", plan->budget);
}

/* Of a case that can be gone on with. */
static void put_resumed(struct asl_csv *csv, const struct asl_rep *rep)
{
	bool known = rep->lives;

	put_known(csv, "lives", known, rep->lives);
	put_known(csv, "redone_read_words", known,
		  asl_words_read(&rep->redone));
	put_known(csv, "redone_write_words", known,
		  asl_words_written(&rep->redone));
	put_known(csv, "redone_net_words", known, rep->redone.of[ASL_NET_SEND]);
	put_known(csv, "redone_flops", known, rep->redone.of[ASL_FLOPS]);
	put_known(csv, "safety_words", known, rep->safety_words);
}

void asl_put_run(struct asl_csv *csv, const struct asl_rep *rep)
{
	struct tm utc;
	char stamp[32];

	put_what(csv, rep);
	put_where(csv, rep);
	put_counted(csv, rep);
	put_judged(csv, rep);
	put_measured(csv, rep);
	asl_csv_put(csv, "host", asl_machine()->host);
	strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%SZ",
		 gmtime_r(&rep->ended, &utc));
	asl_csv_put(csv, "time_utc", stamp);
	asl_csv_put_count(csv, "overlap", rep->want->plan.overlap);
	asl_csv_put_count(csv, "outside_apm",
			  rep->want->plan.algorithm->outside_apm);
	put_known(csv, "hwc_miss_bytes", rep->hardware.misses,
		  rep->hardware.miss_bytes);
	asl_csv_put(csv, "hwc_sockets", rep->hardware.sockets);
	put_replayed(csv, rep);
	put_emulated(csv, rep);
	put_origin(csv, &rep->want->costs_from);
	asl_csv_put(csv, "bind", rep->bind);
	put_more(csv, &rep->want->plan);
	put_resumed(csv, rep);
	asl_csv_end_row(csv);
}
