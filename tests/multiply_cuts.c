/*
 * multiply_cuts.c -- boxes and cells of cuts, and how near the bound they come
 *
 * That counts and predictions agree is multiply_counts' business.  Here: boxes are
 * all multiplications, once; cells are all words, once; a cell's set is of those
 * ranks whose face it is in.  On a cube, from 9 to 128 ranks, all words together
 * are within 6% of the lower bound, and the busiest rank's within 15% as a rule.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/error.h"
#include "lib/multiply/bounds.h"
#include "lib/multiply/cuts_layout.h"
#include "lib/multiply/multiply.h"
#include "lib/multiply/planner.h"
#include "lib/run/run.h"
#include "tests/help/parts.h"
#include "tests/help/random.h"

static struct asl_plan plan_of(const char *name, uint64_t m, uint64_t n,
			       uint64_t k, int ranks)
{
	return (struct asl_plan){
		.algorithm = asl_algorithm_find(name),
		.kernel = asl_kernel_find("tight"),
		.multiplication = product_of((struct asl_shape){m, n, k}),
		.ranks = ranks,
		.grid = {{ranks, 1, 1}},
		.cache = 4096,
		.memory = (uint64_t)1 << 40,
		.panels = ASL_DRAM,
		.costs = {.read = 1, .write = 4, .net = 2},
	};
}

static void print_plan(const struct asl_plan *x)
{
	print_error("m=%ju n=%ju k=%ju P=%d: ", asl_shape_of(x)->m,
		    asl_shape_of(x)->n, asl_shape_of(x)->k, x->ranks);
}

static struct asl_cuts_layout *layout_of(const struct asl_plan *plan)
{
	struct asl_cuts_space space = asl_cuts_matrices(asl_shape_of(plan));

	return asl_cuts_take(&space, asl_grid_ranks(&plan->grid));
}

/* ---- Boxes and cells ---- */

static bool apart(struct asl_range a, struct asl_range b)
{
	return a.first + a.count <= b.first || b.first + b.count <= a.first;
}

static bool within(struct asl_range a, struct asl_range b)
{
	return a.first >= b.first && a.first + a.count <= b.first + b.count;
}

static bool boxes_are_all(const struct asl_cuts_layout *l)
{
	const uint64_t *size = l->space.size;
	uint64_t sum = 0;

	for (int r = 0; r < l->used; r++) {
		const struct asl_range *d = l->box[r].d;
		uint64_t volume = d[0].count * d[1].count * d[2].count;

		if (!volume || d[0].first + d[0].count > size[0] ||
		    d[1].first + d[1].count > size[1] ||
		    d[2].first + d[2].count > size[2])
			return false;
		sum += volume;
		for (int q = 0; q < r; q++) {
			const struct asl_range *e = l->box[q].d;

			if (!apart(d[0], e[0]) && !apart(d[1], e[1]) &&
			    !apart(d[2], e[2]))
				return false;
		}
	}
	return sum == size[0] * size[1] * size[2];
}

static bool in_set(const struct asl_cuts_cell *x, int rank)
{
	for (int i = 0; i < x->size; i++)
		if (x->rank[i] == rank)
			return true;
	return false;
}

/* In the faces of its set, and apart from all others. */
static bool set_is_right(const struct asl_cuts_layout *l,
			 const struct asl_cuts_cell *x)
{
	struct asl_range rows = asl_cuts_rows(x), cols = asl_cuts_cols(x);
	int members = 0;

	for (int r = 0; r < l->used; r++) {
		struct asl_piece face =
			asl_cuts_face(&l->box[r], (enum asl_operand)x->which);

		if (in_set(x, r)) {
			members++;
			if (!within(rows, face.rows) ||
			    !within(cols, face.cols))
				return false;
		} else if (!apart(rows, face.rows) && !apart(cols, face.cols)) {
			return false;
		}
	}
	return members == x->size;
}

/* Words of every operand, and of every rank's faces. */
static bool cells_are_all(const struct asl_cuts_layout *l)
{
	const uint64_t *size = l->space.size;
	const uint64_t m = size[ASL_CUTS_M], k = size[ASL_CUTS_K];
	const uint64_t n = size[ASL_CUTS_N];
	const uint64_t rows[] = {m, k, m}, cols[] = {k, n, n};
	bool ok = true;

	for (int which = 0; which < ASL_OPERANDS; which++) {
		uint64_t words = rows[which] * cols[which];
		unsigned char *cells = test_calloc(words, 1);

		for (int i = 0; i < l->cells; i++) {
			const struct asl_cuts_cell *x = &l->cell[i];

			if (x->which != which)
				continue;
			ok &= set_is_right(l, x);
			for (uint64_t a = 0; a < x->d[0].count; a++)
				for (uint64_t b = 0; b < x->d[1].count; b++)
					cells[(x->d[0].first + a) *
						      cols[which] +
					      x->d[1].first + b]++;
		}
		for (uint64_t i = 0; i < words; i++)
			ok &= cells[i] == 1;
		test_free(cells);
	}
	return ok;
}

