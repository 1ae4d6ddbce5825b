/*
 * speed.h -- the common part of these programs: operands, dgemm, runs
 *
 * A program that cannot measure says why and ends.
 */
#ifndef ASL_SPEED_H
#define ASL_SPEED_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/draw.h"
#include "lib/base/error.h"
#include "lib/base/estimate.h"
#include "lib/multiply/multiply.h"
#include "lib/rank/blas.h"
#include "lib/run/run.h"

static inline _Noreturn void speed_fail(int code, const char *why)
{
	fprintf(stderr, "%s: %s\n", program_invocation_short_name, why);
	exit(code);
}

static inline double *speed_room(uint64_t words)
{
	double *x = aligned_alloc(64, (words + 7) / 8 * 64);

	if (!x)
		speed_fail(3, "no memory");
	return x;
}

static inline double *speed_operand(uint64_t words, uint32_t which)
{
	struct asl_draw draw = {.seed = 1, .row = {which}};
	double *x = speed_room(words);

	asl_draw(&draw, x, 0, words);
	return x;
}

/* Seconds of one cblas_dgemm, by rows, on A, B and C. */
static inline double speed_dgemm(const struct asl_shape *s, double *const at[3])
{
	double since = asl_now();

	asl_gemm(ASL_FLOAT64, s->m, s->n, s->k, at[0], s->k, at[1], s->n, 0,
		 at[2], s->n);
	return asl_now() - since;
}

struct speed_run {
	double wall_s;
	uint64_t read, written;
	bool sound;
};

static inline int speed_note(const struct asl_rep *rep, void *arg)
{
	*(struct speed_run *)arg =
		(struct speed_run){rep->wall_s, rep->read_max, rep->written_max,
				   rep->verified == 1 && rep->predicted_equal};
	return 0;
}

/* One repetition after a warm-up, verified, on one simulated rank. */
static inline struct speed_run speed_run(const struct asl_plan *plan,
					 const char *store, int threads)
{
	struct speed_run x = {0};
	struct asl_run_want want = {
		.plan = *plan,
		.transport = "sim",
		.store = store,
		.threads = threads,
		.seed = 1,
		.reps = 1,
		.warmup = 1,
		.verify = ASL_VERIFY_FREIVALDS,
	};

	if (asl_run(&want, speed_note, &x))
		speed_fail(3, asl_failure());
	if (!x.sound)
		speed_fail(1, "the result or its counts are wrong");
	return x;
}

#endif
