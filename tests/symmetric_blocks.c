/*
 * symmetric_blocks.c -- tensor blocks: their rows, words, and the local kernel
 *
 * Random numbers of indices, cut into random row blocks; every block, in random
 * pieces of whole rows.  The oracle is the dense loop over the cube, without
 * symmetry, or over the cube's places of one block's entries.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/team.h"
#include "lib/matrix/file.h"
#include "lib/symmetric/block.h"
#include "lib/symmetric/tensor.h"
#include "tests/help/random.h"

#define CASES 300
#define MOST_BLOCKS 8
#define FENCE 1234.5 /* where nothing may be written */

struct cut {
	int m;
	struct asl_range part[MOST_BLOCKS];
};

static struct cut random_cut(struct dice *d, uint64_t n)
{
	struct cut cut = {
		.m = (int)roll(d, 1, n < MOST_BLOCKS ? n : MOST_BLOCKS)};
	uint64_t first = 0;

	for (int i = 0; i < cut.m; i++) {
		uint64_t spare = n - first - (uint64_t)(cut.m - 1 - i);
		uint64_t count = i == cut.m - 1 ? spare : roll(d, 1, spare);

		cut.part[i] = (struct asl_range){first, count};
		first += count;
	}
	return cut;
}

static struct asl_block_shape block_of(const struct cut *cut, int i, int j,
				       int k)
{
	return (struct asl_block_shape){
		i, j, k, cut->part[i], cut->part[j], cut->part[k]};
}

/* ---- Rows and words ---- */

/* All places of the block, in order, with what is known of each row. */
static void rows_are_right(const struct asl_block_shape *s)
{
	uint64_t words = 0, rows = 0, ternary = 0;
	struct asl_block_row row = asl_block_row(s, 0), same;

	for (uint64_t a = s->a.first; a < s->a.first + s->a.count; a++)
		for (uint64_t b = s->b.first; b < s->b.first + s->b.count;
		     b++) {
			uint64_t before = words;

			for (uint64_t c = s->c.first;
			     c < s->c.first + s->c.count; c++) {
				bool here = a >= b && b >= c;

				words += here;
				/* One for each different index. */
				ternary += here * (1 + (a > b) + (b > c));
			}
			if (words == before)
				continue;
			same = asl_block_row(s, rows);
			assert_int_equal(row.a, a);
			assert_int_equal(row.b, b);
			assert_int_equal(row.length, words - before);
			assert_memory_equal(&row, &same, sizeof row);
			assert_int_equal(asl_block_before(s, rows), before);
			asl_block_next(s, &row);
			rows++;
		}
	assert_int_equal(asl_block_rows(s), rows);
	assert_int_equal(asl_block_words(s), words);
	assert_int_equal(asl_block_ternary(s), ternary);
	assert_int_equal(asl_block_before(s, rows), words);
}

static void blocks_fill_the_tetrahedron(void **state)
{
	(void)state;
	for (uint32_t number = 0; number < CASES; number++) {
		struct dice d = {.family = 1, .number = number};
		uint64_t n = roll(&d, 1, 40), words = 0;
		struct cut cut = random_cut(&d, n);

		for (int i = 0; i < cut.m; i++)
			for (int j = 0; j <= i; j++)
				for (int k = 0; k <= j; k++) {
					struct asl_block_shape s =
						block_of(&cut, i, j, k);

					rows_are_right(&s);
					words += asl_block_words(&s);
				}
		assert_int_equal(words, asl_tetrahedron(n));
		assert_int_equal(words, n * (n + 1) * (n + 2) / 6);
	}
}

/* Far from where products of three sizes fit 64 bits. */
static void large_numbers_are_right(void **state)
{
	struct asl_block_shape s = asl_block_shape(3000000, 3, 2, 2, 2);
	struct asl_block_row row;

	(void)state;
	assert_int_equal(asl_tetrahedron(4801278), 18446738006366306560u);
	assert_int_equal(s.a.first, 2000000);
	row = asl_block_row(&s, asl_block_rows(&s) - 1);
	assert_int_equal(row.a, 2999999);
	assert_int_equal(row.b, 2999999);
	assert_int_equal(row.length, 1000000);
	assert_int_equal(asl_block_words(&s), 166667166667000000u);
}

/* ---- The kernel ---- */

