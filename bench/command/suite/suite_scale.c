/*
 * suite_scale.c -- the cases of a suite, as large as this machine asks for
 *
 * A suite's file has sizes and numbers of ranks that stand in a proportion to
 * each other.  With --scale machine its largest number of ranks becomes that of
 * cores, the others in proportion, and all operands get so many times the words
 * that a rank's are four times its share of the last cache; or fewer, if that
 * would take longer than --time-budget.  M and S are then the machine's.
 *
 * Processes of a job may see fewer cores, so they are told the outcome: --scale
 * CORES:FACTOR.  A time budget that is given then bounds the calibration alone.
 */
#include "bench/command/suite/suite.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/library/cli.h"
#include "bench/library/number.h"
#include "bench/library/say.h"
#include "lib/calibrate/calibrate.h"
#include "lib/machine/machine.h"
#include "lib/run/path.h"
#include "nvm/store.h"

enum { TIMES_CACHE = 4, TRIES = 20 };

#define MOST_FILL 0.6 /* of M: pools have other things in them, too */

#define BUDGET "30m"

/* ---- Sizes ---- */

/* Words grow with this power of an extent. */
static double power_of(const struct asl_options *o)
{
	const struct asl_algorithm *x = asl_cli_algorithm(o->algorithm);
	const char *family = x ? x->family->name : "multiplication";

	if (!strcmp(family, "symmetric tensors"))
		return o->order ? atoi(o->order) : 3;
	return strcmp(family, "contraction") != 0 ? 2 : 3;
}

static uint64_t times(uint64_t extent, double factor)
{
	return (uint64_t)fmax(1, round((double)extent * factor));
}

/* i=200,j=200,l=16: extents below 32 are ranks of factors, and stay. */
static char *scale_dims(const char *dims, double factor)
{
	enum { SMALL = 32 };
	char *text = NULL, name[64];
	size_t bytes;
	double extent;
	FILE *f = open_memstream(&text, &bytes);

	if (!f)
		return NULL;
	while (*dims && asl_read_named(name, sizeof name, &extent, &dims))
		fprintf(f, "%s%s=%ju", ftell(f) ? "," : "", name,
			extent < SMALL ? (uintmax_t)extent
				       : times((uint64_t)extent, factor));
	return fclose(f) ? NULL : text;
}

/* The suite's own case, on so many ranks and of so many times the words. */
static int scale_case(struct asl_suite *s, struct asl_suite_case *x, int most)
{
	const struct asl_suite_scale *scale = &s->scale;
	struct asl_options *o = &x->o;
	double extent;
	int before;

	*o = x->own;
	extent = pow(scale->factor, 1 / power_of(o));
	before = o->ranks ? o->ranks : 1;
	o->ranks = (int)fmax(1, round((double)before * scale->cores / most));
	o->m = o->m ? times(o->m, extent) : 0;
	o->n = o->n ? times(o->n, extent) : 0;
	o->k = o->k ? times(o->k, extent) : 0;
	if (o->memory_budget)
		o->memory_budget = times(o->memory_budget,
					 scale->factor * before / o->ranks);
	o->cache = o->memory = 0;
	if (o->dims) {
		free(x->text);
		o->dims = x->text = scale_dims(o->dims, extent);
		if (!o->dims)
			return asl_no_memory();
	}
	return asl_suite_options(s, x);
}

/* ---- Cases that have become one ---- */

/* All options but the sizes, as a text that the caller frees. */
static char *key_of(const struct asl_suite_case *x)
{
	struct asl_options o = x->own;
	char *text = NULL;
	size_t bytes;
	FILE *f = open_memstream(&text, &bytes);

	if (!f)
		return NULL;
	o.m = o.n = o.k = o.memory_budget = 0;
	o.dims = NULL;
	o.ranks = 0;
	asl_options_put(f, &o);
	fprintf(f, " %s %d", x->pattern ? x->pattern : "", x->o.ranks);
	return fclose(f) ? NULL : text;
}

