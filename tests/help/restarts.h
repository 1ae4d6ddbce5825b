/*
 * restarts.h -- runs that are killed and resumed, each in a process of its own
 *
 * Functions of libpmem and the BLAS are replaced by ones that count events down,
 * and otherwise call the real ones: stores, persists and products.  At the last
 * event the process ends, without a word; in the middle of it, if it is a store.
 */
#ifndef ASL_TEST_RESTARTS_H
#define ASL_TEST_RESTARTS_H

#include <dlfcn.h>
#include <malloc.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include <cblas.h>
#include <libpmem.h>

#include "lib/base/error.h"
#include "lib/base/parts.h"
#include "lib/rank/blas.h"
#include "lib/run/run.h"
#include "tests/help/random.h"

enum { KILLED = 77, MOST_STARTS = 6 };

/* What the processes of a case share. */
static struct shared {
	uint64_t left;	 /* events until the process is killed; 0: never */
	uint64_t events; /* of the last process */
	uint64_t flops;	 /* of all processes */
	bool stops;	 /* the process is stopped, not killed */

	int reps;
	bool equal;
	uint64_t starts, counted, redone, safety;
	char why[512]; /* why the run failed */
} * shared;

static char dir[64];

/* ---- Kills ---- */

/* What the linker would have found, as a function of any type. */
static void real(void *function, const char *name)
{
	void *symbol = dlsym(RTLD_NEXT, name);

	memcpy(function, &symbol, sizeof(symbol));
}

static bool is_last(void)
{
	shared->events++;
	return shared->left && --shared->left == 0;
}

static void leave(void)
{
	if (!shared->stops)
		_exit(KILLED);
	raise(SIGSTOP);
}

static void event(void)
{
	if (is_last())
		leave();
}

void *pmem_memcpy(void *dst, const void *src, size_t len, unsigned flags)
{
	void *(*next)(void *, const void *, size_t, unsigned);

	real(&next, "pmem_memcpy");
	if (is_last()) {
		next(dst, src, len / 2, flags);
		leave();
	}
	return next(dst, src, len, flags);
}

int pmem_msync(const void *at, size_t len)
{
	int (*next)(const void *, size_t);

	real(&next, "pmem_msync");
	event();
	return next(at, len);
}

void pmem_persist(const void *at, size_t len)
{
	void (*next)(const void *, size_t);

	real(&next, "pmem_persist");
	event();
	next(at, len);
}

void cblas_dgemm(const enum CBLAS_ORDER order,
		 const enum CBLAS_TRANSPOSE transA,
		 const enum CBLAS_TRANSPOSE transB, const blasint m,
		 const blasint n, const blasint k, const double alpha,
		 const double *a, const blasint lda, const double *b,
		 const blasint ldb, const double beta, double *c,
		 const blasint ldc)
{
	void (*next)(enum CBLAS_ORDER, enum CBLAS_TRANSPOSE,
		     enum CBLAS_TRANSPOSE, blasint, blasint, blasint, double,
		     const double *, blasint, const double *, blasint, double,
		     double *, blasint);

	real(&next, "cblas_dgemm");
	shared->flops += 2 * (uint64_t)m * (uint64_t)n * (uint64_t)k;
	event();
	next(order, transA, transB, m, n, k, alpha, a, lda, b, ldb, beta, c,
	     ldc);
}

void cblas_dgemv(const enum CBLAS_ORDER order,
		 const enum CBLAS_TRANSPOSE trans, const blasint m,
		 const blasint n, const double alpha, const double *a,
		 const blasint lda, const double *x, const blasint incx,
		 const double beta, double *y, const blasint incy)
{
	void (*next)(enum CBLAS_ORDER, enum CBLAS_TRANSPOSE, blasint, blasint,
		     double, const double *, blasint, const double *, blasint,
		     double, double *, blasint);

	real(&next, "cblas_dgemv");
	shared->flops += 2 * (uint64_t)m * (uint64_t)n;
	event();
	next(order, trans, m, n, alpha, a, lda, x, incx, beta, y, incy);
}

/* ---- Processes ---- */

static inline int look(const struct asl_rep *rep, void *arg)
{
	(void)arg;
	shared->reps++;
	shared->equal = rep->predicted_equal;
	shared->starts = rep->starts;
	shared->counted = rep->total.of[ASL_FLOPS];
	shared->redone = rep->repeated.of[ASL_FLOPS];
	shared->safety = rep->safety_words;
	return 0;
}

/* Runs the case in a new process, for so many events. */
static inline pid_t start_process(const struct asl_run_want *want,
				  uint64_t events)
{
	pid_t child;
	int err;

	shared->left = events;
	shared->events = 0;
	child = fork();
	assert_true(child >= 0);
	if (child > 0)
		return child;
	signal(SIGSEGV, SIG_DFL); /* cmocka would clear all away */
	/* Old words must not pass for words that were to be moved. */
	mallopt(M_PERTURB, 0x80);
	err = asl_run(want, look, NULL);
	snprintf(shared->why, sizeof shared->why, "%s", asl_failure_to_print());
	_exit(asl_exit_code(err));
}

