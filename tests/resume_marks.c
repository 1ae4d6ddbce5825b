/*
 * resume_marks.c -- a text that needs everything that lib/rank/resume.h offers
 *
 * Words in DRAM that last past an epoch, pieces of the pool that are given and
 * taken anew between marks, messages of words that change, panels that are
 * gathered again past rounds, tiles that are stored over what they were made of,
 * and sums that only the numbers that have been computed decide: killed anywhere,
 * it ends as if it had not been.
 */
#include "tests/help/restarts.h"

#include "lib/multiply/multiply.h"
#include "tests/help/parts.h"
#include "tests/help/random.h"

enum { RANKS = 3, WORDS = 48, TILES = 6, LOOPS = 5 };

static void spread(const double *at, void *arg)
{
	struct asl_tile *t = arg;

	(void)at;
	for (uint64_t i = 0; i < t->rows * t->cols; i++)
		t->at[i] = t->at[i] * 1.25 + 1;
}

/* Every tile of x is stored over what it was. */
static void change(struct asl_rank *r, const struct asl_words *x)
{
	struct asl_block all = asl_as_block(x, TILES, x->count / TILES);
	struct asl_tile t;

	asl_phase(r, ASL_COMPUTE);
	asl_tile_take(r, &t, 1, all.cols);
	for (uint64_t i = 0; i < TILES; i++) {
		struct asl_block row = asl_sub_block(&all, i, 0, 1, all.cols);

		asl_tile_begin(r, &t, &row);
		asl_tile_load(r, &t, &row);
		asl_compute(r, NULL, 2 * all.cols, spread, &t);
		asl_tile_store(r, &row, &t);
		asl_mark_commit(r, &row);
	}
	asl_tile_give(r, &t);
}

static void pass_on(struct asl_rank *r, const struct asl_words *out,
		    struct asl_words *in)
{
	asl_exchange(r, (r->id + 1) % RANKS, out, (r->id + RANKS - 1) % RANKS,
		     in);
}

/* A word that decides when it ends, found on every rank alike. */
static bool goes_on(const struct asl_rank *r, const struct asl_words *x,
		    int loop)
{
	if (!r->data || asl_replaying(r))
		return loop < LOOPS;
	return x->at[0] < 1e3 && loop < LOOPS;
}

static void run(struct asl_rank *r, const struct asl_plan *plan,
		struct asl_words own[ASL_OPERANDS])
{
	struct asl_words here, there, panel, temporary;
	struct asl_words source = asl_slice(&own[ASL_A], 0, WORDS);
	struct asl_words result = asl_slice(&own[ASL_C], 0, WORDS);

	(void)plan;
	asl_phase(r, ASL_GATHER);
	asl_take(r, &panel, ASL_DRAM, WORDS);
	pass_on(r, &source, &panel);
	asl_phase(r, ASL_EXCHANGE);
	asl_take(r, &here, ASL_DRAM, WORDS);
	asl_take(r, &there, ASL_DRAM, WORDS);
	asl_copy(r, &result, &source);
	asl_mark_round(r);
	asl_phase(r, ASL_EXCHANGE);
	asl_add(r, &here, &panel, &result);
	asl_mark_epoch(r, &here, 1);
	for (int loop = 0; goes_on(r, &here, loop); loop++) {
		asl_phase(r, ASL_EXCHANGE);
		asl_take(r, &temporary, ASL_POOL, WORDS);
		pass_on(r, &here, &there);
		asl_add(r, &here, &here, &there);
		asl_copy(r, &temporary, &here);
		asl_mark_epoch(r, &here, 1);
		change(r, &temporary);
		asl_mark_epoch(r, &here, 1);
		asl_phase(r, ASL_EXCHANGE);
		asl_copy(r, &there, &temporary);
		asl_add(r, &here, &here, &there);
		asl_copy(r, &result, &here);
		asl_give(r, &temporary);
	}
	asl_give(r, &there);
	asl_give(r, &here);
	asl_give(r, &panel);
}

/* It only says how large a pool must be from which no run resumes. */
static void predict(struct asl_ledger *out, const struct asl_plan *plan,
		    int rank)
{
	asl_algorithm_find("3d")->predict(out, plan, rank);
	out->pool_high += WORDS;
}

static void text_goes_on(void **state)
{
	struct asl_algorithm text = *asl_algorithm_find("3d");
	struct files f;
	struct asl_run_want want = {
		.transport = "sim",
		.store = "pmem",
		.nvm_dir = dir,
		.seed = 3,
		.reps = 1,
		.result = f.whole,
		.plan = {.algorithm = &text,
			 .kernel = asl_kernels[0],
			 .multiplication = product_of(
				 (struct asl_shape){12 * RANKS, 12, 12}),
			 .grid = {{RANKS, 1, 1}},
			 .ranks = RANKS,
			 .cache = 100,
			 .panels = ASL_DRAM},
	};
	unsigned all = how_many(20, 40);
	uint64_t events;

	(void)state;
	text.run = run;
	text.predict = predict;
	name_files(&f);
	assert_int_equal(run_process(&want, 0), 0);
	want.resume = true;
	want.result = f.resumed;
	assert_int_equal(run_process(&want, 0), 0);
	events = shared->events;
	assert_true(same_file(f.whole, f.resumed));
	assert_true(shared->safety > 0);
	for (unsigned i = 0; i < all; i++) {
		struct dice d = {13, i, 0};
		int code = run_and_restart(&d, &want, roll(&d, 2, MOST_STARTS),
					   events);

		if (code || !same_file(f.whole, f.resumed)) {
			print_error("case %u: code %d: %s\n", i, code,
				    code ? shared->why : "C is another");
			fail();
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_goes_on),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
