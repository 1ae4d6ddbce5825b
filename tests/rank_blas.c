/*
 * rank_blas.c -- products of whole numbers, which are exact, into what was no number
 *
 * C is smaller and larger than what is set to zero past the caches, of all types, and
 * begins anywhere.  Words between its rows stay as they are.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lib/base/team.h"
#include "lib/rank/blas.h"
#include "tests/help/random.h"

enum { MOST_DEPTH = 4 };

static const struct asl_number outside = {12345.25, 0}, none = {NAN, NAN};

/* Only some words of C are compared: from one to the next so many. */
enum { STRIDE = 7 };

struct operands {
	enum asl_type type;
	uint64_t m, n, k, ldc;
	double *room[3], *a, *b, *c;
};

static struct asl_number get(const struct operands *o, const double *at,
			     uint64_t word)
{
	return asl_number_get(o->type, asl_type_at(o->type, at, (int64_t)word));
}

static void put(const struct operands *o, double *at, uint64_t word,
		struct asl_number x)
{
	asl_number_put(o->type, asl_type_at(o->type, at, (int64_t)word), x);
}

/* So many words, which begin anywhere in a line. */
static double *take(const struct operands *o, struct dice *d, double **room,
		    uint64_t words)
{
	uint64_t first = roll(d, 0, 7);

	*room = calloc(words + 8, asl_type_bytes(o->type));
	assert_non_null(*room);
	return asl_type_at(o->type, *room, (int64_t)first);
}

static void draw(const struct operands *o, struct dice *d, double *at,
		 uint64_t words)
{
	for (uint64_t i = 0; i < words; i++)
		put(o, at, i,
		    (struct asl_number){(double)roll(d, 0, 20) - 10,
					asl_type(o->type)->is_complex
						? (double)roll(d, 0, 20) - 10
						: 0});
}

static void begin(struct operands *o, struct dice *d)
{
	static const enum asl_type types[] = {ASL_FLOAT64, ASL_FLOAT32,
					      ASL_COMPLEX64, ASL_COMPLEX128};

	*o = (struct operands){.type = types[d->number % 4],
			       .m = roll(d, 1, 1500),
			       .n = roll(d, 1, 1500),
			       .k = roll(d, 1, MOST_DEPTH)};
	o->ldc = o->n + roll(d, 0, 9);
	o->a = take(o, d, &o->room[0], o->m * o->k);
	o->b = take(o, d, &o->room[1], o->k * o->n);
	o->c = take(o, d, &o->room[2], o->m * o->ldc);
	draw(o, d, o->a, o->m * o->k);
	draw(o, d, o->b, o->k * o->n);
	for (uint64_t i = 0; i < o->m * o->ldc; i++)
		put(o, o->c, i, i % o->ldc < o->n ? none : outside);
}

static struct asl_number sum_of(const struct operands *o, uint64_t row,
				uint64_t col)
{
	struct asl_number sum = {0, 0};

	for (uint64_t l = 0; l < o->k; l++) {
		struct asl_number a = get(o, o->a, row * o->k + l),
				  b = get(o, o->b, l * o->n + col);

		sum.re += a.re * b.re - a.im * b.im;
		sum.im += a.re * b.im + a.im * b.re;
	}
	return sum;
}

static void compare(const struct operands *o, uint64_t word)
{
	uint64_t row = word / o->ldc, col = word % o->ldc;
	struct asl_number is = get(o, o->c, word);
	struct asl_number is_due = col < o->n ? sum_of(o, row, col) : outside;

	if (is.re != is_due.re || is.im != is_due.im)
		fail_msg("%ju x %ju x %ju, type %d: c[%ju][%ju] is %g + %gi, "
			 "not %g + %gi",
			 o->m, o->n, o->k, o->type, row, col, is.re, is.im,
			 is_due.re, is_due.im);
}

static void words_are_sums(void **state)
{
	unsigned cases = how_many(24, 200);

	(void)state;
	for (uint32_t number = 0; number < cases; number++) {
		struct dice d = {11, number, 0};
		struct operands o;

		begin(&o, &d);
		assert_int_equal(asl_team_resize((int)roll(&d, 1, 3)), 0);
		if (roll(&d, 0, 1))
			asl_gemm(o.type, o.m, o.n, o.k, o.a, o.k, o.b, o.n, 0,
				 o.c, o.ldc);
		else
			asl_gemm_in_memory(o.type, o.m, o.n, o.k, o.a, o.k, o.b,
					   o.n, o.c, o.ldc);
		for (uint64_t i = number % STRIDE; i < o.m * o.ldc; i += STRIDE)
			compare(&o, i);
		for (int i = 0; i < 3; i++)
			free(o.room[i]);
	}
	asl_team_resize(1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_sums),
	};

	asl_blas_one_thread();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
