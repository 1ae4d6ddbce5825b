/*
 * net_sim.c -- what sim alone promises: order, many ranks, and named failures
 */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/base/error.h"
#include "net/net.h"

/* Bodies run on stacks that cmocka must not jump from: they only take notes. */
#define RANKS 7

static struct notes {
	int err[9];
	char why[512];
	int begun[RANKS], count;
	double sum;
} notes;

static int run_with(bool data, int ranks,
		    int (*body)(struct asl_net *net, void *arg))
{
	struct asl_net_want want = {
		.transport = "sim", .ranks = ranks, .data = data};

	notes = (struct notes){.count = 0};
	return asl_net_run(&want, body, &notes);
}

static int run(int ranks, int (*body)(struct asl_net *net, void *arg))
{
	return run_with(false, ranks, body);
}

static int step(struct asl_net *net, int to, int from, size_t out_bytes,
		size_t in_bytes)
{
	struct asl_net_op op = {
		.to = to,
		.from = from,
		.out_bytes = out_bytes,
		.in_bytes = in_bytes,
	};
	int err = asl_net_start(net, &op);

	return err ? err : asl_net_wait(net, &op);
}

static void assert_why(const char *part)
{
	if (!strstr(notes.why, part))
		fail_msg("'%s' does not say '%s'", notes.why, part);
}

static int note(struct asl_net *net, int err)
{
	notes.err[asl_net_rank(net)] = err;
	if (err)
		snprintf(notes.why, sizeof(notes.why), "%s", asl_failure());
	return err;
}

/* ---- Failures ---- */

/* A ring that passes only once somebody starts, and nobody does. */
static int all_receive_first(struct asl_net *net, void *arg)
{
	int rank = asl_net_rank(net), size = asl_net_size(net);

	(void)arg;
	return note(net, step(net, ASL_NET_NONE, (rank + 1) % size, 0, 8));
}

static void a_deadlock_is_named(void **state)
{
	(void)state;
	assert_int_equal(run(RANKS, all_receive_first), -EDEADLK);
	for (int i = 0; i < RANKS; i++)
		assert_int_equal(notes.err[i], -EDEADLK);
	assert_why("7 ranks wait and 0 have ended");
	assert_why("rank 0 waits for 1");
	assert_why("rank 2 waits for 3");
}

static int one_leaves(struct asl_net *net, void *arg)
{
	int rank = asl_net_rank(net);

	(void)arg;
	return rank == 3 ? 0 : note(net, step(net, 3, 3, 8, 8));
}

static void waiting_for_one_who_ended_is_a_deadlock(void **state)
{
	(void)state;
	assert_int_equal(run_with(true, RANKS, one_leaves), -EDEADLK);
	assert_int_equal(notes.err[3], 0);
	assert_int_equal(notes.err[0], -EDEADLK);
	assert_int_equal(notes.err[6], -EDEADLK);
	assert_why("6 ranks wait and 1 have ended");
	assert_why("rank 0 sends to 3, waits for 3");
	/* Without data a rank does not wait until what it sends arrives. */
	assert_int_equal(run(RANKS, one_leaves), -EDEADLK);
	assert_int_equal(notes.err[3], 0);
	assert_int_equal(notes.err[6], -EDEADLK);
	assert_why("6 ranks wait and 1 have ended");
	assert_why("rank 0 waits for 3");
}

/* Each gets the digits of all. */
static void write_digits(void *const brought[], int size)
{
	int all = 0;

	for (int i = 0; i < size; i++)
		all = 10 * all + *(const int *)brought[i];
	for (int i = 0; i < size; i++)
		*(int *)brought[i] = all;
}

/*
 * Nine ranks meet twice.  Rank 0 comes to its first meeting only after rank 6 has left
 * its own, so that others are at their second one by then.
 */
static int meet_twice(struct asl_net *net, const struct asl_group *first,
		      const struct asl_group *second)
{
	int rank = asl_net_rank(net), before = rank, digit = rank, err = 0;

	if (rank == 0)
		err = step(net, ASL_NET_NONE, 6, 0, 8);
	if (!err)
		err = asl_net_meet(net, first, &before, write_digits);
	if (rank == 6 && !err)
		err = step(net, 0, ASL_NET_NONE, 8, 0);
	if (!err)
		err = asl_net_meet(net, second, &digit, write_digits);
	notes.err[rank] = err ? err : 1000 * digit + before;
	return err;
}