/* Every rank's list is of the cells that it is in the set of, in order. */
static bool lists_are_right(const struct asl_cuts_layout *l)
{
	for (int r = 0; r < l->ranks; r++) {
		int at = l->first[r];

		for (int i = 0; i < l->cells; i++)
			if (in_set(&l->cell[i], r) &&
			    (at == l->first[r + 1] || l->mine[at++] != i))
				return false;
		if (at != l->first[r + 1])
			return false;
	}
	return true;
}

static bool inputs_come_first(const struct asl_cuts_layout *l)
{
	for (int i = 1; i < l->cells; i++)
		if (l->cell[i].which != ASL_C && l->cell[i - 1].which == ASL_C)
			return false;
	return true;
}

static void check_layout(const struct asl_plan *plan)
{
	struct asl_cuts_layout *l = layout_of(plan);
	bool boxes, cells, lists, inputs;

	assert_non_null(l);
	boxes = boxes_are_all(l);
	cells = cells_are_all(l);
	lists = lists_are_right(l);
	inputs = inputs_come_first(l);
	asl_cuts_give(l);
	if (boxes && cells && lists && inputs)
		return;
	print_plan(plan);
	print_error("boxes %d cells %d lists %d inputs first %d\n", boxes,
		    cells, lists, inputs);
	fail();
}

static void cells_partition_operands(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 1500; i++) {
		struct dice d = {71, i, 0};
		struct asl_plan plan =
			plan_of("cuts", roll_size(&d, 6), roll_size(&d, 6),
				roll_size(&d, 6), (int)roll_size(&d, 7));

		check_layout(&plan);
	}
}

/* Somebody still works by the one that is no longer remembered. */
static void layouts_last(void **state)
{
	struct asl_plan one = plan_of("cuts", 30, 40, 50, 13);
	struct asl_plan other = plan_of("cuts", 50, 40, 30, 13);
	struct asl_cuts_layout *a = layout_of(&one), *b, *again;

	(void)state;
	again = layout_of(&one);
	assert_ptr_equal(again, a);
	asl_cuts_give(again);
	b = layout_of(&other);
	assert_ptr_not_equal(a, b);
	assert_true(cells_are_all(a) && lists_are_right(a));
	asl_cuts_give(a);
	assert_true(cells_are_all(b) && lists_are_right(b));
	asl_cuts_give(b);
}

/* ---- Words ---- */

struct figures {
	double total, busiest, work; /* over the bound; over a fair share */
	uint64_t written;
};

static struct figures figures(const struct asl_plan *plan)
{
	double bound = asl_bound_net_words(plan);
	const struct asl_shape *s = asl_shape_of(plan);
	uint64_t sent = 0, busiest = 0;
	struct figures x = {0};

	for (int r = 0; r < plan->ranks; r++) {
		struct asl_ledger ledger;
		struct asl_counts counts;

		asl_plan_predict(&ledger, plan, r);
		counts = asl_ledger_total(&ledger);
		sent += counts.of[ASL_NET_SEND];
		busiest = asl_max(busiest, counts.of[ASL_BH]);
		x.written += counts.of[ASL_NVM_WRITE];
	}
	x.total = (double)sent / plan->ranks / bound;
	x.busiest = (double)busiest / bound;
	x.work = (double)plan->algorithm->matmul->flops(plan) * plan->ranks /
		 (2.0 * (double)(s->m * s->n * s->k));
	return x;
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

enum { FROM = 9, TO = 128, N = 2000 };

static void near_the_bound(const char *algorithm)
{
	double busiest[TO - FROM + 1];
	int count = 0;

	for (int P = FROM; P <= TO; P++) {
		struct asl_plan plan = plan_of(algorithm, N, N, N, P);
		struct figures x = figures(&plan);

		if (x.total > 1.06 || x.total < 0.999 || x.busiest > 1.25 ||
		    x.busiest < 1 || x.work > 1.025) {
			print_plan(&plan);
			print_error("total %g busiest %g work %g\n", x.total,
				    x.busiest, x.work);
			fail();
		}
		busiest[count++] = x.busiest;
	}
	qsort(busiest, (size_t)count, sizeof *busiest, by_size);
	if (busiest[count / 2] > 1.15)
		fail_msg("the busiest rank's words: median %g of the bound",
			 busiest[count / 2]);
}

static void words_are_near_the_bound(void **state)
{
	(void)state;
	near_the_bound("cuts");
	near_the_bound("cuts-fused");
}

/* There the boxes are cubes. */
static void powers_of_eight_attain_the_bound(void **state)
{
	(void)state;
	for (int q = 1; q <= 8; q *= 2) {
		struct asl_plan plan =
			plan_of("cuts", 512, 512, 512, q * q * q);
		struct asl_forecast f = asl_forecast(&plan);

		assert_int_equal(f.bh, (uint64_t)asl_bound_net_words(&plan));
	}
}

static void the_bound_holds(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 1500; i++) {
		struct dice d = {72, i, 0};
		struct asl_plan plan =
			plan_of("cuts", roll_size(&d, 10), roll_size(&d, 10),
				roll_size(&d, 10), (int)roll_size(&d, 7));
		struct asl_forecast f;
		uint64_t need;

		assert_int_equal(asl_grid_choose(own_part(&plan), &plan, &need),
				 0);
		f = asl_forecast(&plan);
		if ((double)f.bh >= asl_bound_net_words(&plan))
			continue;
		print_plan(&plan);
		fail_msg("B_h %ju, bound %g", f.bh, asl_bound_net_words(&plan));
	}
}

