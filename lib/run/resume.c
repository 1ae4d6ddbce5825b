/*
 * resume.c -- a case that resumes from its pools, if there are any
 *
 * First a dry run of the algorithm finds the memory that the pool needs.  A pool
 * says which case it is for; all ranks of the plan have one, and rank 0 compares
 * their states.
 *
 * Pools are made before anything is filled, and removed after all of them say
 * that they are finished: so if a killed run leaves only some pools, the others
 * hold nothing of value, and the run may start from the beginning.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "lib/base/error.h"
#include "lib/base/parts.h"
#include "lib/rank/resume.h"
#include "lib/run/rank_case.h"
#include "lib/run/run.h"

/* ---- The case that a pool is for ---- */

/* Another file of the same length and time is taken for the same. */
static void put_file(FILE *f, int operand, const char *path)
{
	struct stat st;

	if (path && stat(path, &st) == 0)
		fprintf(f, "operand-%d %jd bytes of %jd.%09ld\n", operand,
			(intmax_t)st.st_size, (intmax_t)st.st_mtim.tv_sec,
			st.st_mtim.tv_nsec);
}

static void put_plan(FILE *f, const struct asl_plan *x)
{
	const struct asl_family *family = x->algorithm->family;

	fprintf(f, "aslant " ASLANT_VERSION "\nalgorithm %s\n",
		x->algorithm->name);
	fprintf(f, "ranks %d\ngrid %dx%dx%d\ncache %ju\n", x->ranks,
		x->grid.p[0], x->grid.p[1], x->grid.p[2], x->cache);
	fprintf(f, "panels %s\noverlap %d\n", asl_plan_panels(x), x->overlap);
	if (family->describe)
		family->describe(f, x);
	fprintf(f,
		"iterations %d\nread-cost %.17g\nwrite-cost %.17g\n"
		"net-cost %.17g\nlatency %.17g\nflop-cost %.17g\n",
		x->iterations, x->costs.read, x->costs.write, x->costs.net,
		x->costs.latency, x->costs.flop);
}

static int describe(struct asl_rank_case *p)
{
	const struct asl_run_want *want = p->want;
	size_t bytes;
	FILE *f = open_memstream(&p->about, &bytes);

	if (!f)
		return asl_fail(-ENOMEM, "no memory for a text");
	put_plan(f, &want->plan);
	fprintf(f, "seed %ju\nentries %s\n", want->seed,
		want->exact ? "exact" : "real");
	for (int i = 0; i < ASL_MOST_OPERANDS; i++)
		put_file(f, i, want->files[i]);
	fputs(want->about ? want->about : "", f);
	return fclose(f) ? asl_fail(-ENOMEM, "no memory for a text") : 0;
}

/* ---- The dry run ---- */

static void dry_run(struct asl_rank_case *p, struct asl_rank *r)
{
	const struct asl_plan *plan = &p->want->plan;
	struct asl_words room[ASL_MOST_OPERANDS], own[ASL_MOST_OPERANDS];

	asl_plan_take(r, plan, room, own);
	asl_mark_epoch(r, NULL, 0);
	asl_plan_runs(plan)->run(r, plan, own);
	asl_mark_epoch(r, NULL, 0);
}

/* Not inlined: other simulated ranks' stacks need no room for a rank. */
static __attribute__((noinline)) int find_needs(struct asl_rank_case *p)
{
	struct asl_store_want nothing = {.name = "null"};
	struct asl_rank_want want = {.net = p->net,
				     .cache = p->want->plan.cache,
				     .costs = &p->want->plan.costs,
				     .type = p->want->plan.type};
	struct asl_resume x;
	struct asl_rank r;
	int err;

	err = asl_store_open(&want.pool, &nothing);
	if (err)
		return err;
	want.staging = want.pool;
	asl_rank_init(&r, &want);
	asl_resume_dry_run(&x, &r);
	dry_run(p, &r);
	p->needs = x.needs;
	asl_store_close(want.pool);
	p->s->printed |= r.err != 0;
	return r.err;
}

int asl_rank_case_dry_run(struct asl_rank_case *p)
{
	int err;

	if (!p->want->resume ||
	    asl_net_rank(p->net) >= asl_plan_ranks(&p->want->plan))
		return 0;
	p->resumable = true;
	err = describe(p);
	return err ? err : find_needs(p);
}

/* ---- Where to resume ---- */

struct state {
	bool resumable, resumed;
	struct asl_resume_found found;
};

/* Rank 0's decision: where to resume, or why not. */
struct verdict {
	int err;
	uint64_t mark, start;
	char why[256];
};

struct sum {
	int missing, absent; /* pools that are not there; the last one's rank */
	bool idle;	     /* the others hold nothing of value */
	uint64_t least, most, begun, starts;
};

static struct sum sum_up(const struct state *all, int ranks)
{
	struct sum s = {.idle = true, .least = UINT64_MAX};

