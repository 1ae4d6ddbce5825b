/*
 * kernels_counts.c -- vertical traffic of the local kernels, by the literature
 *
 * What a run counts, what predict says, and what a formula or a recursion that
 * is written here once more says must all be one.  Products are held against a
 * triple loop; C is NaN before, and entries are small integers.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/kernels/kernel.h"
#include "tests/help/random.h"

/* ---- One product on one rank ---- */

struct trial {
	const struct asl_kernel *kernel;
	struct asl_product x;
	const char *store;
	struct asl_ledger ledger;
	uint64_t high; /* beside the operands */
	int wrong;
};

static void print_trial(const struct trial *t)
{
	print_error(
		"%s m=%ju n=%ju k=%ju S=%ju r=%g w=%g A %d B %d C %d%s %s\n",
		t->kernel->name, t->x.m, t->x.n, t->x.k, t->x.cache,
		t->x.read_cost, t->x.write_cost, t->x.A, t->x.B, t->x.C,
		t->x.add ? " add" : "", t->store);
}

/* A matrix with a margin, so that its rows lie apart. */
static struct asl_block take(struct asl_rank *r, struct asl_words *room,
			     enum asl_where where, uint64_t rows, uint64_t cols)
{
	struct asl_block all;

	asl_take(r, room, where, (rows + 1) * (cols + 1));
	all = asl_as_block(room, rows + 1, cols + 1);
	return asl_sub_block(&all, 1, 1, rows, cols);
}

static void fill(struct asl_words *x, uint64_t salt)
{
	for (uint64_t i = 0; x->at && i < x->count; i++)
		x->at[i] = (double)((i * 7 + salt + i * i % 11) % 19) - 9;
}

static double at(const struct asl_block *x, uint64_t i, uint64_t j)
{
	return x->at[i * x->ld + j];
}

/* What C holds before a product is added to it. */
#define BEFORE 40.0

static void check_product(struct trial *t, const struct asl_block *C,
			  const struct asl_block *A, const struct asl_block *B)
{
	for (uint64_t i = 0; i < C->rows; i++)
		for (uint64_t j = 0; j < C->cols; j++) {
			double sum = t->x.add ? BEFORE : 0;

			for (uint64_t l = 0; l < A->cols; l++)
				sum += at(A, i, l) * at(B, l, j);
			if (at(C, i, j) == sum)
				continue;
			if (t->wrong++ < 3)
				print_error("C(%ju, %ju) is %g, not %g\n", i, j,
					    at(C, i, j), sum);
		}
}

/* Words of C's margin stay what they were. */
static void check_margin(struct trial *t, const struct asl_words *all,
			 const struct asl_block *C)
{
	for (uint64_t i = 0; i < all->count; i++) {
		bool inside = i / C->ld > 0 && i % C->ld > 0;

		if (!inside && all->at[i] != 77 && t->wrong++ < 3)
			print_error("word %ju around C is %g, not 77\n", i,
				    all->at[i]);
	}
}

static void multiply(struct asl_rank *r, struct trial *t)
{
	const struct asl_product *x = &t->x;
	struct asl_words room[3];
	struct asl_block A = take(r, &room[0], x->A, x->m, x->k),
			 B = take(r, &room[1], x->B, x->k, x->n),
			 C = take(r, &room[2], x->C, x->m, x->n);
	uint64_t operands = r->held[ASL_POOL] + r->held[ASL_DRAM];

	fill(&room[0], 3);
	fill(&room[1], 5);
	for (uint64_t i = 0; room[2].at && i < room[2].count; i++)
		room[2].at[i] = !(i / C.ld && i % C.ld) ? 77
				: x->add		? BEFORE
							: NAN;
	asl_phase(r, ASL_COMPUTE);
	t->kernel->run(r, x, &C, &A, &B);
	if (r->data && !r->err) {
		check_product(t, &C, &A, &B);
		check_margin(t, &room[2], &C);
	}
	for (int i = 2; i >= 0; i--)
		asl_give(r, &room[i]);
	t->ledger = r->ledger;
	t->high = r->ledger.memory_high - operands;
	t->wrong += r->held[ASL_POOL] + r->held[ASL_DRAM] + r->cache_held != 0;
}