static int meet_in_rows_and_columns(struct asl_net *net, void *arg)
{
	int rank = asl_net_rank(net), row = rank / 3, col = rank % 3;
	struct asl_group along_row = {3 * row, 1, 3, col, NULL};
	struct asl_group along_col = {col, 3, 3, row, NULL};

	(void)arg;
	return meet_twice(net, &along_row, &along_col);
}

static void rings_with_a_rank_in_common_meet_apart(void **state)
{
	(void)state;
	assert_int_equal(run(9, meet_in_rows_and_columns), 0);
	assert_int_equal(notes.err[0], 36012);
	assert_int_equal(notes.err[1], 147012);
	assert_int_equal(notes.err[5], 258345);
	assert_int_equal(notes.err[6], 36678);
}

/* Diagonals of the 3 x 3 ranks, down and up; each rank has a list of its own. */
static int meet_on_diagonals(struct asl_net *net, void *arg)
{
	int rank = asl_net_rank(net), row = rank / 3, col = rank % 3;
	int down = (col + 2 * row) % 3, up = (col + row) % 3;
	int list[][3] = {{down, 3 + (down + 1) % 3, 6 + (down + 2) % 3},
			 {up, 3 + (up + 2) % 3, 6 + (up + 1) % 3}};
	struct asl_group one = {.size = 3, .me = row, .list = list[0]};
	struct asl_group other = {.size = 3, .me = row, .list = list[1]};

	(void)arg;
	return meet_twice(net, &one, &other);
}

static void lists_with_the_same_first_rank_meet_apart(void **state)
{
	(void)state;
	assert_int_equal(run(9, meet_on_diagonals), 0);
	assert_int_equal(notes.err[0], 57048);
	assert_int_equal(notes.err[5], 57156);
	assert_int_equal(notes.err[6], 246156);
	assert_int_equal(notes.err[8], 138048);
}

static int one_stays_away(struct asl_net *net, void *arg)
{
	int rank = asl_net_rank(net), digit = rank;
	struct asl_group all = {0, 1, RANKS, rank, NULL};

	(void)arg;
	return rank == 3 ? 0
			 : note(net,
				asl_net_meet(net, &all, &digit, write_digits));
}

static void waiting_for_one_who_stays_away_is_a_deadlock(void **state)
{
	(void)state;
	assert_int_equal(run(RANKS, one_stays_away), -EDEADLK);
	assert_int_equal(notes.err[0], -EDEADLK);
	assert_int_equal(notes.err[3], 0);
	assert_why("6 ranks wait and 1 have ended");
}

static int one_sends_in_vain(struct asl_net *net, void *arg)
{
	(void)arg;
	return asl_net_rank(net) == 4
		       ? note(net, step(net, 2, ASL_NET_NONE, 8, 0))
		       : 0;
}

static void a_message_that_nobody_takes_is_a_deadlock(void **state)
{
	(void)state;
	assert_int_equal(run(RANKS, one_sends_in_vain), -EDEADLK);
	assert_string_equal(asl_failure(),
			    "deadlock: rank 4 sends to 2, which has ended");
}

/* Far more than may be on their way at once, to two ranks in turns. */
static int one_sends_ahead(struct asl_net *net, void *arg)
{
	int rank = asl_net_rank(net), none = ASL_NET_NONE, err = 0;

	(void)arg;
	for (size_t i = 0; !err && i < 100; i++) {
		struct asl_net_op op = {
			.to = rank == 0 ? 1 + (int)(i % 2) : none,
			.from = rank == 0 ? none : 0,
			.out_bytes = 100 + i,
			.in_bytes = 100 + i,
			.sent.at = {(double)i, 2 * (double)i},
		};

		if (rank > 0 && rank != 1 + (int)(i % 2))
			continue;
		err = asl_net_step(net, &op);
		if (rank > 0 && (op.got.at[0] != (double)i ||
				 op.got.at[1] != 2 * (double)i))
			err = -EBADMSG;
	}
	return note(net, err);
}