struct problem {
	uint64_t n, columns, ld;
	struct asl_tensor_source tensor;
	double *x; /* n x ld */
};

static struct problem random_problem(struct dice *d, uint64_t n, bool exact)
{
	struct problem p = {.n = n,
			    .columns = roll(d, 0, 1) ? 1 : roll(d, 1, 20),
			    .tensor = {.seed = roll(d, 0, 99), .exact = exact}};
	struct asl_source x = {.seed = 7, .matrix = 1, .exact = exact};

	p.ld = p.columns + (roll(d, 0, 1) ? roll(d, 0, 5) : 0);
	p.x = malloc(n * p.ld * sizeof(double));
	for (uint64_t i = 0; i < n; i++)
		asl_source_read(&x, p.x + i * p.ld, i, 0, p.ld);
	return p;
}

static double *fenced(uint64_t words)
{
	double *y = malloc((words + 1) * sizeof(double));

	for (uint64_t i = 0; i <= words; i++)
		y[i] = FENCE;
	return y;
}

/* Zeros where the result goes, and a fence in between and after. */
static double *result(const struct problem *p)
{
	double *y = fenced(p->n * p->ld);

	for (uint64_t i = 0; i < p->n; i++)
		memset(y + i * p->ld, 0, p->columns * sizeof(double));
	return y;
}

/* The piece's words alone, so that others' are out of bounds. */
static void update_piece(double *y, const struct problem *p,
			 const struct asl_block_shape *s, struct asl_range rows)
{
	struct asl_block_vectors v = {
		.columns = p->columns,
		.ld = p->ld,
		.xi = p->x + s->a.first * p->ld,
		.xj = p->x + s->b.first * p->ld,
		.xk = p->x + s->c.first * p->ld,
		.yi = y + s->a.first * p->ld,
		.yj = y + s->b.first * p->ld,
		.yk = y + s->c.first * p->ld,
	};
	uint64_t from = asl_block_before(s, rows.first);
	uint64_t words = asl_block_before(s, rows.first + rows.count) - from;
	uint64_t room = asl_block_scratch(s, &v);
	double *A = malloc(words * sizeof(double)), *at = A;
	double *scratch = fenced(room);
	struct asl_block_row row = asl_block_row(s, rows.first);

	for (uint64_t r = 0; r < rows.count; r++) {
		asl_tensor_read(&p->tensor, at, row.a, row.b, s->c.first,
				row.length);
		at += row.length;
		asl_block_next(s, &row);
	}
	asl_block_update(s, A, rows, &v, scratch);
	assert_true(scratch[room] == FENCE);
	free(A);
	free(scratch);
}

static void update_block(double *y, const struct problem *p,
			 const struct asl_block_shape *s, struct dice *d)
{
	uint64_t rows = asl_block_rows(s), most = roll(d, 1, rows);

	for (uint64_t first = 0; first < rows;) {
		uint64_t count = roll(d, 0, asl_min(most, rows - first));

		update_piece(y, p, s, (struct asl_range){first, count});
		first += count;
	}
}

static double *by_blocks(const struct problem *p, struct dice *d)
{
	struct cut cut = random_cut(d, p->n);
	double *y = result(p);

	for (int i = 0; i < cut.m; i++)
		for (int j = 0; j <= i; j++)
			for (int k = 0; k <= j; k++) {
				struct asl_block_shape s =
					block_of(&cut, i, j, k);

				update_block(y, p, &s, d);
			}
	return y;
}

/* One place of the cube. */
static void add_place(double *y, const struct problem *p, uint64_t i,
		      uint64_t j, uint64_t k)
{
	double A = asl_tensor_entry(&p->tensor, i, j, k);

	for (uint64_t r = 0; r < p->columns; r++)
		y[i * p->ld + r] +=
			A * p->x[j * p->ld + r] * p->x[k * p->ld + r];
}

static void compare(const struct problem *p, const double *y,
		    const double *expected, double tolerance, uint32_t number)
{
	for (uint64_t i = 0; i <= p->n * p->ld; i++)
		if (!(fabs(y[i] - expected[i]) <= tolerance))
			fail_msg("case %u: y[%ju] (ld %ju, R %ju) is %.17g, "
				 "expected %.17g",
				 number, i, p->ld, p->columns, y[i],
				 expected[i]);
}

static bool left_out(uint32_t number)
{
	return leave_out(number);
}

