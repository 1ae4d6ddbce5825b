/*
 * transport.c -- the choice of a transport, and whether it can work
 */
#include "bench/library/transport.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "bench/library/case.h"
#include "bench/library/launch.h"
#include "bench/library/say.h"
#include "lib/base/error.h"
#include "lib/machine/machine.h"
#include "net/net.h"
#include "nvm/store.h"

/*
 * A rank that cannot go on takes the others of its job along
 */

int asl_job_abort(const struct asl_options *o, int code)
{
	struct asl_job job = asl_job();
	char refusal[2048];
	struct asl_run_want want = {
		.plan = {.ranks = job.size},
		.transport = "ofi",
		.provider = o->provider,
		.interface = o->interface,
		.store = "dram",
		.refusal = refusal,
		.refused = code == ASL_BAD_INPUT ? -EINVAL : -EIO,
	};

	if (job.size < 2)
		return code;
	if (asl_net_can(o->transport)->joins_job)
		want.transport = o->transport;
	snprintf(refusal, sizeof refusal, "%s", asl_last_complaint());
	asl_run(&want, NULL, NULL);
	if (job.rank > 0 && *asl_failure_to_print())
		asl_complain_alone(code, "%s", asl_failure_to_print());
	return code;
}

/* Before a typing error starts more processes than the machine survives. */
int asl_launch_check(int ranks)
{
	enum { EACH = 64, ALWAYS = 256 };
	int cores = asl_machine()->cores;
	int most = cores > ALWAYS / EACH ? EACH * cores : ALWAYS;

	if (ranks <= most || !asl_launch_is_local())
		return 0;
	return asl_complain(ASL_BAD_INPUT,
			    "--launch: found %d ranks, expected %d at most on "
			    "%d cores",
			    ranks, most, cores);
}

static int check_job(const struct asl_case *c, const struct asl_options *o)
{
	int job = asl_job().size;
	bool sim = asl_net_can(c->want.transport)->simulated;

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
	return o->launch ? asl_launch_check(c->want.plan.ranks) : 0;
}

/* The option that names a file with an operand or a result; NULL: none. */
static const char *named_file(const struct asl_options *o)
{
	return o->a	       ? "a"
	       : o->b	       ? "b"
	       : o->tensor     ? "tensor"
	       : o->operand[0] ? "operand"
	       : o->result     ? "result"
			       : NULL;
}

int asl_transport_check(const struct asl_case *c, const struct asl_options *o)
{
	const struct asl_run_want *want = &c->want;
	const struct asl_net_traits *net = asl_net_can(want->transport);
	bool data = asl_store_can(want->store)->has_data;

	if (!data && !net->carries_null)
		return asl_complain(ASL_BAD_INPUT,
				    "--store null has no words "
				    "that --transport %s could carry; only sim "
				    "can",
				    want->transport);
	if (o->provider && !net->takes_provider)
		return asl_complain(ASL_BAD_INPUT,
				    "--provider is for "
				    "--transport ofi, not %s",
				    want->transport);
	if (!data && named_file(o))
		return asl_complain(ASL_BAD_INPUT,
				    "--%s: --store null has no "
				    "words to read or write",
				    named_file(o));
	if (!data && want->verify != ASL_VERIFY_NONE)
		return asl_complain(ASL_BAD_INPUT,
				    "--verify: --store null has "
				    "no words to verify, expected none");
	if (net->simulated && strcmp(want->bind, "none"))
		return asl_complain(ASL_BAD_INPUT,
				    "--bind: found %s, but on --transport sim "
				    "all ranks are one process; expected none, "
				    "or ofi or mpi",
				    want->bind);
	return check_job(c, o);
}
