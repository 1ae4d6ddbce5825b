/*
 * symmetric_steiner.c -- finite fields, Steiner systems, and files of them
 *
 * That systems are ones is counted here triple by triple, not asked of the check
 * that they have passed already.  ASLANT_TEST_LARGE=1 adds the largest ones.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/base/error.h"
#include "lib/matrix/file.h"
#include "lib/symmetric/steiner.h"
#include "tests/help/random.h"
#include "tests/help/steiner_tables.h"

/* ---- Fields ---- */

static void check_sums(const struct asl_field *f, int a, int b, int c)
{
	int ab = asl_field_add(f, a, b), bc = asl_field_add(f, b, c);
	int times = asl_field_multiply(f, a, bc);

	assert_true(ab >= 0 && ab < f->q);
	assert_int_equal(ab, asl_field_add(f, b, a));
	assert_int_equal(asl_field_add(f, ab, c), asl_field_add(f, a, bc));
	assert_int_equal(times, asl_field_add(f, asl_field_multiply(f, a, b),
					      asl_field_multiply(f, a, c)));
}

static void check_products(const struct asl_field *f, int a, int b, int c)
{
	int ab = asl_field_multiply(f, a, b), bc = asl_field_multiply(f, b, c);

	assert_true(ab >= 0 && ab < f->q);
	assert_true((ab == 0) == (a == 0 || b == 0));
	assert_int_equal(ab, asl_field_multiply(f, b, a));
	assert_int_equal(asl_field_multiply(f, ab, c),
			 asl_field_multiply(f, a, bc));
}

/* Sums with one element, and products, are each element once. */
static void check_inverses(const struct asl_field *f, int a)
{
	unsigned char *sums = test_calloc((size_t)f->q, 1);

	for (int b = 0; b < f->q; b++)
		sums[asl_field_add(f, a, b)]++;
	for (int b = 0; b < f->q; b++)
		assert_int_equal(sums[b], 1);
	test_free(sums);
	assert_int_equal(asl_field_add(f, a, 0), a);
	assert_int_equal(asl_field_multiply(f, a, 1), a);
	if (a) {
		int inverse = f->power[(f->q - 1 - f->log[a]) % (f->q - 1)];

		assert_int_equal(asl_field_multiply(f, a, inverse), 1);
	}
}

/* p times anything is 0: the characteristic. */
static void check_characteristic(const struct asl_field *f, int a)
{
	int sum = 0;

	for (int i = 0; i < f->p; i++)
		sum = asl_field_add(f, sum, a);
	assert_int_equal(sum, 0);
}

static void check_field(int q, struct dice *dice)
{
	uint64_t last = (uint64_t)q - 1;
	struct asl_field f;

	assert_int_equal(asl_field_make(&f, q), 0);
	for (int a = 0; a < q; a++) {
		check_inverses(&f, a);
		check_characteristic(&f, a);
		for (int b = 0; b < q; b++)
			check_sums(&f, a, b, (int)roll(dice, 0, last));
		for (int b = 0; b < q; b++)
			check_products(&f, a, b, (int)roll(dice, 0, last));
	}
	asl_field_free(&f);
}

static bool is_power_of(int q, int p)
{
	while (q % p == 0)
		q /= p;
	return q == 1;
}

static bool is_prime(int p)
{
	for (int d = 2; d < p; d++)
		if (p % d == 0)
			return false;
	return p > 1;
}

static void fields_are_fields(void **state)
{
	static const int squares[] = {169, 243, 256, 289, 361};
	struct dice dice = {.family = 70};
	struct asl_field f;

	(void)state;
	for (int q = -1; q <= 128; q++) {
		bool power = false;

		for (int p = 2; p <= q; p++)
			power |= is_prime(p) && is_power_of(q, p);
		assert_int_equal(asl_is_prime_power(q), power);
		if (power)
			check_field(q, &dice);
		else
			assert_int_equal(asl_field_make(&f, q), -EINVAL);
	}
	for (size_t i = 0; i < sizeof squares / sizeof *squares; i++)
		check_field(squares[i], &dice);
}

/* ---- Systems ---- */

static size_t triple(int a, int b, int c)
{
	size_t x = (size_t)a, y = (size_t)b, z = (size_t)c;

	return z * (z - 1) * (z - 2) / 6 + y * (y - 1) / 2 + x;
}

static const int *points(const struct asl_steiner *x, int block)
{
	return x->point + (size_t)block * (size_t)x->s;
}

