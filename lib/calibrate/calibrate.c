/*
 * calibrate.c -- measure what words, messages and flops cost on this machine
 *
 * The kinds of a subject (reads and writes, of pool and DRAM) take turns in every
 * round, and all subjects are gone through in several sweeps, so that whatever
 * the machine does meanwhile befalls all of them.  Rank 0 decides when there have
 * been rounds enough.
 */
#include "lib/calibrate/calibrate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/error.h"
#include "lib/calibrate/subject.h"
#include "lib/rank/blas.h"
#include "lib/rank/rank.h"

/* For a confidence interval it takes 6. */
enum { SWEEPS = 4, LEAST_ROUNDS = 8, MOST_ROUNDS = 500 };

/* ---- Rounds ---- */

struct sample {
	double ns[ASL_KINDS];
};

/* What rank 0 has of a subject. */
struct rounds {
	const struct asl_subject *subject;
	int sweep;
	double end; /* of the time that there is in this sweep */
	int count;
	struct sample *ranks; /* everybody's, for all subjects alike */
	double x[ASL_KINDS][MOST_ROUNDS];
};

static bool takes_part(const struct asl_bench *b, enum asl_who who)
{
	return who == ASL_ALL || b->rank == 0 ||
	       (who == ASL_PAIR && b->rank == b->ranks - 1);
}

/* Of a pair the first has measured for both. */
static void keep(struct rounds *r, int ranks)
{
	int count = r->subject->who == ASL_ALL ? ranks : 1;

	for (int k = 0; k < ASL_KINDS; k++) {
		double sum = 0;

		for (int i = 0; i < count; i++)
			sum += r->ranks[i].ns[k];
		r->x[k][r->count] = sum / count;
	}
	r->count++;
}

/* The round that nobody is used to is left out: its number is -1. */
static int play(struct asl_bench *b, struct rounds *r, int number)
{
	const struct asl_subject *s = r->subject;
	uint64_t words = s->who == ASL_ALL ? b->words_all : b->words_alone;
	struct sample mine = {{0}};
	int err = asl_net_barrier(b->net);

	if (!err && takes_part(b, s->who))
		err = s->measure(b, mine.ns, words);
	if (!err)
		err = asl_net_collect(b->net, r->ranks, &mine, sizeof mine);
	if (!err && b->rank == 0 && number >= 0)
		keep(r, b->ranks);
	return err;
}

static double left(const struct rounds *r)
{
	double left_s = r->end - asl_now();

	return left_s > 0 ? left_s : 0;
}

/* Of one sweep; shares add up to 1. */
static double total(const struct asl_bench *b)
{
	return (b->want->quick ? 32.0 : 120.0) / SWEEPS;
}

static void say(const struct asl_bench *b, const struct rounds *r, bool ends)
{
	struct asl_calibrating at = {
		.what = r->subject->what,
		.step = (int)(r->subject - asl_subjects),
		.left_s = ends ? 0 : left(r),
		.step_ends = ends && r->sweep + 1 == SWEEPS,
	};

	for (at.steps = at.step + 1; asl_subjects[at.steps].what; at.steps++)
		at.left_s += asl_subjects[at.steps].share * total(b);
	at.left_s += (SWEEPS - 1 - r->sweep) * total(b);
	if (b->rank == 0 && b->want->progress)
		b->want->progress(&at);
}

/* Rank 0 knows, and tells the others. */
static int share_more(struct asl_bench *b, const struct rounds *r, int *more)
{
	int sweeps = r->sweep + 1;

	*more = r->count < sweeps * LEAST_ROUNDS / SWEEPS ||
		(r->count < sweeps * MOST_ROUNDS / SWEEPS && left(r) > 0);
	return asl_net_share(b->net, more, sizeof *more);
}

static void conclude(struct asl_calibration *out, struct rounds *r)
{
	const struct asl_subject *s = r->subject;
	struct asl_estimate *to = s->who == ASL_ONE ? out->alone : out->all;

	for (int k = 0; k < s->kinds; k++)
		to[s->first + k] = asl_estimate(r->x[k], r->count);
}

