/*
 * summary.c -- a repetition for people
 *
 * Words are those of the busiest rank, beside what was predicted for it and
 * what no algorithm can better, and of all ranks together.
 */
#include "bench/command/summary.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "bench/library/cli.h"
#include "bench/library/number.h"

/* ---- The case ---- */

static void print_words(FILE *f, uint64_t words)
{
	char text[ASL_BYTES];

	fprintf(f, "%" PRIu64 " words (%s)", words,
		asl_write_bytes(text, 8 * (double)words));
}

static void print_machine(FILE *f, const struct asl_case *c,
			  const struct asl_rep *rep)
{
	const struct asl_plan *plan = &c->want.plan;
	const struct asl_costs *x = &plan->costs;

	fprintf(f, "store     %s", c->want.store);
	if (!rep->moved)
		fputs(" (counts only)", f);
	else if (strcmp(c->want.store, rep->lies_on))
		fprintf(f, " on %s", rep->lies_on);
	if (rep->emulated)
		fprintf(f, ", emulated");
	fprintf(f, ", panels in %s\n",
		plan->panels == ASL_POOL ? "nvm" : "dram");
	fprintf(f, "network   %s%s%s\n", c->want.transport,
		*rep->provider ? ", provider " : "", rep->provider);
	fprintf(f, "cache     S = ");
	print_words(f, plan->cache);
	fprintf(f, " a rank%s%s\nmemory    M = ", *c->cache_source ? ", " : "",
		c->cache_source);
	print_words(f, plan->memory);
	fprintf(f, " a rank\ncosts     r %g, w %g, beta %g\n", x->read,
		x->write, x->net);
	if (x->latency != 0 || x->flop != 0)
		fprintf(f, "          alpha %g, gamma %g\n", x->latency,
			x->flop);
	fprintf(f, "profile   %s%s\n", c->profile.name,
		c->profile.timed ? ", costs in ns" : "");
}

/* ---- Words ---- */

/* Exact as long as it fits. */
static void print_cell(FILE *f, int width, double x)
{
	char text[32];

	snprintf(text, sizeof text, "%.0f", x);
	if (strlen(text) >= (size_t)width)
		snprintf(text, sizeof text, "%.6g", x);
	fprintf(f, "%*s", width, text);
}

static void print_ratio(FILE *f, double x)
{
	fprintf(f, x < 1000 ? " %6.4g" : x < 1e6 ? " %6.0f" : " %6.0e", x);
}

static void print_row(FILE *f, const char *name, uint64_t counted,
		      uint64_t predicted, double bound, uint64_t total)
{
	fprintf(f, "%-15s", name);
	print_cell(f, 15, (double)counted);
	print_cell(f, 15, (double)predicted);
	if (bound > 0) {
		print_cell(f, 13, bound);
		print_ratio(f, (double)counted / bound);
	}
	if (total)
		print_cell(f, bound > 0 ? 15 : 35, (double)total);
	fputc('\n', f);
}

/* The largest over ranks of what was counted, and of what was predicted. */
struct busiest {
	uint64_t read[2], written[2], both[2], bh[2], memory[2];
};

static void raise_to(uint64_t *most, uint64_t x)
{
	if (*most < x)
		*most = x;
}

static struct busiest find_busiest(const struct asl_rep *rep)
{
	struct busiest b = {0};

	for (int i = 0; i < rep->ranks; i++) {
		const struct asl_ledger *of[] = {&rep->rank[i].counted,
						 &rep->rank[i].predicted};

		for (int j = 0; j < 2; j++) {
			struct asl_counts x = asl_ledger_total(of[j]);
			uint64_t read = asl_words_read(&x);
			uint64_t written = asl_words_written(&x);

			raise_to(&b.read[j], read);
			raise_to(&b.written[j], written);
			raise_to(&b.both[j], read + written);
			raise_to(&b.bh[j], x.of[ASL_BH]);
			raise_to(&b.memory[j], of[j]->memory_high);
		}
	}
	return b;
}

/* The misses of an LRU cache are not predicted. */
static void print_replayed(FILE *f, const char *name, uint64_t max,
			   uint64_t total)
{
	fprintf(f, "%-15s", name);
	print_cell(f, 15, (double)max);
	print_cell(f, 50, (double)total);
	fputc('\n', f);
}

static void print_counts(FILE *f, const struct asl_rep *rep)
{
	const struct asl_plan *plan = &rep->want->plan;
	const struct asl_family *family = plan->algorithm->family;
	struct busiest b = find_busiest(rep);
	uint64_t read = asl_words_read(&rep->total);
	uint64_t written = asl_words_written(&rep->total);

	fprintf(f, "\n%-15s%15s%15s%13s%7s%15s\n", "words", "busiest rank",
		"predicted", "lower bound", "ratio", "all ranks");
	print_row(f, "read (B_r)", b.read[0], b.read[1], 0, read);
	print_row(f, "written (B_w)", b.written[0], b.written[1], 0, written);
	print_row(f, "both", b.both[0], b.both[1], family->io_bound(plan),
		  read + written);
	print_row(f, "network (B_h)", b.bh[0], b.bh[1], family->net_bound(plan),
		  rep->total.of[ASL_BH]);
	print_row(f, "memory held", b.memory[0], b.memory[1], 0, 0);
	if (!rep->want->cache_model.words)
		return;
	print_replayed(f, "LRU reads", rep->lru_max.read, rep->lru_total.read);
	print_replayed(f, "LRU writes", rep->lru_max.written,
		       rep->lru_total.written);
}

