/*
 * case.c -- from options to what the library is asked to do
 */
#include "bench/case.h"

#include <math.h>
#include <string.h>

#include "bench/grid.h"
#include "bench/say.h"
#include "bench/sizes.h"
#include "lib/machine/machine.h"

struct asl_job asl_job(void)
{
	struct asl_job job = {0, 0};

	if (!asl_net_job(&job.rank, &job.size))
		job.size = 0;
	return job;
}

static const char *or_else(const char *given, const char *otherwise)
{
	return given ? given : otherwise;
}

/* ---- How many ranks, and who carries their messages ---- */

static int choose_ranks(struct asl_plan *plan, const struct asl_options *o)
{
	int job = asl_job().size;

	plan->ranks = o->ranks	     ? o->ranks
		      : job	     ? job
		      : o->grid.p[0] ? asl_grid_ranks(&o->grid)
				     : 1;
	plan->grid = o->grid;
	if (o->grid.p[0] && asl_grid_ranks(&o->grid) != plan->ranks) {
		char text[40];

		return asl_complain(ASL_BAD_INPUT,
				    "--grid: found %s, which is %d ranks, "
				    "but there are %d",
				    asl_grid_text(text, &o->grid),
				    asl_grid_ranks(&o->grid), plan->ranks);
	}
	return 0;
}

static int check_job(const struct asl_case *c, const struct asl_options *o)
{
	int job = asl_job().size;
	bool sim = !strcmp(c->want.transport, "sim");

	if (o->launch && job)
		return asl_complain(ASL_BAD_INPUT,
				    "--launch: this is already "
				    "an MPI job of %d ranks",
				    job);
	if (o->launch && sim)
		return asl_complain(ASL_BAD_INPUT, "--launch: --transport sim "
						   "has no processes to start");
	if (sim && job > 1)
		return asl_complain(ASL_BAD_INPUT,
				    "--transport: found sim in "
				    "an MPI job, whose %d processes would each "
				    "simulate all ranks",
				    job);
	if (!sim && job && c->want.plan.ranks != job)
		return asl_complain(ASL_BAD_INPUT,
				    "--ranks: found %d, but the "
				    "MPI job has %d ranks",
				    c->want.plan.ranks, job);
	if (!sim && !job && !o->launch && c->want.plan.ranks > 1)
		return asl_complain(ASL_BAD_INPUT,
				    "--transport %s needs an MPI "
				    "job: add --launch, or start aslant with "
				    "mpiexec or srun",
				    c->want.transport);
	return 0;
}

static int check_transport(const struct asl_case *c,
			   const struct asl_options *o)
{
	const struct asl_run_want *want = &c->want;
	bool null = !strcmp(want->store, "null");

	if (null && strcmp(want->transport, "sim"))
		return asl_complain(ASL_BAD_INPUT,
				    "--store null has no words "
				    "that --transport %s could carry; only sim "
				    "can",
				    want->transport);
	if (o->provider && strcmp(want->transport, "ofi"))
		return asl_complain(ASL_BAD_INPUT,
				    "--provider is for "
				    "--transport ofi, not %s",
				    want->transport);
	if (null && (o->a || o->b || o->result))
		return asl_complain(ASL_BAD_INPUT,
				    "--%s: --store null has no "
				    "words to read or write",
				    o->a   ? "a"
				    : o->b ? "b"
					   : "result");
	if (null && want->verify != ASL_VERIFY_NONE)
		return asl_complain(ASL_BAD_INPUT,
				    "--verify: --store null has "
				    "no words to verify, expected none");
	return check_job(c, o);
}

/* ---- Machine and costs ---- */

static void choose_memory(struct asl_plan *plan, const struct asl_options *o)
{
	bool null = o->store && !strcmp(o->store, "null");
	/* Simulated ranks stand for a machine of their own each core. */
	int share = null ? asl_machine()->cores : plan->ranks;

	plan->cache = o->cache ? o->cache : asl_machine_cache_words(share);
	plan->memory = o->memory ? o->memory : asl_machine_memory_words(share);
	plan->budget = o->memory_budget;
	plan->panels =
		o->panels && !strcmp(o->panels, "nvm") ? ASL_POOL : ASL_DRAM;
}