	for (int i = 0; i < ranks; i++) {
		const struct asl_resume_found *x = &all[i].found;

		if (!all[i].resumable)
			continue;
		if (!all[i].resumed) {
			s.missing++;
			s.absent = i;
			continue;
		}
		s.idle &= !x->mark || x->finished;
		s.least = asl_min(s.least, x->mark);
		s.most = asl_max(s.most, x->mark);
		s.begun = asl_max(s.begun, x->begun);
		s.starts = asl_max(s.starts, x->starts);
	}
	return s;
}

static struct verdict judge(const struct asl_rank_case *p, const struct sum *s)
{
	struct verdict v = {.mark = s->least, .start = s->starts + 1};

	if (s->missing && s->idle)
		return (struct verdict){.start = 1};
	if (s->missing) {
		v.err = -EINVAL;
		snprintf(v.why, sizeof v.why,
			 "pool %.120s/aslant-resume-%d.pool is missing, those "
			 "of other ranks are there",
			 p->common->dir, s->absent);
	} else if (s->most > s->least + 1 || s->begun > s->least) {
		v.err = -EINVAL;
		snprintf(v.why, sizeof v.why,
			 "pools %.120s/aslant-resume-*.pool are of different "
			 "moments: found mark %ju on one rank, %ju on another",
			 p->common->dir, s->least, s->most);
	}
	return v;
}

static int decide(struct asl_rank_case *p, struct verdict *v,
		  const struct state *mine)
{
	int ranks = asl_net_size(p->net), err;
	struct state *all = calloc((size_t)ranks, sizeof *all);

	if (!all)
		return asl_fail(-ENOMEM, "no memory for %d ranks", ranks);
	err = asl_net_collect(p->net, all, mine, sizeof *mine);
	if (!err && asl_net_rank(p->net) == 0) {
		struct sum s = sum_up(all, ranks);

		*v = judge(p, &s);
	}
	free(all);
	return err ? err : asl_net_share(p->net, v, sizeof *v);
}

static int damaged(const struct asl_rank_case *p, const char *where)
{
	return asl_fail(-EINVAL, "pool %s/aslant-resume-%d.pool is damaged: %s",
			p->dir, asl_net_rank(p->net), where);
}

static int look(struct asl_rank_case *p, struct state *mine)
{
	int err;

	if (!p->resumable)
		return 0;
	asl_resume_open(&p->resume, p->pool, &p->needs,
			asl_plan_ranks(&p->want->plan));
	mine->resumable = true;
	mine->resumed = asl_store_resumed(p->pool);
	err = asl_resume_look(&mine->found, &p->resume);
	return err ? damaged(p, asl_failure()) : 0;
}

int asl_rank_case_resume(struct asl_rank_case *p)
{
	struct state mine = {0};
	struct verdict v = {0};
	int err;

	if (!p->want->resume)
		return 0;
	err = asl_rank_case_agree(p, look(p, &mine));
	if (!err)
		err = decide(p, &v, &mine);
	if (err)
		return err;
	if (v.err)
		err = asl_fail(v.err, "%s", v.why);
	else if (p->resumable && asl_resume_begin(&p->resume, v.mark, v.start))
		err = damaged(p, asl_failure());
	return asl_rank_case_agree(p, err);
}

/* The last double may be half full. */
static uint64_t check_words(const struct asl_words *x, uint64_t from)
{
	size_t bytes = x->count * asl_type_bytes(x->type);
	size_t whole = bytes - bytes % sizeof(double);
	uint64_t check = asl_store_check(x->at, whole, from), rest = 0;

	if (bytes == whole)
		return check;
	memcpy(&rest, (const char *)x->at + whole, bytes - whole);
	return asl_store_check(&rest, sizeof rest, check);
}

static uint64_t checksum(const struct asl_rank_case *p)
{
	int fixed = p->family->fixed(&p->want->plan);
	uint64_t check = 0;

	for (int i = 0; i < fixed; i++)
		check = check_words(&p->own[i], check);
	return check ? check : 1;
}

void asl_rank_case_filled(struct asl_rank_case *p)
{
	if (p->resumable && p->want->checksum && !p->r.err &&
	    !asl_replaying(&p->r))
		asl_resume_note(&p->resume, checksum(p));
}

/* A rank never gives its operands, so none of their pieces may be missing. */
int asl_rank_case_check_operands(struct asl_rank_case *p)
{
	for (int i = 0; i < p->operands; i++)
		if (p->room[i].at == ASL_STORE_NOWHERE)
			return damaged(p, "words of an operand are missing");
	if (asl_replaying(&p->r) && p->resume.record->operands &&
	    p->resume.record->operands != checksum(p))
		return damaged(
			p, "words of an operand are not as they were filled");
	return 0;
}

int asl_rank_case_finish(struct asl_rank_case *p)
{
	int err;

	if (!p->want->resume)
		return 0;
	if (p->resumable)
		asl_resume_finish(&p->resume);
	err = asl_net_barrier(p->net);
	p->finished = !err;
	return err;
}
