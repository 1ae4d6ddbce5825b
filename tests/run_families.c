/*
 * run_families.c -- the run layer carries out what is no multiplication
 *
 * A family made up for this: ranks in a ring pass on what they have, until they
 * stop after so many rounds as only the run finds out.  It owns seven operands,
 * of which two travel and the others must stay as they were filled.
 */
#include <errno.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/error.h"
#include "lib/matrix/format.h"
#include "lib/multiply/planner.h"
#include "lib/plan/pieces.h"
#include "lib/run/run.h"
#include "tests/help/parts.h"
#include "tests/help/random.h"

enum { HERE, NEXT, OPERANDS = 7, MOST_RANKS = 9 };

/* What the plan does not know, and what happened. */
static struct {
	int rounds, claimed; /* made; said to have been made, if not 0 */
	int silent;	     /* the repetition that has nothing to say */
	bool breaks;
	uint64_t unseen; /* words that the last rank does not compare */
	int failing, full; /* the first rank whose run, whose write fails */
	int opened, created, closed, filled, ran, verified, written;
	double result[MOST_RANKS];
} ring;

/* ---- The algorithm ---- */

static int ring_ranks(const struct asl_plan *plan)
{
	return plan->ranks - (int)asl_shape_of(plan)->k;
}

static void ring_run(struct asl_rank *r, const struct asl_plan *plan,
		     struct asl_words *own)
{
	int P = ring_ranks(plan), rep = ring.ran++ / P;

	if (ring.failing && r->id >= ring.failing)
		asl_rank_fail(r, -EIO, "rank %d breaks", r->id);
	asl_phase(r, ASL_SHIFT);
	for (int i = 0; i < ring.rounds; i++) {
		if (P > 1)
			asl_exchange(r, (r->id + 1) % P, &own[HERE],
				     (r->id + P - 1) % P, &own[NEXT]);
		else
			asl_copy(r, &own[NEXT], &own[HERE]);
		asl_copy(r, &own[HERE], &own[NEXT]);
	}
	if (ring.breaks && r->id == P - 1 && r->data)
		own[OPERANDS - 1].at[0] = 0;
	if (rep == ring.silent)
		return;
	r->outcome.iterations = ring.claimed ? ring.claimed : ring.rounds;
	r->outcome.eigenvalue = 0.5 * rep;
	r->outcome.eigen_residual = r->id;
}

static uint64_t ring_owned(const struct asl_plan *plan, int rank, int which)
{
	return which <= NEXT ? asl_shape_of(plan)->n
			     : (uint64_t)(rank % 3 + which);
}

static void ring_predict(struct asl_ledger *out, const struct asl_plan *plan,
			 int rank)
{
	uint64_t words = asl_shape_of(plan)->n * (uint64_t)plan->iterations;
	uint64_t *of = out->in[ASL_SHIFT].of;

	if (ring_ranks(plan) > 1) {
		of[ASL_NET_SEND] = of[ASL_NET_RECV] = of[ASL_BH] = words;
		of[ASL_NET_MSGS] = (uint64_t)plan->iterations;
	}
	of[ASL_NVM_LIFT] = of[ASL_NVM_LAND] = 2 * words;
	for (int i = 0; i < OPERANDS; i++)
		out->pool_high += ring_owned(plan, rank, i);
	out->memory_high = out->pool_high;
}

/* ---- The family ---- */

static int ring_operands(const struct asl_plan *plan)
{
	(void)plan;
	return OPERANDS;
}

static int ring_open(struct asl_data *data)
{
	ring.opened++;
	assert_null(data->opened);
	data->opened = &ring;
	return data->file[3] ? asl_fail(-EISDIR, "no ring: %s", data->file[3])
			     : 0;
}

static int ring_create(struct asl_data *data)
{
	assert_ptr_equal(data->opened, &ring);
	ring.created++;
	return strcmp(data->result, "bad")
		       ? 0
		       : asl_fail(-ENOSPC, "no room for %s", data->result);
}

static void ring_close(struct asl_data *data)
{
	ring.closed += data->opened == &ring;
}

static double entry(const struct asl_data *data, int rank, int which)
{
	return (double)data->seed + 100 * rank + which;
}

static void ring_fill(struct asl_rank *r, const struct asl_data *data,
		      struct asl_words *own)
{
	asl_phase(r, ASL_FILL);
	ring.filled++;
	for (int i = 0; r->data && i < OPERANDS; i++)
		for (uint64_t j = 0; j < own[i].count; j++)
			own[i].at[j] = entry(data, r->id, i);
}

static bool are_all(const struct asl_words *x, double what)
{
	for (uint64_t i = 0; i < x->count; i++)
		if (x->at[i] != what)
			return false;
	return true;
}

static double ring_verify(struct asl_rank *r, const struct asl_data *data,
			  struct asl_words *own, enum asl_verify how)
{
	int P = ring_ranks(data->plan);
	int from = ((r->id - ring.rounds) % P + P) % P;
	double residual = 1;