/* On few cores several numbers of ranks become one: the largest stays. */
static int drop_doubles(struct asl_suite *s)
{
	char **key = calloc((size_t)s->count + 1, sizeof *key);
	int kept = 0, code = key ? 0 : asl_no_memory();

	for (int i = 0; !code && i < s->count; i++) {
		key[i] = key_of(&s->cases[i]);
		code = key[i] ? 0 : asl_no_memory();
	}
	for (int i = 0; !code && i < s->count; i++) {
		bool stays = true;

		for (int k = 0; k < s->count; k++)
			stays &= s->cases[k].own.ranks <=
					 s->cases[i].own.ranks ||
				 strcmp(key[i], key[k]) != 0;
		s->cases[i].number = stays ? 1 : 0;
	}
	for (int i = 0; key && i < s->count; i++)
		free(key[i]);
	free(key);
	for (int i = 0; !code && i < s->count; i++)
		if (s->cases[i].number) {
			s->cases[kept++] = s->cases[i];
		} else {
			free(s->cases[i].text);
			free(s->cases[i].named);
		}
	s->count = s->total = s->made = code ? s->count : kept;
	for (int i = 0; i < s->count; i++)
		s->cases[i].number = i + 1;
	return code;
}

/* ---- How large ---- */

/* All cases, planned to see what they move, and then forgotten. */
struct sight {
	double seconds, least, fill; /* words of a rank; a share of M */
};

/* With filling and verifying, which go through all words about twice. */
static double seconds_of(const struct asl_run_want *want,
			 const struct asl_ledger *ledger, int blocks)
{
	struct asl_candidate x = {.plan = want->plan};
	double patience = 0.05, start = 0.2, rate = 1e10;
	int threads = want->threads > 1 ? want->threads : 1;

	if (!asl_store_can(want->store)->has_data)
		return 0;
	if (!asl_path_seconds(&x, &patience))
		x.seconds =
			(double)asl_ledger_total(ledger).of[ASL_FLOPS] / rate;
	return blocks * (start + 32e-9 * (double)ledger->memory_high) +
	       x.seconds / threads * (want->reps + blocks * want->warmup);
}

/*
 * Calibration and sweep take a third of the budget at most, or half, in their quick
 * form; else they are left out.
 */
static double calibration(struct asl_suite *s, double budget)
{
	enum { SET_UP = 10, SWEEP = 60, QUICK_SWEEP = 15 };
	double full = asl_calibrate_seconds(false) + SWEEP + SET_UP;
	double quick = asl_calibrate_seconds(true) + QUICK_SWEEP + SET_UP;

	if (s->calibrate == ASL_CALIBRATE_FULLY && 3 * full > budget)
		s->calibrate = ASL_CALIBRATE_QUICK;
	if (s->calibrate == ASL_CALIBRATE_QUICK && 2 * quick > budget) {
		s->calibrate = ASL_CALIBRATE_NOT;
		asl_complain(0,
			     "note: --time-budget is too short to calibrate "
			     "(%.0f s)",
			     quick);
	}
	return s->calibrate == ASL_CALIBRATE_FULLY   ? full
	       : s->calibrate == ASL_CALIBRATE_QUICK ? quick
						     : 0;
}

static int look(struct asl_suite *s, struct sight *all)
{
	int code = 0;

	*all = (struct sight){.least = INFINITY};
	for (int i = 0; !code && i < s->count; i++) {
		struct asl_suite_case *x = &s->cases[i];
		const struct asl_plan *plan = &x->c.want.plan;
		struct asl_ledger ledger;

		asl_suite_about(s, x);
		code = asl_case_to_run(&x->c, &x->o);
		if (!code) {
			double words;

			asl_plan_predict(&ledger, plan, 0);
			words = (double)ledger.memory_high;
			all->least = fmin(all->least, words);
			all->fill =
				fmax(all->fill, words / (double)plan->memory);
			all->seconds += seconds_of(&x->c.want, &ledger,
						   s->blocks ? s->blocks : 1);
		}
		asl_case_close(&x->c);
		x->c = (struct asl_case){.automatic = false};
	}
	asl_complain_about(NULL);
	return code;
}

static int most_ranks(const struct asl_suite *s)
{
	int most = 1;

	for (int i = 0; i < s->count; i++)
		most = s->cases[i].own.ranks > most ? s->cases[i].own.ranks
						    : most;
	return most;
}

static int scale_all(struct asl_suite *s, int most)
{
	int code = 0;

	for (int i = 0; !code && i < s->count; i++)
		code = scale_case(s, &s->cases[i], most);
	return code;
}

