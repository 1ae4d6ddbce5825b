/*
 * resume_powercut.c -- the power is cut at every persist point; nothing is wrong after
 *
 * Small runs are cut before each point at which something in their pools becomes
 * durable (powercut.h), and resumed with what is left: strictly what was drained,
 * or that and some of the rest.  Every one must end with the words of the run
 * that was not cut, however often it is cut.  Then drains are left out: that must
 * be noticed, or this test would see nothing.
 *
 * ASLANT_TEST_CUTS=1 cuts all cases, at all points, both ways; else some are, at
 * some.
 */
#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "bench/library/aslant.h"
#include "nvm/store.h"
#include "tests/help/powercut.h"
#include "tests/help/random.h"

/* Exit codes of a process are the command's, or one of these. */
enum { SAME = 0, CUT = POWERCUT_EXIT, OTHER = 100, UNCOUNTED, HANGS };

enum { MOST_WORDS = 4096, SECONDS = 20 };

struct power_case {
	const char *algorithm;
	const char *options; /* name=value name=value ... */
	uint64_t rows, cols; /* of the result */
	bool always;	     /* not only by hand */
};

static const struct power_case cases[] = {
#define PRODUCT "m=9 n=10 k=11 cache=30 memory=100k "
	{"summa", PRODUCT "ranks=2 panel=3 kernel=cowe", 9, 10, true},
	{"fused", PRODUCT "ranks=2 kernel=tight", 9, 10, true},
	{"cannon", PRODUCT "ranks=4 kernel=cowe", 9, 10, false},
	{"summa-l3ool2", PRODUCT "ranks=4", 9, 10, false},
	{"25d", PRODUCT "ranks=4", 9, 10, false},
	{"cuts", PRODUCT "ranks=3", 9, 10, false},
	{"jomma", PRODUCT "ranks=4", 9, 10, false},
	{"vomm", PRODUCT "ranks=1 kernel=cowe", 9, 10, false},
	{"hopm", "n=9 ranks=2 steiner=cubic shift=5 iterations=3", 9, 1, true},
	{"sttsv-sequence", "n=9 ranks=3", 9, 1, false},
	{"einsum",
	 "spec=ij,jk,kl->il dims=i=6,j=7,k=8,l=9 ranks=3 cache=30 way=sequence",
	 6, 9, false},
	{"ooc-accumulation-inside",
	 "m=9 n=10 k=11 ranks=2 memory-budget=150 cache=30 order=ABC", 9, 10,
	 false},
};

enum { CASES = sizeof cases / sizeof cases[0] };

static char dir[64];
static bool by_lines; /* or by pages */

/* What one process leaves for the others. */
static struct shared {
	double expected[MOST_WORDS], found[MOST_WORDS];
	long points;
	char why[512];
} * shared;

/* ---- A process ---- */

static void set_all(struct asl_task *task, const char *options)
{
	char text[256], *next = text, *word;

	snprintf(text, sizeof text, "%s", options);
	while ((word = strsep(&next, " "))) {
		char *value = strchr(word, '=');

		if (!value)
			continue;
		*value++ = '\0';
		if (asl_task_set(task, word, value))
			_exit(OTHER);
	}
}

static int run(const struct power_case *x, double *result, bool resume)
{
	uint64_t size[] = {x->rows, x->cols}, equal = 0;
	struct asl_task *task;
	int code = asl_task_open(&task, x->algorithm);

	if (code)
		return code;
	set_all(task, x->options);
	asl_task_set(task, "store", "pmem");
	asl_task_set(task, "nvm-dir", dir);
	if (resume && asl_task_set(task, "resume", NULL))
		_exit(ASL_BAD_INPUT);
	code = asl_task_result(task, result, x->cols ? 2 : 1, size, NULL);
	if (!code)
		code = asl_task_run(task);
	snprintf(shared->why, sizeof shared->why, "%s", asl_why());
	if (!code)
		asl_task_count(task, 0, "predicted_equal", &equal);
	asl_task_close(task);
	return code ? code : equal ? 0 : UNCOUNTED;
}

/* In a process of its own, which is cut, or ends as it says. */
static int run_process(const struct power_case *x, const struct powercut *how)
{
	size_t bytes = x->rows * (x->cols ? x->cols : 1) * sizeof(double);
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		alarm(SECONDS);
		signal(SIGSEGV, SIG_DFL); /* cmocka would clear all away */
		powercut = *how;
		memset(shared->found, 0, sizeof shared->found);
		status = run(x, shared->found, true);
		shared->points = powercut_points();
		if (!status && memcmp(shared->found, shared->expected, bytes))
			status = OTHER;
		_exit(status);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		fail_msg("no process");
	return WIFEXITED(status)	     ? WEXITSTATUS(status)
	       : WTERMSIG(status) == SIGALRM ? HANGS
					     : 128 + WTERMSIG(status);
}

static struct powercut cut_at(long at, uint64_t seed)
{
	return (struct powercut){.dir = dir, .at = at, .seed = seed};
}

