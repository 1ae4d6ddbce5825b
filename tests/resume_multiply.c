/*
 * resume_multiply.c -- killed anywhere, gone on with, and nothing is different
 *
 * Random multiplications in pools, on sim, are killed at a random store, persist
 * or product, in the middle of a store as well, and gone on with; once, or again
 * and again.  In the end every word of C is that of a run that was never
 * interrupted, what is counted is what was predicted, and what is said to have
 * been computed again is what was: the products are counted here, too.
 *
 * ASLANT_TEST_CASES=N tries every algorithm on N cases, not 1.
 */
#include "tests/lives.h"
#include "tests/multiply_cases.h"

enum { LIVES = 6 };

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
		  shared->lives <= lives && shared->lives &&
		  !pool_is_left(ranks);

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
		print_error("a life ends with %d: %s\n", code, shared->why);
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
		tries(&d, &want, i, 2);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(multiplications_go_on),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
