/*
 * task_run.c -- what tasks of aslant.h do: run, plan, bounds
 */
#include <errno.h>
#include <string.h>

#include "bench/answer.h"
#include "bench/judge.h"
#include "bench/rows.h"
#include "bench/say.h"
#include "bench/task.h"
#include "lib/base/error.h"
#include "lib/rank/blas.h"
#include "net/net.h"

/* A task with its sizes, and all that they need. */
struct doing {
	struct asl_task *task;
	struct asl_options o;
	struct asl_texts texts;
	struct asl_spread_rows rows;
	struct asl_case c;
};

/* ---- Before ---- */

static int join(struct doing *x)
{
	struct asl_job job;

	if (asl_net_comm(x->task->comm, &job.rank, &job.size))
		return asl_complain(ASL_BAD_INPUT, "%s", asl_failure());
	asl_job_assume(job);
	if (!x->o.transport)
		x->o.transport = "mpi";
	return asl_task_join(x->task, &x->o, &x->rows);
}

static int stay(struct doing *x)
{
	const char *transport = x->o.transport;

	asl_job_assume((struct asl_job){0, 0});
	if (!transport || !strcmp(transport, "sim"))
		return 0;
	return asl_complain(ASL_BAD_INPUT,
			    "transport %s needs a communicator "
			    "(asl_task_communicator)",
			    transport);
}

static int begin(struct doing *x, struct asl_task *task)
{
	int code;

	asl_task_enter();
	asl_task_forget(task);
	*x = (struct doing){.task = task, .o = task->options};
	code = task->joined ? join(x) : stay(x);
	if (!code)
		code = asl_task_agree(task,
				      asl_task_sizes(task, &x->o, &x->texts));
	if (!code && (asl_csv_open(&task->rows) || asl_csv_open(&task->ranks)))
		code = asl_complain(ASL_NO_MACHINE, "out of memory");
	return code;
}

/* After a failure there are no rows, but of a failed check. */
static int end(struct doing *x, int code)
{
	asl_case_close(&x->c);
	asl_task_part(&x->rows);
	asl_texts_free(&x->texts);
	if (!code || code == ASL_CHECK_FAILED) {
		int late = asl_task_read(x->task);

		code = late ? late : code;
	}
	if (code && code != ASL_CHECK_FAILED)
		asl_task_forget(x->task);
	return code;
}

/* ---- Run ---- */

struct running {
	struct asl_task *task;
	int done;
	bool wrong;
};

static int each(const struct asl_rep *rep, void *arg)
{
	struct running *x = arg;

	for (int naming = x->done == 0; naming >= 0; naming--) {
		x->task->rows.naming = x->task->ranks.naming = naming;
		asl_put_run(&x->task->rows, rep);
		asl_put_ranks(&x->task->ranks, rep);
	}
	x->done++;
	x->wrong |= !asl_rep_check(rep);
	return 0;
}

static int run_case(struct doing *x)
{
	struct running r = {.task = x->task};
	struct asl_run_want *want = &x->c.want;
	int threads = asl_blas_threads(), err;

	want->given = x->task->given;
	want->into = x->task->into.at ? &x->task->into : NULL;
	want->comm = x->task->joined ? &x->task->comm : NULL;
	if (x->rows.first[0])
		want->first_rows = (const uint64_t *const *)x->rows.first;
	err = asl_run(want, each, &r);
	asl_blas_set_threads(threads);
	/* Sim has said it on stderr, too, but that is all it has. */
	if (err)
		return asl_complain(asl_exit_code(err), "%s",
				    *asl_run_why() ? asl_run_why()
						   : asl_failure());
	return r.wrong ? ASL_CHECK_FAILED : 0;
}

static int check_verify(const struct doing *x)
{
	if (!x->rows.first[0] || x->c.want.verify != ASL_VERIFY_ORACLE)
		return 0;
	return asl_complain(ASL_BAD_INPUT,
			    "verify: found oracle, which needs the whole "
			    "matrices; expected freivalds or none");
}

/* They could be others in the next life. */
static int check_resume(const struct doing *x)
{
	bool given = x->rows.first[0];

	for (int i = 0; i < ASL_MOST_OPERANDS; i++)
		given |= x->task->given[i].at != NULL;
	if (!x->o.resume || !given)
		return 0;
	return asl_complain(ASL_BAD_INPUT,
			    "resume: found operands in the program's memory, "
			    "which ends with it; expected them in files, or "
			    "generated");
}

int asl_task_run(struct asl_task *task)
{
	struct doing x;
	int code = begin(&x, task);

	if (!code)
		code = asl_task_agree(task, asl_case_to_run(&x.c, &x.o));
	if (!code)
		code = asl_task_agree(task, check_verify(&x));
	if (!code)
		code = asl_task_agree(task, check_resume(&x));
	if (!code)
		code = asl_task_share(task, run_case(&x));
	return end(&x, code);
}

/* ---- Plan and bounds ---- */

static int find_plans(struct doing *x)
{
	struct asl_found *best = NULL;
	int count = 0, code;
	double floor;

	code = asl_plans_find(&best, &count, &x->c.want.plan, x->o.top, &floor);
	if (!code)
		asl_put_plans(&x->task->rows, best, count);
	asl_plans_free(best, count);
	return code;
}

static int find_bounds(struct doing *x)
{
	const struct asl_plan *plan = &x->c.want.plan;
	struct asl_bound bound[ASL_BOUNDS];
	int count = asl_face_of(plan)->bounds(bound, plan);

	asl_put_bounds(&x->task->rows, bound, count);
	return 0;
}

static int answer(struct asl_task *task, int (*find)(struct doing *x))
{
	struct doing x;
	int code = begin(&x, task);

	if (!strcmp(x.o.algorithm, ASL_AUTO))
		x.o.algorithm = NULL;
	if (!code)
		code = asl_case_to_plan(&x.c, &x.o);
	if (!code)
		code = find(&x);
	return end(&x, code);
}

int asl_task_plan(struct asl_task *task)
{
	return answer(task, find_plans);
}

int asl_task_bounds(struct asl_task *task)
{
	return answer(task, find_bounds);
}