static const char *meaning(int code)
{
	return code == SAME	   ? "the same result"
	       : code == CUT	   ? "cut"
	       : code == OTHER	   ? "another result"
	       : code == UNCOUNTED ? "counts not as predicted"
	       : code == HANGS	   ? "no end"
				   : shared->why;
}

static void must(int code, int expected, const struct power_case *x,
		 const struct powercut *how)
{
	if (code != expected)
		fail_msg("%s %s, cut at %ld, seed %ju: exit code %d (%s), "
			 "expected %d",
			 x->algorithm, x->options, how->at, how->seed, code,
			 meaning(code), expected);
}

/* ---- All points ---- */

/* Removes the pools that a process has left; returns their number. */
static int empty(void)
{
	DIR *d = opendir(dir);
	struct dirent *entry;
	int count = 0;

	assert_non_null(d);
	while ((entry = readdir(d))) {
		if (entry->d_name[0] == '.')
			continue;
		unlinkat(dirfd(d), entry->d_name, 0);
		count++;
	}
	closedir(d);
	return count;
}

static bool by_hand(void)
{
	return getenv("ASLANT_TEST_CUTS");
}

/* Cut there; cut again, somewhere; and then to the end. */
static void cut_and_resume(const struct power_case *x, long at, uint64_t seed,
			   struct dice *d)
{
	struct powercut how = cut_at(at, seed), none = cut_at(0, 0);

	must(run_process(x, &how), CUT, x, &how);
	while (roll(d, 0, 9) == 0) {
		struct powercut again = cut_at((long)roll(d, 1, 99), seed);
		int code = run_process(x, &again);

		if (code != SAME)
			must(code, CUT, x, &how);
	}
	must(run_process(x, &none), SAME, x, &how);
	if (empty())
		fail_msg("%s, cut at %ld: a pool is left", x->algorithm, at);
}

/*
 * How many of some left out drains are noticed: by another result, or none.
 * Most are soon repeated, or are of what is only there to be looked at.
 */
static int notice(const struct power_case *x, long points, int tries,
		  struct dice *d)
{
	const struct powercut none = cut_at(0, 0);
	int noticed = 0;

	for (int i = 0; i < tries; i++) {
		long lose = (long)roll(d, 1, (uint64_t)points - 1);
		struct powercut how = cut_at(
			(long)roll(d, (uint64_t)lose + 1, (uint64_t)points), 0);

		how.lose = lose;
		if (run_process(x, &how) == CUT)
			noticed += run_process(x, &none) != SAME;
		empty();
	}
	return noticed;
}

/* Some of them, both ways in turn; or all, both ways. */
static void cut_at_points(const struct power_case *x, long points,
			  struct dice *d)
{
	uint64_t most = by_hand() ? 0 : (uint64_t)points / how_many(5, 15);

	for (long at = 1; at <= points; at += 1 + (long)roll(d, 0, 2 * most))
		for (int way = 0; way < 2; way++)
			if (by_hand() || at % 2 == way)
				cut_and_resume(x, at, way ? (uint64_t)at : 0,
					       d);
}

static void every_cut_is_survived(void **state)
{
	int all = 0;

	(void)state;
	for (int i = 0; i < CASES; i++) {
		const struct power_case *x = &cases[i];
		struct dice d = {91, (uint32_t)i, 0};
		struct powercut none = cut_at(0, 0);
		int tries = by_hand() ? 200 : (int)how_many(8, 16), noticed;
		long points;

		if (!by_hand() &&
		    (!x->always || (i && !by_lines && !all_cases())))
			continue;
		assert_int_equal(run(x, shared->expected, false), 0);
		must(run_process(x, &none), SAME, x, &none);
		points = shared->points;
		assert_true(points > 20);
		cut_at_points(x, points, &d);
		noticed = notice(x, points, tries, &d);
		all += noticed;
		print_message("%s: resumed after %s of %ld points; %d of %d "
			      "missing drains noticed\n",
			      x->algorithm, by_hand() ? "each" : "some", points,
			      noticed, tries);
	}
	/* A page is synced so often that the next time is soon. */
	assert_true(all > 0 || !by_lines);
}

/* ---- Both ways of being durable ---- */

static int begin(void **state)
{
	bool fresh;

	(void)state;
	snprintf(dir, sizeof dir, "%.40s/asl-power-XXXXXX",
		 asl_store_default_dir(&fresh));
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return !mkdtemp(dir) || shared == MAP_FAILED ? -1 : 0;
}

static int end(void **state)
{
	(void)state;
	empty();
	return rmdir(dir);
}

/* libpmem and UCX look at their environment when they are loaded. */
static int again(const char *force)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		setenv("PMEM_IS_PMEM_FORCE", force, 1);
		setenv("UCX_MEM_MMAP_HOOK_MODE", "none", 1);
		setenv("OPENBLAS_NUM_THREADS", "1", 1); /* forks are cheap */
		execl("/proc/self/exe", "resume_powercut", force, (char *)NULL);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 1;
	return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_cut_is_survived),
	};

	if (argc < 2)
		return again("1") || again("0");
	by_lines = *argv[1] == '1';
	print_message("%s\n",
		      by_lines ? "flushed by lines" : "synced by pages");
	return cmocka_run_group_tests(tests, begin, end);
}
