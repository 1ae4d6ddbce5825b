/*
 * matrix_draw.c -- generated entries are those of Philox, as its authors have it
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <Random123/philox.h>
#include <cmocka.h>

#include "lib/base/draw.h"

enum { MOST = 200, CASES = 4000 };

static uint64_t state = 1;

static uint64_t draw_below(uint64_t limit)
{
	state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (state >> 20) % limit;
}

/* Entry i, by Random123. */
static double expected(const struct asl_draw *d, uint64_t i)
{
	philox4x32_ctr_t counter = {
		{(uint32_t)(i / 2), d->row[0], d->row[1], d->row[2]}};
	philox4x32_key_t key = {{(uint32_t)d->seed, (uint32_t)(d->seed >> 32)}};
	philox4x32_ctr_t x = philox4x32(counter, key);
	uint64_t bits = (uint64_t)x.v[2 * (i % 2) + 1] << 32 | x.v[2 * (i % 2)];

	if (d->exact)
		return (double)(bits >> 54) * 0x1p-10 - 0.5;
	return (double)(bits >> 11) * 0x1p-53 - 0.5;
}

static void one_case(int number)
{
	uint64_t first = draw_below(number % 2 ? 100 : UINT32_MAX - MOST);
	uint64_t count = draw_below(MOST);
	double at[MOST + 2], end = 7;
	struct asl_draw d = {
		.seed = draw_below(UINT64_MAX),
		.row = {(uint32_t)draw_below(UINT32_MAX),
			(uint32_t)draw_below(9), (uint32_t)draw_below(5)},
		.exact = number % 3 == 0,
	};

	at[0] = at[count + 1] = end;
	asl_draw(&d, at + 1, first, count);
	for (uint64_t i = 0; i < count; i++) {
		double e = expected(&d, first + i);

		if (memcmp(&at[1 + i], &e, sizeof e))
			fail_msg("case %d: entry %ju is %.17g, expected %.17g",
				 number, first + i, at[1 + i], e);
	}
	if (at[0] != end || at[count + 1] != end)
		fail_msg("case %d: words outside are written", number);
}

static void entries_are_those_of_philox(void **unused)
{
	(void)unused;
	for (int i = 0; i < CASES; i++)
		one_case(i);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries_are_those_of_philox),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
