/*
 * rank_packed.c -- products of tiles and slabs: each word is the same sum wherever it is
 *
 * With AVX-512; elsewhere there are none, and nothing is tested.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/draw.h"
#include "lib/rank/blas.h"
#include "tests/help/random.h"

static const double outside = 12345.25;

/* Operands with some words between their rows. */
struct operands {
	struct asl_packed x;
	double *a, *b, *c, *before;
	uint64_t words; /* of c */
};

static double *draw_words(uint64_t words, uint32_t which)
{
	double *at = malloc((words + 1) * sizeof *at);
	struct asl_draw draw = {.seed = 9, .row = {which}};

	assert_non_null(at);
	asl_draw(&draw, at, 0, words);
	return at;
}

/* If it is not to be added to, c is no number at first. */
static void fill(struct operands *o)
{
	const struct asl_packed *x = &o->x;

	for (uint64_t i = 0; i < o->words; i++)
		if (i % x->ldc >= x->n)
			o->c[i] = outside;
		else if (x->beta == 0)
			o->c[i] = NAN;
	o->before = malloc((o->words + 1) * sizeof *o->before);
	assert_non_null(o->before);
	memcpy(o->before, o->c, o->words * sizeof *o->before);
}

static struct operands draw_operands(struct dice *d)
{
	struct operands o = {.x = {.m = roll(d, 1, 450),
				   .n = roll(d, 1, d->number % 10 ? 130 : 1700),
				   .k = roll(d, 1, d->number % 10 ? 90 : 600)}};
	struct asl_packed *x = &o.x;

	x->lda = x->k + roll(d, 0, 9);
	x->ldb = x->n + roll(d, 0, 9);
	x->ldc = x->n + roll(d, 0, 9);
	x->beta = (double)roll(d, 0, 1);
	o.words = x->m * x->ldc;
	x->a = o.a = draw_words(x->m * x->lda, 0);
	x->b = o.b = draw_words(x->k * x->ldb, 1);
	x->c = o.c = draw_words(o.words, 2);
	fill(&o);
	return o;
}

static void free_operands(struct operands *o)
{
	free(o->a);
	free(o->b);
	free(o->c);
	free(o->before);
}

/* A word by itself, and as a sum of long numbers. */
static void compare_word(const struct operands *o, uint64_t row, uint64_t col)
{
	double word = o->before[row * o->x.ldc + col];
	double all = o->x.c[row * o->x.ldc + col];
	struct asl_packed one = o->x;
	long double sum = one.beta != 0 ? word : 0;

	one.m = one.n = 1;
	one.a += row * one.lda;
	one.b += col;
	one.c = &word;
	assert_true(asl_packed_multiply(&one));
	if (memcmp(&word, &all, sizeof word))
		fail_msg("%ju x %ju x %ju: c[%ju][%ju] is %.17g, alone %.17g",
			 o->x.m, o->x.n, o->x.k, row, col, all, word);
	for (uint64_t l = 0; l < one.k; l++)
		sum += (long double)one.a[l] * one.b[l * one.ldb];
	assert_true(fabs(all - (double)sum) <= 1e-16 * (double)(one.k + 2) * 4);
}

static void words_are_sums(void **state)
{
	(void)state;
	if (!ASL_PACKED || !asl_blas_can_run("SkylakeX"))
		skip();
	for (uint32_t k = 0; k < 200; k++) {
		struct dice d = {6, k, 0};
		struct operands o = draw_operands(&d);
		const struct asl_packed *x = &o.x;

		assert_true(asl_packed_multiply(x));
		for (int i = 0; i < 30; i++)
			compare_word(&o, roll(&d, 0, x->m - 1),
				     roll(&d, 0, x->n - 1));
		compare_word(&o, x->m - 1, x->n - 1);
		for (uint64_t i = 0; i < o.words; i++)
			if (i % x->ldc >= x->n)
				assert_true(x->c[i] == outside);
			else
				assert_false(isnan(x->c[i]));
		free_operands(&o);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_are_sums),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