static void blocks_add_up_to_the_dense_loop(void **state)
{
	(void)state;
	for (uint32_t number = 0; number < CASES; number++) {
		struct dice d = {.family = 2, .number = number};
		struct problem p =
			random_problem(&d, roll(&d, 1, 40), number % 2);
		double *expected = result(&p), *y = by_blocks(&p, &d);

		if (!left_out(number)) {
			for (uint64_t i = 0; i < p.n; i++)
				for (uint64_t j = 0; j < p.n; j++)
					for (uint64_t k = 0; k < p.n; k++)
						add_place(expected, &p, i, j,
							  k);
			/* Exact sums are the same in any order. */
			compare(&p, y, expected, number % 2 ? 0 : 1e-12,
				number);
		}
		free(expected);
		free(y);
		free(p.x);
	}
}

/* The places of the entries of one block: up to six of each. */
static void add_block(double *y, const struct problem *p,
		      const struct asl_block_shape *s)
{
	struct asl_block_row row = asl_block_row(s, 0);

	for (uint64_t r = 0; r < asl_block_rows(s);
	     r++, asl_block_next(s, &row))
		for (uint64_t c = s->c.first; c < s->c.first + row.length;
		     c++) {
			uint64_t a = row.a, b = row.b;

			add_place(y, p, a, b, c);
			if (b != c)
				add_place(y, p, a, c, b);
			if (a != b) {
				add_place(y, p, b, a, c);
				if (a != c)
					add_place(y, p, b, c, a);
			}
			if (a != c && b != c) {
				add_place(y, p, c, a, b);
				if (a != b)
					add_place(y, p, c, b, a);
			}
		}
}

/* Rows as long as real ones are, which are swept part by part. */
static void long_rows_are_swept_whole(void **state)
{
	(void)state;
	for (uint32_t number = 0; number < 60; number++) {
		struct dice d = {.family = 3, .number = number};
		struct cut cut = {.m = 3};
		struct asl_block_shape s;
		struct problem p;
		double *expected, *y;
		uint64_t first = 0;

		for (int i = 0; i < 3; i++) {
			uint64_t count = i || number % 3 == 0
						 ? roll(&d, 1, 12)
						 : roll(&d, 300, 1500);

			if (number % 3 == 1)
				count = roll(&d, 1, 70);
			cut.part[i] = (struct asl_range){first, count};
			first += count;
		}
		s = block_of(&cut, number % 2 ? 2 : 1, 1, 0);
		if (number % 3 == 1)
			s = block_of(&cut, 2, (int)roll(&d, 1, 2), 1);
		p = random_problem(&d, first, true);
		expected = result(&p);
		y = result(&p);
		update_block(y, &p, &s, &d);
		add_block(expected, &p, &s);
		compare(&p, y, expected, 0, number);
		free(expected);
		free(y);
		free(p.x);
	}
}

/* Sums are exact, so that threads' own y add up to the same bits. */
static void threads_share_rows(void **state)
{
	(void)state;
	for (uint32_t number = 0; number < 24; number++) {
		struct dice d = {.family = 4, .number = number};
		struct cut cut = {.m = 3};
		struct problem p;
		struct asl_block_shape s;
		double *expected, *y;
		uint64_t first = 0;
		int j = (int)roll(&d, 0, 2), k = (int)roll(&d, 0, (uint64_t)j);

		for (int i = 0; i < 3; i++) {
			cut.part[i] =
				(struct asl_range){first, roll(&d, 40, 90)};
			first += cut.part[i].count;
		}
		s = block_of(&cut, 2, j, k);
		p = random_problem(&d, first, true);
		expected = result(&p);
		y = result(&p);
		update_piece(expected, &p, &s,
			     (struct asl_range){0, asl_block_rows(&s)});
		assert_int_equal(asl_team_resize((int)roll(&d, 2, 5)), 0);
		update_block(y, &p, &s, &d);
		asl_team_resize(1);
		compare(&p, y, expected, 0, number);
		free(expected);
		free(y);
		free(p.x);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_fill_the_tetrahedron),
		cmocka_unit_test(large_numbers_are_right),
		cmocka_unit_test(blocks_add_up_to_the_dense_loop),
		cmocka_unit_test(long_rows_are_swept_whole),
		cmocka_unit_test(threads_share_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