/* All ranks together: C once; without a cache between, every face of C. */
static void words_are_written(void **state)
{
	(void)state;
	for (int P = 1; P < 40; P++) {
		struct asl_plan plan = plan_of("cuts-fused", 61, 67, 71, P);
		struct asl_cuts_layout *l = layout_of(&plan);
		uint64_t faces = 0;

		assert_non_null(l);
		for (int r = 0; r < l->used; r++)
			faces += asl_cuts_face(&l->box[r], ASL_C).words.count;
		asl_cuts_give(l);
		assert_int_equal(figures(&plan).written, 61 * 67);
		plan.algorithm = asl_algorithm_find("cuts");
		assert_int_equal(figures(&plan).written, faces);
	}
}

/* ---- Runs ---- */

struct outcome {
	bool predicted, verified;
	double waits; /* the critical path over the busiest rank's cost */
};

static int look(const struct asl_rep *rep, void *arg)
{
	struct outcome *out = arg;

	out->predicted = rep->predicted_equal;
	out->waits = rep->q_path[ASL_APM] / rep->q_max[ASL_APM];
	out->verified = rep->verified == 1 && rep->residual == 0;
	return 0;
}

static struct outcome run(const struct asl_plan *plan, const char *store)
{
	struct asl_run_want want = {
		.plan = *plan,
		.transport = "sim",
		.store = store,
		.seed = 3,
		.exact = true,
		.reps = 1,
		.verify = ASL_VERIFY_ORACLE,
	};
	struct outcome out = {false, false, 0};

	if (asl_run(&want, look, &out))
		fail_msg("%s", asl_failure_to_print());
	return out;
}

static const char *const names[] = {"cuts", "cuts-fused"};

/*
 * Cell by cell as they come, ranks would wait two to five times as long.  Sums
 * straight from the cache make them wait for each other tile by tile.
 */
static void large_cases_count_as_predicted(void **state)
{
	static const int ranks[] = {9, 13, 31, 97, 127, 128};

	(void)state;
	for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++)
		for (int j = 0; j < 2; j++) {
			struct asl_plan plan =
				plan_of(names[j], N, N, N, ranks[i]);
			struct outcome out;

			plan.costs = (struct asl_costs){.net = 1};
			out = run(&plan, "null");
			assert_true(out.predicted);
			if (out.waits > (j ? 1.8 : 1.5))
				fail_msg("%s on %d ranks waits %g times the "
					 "busiest rank's words",
					 names[j], ranks[i], out.waits);
		}
}

static void primes_multiply(void **state)
{
	static const int ranks[] = {5, 7, 11, 13};
	static const struct asl_shape shapes[] = {
		{96, 96, 96}, {61, 53, 47}, {200, 9, 31}, {7, 150, 150}};

	(void)state;
	for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++)
		for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
			for (int j = 0; j < 4; j++) {
				struct asl_plan plan = plan_of(
					names[j / 2], shapes[s].m, shapes[s].n,
					shapes[s].k, ranks[i]);
				struct outcome out;

				plan.cache = 300;
				plan.panels = j % 2 ? ASL_POOL : ASL_DRAM;
				out = run(&plan, "dram");
				assert_true(out.predicted);
				assert_true(out.verified);
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cells_partition_operands),
		cmocka_unit_test(layouts_last),
		cmocka_unit_test(words_are_near_the_bound),
		cmocka_unit_test(powers_of_eight_attain_the_bound),
		cmocka_unit_test(the_bound_holds),
		cmocka_unit_test(words_are_written),
		cmocka_unit_test(large_cases_count_as_predicted),
		cmocka_unit_test(primes_multiply),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