static void print_costs(FILE *f, const struct asl_rep *rep)
{
	int first = rep->want->plan.accounting;

	fprintf(f, "\n%-15s%15s%15s%19s\n", "cost", "busiest rank", "predicted",
		"critical path");
	for (int i = 0; i < ASL_ACCOUNTINGS; i++) {
		int a = i ? !first : first;

		fprintf(f, "Q %-13s%15.9g%15.9g%19.9g\n",
			asl_accounting_name(a), rep->q_max[a],
			rep->predicted_q_max[a], rep->q_path[a]);
	}
}

void asl_summary_counts(FILE *f, const struct asl_case *c,
			const struct asl_rep *rep)
{
	const struct asl_plan *plan = &c->want.plan;
	const struct asl_family_cli *cli = asl_cli_of(plan);

	fputs(c->automatic ? "auto chose " : "", f);
	cli->print_what(f, plan);
	fputs("\n\n", f);
	cli->print_ranks(f, plan);
	print_machine(f, c, rep);
	print_counts(f, rep);
	print_costs(f, rep);
	if (plan->algorithm->outside_apm)
		fprintf(f,
			"\n%s is outside the APM: it never writes partial "
			"sums.\n",
			plan->algorithm->name);
	fprintf(f, "\n%s\n",
		rep->predicted_equal ? "Every counter of every rank is as "
				       "predicted."
				     : "COUNTED AND PREDICTED DIFFER.");
}

/* Findings of an algorithm beside its result. */
static void print_outcome(FILE *f, const struct asl_rep *rep)
{
	const struct asl_outcome *x = &rep->outcome;
	int most = rep->want->plan.iterations;

	if (!x->iterations)
		return;
	fprintf(f, "found     ");
	if (!isnan(x->eigenvalue))
		fprintf(f, "lambda = %.15g, |y - lambda x| = %.3g, after ",
			x->eigenvalue, x->eigen_residual);
	fprintf(f, "%d iteration%s%s\n", x->iterations,
		x->iterations == 1 ? "" : "s",
		x->iterations == most ? ", as many as were allowed" : "");
}

/* Beside the words that went between cache and memory, whatever the cause. */
static void print_hardware(FILE *f, const struct asl_rep *rep)
{
	const struct asl_rep_hardware *x = &rep->hardware;

	if (!x->memory && !x->misses)
		return;
	fprintf(f, "\n%-15s%15s%15s\n", "bytes", "by hardware", "counted");
	if (x->memory) {
		print_row(f, "read", x->read_bytes,
			  8 * asl_words_read(&rep->total), 0, 0);
		print_row(f, "written", x->write_bytes,
			  8 * asl_words_written(&rep->total), 0, 0);
	}
	if (x->misses) {
		fprintf(f, "%-15s", "cache misses");
		print_cell(f, 15, (double)x->miss_bytes);
		fputc('\n', f);
	}
	fprintf(f, "%s: %s\n", x->backend, x->note);
}

void asl_summary_times(FILE *f, const struct asl_rep *rep)
{
	const struct asl_family_cli *cli = asl_cli_of(&rep->want->plan);
	const char *how =
		rep->want->verify == ASL_VERIFY_ORACLE ? "oracle" : cli->test;

	fputc('\n', f);
	if (rep->want->reps > 1)
		fprintf(f, "Repetition %d\n", rep->rep + 1);
	print_outcome(f, rep);
	if (rep->verified >= 0)
		fprintf(f, "verified  %s%s (%s): residual %.3g, at most 16\n",
			rep->verified ? "yes" : "NO: ",
			rep->verified ? "" : cli->wrong, how, rep->residual);
	else
		fprintf(f, "verified  not asked for%s\n",
			rep->moved ? "" : ": nothing was moved, only counted");
	if (!rep->moved)
		return;
	fprintf(f, "time      %.4g s", rep->wall_s);
	if (rep->wall_s > 0)
		fprintf(f, ", %.4g GFLOP/s",
			(double)rep->total.of[ASL_FLOPS] / rep->wall_s * 1e-9);
	if (!rep->timed)
		fputs(" (ranks take turns in one process)", f);
	if (rep->want->cache_model.words)
		fputs(", with the cache model", f);
	fprintf(f, "\n          busiest ranks: compute %.4g s, memory %.4g s",
		rep->compute_s, rep->io_s);
	if (rep->timed)
		fprintf(f, ", network %.4g s", rep->comm_s);
	fputc('\n', f);
	if (rep->lives > 1)
		fprintf(f,
			"resumed   life %ju; moved again, all ranks: %ju words "
			"read, %ju written,\n          %ju sent, %.4g flops; "
			"times are of this life alone\n",
			rep->lives, asl_words_read(&rep->redone),
			asl_words_written(&rep->redone),
			rep->redone.of[ASL_NET_SEND],
			(double)rep->redone.of[ASL_FLOPS]);
	print_hardware(f, rep);
	if (rep->emulated && rep->io_queued_s > 1e-6)
		fprintf(f, "          of memory %.4g s: others were served\n",
			rep->io_queued_s);
	if (!isnan(rep->emulation_error))
		fprintf(f, "emulated  %s of %s: %.3g%% too slow\n",
			rep->emulated_net ? "pool and network" : "pool",
			rep->want->emulate.name, 100 * rep->emulation_error);
}