static void messages_arrive_in_order(void **state)
{
	(void)state;
	assert_int_equal(run(3, one_sends_ahead), 0);
	assert_int_equal(run_with(true, 3, one_sends_ahead), 0);
}

/*
 * Rank 6, the last to begin, finds rank 5's message too long.  Rank 5's receive,
 * which fails with it, must not be met by what rank 1 sends thereafter.
 */
static int one_sends_too_much(struct asl_net *net, void *arg)
{
	static struct asl_net_op op; /* still there when rank 5 is not */
	int rank = asl_net_rank(net), none = ASL_NET_NONE;

	(void)arg;
	switch (rank) {
	case 5:
		op = (struct asl_net_op){.to = 6, .from = 1, .out_bytes = 17};
		asl_net_start(net, &op);
		return note(net, asl_net_wait(net, &op));
	case 6:
		notes.err[6] = step(net, none, 5, 0, 16);
		return step(net, 1, none, 0, 0);
	case 1:
		if (!note(net, step(net, none, 6, 0, 0)))
			notes.err[1] = step(net, 5, none, 0, 0);
		return 0;
	default:
		return 0;
	}
}

static void a_wrong_length_fails_both(void **state)
{
	(void)state;
	assert_int_equal(run_with(true, RANKS, one_sends_too_much), -EMSGSIZE);
	assert_int_equal(notes.err[5], -EMSGSIZE);
	assert_int_equal(notes.err[6], -EMSGSIZE);
	assert_int_equal(notes.err[1], -EDEADLK);
	assert_why("rank 5 sends 17 bytes, but rank 6 expects 16");
	/* Without data rank 5 has gone on, and its receive is met. */
	run(RANKS, one_sends_too_much);
	assert_int_equal(notes.err[6], -EMSGSIZE);
	assert_int_equal(notes.err[5], 0);
}

static int one_gives_up(struct asl_net *net, void *arg)
{
	int rank = asl_net_rank(net);

	(void)arg;
	if (rank != 4)
		return note(net, step(net, 4, 4, 0, 0));
	asl_net_abort(net, 1, "had enough");
	asl_net_abort(net, 1, "once more");
	return note(net, step(net, 0, 0, 0, 0));
}

static void an_abort_ends_all(void **state)
{
	(void)state;
	assert_int_equal(run(RANKS, one_gives_up), -ECONNABORTED);
	for (int i = 0; i < RANKS; i++)
		assert_int_equal(notes.err[i], -ECONNABORTED);
	assert_why("had enough");
}

static int third_fails(struct asl_net *net, void *arg)
{
	(void)arg;
	return asl_net_rank(net) == 3 ? -77 : 0;
}

static void what_a_body_returns_is_returned(void **state)
{
	(void)state;
	assert_int_equal(run(RANKS, third_fails), -77);
}

static void wrong_wishes_are_refused(void **state)
{
	struct asl_net_want none = {.transport = "pigeon", .ranks = 1};

	(void)state;
	assert_int_equal(asl_net_run(&none, third_fails, NULL), -ENOENT);
	assert_non_null(strstr(asl_failure(), "pigeon"));
	assert_int_equal(run(0, third_fails), -EINVAL);
}

/* ---- Order ---- */

static int note_order(struct asl_net *net, void *arg)
{
	int rank = asl_net_rank(net), size = asl_net_size(net), err = 0;

	(void)arg;
	for (int k = 1; k < size && !err; k++)
		err = step(net, (rank + k) % size, (rank + size - k) % size, 0,
			   0);
	notes.begun[notes.count++] = rank;
	return err;
}

static void every_run_is_the_same(void **state)
{
	struct notes first;

	(void)state;
	assert_int_equal(run(RANKS, note_order), 0);
	first = notes;
	assert_int_equal(run(RANKS, note_order), 0);
	assert_int_equal(notes.count, RANKS);
	assert_memory_equal(notes.begun, first.begun, sizeof(first.begun));
}

/* ---- Many ---- */