static int be_rank(struct asl_net *net, void *arg)
{
	struct trial *t = arg;
	struct asl_costs costs = {.read = 1, .write = 1, .net = 1};
	struct asl_store_want store = {.name = t->store};
	struct asl_rank_want want = {
		.net = net, .cache = t->x.cache, .costs = &costs};
	struct asl_rank r;
	int err = asl_store_open(&want.pool, &store);

	if (!err)
		err = asl_store_open(&want.staging, &store);
	if (!err) {
		asl_rank_init(&r, &want);
		multiply(&r, t);
		err = r.err;
	}
	asl_store_close(want.staging);
	asl_store_close(want.pool);
	return err;
}

/* What was counted, after it was found to be what was predicted. */
static struct asl_counts run(struct trial *t)
{
	struct asl_net_want want = {.transport = "sim",
				    .ranks = 1,
				    .data = strcmp(t->store, "null")};
	struct asl_counts predicted = {{0}}, total;
	int err = asl_net_run(&want, be_rank, t), wrong;

	wrong = t->wrong;
	t->kernel->predict(&predicted, &t->x);
	total = asl_ledger_total(&t->ledger);
	for (int c = 0; c < ASL_COUNTERS; c++)
		if (total.of[c] != predicted.of[c]) {
			print_error("%s: counted %ju, predicted %ju\n",
				    asl_counter_name(c), total.of[c],
				    predicted.of[c]);
			wrong++;
		}
	if (t->high) {
		print_error("held %ju words beside the operands\n", t->high);
		wrong++;
	}
	if (err || wrong) {
		print_error("error %d, %d wrong: ", err, wrong);
		print_trial(t);
		fail();
	}
	return total;
}

static struct asl_counts predict(const struct trial *t)
{
	struct asl_counts x = {{0}};

	t->kernel->predict(&x, &t->x);
	return x;
}

static uint64_t read_words(const struct asl_counts *x)
{
	return x->of[ASL_NVM_READ] + x->of[ASL_DRAM_READ];
}

static uint64_t written_words(const struct asl_counts *x)
{
	return x->of[ASL_NVM_WRITE] + x->of[ASL_DRAM_WRITE];
}

static void expect(const struct trial *t, const char *what, uint64_t got,
		   uint64_t want)
{
	if (got == want)
		return;
	print_error("%s: %ju, not %ju: ", what, got, want);
	print_trial(t);
	fail();
}

static void expect_most(const struct trial *t, const char *what, double got,
			double most)
{
	if (got <= most)
		return;
	print_error("%s: %.17g, more than %.17g: ", what, got, most);
	print_trial(t);
	fail();
}

static struct trial roll_trial(struct dice *d, int bits, int cache_bits)
{
	struct trial t = {.store = roll(d, 0, 1) ? "dram" : "null"};

	t.kernel = asl_kernels[roll(d, 0, 2)];
	t.x.m = roll_size(d, bits);
	t.x.n = roll_size(d, bits);
	t.x.k = roll_size(d, bits);
	t.x.cache = t.kernel->least_cache - 1 + roll_size(d, cache_bits);
	t.x.read_cost = (double)roll(d, 0, 3);
	t.x.write_cost = (double)roll(d, 0, 1 + roll_size(d, 6));
	t.x.A = roll(d, 0, 1) ? ASL_POOL : ASL_DRAM;
	t.x.B = roll(d, 0, 1) ? ASL_POOL : ASL_DRAM;
	t.x.C = roll(d, 0, 1) ? ASL_POOL : ASL_DRAM;
	return t;
}

static uint64_t parts(uint64_t length, uint64_t each)
{
	return (length + each - 1) / each;
}

/* ---- All kernels ---- */