static int choose_costs(struct asl_case *c, const struct asl_options *o)
{
	struct asl_costs *costs = &c->want.plan.costs;
	int err = asl_profile_find(&c->profile, or_else(o->profile, "dram"));

	if (err)
		return err;
	*costs = c->profile.costs;
	costs->read = isnan(o->read_cost) ? costs->read : o->read_cost;
	costs->write = isnan(o->write_cost) ? costs->write : o->write_cost;
	costs->net = isnan(o->net_cost) ? costs->net : o->net_cost;
	costs->latency = isnan(o->latency) ? costs->latency : o->latency;
	costs->flop = isnan(o->flop_cost) ? costs->flop : o->flop_cost;
	c->want.plan.accounting =
		o->accounting && !strcmp(o->accounting, "full") ? ASL_FULL
								: ASL_APM;
	return 0;
}

static int check_cache(const struct asl_plan *plan)
{
	if (plan->kernel && plan->cache < plan->kernel->least_cache)
		return asl_complain(ASL_BAD_INPUT,
				    "--cache: found %ju words, "
				    "but kernel %s needs at least %ju",
				    plan->cache, plan->kernel->name,
				    plan->kernel->least_cache);
	return 0;
}

static int find_algorithm(struct asl_plan *plan, const char *name)
{
	char names[512];

	plan->algorithm = asl_algorithm_find(name);
	if (plan->algorithm)
		return 0;
	return asl_complain(
		ASL_BAD_INPUT, "unknown algorithm '%s' (known: %s)", name,
		asl_join(names, sizeof names, asl_algorithm_names()));
}

/* ---- All of it ---- */

int asl_case_to_plan(struct asl_case *c, const struct asl_options *o)
{
	struct asl_plan *plan = &c->want.plan;
	int err;

	*c = (struct asl_case){0};
	if (o->algorithm) {
		err = find_algorithm(plan, o->algorithm);
		if (err)
			return err;
	}
	err = asl_sizes(&plan->shape, o);
	if (!err)
		err = choose_ranks(plan, o);
	if (!err)
		err = choose_costs(c, o);
	if (err)
		return err;
	choose_memory(plan, o);
	plan->kernel = o->kernel ? asl_kernel_find(o->kernel) : NULL;
	return check_cache(plan);
}

static enum asl_verify choose_verify(const struct asl_options *o)
{
	const char *how = o->verify;

	if (!how)
		how = o->store && !strcmp(o->store, "null") ? "none"
							    : "freivalds";
	return !strcmp(how, "none")	? ASL_VERIFY_NONE
	       : !strcmp(how, "oracle") ? ASL_VERIFY_ORACLE
					: ASL_VERIFY_FREIVALDS;
}

int asl_case_to_run(struct asl_case *c, const struct asl_options *o)
{
	struct asl_run_want *want = &c->want;
	char names[512];
	int err;

	if (!o->algorithm)
		return asl_complain(
			ASL_BAD_INPUT,
			"run: which algorithm? "
			"(known: %s)",
			asl_join(names, sizeof names, asl_algorithm_names()));
	err = asl_case_to_plan(c, o);
	if (err)
		return err;
	if (!want->plan.kernel)
		want->plan.kernel = asl_kernel_find("vomm");
	err = check_cache(&want->plan);
	if (err)
		return err;
	want->transport = or_else(o->transport,
				  asl_job().size || o->launch ? "ofi" : "sim");
	want->provider = o->provider;
	want->store = or_else(o->store, "pmem");
	want->nvm_dir = o->nvm_dir;
	want->files[ASL_A] = o->a;
	want->files[ASL_B] = o->b;
	want->files[ASL_C] = o->result;
	want->seed = o->seed;
	want->exact = o->entries && !strcmp(o->entries, "exact");
	want->reps = o->reps;
	want->warmup = o->warmup;
	want->keep = o->keep;
	want->verify = choose_verify(o);
	err = check_transport(c, o);
	return err ? err : asl_grid_settle(&want->plan);
}
