/*
 * resume_refused.c -- pools from which no run is resumed, and what is said of them
 *
 * A run is killed half-way; its pools are then cut off, damaged, replaced, taken
 * away, or given to another run.  All of that is refused, exit code 2, and the pools
 * stay as they are; put right again, they are resumed from.  A byte that is
 * flipped anywhere in a pool's head or record is found
 * or does not matter; the result is never wrong.
 */
#include "tests/help/restarts.h"

#include <fcntl.h>

#include "lib/multiply/multiply.h"
#include "lib/rank/resume.h"
#include "nvm/pmem.h"
#include "tests/help/parts.h"
#include "tests/help/random.h"

enum { RANKS = 4, HEAD = offsetof(struct asl_pool, piece) };

static struct files results;
static char pool[96], saved[96];

static struct asl_run_want half_way(void)
{
	struct asl_run_want want = {
		.transport = "sim",
		.store = "pmem",
		.nvm_dir = dir,
		.resume = true,
		.about = "kernel cowe\n",
		.seed = 5,
		.reps = 1,
		.result = results.resumed,
		.plan =
			{
				.algorithm = asl_algorithm_find("cannon"),
				.kernel = asl_kernel_find("cowe"),
				.multiplication = product_of(
					(struct asl_shape){40, 36, 44}),
				.grid = {{2, 2, 1}},
				.ranks = RANKS,
				.cache = 300,
				.panels = ASL_DRAM,
				.costs = {.read = 1, .write = 2, .net = 1},
			},
	};

	return want;
}

/* What a run leaves that was killed after a half of its events. */
static struct asl_run_want kill_half_way(bool checksum)
{
	struct asl_run_want want = half_way();

	name_files(&results);
	snprintf(pool, sizeof pool, "%s/aslant-resume-2.pool", dir);
	snprintf(saved, sizeof saved, "%s/saved", dir);
	want.result = results.whole;
	memset(shared, 0, sizeof *shared);
	assert_int_equal(run_process(&want, 0), 0);
	want.result = results.resumed;
	want.checksum = checksum;
	assert_int_equal(run_process(&want, 2 * shared->events / 3), KILLED);
	assert_true(pool_is_left(RANKS));
	return want;
}

static void run(const char *format, const char *a, const char *b)
{
	char command[320];

	snprintf(command, sizeof command, format, a, b);
	assert_int_equal(system(command), 0);
}

static void refuses(const struct asl_run_want *want, int code, const char *says)
{
	int ended = run_process(want, 0);

	if (ended != code || !strstr(shared->why, says)) {
		print_error("found %d: %s\nexpected %d: ... %s ...\n", ended,
			    shared->why, code, says);
		fail();
	}
}

static void goes_on(const struct asl_run_want *want)
{
	int code = run_process(want, 0);

	if (code)
		print_error("%s\n", shared->why);
	assert_int_equal(code, 0);
	assert_true(shared->equal);
	assert_true(shared->starts > 1);
	assert_true(same_file(results.whole, results.resumed));
	assert_false(pool_is_left(RANKS));
}

static void other_cases(void **state)
{
	struct asl_run_want want = kill_half_way(false), other;

	(void)state;
	other = want;
	own_part(&other.plan)->shape.n = 37;
	refuses(&other, 2, "of another case: n: found '36', expected '37'");
	other = want;
	other.seed = 6;
	refuses(&other, 2, "seed: found '5', expected '6'");
	other = want;
	other.plan.ranks = 5;
	refuses(&other, 2, "ranks: found '4', expected '5'");
	other = want;
	other.plan.algorithm = asl_algorithm_find("summa");
	refuses(&other, 2, "algorithm: found 'cannon', expected 'summa'");
	other = want;
	other.about = "kernel cowe\ntol 1\n";
	refuses(&other, 2, "tol: found '', expected '1'");
	goes_on(&want);
}

static void other_files(void **state)
{
	struct asl_run_want want = kill_half_way(false);

	(void)state;
	run("cp %s %s", pool, saved);
	run("truncate -s -2M %s", pool, "");
	refuses(&want, 2, "aslant-resume-2.pool: length: found");
	run("head -c 9M /dev/zero > %s", pool, "");
	refuses(&want, 2, "its beginning: found something else");
	run(": > %s", pool, "");
	refuses(&want, 2, "its beginning: found something else");
	run("rm %s", pool, "");
	refuses(&want, 2, "aslant-resume-2.pool is missing");
	assert_int_not_equal(access(pool, F_OK), 0);
	run("ln -s %s %s", saved, pool);
	refuses(&want, 2, "it is a symbolic link");
	run("rm %s && mkdir %s", pool, pool);
	assert_int_not_equal(run_process(&want, 0), 0);
	run("rmdir %s", pool, "");
	run("cp %s %s", saved, pool);
	goes_on(&want);
}

/* Where the file has the head of its pool. */
static off_t head_of(int fd)
{
	uint64_t page[512];
	off_t at = 0;

	for (;; at += (off_t)sizeof page) {
		assert_int_equal(pread(fd, page, sizeof page, at), sizeof page);
		for (int i = 0; i < 512; i++)
			if (page[i] == ASL_POOL_MAGIC)
				return at + i * 8;
	}
}