/* Reads + writes >= 2mnk/sqrt(S) - 2S, writes >= mn. */
static void expect_bounds(const struct trial *t, const struct asl_counts *x)
{
	double volume = (double)t->x.m * (double)t->x.n * (double)t->x.k;
	double S = (double)t->x.cache;
	uint64_t least = t->x.m * t->x.n;

	expect_most(t, "bound on reads and writes",
		    2 * volume / sqrt(S) - 2 * S,
		    (double)(read_words(x) + written_words(x)));
	expect(t, "flops", x->of[ASL_FLOPS], 2 * t->x.m * t->x.n * t->x.k);
	if (strcmp(t->kernel->name, "cowe"))
		expect(t, "words written", written_words(x), least);
	else
		expect_most(t, "least writes", (double)least,
			    (double)written_words(x));
}

static void random_products_count_as_predicted(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 6000; i++) {
		struct dice d = {31, i, 0};
		struct trial t = roll_trial(&d, 6, 11);
		struct asl_counts x;

		if (leave_out(i))
			continue;
		t.x.add = roll(&d, 0, 1);
		x = run(&t);
		expect_bounds(&t, &x);
	}
}

/* Tiles whose sides are rounded for the BLAS are as many as without. */
static void tiles_of_long_sides_count_as_predicted(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 300; i++) {
		struct dice d = {40, i, 0};
		struct trial t = roll_trial(&d, 4, 11);

		t.x.m = roll(&d, 60, 300);
		t.x.n = roll(&d, 60, 300);
		t.x.cache = roll(&d, 12000, 30000);
		t.x.add = roll(&d, 0, 1);
		run(&t);
	}
}

static void no_kernel_beats_the_lower_bounds(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 6000; i++) {
		struct dice d = {32, i, 0};
		struct trial t = roll_trial(&d, 14, 22);
		struct asl_counts x = predict(&t);

		expect_bounds(&t, &x);
	}
}

/* In the least cache, with and without a fourth word. */
static void the_least_cache_will_do(void **state)
{
	(void)state;
	for (int i = 0; asl_kernels[i]; i++)
		for (uint64_t more = 0; more < 2; more++) {
			struct trial t = {.kernel = asl_kernels[i],
					  .store = "dram"};

			t.x = (struct asl_product){.m = 5,
						   .n = 4,
						   .k = 7,
						   .read_cost = 1,
						   .write_cost = 8};
			t.x.cache = t.kernel->least_cache + more;
			run(&t);
		}
}

/* m, n, k with some of them 0: C is zeros then, or nothing. */
static void empty_blocks_are_products_too(void **state)
{
	static const uint64_t lengths[] = {0, 1, 3, 17};
	unsigned number = 0;

	(void)state;
	for (unsigned i = 0; i < 4 * 4 * 4 * 3; i++) {
		struct dice d = {33, number++, 0};
		struct trial t = roll_trial(&d, 1, 6);
		struct asl_counts x;

		t.kernel = asl_kernels[i / 64];
		t.x.m = lengths[i / 16 % 4];
		t.x.n = lengths[i / 4 % 4];
		t.x.k = lengths[i % 4];
		t.store = "dram";
		x = run(&t);
		if (!t.x.k) {
			expect(&t, "read without k", read_words(&x), 0);
			expect(&t, "zeros written", written_words(&x),
			       t.x.m * t.x.n);
		}
		if (!t.x.m || !t.x.n)
			expect(&t, "moved", read_words(&x) + written_words(&x),
			       0);
	}
}

/* ---- vomm ---- */

static void vomm_is_its_formula(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4000; i++) {
		struct dice d = {34, i, 0};
		struct trial t = roll_trial(&d, 14, 20);
		struct asl_counts x;
		uint64_t b = 1;

		t.kernel = asl_kernel_find("vomm");
		t.x.A = t.x.C = ASL_POOL;
		t.x.B = ASL_DRAM;
		while (3 * (b + 1) * (b + 1) <= t.x.cache)
			b++;
		x = predict(&t);
		expect(&t, "reads of A", x.of[ASL_NVM_READ],
		       t.x.m * t.x.k * parts(t.x.n, b));
		expect(&t, "reads of B", x.of[ASL_DRAM_READ],
		       t.x.k * t.x.n * parts(t.x.m, b));
		expect(&t, "writes", x.of[ASL_NVM_WRITE], t.x.m * t.x.n);
	}
}