	assert_int_equal(how, ASL_VERIFY_ORACLE);
	ring.verified++;
	for (int i = NEXT + 1; i < OPERANDS; i++)
		if (!are_all(&own[i], entry(data, r->id, i)))
			residual = 17;
	if (!are_all(&own[HERE], entry(data, from, HERE)))
		residual = NAN;
	return asl_compared(r, data->plan, residual,
			    own[HERE].count - (r->id == P - 1) * ring.unseen,
			    own[HERE].count * (uint64_t)P);
}

static int ring_write(struct asl_rank *r, struct asl_data *data,
		      struct asl_words *own)
{
	assert_string_equal(data->result, "good");
	ring.written++;
	if (ring.full && r->id >= ring.full)
		return asl_fail(-ENOSPC, "rank %d is full", r->id);
	ring.result[r->id] = own[HERE].at[0];
	return 0;
}

static double ring_bound(const struct asl_plan *plan)
{
	return (double)asl_shape_of(plan)->n;
}

static const struct asl_family family = {
	.name = "ring",
	.operands = ring_operands,
	.owned = ring_owned,
	.ranks = ring_ranks,
	.open = ring_open,
	.create = ring_create,
	.close = ring_close,
	.fill = ring_fill,
	.verify = ring_verify,
	.write = ring_write,
	.net_bound = ring_bound,
	.io_bound = ring_bound,
};

static const struct asl_algorithm algorithm = {
	.name = "ring",
	.family = &family,
	.predict = ring_predict,
	.run = ring_run,
};

/* ---- Runs of it ---- */

enum { REPS = 3 };

struct log {
	struct asl_rep rep[REPS];
	int count;
	bool other; /* a rank counted what another did not predict */
};

static int look(const struct asl_rep *rep, void *arg)
{
	struct log *log = arg;

	log->rep[log->count++] = *rep;
	for (int i = 0; i < rep->ranks; i++)
		log->other |= !asl_ledger_equal(&rep->rank[i].counted,
						&rep->rank[i].predicted);
	return 0;
}

static struct asl_run_want roll_want(struct dice *d)
{
	static const char *const stores[] = {"dram", "pmem", "null"};
	const char *store = stores[roll(d, 0, 2)];
	bool null = !strcmp(store, "null");
	struct asl_run_want want = {
		.plan = {.algorithm = &algorithm,
			 .ranks = (int)roll(d, 1, MOST_RANKS),
			 .iterations = (int)roll(d, 1, 6),
			 .multiplication = product_of(
				 (struct asl_shape){0, roll_size(d, 9), 0}),
			 .cache = 100,
			 .costs = {1, 2, 1, 1, 1, 0, 0}},
		.transport = "sim",
		.store = store,
		.nvm_dir = "/dev/shm",
		.seed = roll(d, 1, 1000),
		.reps = REPS,
		.verify = null ? ASL_VERIFY_NONE : ASL_VERIFY_ORACLE,
		.result = null || roll(d, 0, 1) ? NULL : "good",
	};

	own_part(&want.plan)->shape.k =
		roll(d, 0, (uint64_t)want.plan.ranks - 1);
	memset(&ring, 0, sizeof ring);
	ring.rounds = (int)roll(d, 1, 6);
	ring.silent = -1;
	return want;
}

static void check_rep(const struct asl_rep *rep, int number)
{
	const struct asl_run_want *want = rep->want;
	uint64_t P = (uint64_t)ring_ranks(&want->plan);
	bool null = !strcmp(want->store, "null");

	assert_int_equal(rep->verified, null ? -1 : 1);
	if (!null)
		assert_true(rep->residual == 1);
	assert_true(rep->predicted_equal);
	assert_int_equal(rep->total.of[ASL_NVM_LAND],
			 2 * P * asl_shape_of(&want->plan)->n *
				 (uint64_t)ring.rounds);
	assert_int_equal(rep->outcome.iterations, ring.rounds);
	assert_true(rep->outcome.eigenvalue == 0.5 * number);
	assert_true(rep->outcome.eigen_residual == 0);
}

/* Whatever a repetition finds, it is predicted for the rounds that it made. */
static void carried_out(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 200; i++) {
		struct dice d = {1, i, 0};
		struct asl_run_want want = roll_want(&d);
		int P = ring_ranks(&want.plan), back = ring.rounds % P;
		bool null = !strcmp(want.store, "null");
		struct log log = {.count = 0};

		assert_int_equal(asl_run(&want, look, &log), 0);
		assert_int_equal(log.count, REPS);
		assert_false(log.other);
		for (int j = 0; j < REPS; j++)
			check_rep(&log.rep[j], j);
		assert_int_equal(ring.opened, 1);
		assert_int_equal(ring.closed, 1);
		assert_int_equal(ring.filled, REPS * P);
		assert_int_equal(ring.ran, REPS * P);
		assert_int_equal(ring.verified, null ? 0 : REPS * P);
		assert_int_equal(ring.created, want.result ? 1 : 0);
		assert_int_equal(ring.written, want.result ? P : 0);
		for (int j = 0; want.result && j < P; j++)
			assert_true(ring.result[j] ==
				    (double)want.seed +
					    100 * ((j + P - back) % P));
	}
}

