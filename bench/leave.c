/*
 * leave.c -- a rank that cannot go on takes the others of its job along
 */
#include "bench/leave.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "bench/case.h"
#include "bench/say.h"

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
	if (o->transport && !strcmp(o->transport, "mpi"))
		want.transport = "mpi";
	snprintf(refusal, sizeof refusal, "%s", asl_last_complaint());
	asl_run(&want, NULL, NULL);
	if (job.rank > 0 && *asl_run_why())
		asl_complain_alone(code, "%s", asl_run_why());
	return code;
}