/* ---- tight ---- */

static void tight_reads_no_more_than_the_best_square(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 4000; i++) {
		struct dice d = {35, i, 0};
		struct trial t = roll_trial(&d, 13, 20);
		struct asl_counts x;
		uint64_t least = UINT64_MAX;

		t.kernel = asl_kernel_find("tight");
		x = predict(&t);
		for (uint64_t b = 1; b * b + 2 * b <= t.x.cache; b++) {
			uint64_t reads = t.x.m * t.x.k * parts(t.x.n, b) +
					 t.x.k * t.x.n * parts(t.x.m, b);

			if (reads < least)
				least = reads;
		}
		expect_most(&t, "reads", (double)read_words(&x), (double)least);
	}
}

/* Of all tiles that fit, slivers of one row and one column beside them. */
static void tight_reads_as_the_best_rectangle(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 1500; i++) {
		struct dice d = {36, i, 0};
		struct trial t = roll_trial(&d, 7, 12);
		struct asl_counts x;
		uint64_t least = UINT64_MAX;

		t.kernel = asl_kernel_find("tight");
		x = predict(&t);
		for (uint64_t a = 1; a <= t.x.m; a++)
			for (uint64_t b = 1; b <= t.x.n; b++) {
				uint64_t reads =
					t.x.m * t.x.k * parts(t.x.n, b) +
					t.x.k * t.x.n * parts(t.x.m, a);

				if (a * b + a + b <= t.x.cache && reads < least)
					least = reads;
			}
		expect(&t, "reads", read_words(&x), least);
	}
}

static void tight_is_close_to_the_bound(void **state)
{
	static const uint64_t caches[] = {(uint64_t)1 << 17, (uint64_t)1 << 21};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct trial t = {.kernel = asl_kernel_find("tight"),
				  .store = "null"};
		struct asl_counts x;

		t.x.m = t.x.n = t.x.k = 4096;
		t.x.cache = caches[i];
		t.x.read_cost = t.x.write_cost = 1;
		x = run(&t);
		expect_most(&t, "reads", (double)read_words(&x),
			    1.10 * 2 * pow(4096, 3) / sqrt((double)caches[i]));
		expect(&t, "writes", written_words(&x), 4096 * 4096);
	}
}

/* ---- cowe ---- */

struct leaves {
	uint64_t read_A, read, written; /* read: of all three */
};

/* Section 8 of the paper, word for word; the larger half comes first. */
static struct leaves recurse(const struct asl_product *x, uint64_t m,
			     uint64_t n, uint64_t k, bool add)
{
	double scaled = (double)k;
	struct leaves a, b;

	if (m * k + k * n + m * n <= x->cache)
		return (struct leaves){m * k, m * k + k * n + (add ? m * n : 0),
				       m * n};
	if (x->write_cost > 0)
		scaled *= pow(x->read_cost / x->write_cost, 2.0 / 3);
	/* What can't be halved is not the largest. */
	if (k == 1)
		scaled = 0;
	if (m == 1 && n == 1)
		scaled = INFINITY;
	if (m >= n && m > 1 && (double)m >= scaled) {
		a = recurse(x, m - m / 2, n, k, add);
		b = recurse(x, m / 2, n, k, add);
	} else if (n > 1 && (double)n >= scaled) {
		a = recurse(x, m, n - n / 2, k, add);
		b = recurse(x, m, n / 2, k, add);
	} else {
		a = recurse(x, m, n, k - k / 2, add);
		b = recurse(x, m, n, k / 2, true);
	}
	return (struct leaves){a.read_A + b.read_A, a.read + b.read,
			       a.written + b.written};
}