/* Rings of 125 ranks, a transpose-like exchange of all, and the helpers. */
static int crowd(struct asl_net *net, void *arg)
{
	int rank = asl_net_rank(net), size = asl_net_size(net), err = 0, who;
	int first = rank / 125 * 125, i = rank % 125, *all = NULL;

	(void)arg;
	for (int k = 0; k < 20 && !err; k++)
		err = step(net, first + (i + 1) % 125, first + (i + 124) % 125,
			   800, 800);
	if (!err)
		err = step(net, size - 1 - rank, size - 1 - rank, 8, 8);
	if (!err)
		err = asl_net_barrier(net);
	if (rank == 0)
		all = calloc((size_t)size, sizeof(*all));
	if (!err)
		err = asl_net_collect(net, all, &rank, sizeof(rank));
	for (i = 0; all && i < size; i++)
		notes.sum += all[i] == i;
	free(all);
	if (!err)
		err = asl_net_agree(net, rank < size / 2 ? 0 : rank, &who);
	return err == size / 2 && who == err ? 0 : -1;
}

static void many_ranks_fit(void **state)
{
	(void)state;
	assert_int_equal(run(20000, crowd), 0); /* guarded stacks */
	assert_int_equal((int)notes.sum, 20000);
	assert_int_equal(run(40000, crowd), 0); /* and not */
	assert_int_equal((int)notes.sum, 40000);
}

/* Past the end of its stack, into those of ranks that have ended. */
static int fill_stacks(int depth)
{
	volatile char frame[1024];

	for (size_t i = 0; i < sizeof frame; i++)
		frame[i] = 1;
	return depth ? fill_stacks(depth - 1) + frame[depth % 1024] : 0;
}

static int one_goes_deep(struct asl_net *net, void *arg)
{
	(void)arg;
	return asl_net_rank(net) == 20000 && fill_stacks(500) != 500;
}

static void a_stack_that_overflows_unguarded_is_named(void **state)
{
	int say[2], status = 0;
	char why[200] = "";
	pid_t child;

	(void)state;
	assert_int_equal(pipe(say), 0);
	child = fork();
	if (child == 0) {
		dup2(say[1], STDERR_FILENO);
		run(40000, one_goes_deep);
		_exit(0);
	}
	close(say[1]);
	assert_true(read(say[0], why, sizeof why - 1) > 0);
	close(say[0]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	assert_non_null(strstr(why, "rank 20000: its stack of "));
}

static void set_step(const char *procs, const char *spread)
{
	setenv("SLURM_STEP_ID", "0", 1);
	setenv("SLURM_PROCID", "0", 1);
	setenv("SLURM_STEP_NUM_TASKS", procs, 1);
	setenv("SLURM_STEP_TASKS_PER_NODE", spread, 1);
}

/* Ranks of a host share its memory, and others do not. */
static void srun_says_how_many_are_here(void **state)
{
	(void)state;
	assert_int_equal(asl_net_job_here(8), 8);
	set_step("8", "2(x3),1(x2)");
	assert_int_equal(asl_net_job_here(8), 2);
	set_step("8", "3,5");
	assert_int_equal(asl_net_job_here(8), 5);
	assert_int_equal(asl_net_job_here(4), 4); /* of a smaller case */
	set_step("8", "what?");
	assert_int_equal(asl_net_job_here(8), 8);
	/* An mpiexec that srun started, once a node. */
	set_step("2", "1(x2)");
	setenv("PMI_RANK", "0", 1);
	setenv("PMI_SIZE", "8", 1);
	assert_int_equal(asl_net_job_here(8), 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_deadlock_is_named),
		cmocka_unit_test(waiting_for_one_who_ended_is_a_deadlock),
		cmocka_unit_test(rings_with_a_rank_in_common_meet_apart),
		cmocka_unit_test(lists_with_the_same_first_rank_meet_apart),
		cmocka_unit_test(waiting_for_one_who_stays_away_is_a_deadlock),
		cmocka_unit_test(a_message_that_nobody_takes_is_a_deadlock),
		cmocka_unit_test(messages_arrive_in_order),
		cmocka_unit_test(a_wrong_length_fails_both),
		cmocka_unit_test(an_abort_ends_all),
		cmocka_unit_test(what_a_body_returns_is_returned),
		cmocka_unit_test(wrong_wishes_are_refused),
		cmocka_unit_test(every_run_is_the_same),
		cmocka_unit_test(many_ranks_fit),
		cmocka_unit_test(a_stack_that_overflows_unguarded_is_named),
		cmocka_unit_test(srun_says_how_many_are_here),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