/* A repetition has its own outcome, or none. */
static void outcome_is_of_one_repetition(void **state)
{
	struct dice d = {2, 0, 0};
	struct asl_run_want want = roll_want(&d);
	struct log log = {.count = 0};

	(void)state;
	ring.silent = 1;
	want.plan.iterations = ring.rounds;
	assert_int_equal(asl_run(&want, look, &log), 0);
	assert_int_equal(log.rep[0].outcome.iterations, ring.rounds);
	assert_int_equal(log.rep[1].outcome.iterations, 0);
	assert_true(isnan(log.rep[1].outcome.eigenvalue));
	assert_true(isnan(log.rep[1].outcome.eigen_residual));
	assert_int_equal(log.rep[2].outcome.iterations, ring.rounds);
	assert_false(log.other);
}

/*
 * Counts that are not those of the rounds claimed, a broken operand, and a word that
 * nobody compared.
 */
static void lies_are_found(void **state)
{
	struct dice d = {3, 0, 0};
	struct asl_run_want want = roll_want(&d);
	struct log log = {.count = 0};

	(void)state;
	want.store = "dram";
	want.verify = ASL_VERIFY_ORACLE;
	ring.claimed = ring.rounds + 1;
	assert_int_equal(asl_run(&want, look, &log), 0);
	assert_false(log.rep[0].predicted_equal);
	assert_int_equal(log.rep[0].verified, 1);

	log = (struct log){.count = 0};
	ring.claimed = ring.ran = 0;
	ring.breaks = true;
	assert_int_equal(asl_run(&want, look, &log), 0);
	assert_true(log.rep[0].predicted_equal);
	assert_int_equal(log.rep[0].verified, 0);
	assert_true(log.rep[0].residual == 17);

	log = (struct log){.count = 0};
	ring.ran = 0;
	ring.breaks = false;
	ring.unseen = 1;
	assert_int_equal(asl_run(&want, look, &log), 0);
	assert_int_equal(log.rep[0].verified, 0);
	assert_true(isinf(log.rep[0].residual));
}

static void what_cannot_be_opened_is_closed(void **state)
{
	struct dice d = {4, 0, 0};
	struct asl_run_want want = roll_want(&d);
	struct log log = {.count = 0};

	(void)state;
	want.files[3] = "/ring.npy";
	assert_int_equal(asl_run(&want, look, &log), -EISDIR);
	assert_string_equal(asl_failure_to_print(), "no ring: /ring.npy");
	assert_int_equal(ring.opened, 1);
	assert_int_equal(ring.created, 0);
	assert_int_equal(ring.closed, 1);

	want.files[3] = NULL;
	want.result = "bad";
	assert_int_equal(asl_run(&want, look, &log), -ENOSPC);
	assert_string_equal(asl_failure_to_print(), "no room for bad");
	assert_int_equal(ring.closed, 2);
	assert_int_equal(log.count + ring.ran, 0);
}

/* Many ranks fail, each with words of its own: one has the word. */
static void one_has_the_word(void **state)
{
	struct dice d = {5, 0, 0};
	struct asl_run_want want = roll_want(&d);
	struct log log = {.count = 0};

	(void)state;
	want.store = "dram";
	want.verify = ASL_VERIFY_ORACLE;
	want.plan.ranks = MOST_RANKS;
	own_part(&want.plan)->shape.k = 0;
	want.result = "good";
	ring.full = 3;
	assert_int_equal(asl_run(&want, look, &log), -ENOSPC);
	assert_string_equal(asl_failure_to_print(), "rank 3 is full");
	assert_int_equal(log.count, REPS);
	assert_int_equal(ring.written, MOST_RANKS);

	/* Ranks that fail inside a run have said so, on stderr. */
	log.count = 0;
	ring.failing = 4;
	assert_int_equal(asl_run(&want, look, &log), -EIO);
	assert_string_equal(asl_failure_to_print(), "");
	assert_int_equal(log.count, 0);

	/* That is forgotten by the next. */
	ring.full = ring.failing = 0;
	assert_int_equal(asl_run(&want, look, &log), 0);
	assert_string_equal(asl_failure_to_print(), "");
}

/* Without a grid every rank is asked, however many. */
static void forecast(void **state)
{
	struct asl_plan plan = {
		.algorithm = &algorithm,
		.ranks = 10000,
		.iterations = 7,
		.multiplication = product_of((struct asl_shape){0, 12, 1}),
		.costs = {1, 2, 1, 1, 1, 0, 0},
	};
	struct asl_forecast f = asl_forecast(&plan);

	(void)state;
	assert_int_equal(f.bh, 7 * 12);
	assert_int_equal(f.memory_high, 2 * 12 + 5 * 2 + 2 + 3 + 4 + 5 + 6);
	assert_int_equal(f.memory_needed, f.memory_high);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(carried_out),
		cmocka_unit_test(outcome_is_of_one_repetition),
		cmocka_unit_test(lies_are_found),
		cmocka_unit_test(what_cannot_be_opened_is_closed),
		cmocka_unit_test(one_has_the_word),
		cmocka_unit_test(forecast),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