static void count_triples(unsigned char *seen, const struct asl_steiner *x,
			  int block)
{
	const int *p = points(x, block);

	for (int i = 0; i < x->s; i++) {
		assert_in_range(p[i], i ? p[i - 1] + 1 : 0, x->m - 1);
		for (int j = 0; j < i; j++)
			for (int k = 0; k < j; k++)
				seen[triple(p[k], p[j], p[i])]++;
	}
}

/* Every triple once, so every pair and point so often. */
static void check_system(const struct asl_steiner *x)
{
	size_t m = (size_t)x->m, triples = m * (m - 1) * (m - 2) / 6;
	unsigned char *seen = test_calloc(triples, 1);
	int *pairs = test_calloc(m * m, sizeof *pairs);

	for (int b = 0; b < x->blocks; b++) {
		count_triples(seen, x, b);
		for (int i = 0; i < x->s; i++)
			for (int j = 0; j < i; j++)
				pairs[(size_t)points(x, b)[i] * m +
				      (size_t)points(x, b)[j]]++;
	}
	for (size_t i = 0; i < triples; i++)
		assert_int_equal(seen[i], 1);
	for (size_t i = 0; i < m; i++)
		for (size_t j = 0; j < i; j++)
			assert_int_equal(pairs[i * m + j],
					 (x->m - 2) / (x->s - 2));
	test_free(pairs);
	test_free(seen);
}

static int most_blocks(void)
{
	return getenv("ASLANT_TEST_LARGE") ? 30000 : 11000;
}

static void all_families_are_systems(void **state)
{
	struct asl_steiner_size size = {0};
	struct asl_steiner x;
	char name[ASL_STEINER_NAME];
	int systems = 0;

	(void)state;
	for (; asl_steiner_next(&size, most_blocks()); systems++) {
		assert_int_equal(
			asl_steiner_make(&x, size.family, size.parameter), 0);
		snprintf(name, sizeof name, "%s-%d", size.family,
			 size.parameter);
		assert_string_equal(x.name, name);
		assert_int_equal(x.m, size.m);
		assert_int_equal(x.s, size.s);
		assert_int_equal(x.blocks, size.blocks);
		check_system(&x);
		asl_steiner_free(&x);
	}
	/* q to 19, v to 6, m to 41, at least */
	assert_true(systems >= 12 + 4 + 39);
}

static void spherical_numbers(void **state)
{
	static const int q[] = {2, 3, 4, 5, 7, 8, 9, 11, 13, 16, 17, 19};
	struct asl_steiner_size x = {0};

	(void)state;
	for (size_t i = 0; i < sizeof q / sizeof *q; i++) {
		assert_true(asl_steiner_next(&x, 1000000));
		assert_string_equal(x.family, "spherical");
		assert_int_equal(x.parameter, q[i]);
		assert_int_equal(x.m, q[i] * q[i] + 1);
		assert_int_equal(x.s, q[i] + 1);
		assert_int_equal(x.blocks, q[i] * (q[i] * q[i] + 1));
	}
}

static void what_there_is_not(void **state)
{
	static const struct {
		const char *family;
		int parameter;
		const char *why;
	} none[] = {
		{"spherical", 6, "spherical 6: "},
		{"spherical", 1, "prime power"},
		{"spherical", -3, "prime power"},
		{"spherical", 67, "4096 points"},
		{"spherical", 101, "1000000 blocks"},
		{"spherical", 2147483647, "spherical 2147483647"},
		{"boolean", 2, "v from 3"},
		{"boolean", 13, "1000000 blocks"},
		{"boolean", 2147483647, "boolean 2147483647"},
		{"triples", 2, "m from 3"},
		{"triples", 2147483647, "triples 2147483647"},
		{"conical", 3, "no family 'conical'"},
	};
	struct asl_steiner x;

	(void)state;
	for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
		assert_int_equal(
			asl_steiner_make(&x, none[i].family, none[i].parameter),
			-EINVAL);
		assert_non_null(strstr(asl_failure(), none[i].why));
		assert_null(x.point);
	}
}