/* The factor at which operands are large enough, or time or memory is spent. */
static int find_factor(struct asl_suite *s, int most, double budget)
{
	struct asl_suite_scale *scale = &s->scale;
	int threads = asl_machine()->cores / scale->cores;
	double aim = TIMES_CACHE * (double)asl_machine_cache_words(
					   scale->cores, threads ? threads : 1);
	struct sight x;
	int code = 0;

	for (int i = 0; !code && i < TRIES; i++) {
		code = scale_all(s, most);
		if (!code)
			code = look(s, &x);
		if (code)
			return code;
		scale->seconds = x.seconds;
		scale->enough = x.least >= aim;
		if (x.fill > MOST_FILL)
			scale->factor *= fmin(0.9, MOST_FILL / x.fill);
		else if (x.seconds > budget)
			scale->factor *=
				fmin(0.9, pow(budget / x.seconds, 2 / 3.));
		else if (!i && !scale->enough)
			scale->factor = fmin(1e6, aim / x.least);
		else
			break;
	}
	return 0;
}

/* ---- The options ---- */

static int read_budget(double *seconds, const char *text)
{
	if (asl_read_duration(seconds, text))
		return 0;
	return asl_refuse("--time-budget: found '%s', expected a time, as 90s, "
			  "30m or 2h",
			  text);
}

static int read_outcome(struct asl_suite_scale *scale, const char *text)
{
	char *end;
	long cores = strtol(text, &end, 10);

	if (cores < 1 || cores > ASL_MOST_RANKS || *end != ':' ||
	    !asl_read_cost(&scale->factor, end + 1) || !(scale->factor > 0))
		return asl_refuse(
			"--scale: found '%s', expected machine, file, "
			"or CORES:FACTOR",
			text);
	scale->cores = (int)cores;
	return 0;
}

static void say_outcome(const struct asl_suite *s)
{
	const struct asl_suite_scale *x = &s->scale;

	asl_complain(0,
		     "note: --scale machine: up to %d rank%s, %.3g times the "
		     "words of the file (--scale %s), about %.0f min; %s",
		     x->cores, x->cores == 1 ? "" : "s", x->factor, x->text,
		     ceil(x->seconds / 60),
		     x->enough
			     ? "every rank's words are four times its share "
			       "of the last cache, or more"
			     : "not every rank's words are four times its "
			       "share of the last cache: that takes more time "
			       "(--time-budget) or memory");
}

/* The outcome is rounded as it is told to the ranks of jobs. */
static int scale_to_machine(struct asl_suite *s, int most, double budget)
{
	struct asl_suite_scale *scale = &s->scale;
	const char *placement = s->cases[0].o.placement;
	double aside = calibration(s, budget);
	int code;

	scale->cores = placement && !strcmp(placement, "socket")
			       ? asl_machine()->sockets
			       : asl_machine()->cores;
	scale->factor = 1;
	code = scale_all(s, most);
	if (!code)
		code = drop_doubles(s);
	if (!code)
		code = find_factor(s, most, budget - aside);
	scale->seconds += aside;
	if (code)
		return code;
	snprintf(scale->text, sizeof scale->text, "%d:%.4g", scale->cores,
		 scale->factor);
	code = read_outcome(scale, scale->text);
	if (!code)
		code = scale_all(s, most);
	if (!code)
		say_outcome(s);
	return code;
}

int asl_suite_scale(struct asl_suite *s, const struct asl_options *o)
{
	const char *how = o->scale ? o->scale : s->scaled ? "machine" : "file";
	int most = most_ranks(s), code;
	double budget;

	code = read_budget(&budget, o->time_budget ? o->time_budget : BUDGET);
	if (code || !strcmp(how, "file"))
		return code;
	if (!strcmp(how, "machine"))
		return asl_job().size
			       ? asl_refuse("--scale machine: not inside "
					    "a job; aslant suite %s "
					    "--dry-run says which "
					    "CORES:FACTOR",
					    o->algorithm)
			       : scale_to_machine(s, most, budget);
	code = read_outcome(&s->scale, how);
	if (!code)
		code = scale_all(s, most);
	if (!code && o->time_budget)
		calibration(s, budget);
	return code ? code : drop_doubles(s);
}