static void cowe_is_its_recursion(void **state)
{
	(void)state;
	for (unsigned i = 0; i < how_many(800, 3000); i++) {
		struct dice d = {37, i, 0};
		struct trial t = roll_trial(&d, 10, 14);
		struct asl_counts x;
		struct leaves want;

		t.kernel = asl_kernel_find("cowe");
		t.x.add = roll(&d, 0, 1);
		while (t.x.m * t.x.n * t.x.k > (uint64_t)1 << 21)
			t.x.k = t.x.k / 2 + 1;
		if (i % 8 == 0) /* ties */
			t.x.n = t.x.m;
		t.x.A = ASL_POOL;
		t.x.B = t.x.C = ASL_DRAM;
		want = recurse(&t.x, t.x.m, t.x.n, t.x.k, t.x.add);
		x = predict(&t);
		expect(&t, "reads of A", x.of[ASL_NVM_READ], want.read_A);
		expect(&t, "reads", read_words(&x), want.read);
		expect(&t, "writes", written_words(&x), want.written);
	}
}

/*
 * Large cubes.  With c = (w/r)^(2/3) a leaf is about u x u x c u, and fits
 * when (2c + 1) u^2 = S: its volume then costs
 *
 *	I = sqrt((2c + 1) / S) (2 r + (r + w) / c)
 *
 * a multiplication.  Halving stops between S/2 and S words and keeps weighted
 * sides within a factor of 2: a side is sqrt(8) times shorter than u at worst.
 * No leaf that fits can do with less than 4 sqrt(r w / S), since m k + k n <= S.
 * The paper's leading cost 3 sqrt(3) r^(2/3) w^(1/3) / sqrt(S) assumes leaves
 * that fit by volume and add to nothing; I is 4/3 of it for w = r and grows
 * as (w/r)^(1/3) against it.
 */
static void cowe_costs_what_it_should(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2000; i++) {
		struct dice d = {38, i, 0};
		struct trial t = {.kernel = asl_kernel_find("cowe"),
				  .store = "null"};
		uint64_t n = roll(&d, 3000, 20000);
		double w = (double)roll(&d, 1, 64), c = pow(w, 2.0 / 3);
		double S = (double)roll(&d, 10000, 300000), cost, ideal;
		struct asl_counts x;

		t.x = (struct asl_product){.m = n,
					   .n = n,
					   .k = n,
					   .read_cost = 1,
					   .write_cost = w};
		t.x.cache = (uint64_t)S;
		x = predict(&t);
		cost = (double)read_words(&x) + w * (double)written_words(&x);
		cost /= pow((double)n, 3);
		ideal = sqrt((2 * c + 1) / S) * (2 + (1 + w) / c);
		expect_most(&t, "cost over that of ideal leaves", cost / ideal,
			    sqrt(8));
		expect_most(&t, "least cost of a leaf", 4 * sqrt(w / S), cost);
	}
}

/* Sides that fall out of step leave many kinds of leaves; still exact. */
static void cowe_walks_awkward_shapes(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 20000; i++) {
		struct dice d = {39, i, 0};
		struct trial t = roll_trial(&d, 20, 14);
		struct asl_counts x;

		t.kernel = asl_kernel_find("cowe");
		x = predict(&t);
		expect_bounds(&t, &x);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_products_count_as_predicted),
		cmocka_unit_test(tiles_of_long_sides_count_as_predicted),
		cmocka_unit_test(no_kernel_beats_the_lower_bounds),
		cmocka_unit_test(the_least_cache_will_do),
		cmocka_unit_test(empty_blocks_are_products_too),
		cmocka_unit_test(vomm_is_its_formula),
		cmocka_unit_test(tight_reads_no_more_than_the_best_square),
		cmocka_unit_test(tight_reads_as_the_best_rectangle),
		cmocka_unit_test(tight_is_close_to_the_bound),
		cmocka_unit_test(cowe_is_its_recursion),
		cmocka_unit_test(cowe_costs_what_it_should),
		cmocka_unit_test(cowe_walks_awkward_shapes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