static void the_most_ranks_are_used(void **state)
{
	static const struct {
		const char *family;
		int ranks;
		const char *found;
		int parameter;
	} fits[] = {
		{NULL, 1, "triples", 3},
		{NULL, 3, "triples", 3},
		{NULL, 4, "triples", 4},
		{"spherical", 29, "spherical", 2},
		{"spherical", 30, "spherical", 3},
		{NULL, 14, "boolean", 3},
		{NULL, 34, "spherical", 3},
		{NULL, 35, "triples", 7},
		{NULL, 10, "spherical", 2},
		{"boolean", 139, "boolean", 3},
		{"boolean", 140, "boolean", 4},
		{NULL, 1000000, "triples", 182},
	};
	struct asl_steiner_size x;

	(void)state;
	for (size_t i = 0; i < sizeof fits / sizeof *fits; i++) {
		assert_int_equal(
			asl_steiner_fit(&x, fits[i].family, fits[i].ranks), 0);
		assert_string_equal(x.family, fits[i].found);
		assert_int_equal(x.parameter, fits[i].parameter);
	}
	assert_int_equal(asl_steiner_fit(&x, "boolean", 13), -ENOENT);
	assert_non_null(strstr(asl_failure(), "boolean"));
	assert_int_equal(asl_steiner_fit(&x, NULL, 0), -ENOENT);
	assert_int_equal(asl_steiner_fit(&x, "conical", 30), -EINVAL);
}

/* ---- What the check finds ---- */

/* Any point of any block exchanged: found, and the triple told is at fault. */
static void wrong_points_are_found(void **state)
{
	struct dice dice = {.family = 71};
	struct asl_steiner x;

	(void)state;
	assert_int_equal(asl_steiner_make(&x, "spherical", 3), 0);
	for (dice.number = 0; dice.number < 300; dice.number++) {
		int block = (int)roll(&dice, 0, (uint64_t)x.blocks - 1);
		int at = (int)roll(&dice, 0, (uint64_t)x.s - 1);
		int *p = &x.point[block * x.s + at], was = *p;
		int low = at ? p[-1] + 1 : 0;
		int high = at < x.s - 1 ? p[1] - 1 : x.m - 1;
		struct asl_steiner_fault f;

		*p = (int)roll(&dice, (uint64_t)low, (uint64_t)high);
		if (*p == was)
			continue;
		assert_int_equal(asl_steiner_check(&x, &f), -EINVAL);
		assert_true(f.block[0] == -1 || f.block[0] < f.block[1]);
		for (int i = 0; i < 2 && f.block[0] >= 0; i++)
			for (int j = 0, found = 0; j < x.s; j++) {
				const int *q = points(&x, f.block[i]);

				for (int k = 0; k < 3; k++)
					found += q[j] == f.point[k];
				assert_true(j < x.s - 1 || found == 3);
			}
		*p = was;
	}
	asl_steiner_free(&x);
}

/* ---- Files ---- */

static char path[] = "/tmp/aslant-steiner-XXXXXX";

static void write_file(const char *text, size_t bytes)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, bytes, f), bytes);
	assert_int_equal(fclose(f), 0);
}

static void tables_are_systems(void **state)
{
	struct asl_steiner x;

	(void)state;
	write_file(steiner_10_4, strlen(steiner_10_4));
	assert_int_equal(asl_steiner_read(&x, path), 0);
	assert_int_equal(x.m, 10);
	assert_int_equal(x.s, 4);
	assert_int_equal(x.blocks, 30);
	assert_int_equal(points(&x, 5)[3], 7);
	assert_memory_equal(x.name, "file aslant-steiner-", 20);
	check_system(&x);
	asl_steiner_free(&x);

	write_file(steiner_8_4, strlen(steiner_8_4));
	assert_int_equal(asl_steiner_read(&x, path), 0);
	assert_int_equal(x.m, 8);
	assert_int_equal(x.blocks, 14);
	check_system(&x);
	asl_steiner_free(&x);
}

static void good_files(void **state)
{
	static const char *const good[] = {
		"1 2 3\n",
		"3 2 1",
		"{1,2,3}\n",
		"{ 3 , 1 ,2 }\r\n",
		"# one\n\n  \t\n1,2 3 # all\n",
		"\t2\t1,\t3\t#\n#",
		"{1 2 3}#",
	};
	struct asl_steiner x;

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		write_file(good[i], strlen(good[i]));
		assert_int_equal(asl_steiner_read(&x, path), 0);
		assert_int_equal(x.m, 3);
		assert_int_equal(x.s, 3);
		assert_int_equal(x.blocks, 1);
		for (int j = 0; j < 3; j++)
			assert_int_equal(x.point[j], j);
		asl_steiner_free(&x);
	}
}