static void flip_at(int fd, off_t at, int bit)
{
	unsigned char c;

	assert_int_equal(pread(fd, &c, 1, at), 1);
	c ^= (unsigned char)(1 << bit);
	assert_int_equal(pwrite(fd, &c, 1, at), 1);
}

static void flip(off_t at, int bit)
{
	int fd = open(pool, O_RDWR);

	flip_at(fd, head_of(fd) + at, bit);
	close(fd);
}

static off_t in_memo(size_t at)
{
	return (off_t)(offsetof(struct asl_pool, record) + at);
}

static void flipped_bits(void **state)
{
	static const size_t of_record[] = {
		offsetof(struct asl_resume_record, progress),
		offsetof(struct asl_resume_record, progress) + 5,
		offsetof(struct asl_resume_record, of_mark) +
			sizeof(struct asl_mark_record),
		offsetof(struct asl_resume_record, of_mark) +
			sizeof(struct asl_mark_record) +
			offsetof(struct asl_mark_record, clock),
	};
	struct asl_run_want want = kill_half_way(false);

	(void)state;
	for (size_t i = 0; i < sizeof of_record / sizeof *of_record; i++) {
		off_t at = in_memo(of_record[i]);

		/* Of mark 1, the last that has begun there. */
		if (i < 2)
			at += sizeof(uint64_t);
		flip(at, 3);
		refuses(&want, 2, "aslant-resume-2.pool is damaged");
		flip(at, 3);
	}
	flip(offsetof(struct asl_pool, about) + 20, 0);
	refuses(&want, 2, "its head is not as it was written");
	flip(offsetof(struct asl_pool, about) + 20, 0);
	goes_on(&want);
}

/* A word of A, which is the first piece that was taken. */
static void flip_operand(void)
{
	int fd = open(pool, O_RDWR);
	struct asl_pool_piece A;
	off_t at = head_of(fd) + (off_t)offsetof(struct asl_pool, piece);

	assert_int_equal(pread(fd, &A, sizeof A, at), sizeof A);
	at = (off_t)((A.oid.off + ASL_POOL_ALIGN - 1) / ASL_POOL_ALIGN *
		     ASL_POOL_ALIGN);
	flip_at(fd, at + 5 * 8, 2);
	close(fd);
}

static void operands_that_rot(void **state)
{
	struct asl_run_want want = kill_half_way(true);

	(void)state;
	flip_operand();
	refuses(&want, 2, "words of an operand are not as they were filled");
	flip_operand();
	goes_on(&want);
}

static void newer_pools(void **state)
{
	static const char layout[] = "aslant resume version 3, ";
	struct asl_run_want want = kill_half_way(false);
	int fd = open(pool, O_RDWR);

	(void)state;
	assert_int_equal(pwrite(fd, layout, strlen(layout), 4096),
			 strlen(layout));
	close(fd);
	refuses(&want, 2, "format version: found 3, expected 2");
	run("rm %s/aslant-resume-*", dir, "");
}

/* Found, or of no consequence. */
static void any_bit(void **state)
{
	struct dice d = {12, 0, 0};

	(void)state;
	for (int i = 0; i < 6; i++) {
		struct asl_run_want want = kill_half_way(false);
		off_t at = (off_t)roll(&d, 0, HEAD - 1);
		int code;

		/* All of it but the text, which is the largest part. */
		if (roll(&d, 0, 3))
			at = in_memo(roll(
				&d, 0,
				offsetof(struct asl_resume_record, moved) - 1));
		flip(at, (int)roll(&d, 0, 7));
		code = run_process(&want, 0);
		if (code != 2 &&
		    (code || !same_file(results.whole, results.resumed))) {
			print_error("byte %jd: code %d: %s\n", (intmax_t)at,
				    code, shared->why);
			fail();
		}
		run("rm -f %s/aslant-resume-*", dir, "");
	}
}

static void two_at_once(void **state)
{
	struct asl_run_want want = kill_half_way(false);
	char who[64];
	int status;
	pid_t child;

	(void)state;
	shared->stops = true;
	child = start_process(&want, shared->events / 2);
	assert_int_equal(waitpid(child, &status, WUNTRACED), child);
	assert_true(WIFSTOPPED(status));
	shared->stops = false;
	snprintf(who, sizeof who, "another run has it open, process %d",
		 (int)child);
	refuses(&want, 3, who);
	kill(child, SIGKILL);
	assert_int_equal(wait_for_process(child), 128 + SIGKILL);
	goes_on(&want);
}

/* Made and not yet filled, or about to be removed: nothing is lost. */
static void some_are_missing(void **state)
{
	struct asl_run_want want = kill_half_way(false);

	(void)state;
	run("rm %s/aslant-resume-*", dir, "");
	want.keep = true;
	assert_int_equal(run_process(&want, 0), 0);
	run("rm %s", pool, "");
	want.keep = false;
	assert_int_equal(run_process(&want, 0), 0);
	assert_int_equal(shared->starts, 1);
	assert_true(same_file(results.whole, results.resumed));
	assert_false(pool_is_left(RANKS));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(other_cases),
		cmocka_unit_test(other_files),
		cmocka_unit_test(flipped_bits),
		cmocka_unit_test(operands_that_rot),
		cmocka_unit_test(newer_pools),
		cmocka_unit_test(any_bit),
		cmocka_unit_test(two_at_once),
		cmocka_unit_test(some_are_missing),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