/* Returns the exit code; 128 and more: a signal. */
static inline int wait_for_process(pid_t child)
{
	int status;

	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static inline int run_process(const struct asl_run_want *want, uint64_t events)
{
	return wait_for_process(start_process(want, events));
}

/* ---- What is left ---- */

static inline char *contents(const char *path, size_t *bytes)
{
	FILE *f = fopen(path, "rb");
	struct stat st;
	char *text;

	assert_non_null(f);
	assert_int_equal(fstat(fileno(f), &st), 0);
	*bytes = (size_t)st.st_size;
	text = malloc(*bytes);
	assert_int_equal(fread(text, 1, *bytes, f), *bytes);
	fclose(f);
	return text;
}

static inline bool same_file(const char *a, const char *b)
{
	size_t bytes[2];
	char *x = contents(a, &bytes[0]), *y = contents(b, &bytes[1]);
	bool same = bytes[0] == bytes[1] && !memcmp(x, y, bytes[0]);

	free(x);
	free(y);
	return same;
}

static inline bool pool_is_left(int ranks)
{
	char path[128];
	bool left = false;

	for (int i = 0; i < ranks; i++) {
		snprintf(path, sizeof path, "%s/aslant-resume-%d.pool", dir, i);
		left |= access(path, F_OK) == 0;
	}
	return left;
}

/* ---- One case ---- */

/* Results of an uninterrupted run, and of an interrupted one. */
struct files {
	char whole[96], resumed[96];
};

static inline void name_files(struct files *f)
{
	snprintf(f->whole, sizeof f->whole, "%s/whole.npy", dir);
	snprintf(f->resumed, sizeof f->resumed, "%s/resumed.npy", dir);
}

/*
 * Runs the case uninterrupted, without and with resume; returns the events of the
 * latter.
 */
static inline uint64_t uninterrupted(struct asl_run_want want,
				     const struct files *f)
{
	want.result = f->whole;
	assert_int_equal(run_process(&want, 0), 0);
	assert_int_equal(shared->starts, 0);
	want.resume = true;
	want.result = f->resumed;
	assert_int_equal(run_process(&want, 0), 0);
	assert_int_equal(shared->starts, 1);
	assert_int_equal(shared->redone, 0);
	assert_true(same_file(f->whole, f->resumed));
	assert_false(pool_is_left(want.plan.ranks));
	return shared->events;
}

/* An event anywhere, or among the last, when pools are about to be removed. */
static inline uint64_t roll_end(struct dice *d, uint64_t events)
{
	return roll(d, 0, 3) ? roll(d, 1, events)
			     : events - roll(d, 0, asl_min(8, events) - 1);
}

/* Kills all processes but the last, unless one completes before its event. */
static inline int run_and_restart(struct dice *d,
				  const struct asl_run_want *want,
				  uint64_t starts, uint64_t events)
{
	int code = KILLED;

	unlink(want->result);
	memset(shared, 0, sizeof *shared);
	for (uint64_t i = 1; i < starts && code == KILLED; i++)
		code = run_process(want, roll_end(d, events));
	return code == KILLED ? run_process(want, 0) : code;
}

/* Is the result of the last process that of an uninterrupted run? */
static inline bool survives(struct dice *d, struct asl_run_want want,
			    const struct files *f, uint64_t events)
{
	uint64_t starts = roll(d, 2, MOST_STARTS);
	int code;

	want.resume = true;
	want.result = f->resumed;
	code = run_and_restart(d, &want, starts, events);
	if (code) {
		print_error("a process ends with %d: %s\n", code, shared->why);
		return false;
	}
	if (shared->reps && shared->equal && same_file(f->whole, f->resumed) &&
	    shared->starts && shared->starts <= starts &&
	    !pool_is_left(want.plan.ranks))
		return true;
	print_error("%d reps, counts %s, the result is %s, %ju starts of %ju\n",
		    shared->reps, shared->equal ? "equal" : "DIFFERENT",
		    same_file(f->whole, f->resumed) ? "the same" : "ANOTHER",
		    shared->starts, starts);
	return false;
}

/* ---- Around all cases ---- */

static inline int begin(void **state)
{
	const char *shm = access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";

	(void)state;
	snprintf(dir, sizeof dir, "%s/aslant-test.XXXXXX", shm);
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED || !mkdtemp(dir))
		return -1;
	asl_blas_one_thread(); /* and its first product is no event */
	return 0;
}

static inline int end(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof command, "rm -rf '%s'", dir);
	return system(command);
}

#endif
