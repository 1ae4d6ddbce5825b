/*
 * resume_multiply.c -- killed anywhere, gone on with, and nothing is different
 *
 * Random multiplications in pools, on sim, are killed at a random store, persist
 * or product, in the middle of a store as well, and gone on with; once, or again
 * and again.  In the end every word of C is that of a run that was never
 * interrupted, what is counted is what was predicted, and what is said to have
 * been computed again is what was: the products are counted here, too.
 *
 * A life is a process of its own.  Functions of libpmem and the BLAS are stood in
 * for by ones that count down, and otherwise call the real ones.
 *
 * ASLANT_TEST_CASES=N tries every algorithm on N cases, not 1.
 */
#include <dlfcn.h>
#include <malloc.h>
#include <setjmp.h>
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

#include "tests/multiply_cases.h"

enum { KILLED = 77, LIVES = 6 };

/* What the lives of a case have in common. */
static struct shared {
	uint64_t left;	/* events to live; 0: for ever */
	uint64_t events; /* of the life that was the last */
	uint64_t flops;	/* of all */

	int reps;
	bool equal;
	uint64_t lives, counted, redone, safety;
} *shared;

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

static void event(void)
{
	if (is_last())
		_exit(KILLED);
}

void *pmem_memcpy(void *dst, const void *src, size_t len, unsigned flags)
{
	void *(*next)(void *, const void *, size_t, unsigned);

	real(&next, "pmem_memcpy");
	if (is_last()) {
		next(dst, src, len / 2, flags);
		_exit(KILLED);
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

/* ---- Lives ---- */

static int look(const struct asl_rep *rep, void *arg)
{
	(void)arg;
	shared->reps++;
	shared->equal = rep->predicted_equal;
	shared->lives = rep->lives;
	shared->counted = rep->total.of[ASL_FLOPS];
	shared->redone = rep->redone.of[ASL_FLOPS];
	shared->safety = rep->safety_words;
	return 0;
}

/* The exit code of a process that runs it, for so many events. */
static int live(const struct asl_run_want *want, uint64_t events)
{
	int status;
	pid_t child;

	shared->left = events;
	shared->events = 0;
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		/* Nobody takes old words for those that were to be moved. */
		mallopt(M_PERTURB, 0x80);
		if (asl_run(want, look, NULL) == 0)
			_exit(0);
		fprintf(stderr, "%s\n", asl_run_why());
		_exit(1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* ---- What is left ---- */

static char *contents(const char *path, size_t *bytes)
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

static bool same_file(const char *a, const char *b)
{
	size_t bytes[2];
	char *x = contents(a, &bytes[0]), *y = contents(b, &bytes[1]);
	bool same = bytes[0] == bytes[1] && !memcmp(x, y, bytes[0]);

	free(x);
	free(y);
	return same;
}

static bool pool_is_left(int ranks)
{
	char path[128];
	bool left = false;

	for (int i = 0; i < ranks; i++) {
		snprintf(path, sizeof path, "%s/aslant-resume-%d.pool", dir, i);
		left |= access(path, F_OK) == 0;
	}
	return left;
}

/* ---- Cases ---- */

struct files {
	char whole[96], resumed[96];
};

/* Uninterrupted, and not to be gone on with; then, how many events a life has. */
static uint64_t whole(struct asl_run_want want, const struct files *f)
{
	want.result = f->whole;
	assert_int_equal(live(&want, 0), 0);
	assert_int_equal(shared->lives, 0);
	want.resume = true;
	want.result = f->resumed;
	assert_int_equal(live(&want, 0), 0);
	assert_int_equal(shared->lives, 1);
	assert_int_equal(shared->redone, 0);
	assert_true(same_file(f->whole, f->resumed));
	assert_false(pool_is_left(want.plan.ranks));
	return shared->events;
}

static bool is_sound(const struct files *f, uint64_t lives, int ranks)
{
	bool ok = shared->reps && shared->equal &&
		  same_file(f->whole, f->resumed) &&
		  shared->flops == shared->counted + shared->redone &&
		  shared->lives <= lives && shared->lives && !pool_is_left(ranks);

	if (!ok)
		print_error("%d reps, %s; C is %s; flops %ju, counted %ju, "
			    "redone %ju; %ju lives of %ju\n",
			    shared->reps, shared->equal ? "equal" : "DIFFERENT",
			    same_file(f->whole, f->resumed) ? "the same"
							    : "ANOTHER",
			    shared->flops, shared->counted, shared->redone,
			    shared->lives, lives);
	return ok;
}

/* Killed up to so many times; true: and it was right in the end. */
static bool survives(struct dice *d, struct asl_run_want want,
		     const struct files *f, uint64_t events)
{
	uint64_t lives = roll(d, 2, LIVES);
	int code = KILLED;

	want.resume = true;
	want.result = f->resumed;
	unlink(f->resumed);
	memset(shared, 0, sizeof *shared);
	for (uint64_t i = 1; i < lives && code == KILLED; i++)
		code = live(&want, roll(d, 1, events));
	if (code == KILLED)
		code = live(&want, 0);
	if (code)
		print_error("a life ends with %d\n", code);
	return code == 0 && is_sound(f, lives, want.plan.ranks);
}

static void tries(struct dice *d, struct asl_run_want *want, unsigned number,
		  int times)
{
	struct files f;
	uint64_t events;

	snprintf(f.whole, sizeof f.whole, "%s/whole.npy", dir);
	snprintf(f.resumed, sizeof f.resumed, "%s/resumed.npy", dir);
	want->store = "pmem";
	want->nvm_dir = dir;
	events = whole(*want, &f);
	for (int i = 0; i < times; i++)
		if (!survives(d, *want, &f, events)) {
			print_case(want, number);
			fail();
		}
}

static void multiplications_go_on(void **state)
{
	const char *text = getenv("ASLANT_TEST_CASES");
	unsigned cases = text ? (unsigned)atoi(text) : 1;
	unsigned algorithms = (unsigned)count_algorithms();

	(void)state;
	for (unsigned i = 0; i < cases * algorithms; i++) {
		struct dice d = {11, i, 0};
		struct asl_run_want want;

		if (only_case() >= 0 && only_case() != (long)i)
			continue;
		want = roll_case(&d, 6, 6, asl_algorithms[i % algorithms]);
		want.exact = roll(&d, 0, 1);
		tries(&d, &want, i, 3);
	}
}

static int begin(void **state)
{
	const char *shm = access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";

	(void)state;
	snprintf(dir, sizeof dir, "%s/aslant-test.XXXXXX", shm);
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return shared != MAP_FAILED && mkdtemp(dir) ? 0 : -1;
}

static int end(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof command, "rm -rf '%s'", dir);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(multiplications_go_on),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