static int measure(struct asl_bench *b, struct rounds *r)
{
	int err = 0, more = 1;

	r->end = asl_now() + r->subject->share * total(b);
	for (int i = -1; !err && more; i++) {
		err = play(b, r, i);
		say(b, r, false);
		if (!err)
			err = share_more(b, r, &more);
	}
	if (!err)
		say(b, r, true);
	return err;
}

/* ---- The ranks ---- */

static int sweep(struct asl_bench *b, struct rounds *r, int number)
{
	int err = 0;

	for (int i = 0; !err && asl_subjects[i].what; i++) {
		r[i].sweep = number;
		err = measure(b, &r[i]);
	}
	return err;
}

static int measure_all(struct asl_calibration *out, struct asl_bench *b)
{
	struct sample *ranks = calloc((size_t)b->ranks, sizeof *ranks);
	struct rounds *r = calloc(ASL_SUBJECTS, sizeof *r);
	int err = ranks && r ? 0 : -ENOMEM;

	for (int i = 0; !err && i < ASL_SUBJECTS; i++) {
		r[i].subject = &asl_subjects[i];
		r[i].ranks = ranks;
	}
	for (int i = 0; !err && i < SWEEPS; i++)
		err = sweep(b, r, i);
	for (int i = 0; !err && b->rank == 0 && i < ASL_SUBJECTS; i++)
		conclude(out, &r[i]);
	free(r);
	free(ranks);
	return err;
}

static void describe(struct asl_calibration *out, const struct asl_bench *b)
{
	out->ranks = b->ranks;
	out->words_all = b->words_all;
	out->words_alone = b->words_alone;
	snprintf(out->dir, sizeof out->dir, "%s", b->dir);
	snprintf(out->medium, sizeof out->medium, "%s",
		 asl_store_medium(b->pool));
	snprintf(out->provider, sizeof out->provider, "%s",
		 asl_net_provider(b->net));
	snprintf(out->note, sizeof out->note, "%s", asl_store_note(b->pool));
}

struct call {
	struct asl_calibration *out;
	const struct asl_calibrate_want *want;
	bool said; /* by another rank */
};

/* A rank that leaves while others measure takes them along. */
static int measure_or_abort(struct call *call, struct asl_bench *b)
{
	int err = measure_all(call->out, b);

	if (err) {
		asl_store_error(b->pool); /* if there is one, it has the word */
		asl_net_abort(b->net, asl_exit_code(err), asl_failure());
	}
	call->said = err;
	return err;
}

static int open_bench(struct asl_bench *b)
{
	b->rank = asl_net_rank(b->net);
	if (b->want->refused)
		return asl_calibrate_fail(b->want->refused, "%s",
					  b->want->refusal);
	return asl_bench_open(b);
}

static int body(struct asl_net *net, void *arg)
{
	struct call *call = arg;
	struct asl_bench b = {.want = call->want, .net = net};
	int who = 0, err = open_bench(&b);

	err = asl_net_agree(net, err, &who);
	if (err)
		call->said = who != b.rank;
	else
		err = measure_or_abort(call, &b);
	if (!err)
		describe(call->out, &b);
	asl_bench_close(&b);
	return err;
}

int asl_calibrate(struct asl_calibration *out,
		  const struct asl_calibrate_want *want)
{
	struct call call = {.out = out, .want = want};
	struct asl_net_want net = {
		.transport = want->transport,
		.provider = want->provider,
		.interface = want->interface,
		.data = true,
	};
	int err;

	*out = (struct asl_calibration){0};
	asl_blas_one_thread();
	err = asl_net_run(&net, body, &call);
	if (call.said)
		asl_calibrate_forget();
	else if (err)
		asl_calibrate_fail(err, "%s", asl_failure());
	return err;
}