static void bad_files(void **state)
{
	static const struct {
		const char *text;
		int line; /* 0: none is to blame */
		const char *why;
	} bad[] = {
		{"", 0, "is empty"},
		{"# nothing\n\n", 0, "expected a block a line"},
		{"1 2 x\n", 1, "found 'x'"},
		{"1 2 3\n\n1 2 3.5\n", 3, "found '.5'"},
		{"1 2 -3\n", 1, "found '-3'"},
		{"0 1 2\n", 1, "1 to 4096, found '0 1 2'"},
		{"1 2 4097\n", 1, "found '4097'"},
		{"1 2 99999999999999999999\n", 1, "1 to 4096"},
		{"1 2,,3\n", 1, "found ',3'"},
		{"1 2 3,\n", 1, "the end of the line"},
		{",1 2 3\n", 1, "found ',1 2 3'"},
		{"{1 2 3\n", 1, "'}'"},
		{"1 2 3}\n", 1, "found '}'"},
		{"{1 2 3}}\n", 1, "found '}'"},
		{"{{1 2 3}}\n", 1, "found '{1 2 3}}'"},
		{"{}\n", 1, "found '}'"},
		{"1 2\n", 1, "3 points or more, found 2"},
		{"1 2 3\n1 2\n", 2, "3 points or more, found 2"},
		{"# a\n1 2 3\n1 2 3 4\n", 3, "as in line 2, found 4"},
		{"1 2 2\n", 1, "found 2 twice"},
		{"1 2 3\n2 3 4\n1 3 2\n", 3, "1, 2, 3 in line 1, too"},
		{"1 2 3\n1 2 4\n2 3 4\n", 0, "found 1, 3, 4 in none"},
		{"1 2 3 4\n1 5 6 7\n", 0, "found 1, 2, 5 in none"},
		{"1 2 3 4\n\n# b\n2 3 4 5\n", 4, "2, 3, 4 in line 1, too"},
	};
	char where[64];
	struct asl_steiner x;

	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		const char *why;

		write_file(bad[i].text, strlen(bad[i].text));
		assert_int_equal(asl_steiner_read(&x, path), -EINVAL);
		assert_null(x.point);
		why = asl_failure();
		snprintf(where, sizeof where,
			 bad[i].line ? "%s:%d: " : "%s: ", path, bad[i].line);
		if (strncmp(why, where, strlen(where)) != 0 ||
		    !strstr(why, bad[i].why))
			fail_msg("%zu: found '%s', expected '%s' and '%s'", i,
				 why, where, bad[i].why);
	}
	write_file("1 2\0 3\n", 7);
	assert_int_equal(asl_steiner_read(&x, path), -EINVAL);
	assert_int_equal(asl_steiner_read(&x, "/nowhere/at all"), -ENOENT);
	assert_non_null(strstr(asl_failure(), "/nowhere/at all"));
	assert_int_equal(asl_steiner_read(&x, "/tmp"), -EISDIR);
	assert_int_equal(asl_steiner_read(&x, "/dev/zero"), -EINVAL);
}

/* Bytes exchanged anywhere: either it is a system, or there is a line about it. */
static void any_bytes_are_survived(void **state)
{
	static const char bytes[] = "0123456789 ,{}#\n\t\r-x\377";
	struct dice dice = {.family = 72};
	size_t size = strlen(steiner_8_4);
	char *text = test_malloc(size);

	(void)state;
	for (dice.number = 0; dice.number < 500; dice.number++) {
		struct asl_steiner x;
		int err;

		memcpy(text, steiner_8_4, size);
		for (uint64_t i = roll(&dice, 1, 3); i > 0; i--)
			text[roll(&dice, 0, size - 1)] =
				bytes[roll(&dice, 0, sizeof bytes - 1)];
		write_file(text, size);
		err = asl_steiner_read(&x, path);
		if (err) {
			assert_int_equal(err, -EINVAL);
			assert_memory_equal(asl_failure(), path, strlen(path));
		} else {
			check_system(&x);
		}
		asl_steiner_free(&x);
	}
	test_free(text);
}

static int make_path(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

static int remove_path(void **state)
{
	(void)state;
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_are_fields),
		cmocka_unit_test(all_families_are_systems),
		cmocka_unit_test(spherical_numbers),
		cmocka_unit_test(what_there_is_not),
		cmocka_unit_test(the_most_ranks_are_used),
		cmocka_unit_test(wrong_points_are_found),
		cmocka_unit_test(tables_are_systems),
		cmocka_unit_test(good_files),
		cmocka_unit_test(bad_files),
		cmocka_unit_test(any_bytes_are_survived),
	};

	return cmocka_run_group_tests(tests, make_path, remove_path);
}
