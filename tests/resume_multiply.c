/*
 * resume_multiply.c -- killed anywhere and resumed, nothing is different
 *
 * Random multiplications in pools, on sim, are killed at a random store, persist
 * or product, in the middle of a store as well, and resumed; once, or again
 * and again.  In the end every word of C is that of a run that was never
 * interrupted, what is counted is what was predicted, and what is said to have
 * been computed again is what was: the products are counted here, too.
 */
#include "tests/help/multiply_cases.h"
#include "tests/help/restarts.h"

/* What was computed is what was counted, and what was computed again. */
static bool flops_add_up(void)
{
	bool ok = shared->flops == shared->counted + shared->redone;

	if (!ok)
		print_error("flops %ju, counted %ju, redone %ju\n",
			    shared->flops, shared->counted, shared->redone);
	return ok;
}

static void tries(struct dice *d, struct asl_run_want *want, unsigned number,
		  int times)
{
	struct files f;
	uint64_t events;

	name_files(&f);
	want->store = "pmem";
	want->nvm_dir = dir;
	events = uninterrupted(*want, &f);
	for (int i = 0; i < times; i++)
		if (!survives(d, *want, &f, events) || !flops_add_up()) {
			print_case(want, number);
			fail();
		}
}

static void multiplications_go_on(void **state)
{
	unsigned cases = how_many(1, 2);
	unsigned algorithms = (unsigned)count_algorithms();

	(void)state;
	for (unsigned i = 0; i < cases * algorithms; i++) {
		struct dice d = {11, i, 0};
		struct asl_run_want want;

		if (leave_out(i))
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
