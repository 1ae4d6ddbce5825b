/*
 * random.h -- repeatable random cases for property tests
 *
 * A test that fails prints its case's number; ASLANT_TEST_CASE=N runs that one
 * alone.  ASLANT_TEST_CASES=N tries N cases of each kind, ASLANT_TEST_CASES=all as
 * many as scripts/check --all.
 */
#ifndef ASL_TEST_RANDOM_H
#define ASL_TEST_RANDOM_H

#include <Random123/philox.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct dice {
	uint32_t family, number, draws;
};

/* Any number from low to high, both included. */
static inline uint64_t roll(struct dice *d, uint64_t low, uint64_t high)
{
	philox4x32_ctr_t at = {{d->draws++, d->number, d->family, 0}};
	philox4x32_key_t key = {{0x61736c, 0x616e74}};
	philox4x32_ctr_t x = philox4x32(at, key);

	return low + ((uint64_t)x.v[1] << 32 | x.v[0]) % (high - low + 1);
}

/* Small numbers as likely as large ones: 1 to 2^bits. */
static inline uint64_t roll_size(struct dice *d, int bits)
{
	return roll(d, 1, (uint64_t)1 << roll(d, 0, (uint64_t)bits));
}

/* In scripts/check --all every case is tried. */
static inline bool all_cases(void)
{
	const char *text = getenv("ASLANT_TEST_CASES");

	return text && !strcmp(text, "all");
}

/* How many cases to try: by default, or all of them. */
static inline unsigned how_many(unsigned few, unsigned all)
{
	const char *text = getenv("ASLANT_TEST_CASES");

	if (!text)
		return few;
	return all_cases() ? all : (unsigned)atoi(text);
}

/* The case that ASLANT_TEST_CASE asks for alone, or -1. */
static inline long only_case(void)
{
	const char *text = getenv("ASLANT_TEST_CASE");

	return text ? atol(text) : -1;
}

/* Is this one of the cases that ASLANT_TEST_CASE does not ask for? */
static inline bool leave_out(long number)
{
	return only_case() >= 0 && only_case() != number;
}

#endif
