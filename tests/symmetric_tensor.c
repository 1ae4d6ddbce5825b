/*
 * symmetric_tensor.c -- symmetric tensors: generated, read from files, refused
 */
#include <errno.h>
#include <math.h>
#include <stdbool.h>

#include "lib/base/error.h"
#include "lib/matrix/file.h"
#include "lib/symmetric/block.h"
#include "lib/symmetric/tensor.h"
#include "tests/help/files.h"
#include "tests/help/random.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))
#define MOST 40 /* sizes: more than two of the small cubes that are compared */

static const struct asl_tensor_source generated = {.seed = 5};

/* ---- Generated ---- */

static void entries_do_not_know_their_order(void **state)
{
	(void)state;
	for (uint32_t number = 0; number < 500; number++) {
		struct dice d = {.family = 1, .number = number};
		struct asl_tensor_source s = {
			.seed = roll(&d, 0, UINT64_MAX - 1),
			.tensor = (uint32_t)number % 3,
			.exact = number % 2};
		uint64_t i = roll_size(&d, 31), j = roll_size(&d, 31),
			 k = roll_size(&d, 31);
		double x = asl_tensor_entry(&s, i, j, k);

		assert_true(x == asl_tensor_entry(&s, i, k, j));
		assert_true(x == asl_tensor_entry(&s, j, i, k));
		assert_true(x == asl_tensor_entry(&s, j, k, i));
		assert_true(x == asl_tensor_entry(&s, k, i, j));
		assert_true(x == asl_tensor_entry(&s, k, j, i));
		assert_true(x >= -0.5 && x < 0.5);
		if (s.exact)
			assert_true(x * 1024 == floor(x * 1024));
	}
}

static void rows_are_entries(void **state)
{
	(void)state;
	for (uint32_t number = 0; number < 200; number++) {
		struct dice d = {.family = 2, .number = number};
		uint64_t a = roll(&d, 0, MOST), b = roll(&d, 0, a),
			 c = roll(&d, 0, b), count = roll(&d, 0, b - c + 1);
		double row[MOST + 2];

		row[count] = 77;
		asl_tensor_read(&generated, row, a, b, c, count);
		for (uint64_t k = 0; k < count; k++)
			assert_true(row[k] ==
				    asl_tensor_entry(&generated, a, b, c + k));
		assert_true(row[count] == 77);
	}
}

/* Even those of a matrix that the same numbers choose. */
static void entries_differ(void **state)
{
	const struct asl_tensor_source other[] = {{.seed = 5, .tensor = 1},
						  {.seed = 6},
						  {.seed = 5 + (1ull << 32)}};
	double all[5 * 364], sum = 0;
	size_t n = 0;

	(void)state;
	for (uint64_t a = 0; a < 12; a++)
		for (uint64_t b = 0; b <= a; b++)
			for (uint64_t c = 0; c <= b; c++) {
				struct asl_source m = {.seed = 5,
						       .matrix = (uint32_t)a};

				asl_source_read(&m, &all[n++], b, c, 1);
				for (size_t i = 0; i < LENGTH(other); i++)
					all[n++] = asl_tensor_entry(&other[i],
								    a, b, c);
				all[n] = asl_tensor_entry(&generated, a, b, c);
				sum += all[n++];
			}
	assert_int_equal(n, LENGTH(all));
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < i; j++)
			assert_true(all[i] != all[j]);
	assert_true(fabs(sum) < 30); /* of 364 */
}

/* ---- Files that are read ---- */

static void holds(const char *path, uint64_t n,
		  const struct asl_tensor_source *expected)
{
	struct asl_tensor_source s = {0};
	struct asl_tensor_in *in;
	double x, y;

	if (asl_tensor_open(&in, path) != 0)
		fail_msg("%s", asl_failure());
	s.file = in;
	assert_int_equal(asl_tensor_size(in), n);
	for (uint64_t i = 0; i < n; i++)
		for (uint64_t j = 0; j < n; j++)
			for (uint64_t k = 0; k < n; k++) {
				x = asl_tensor_entry(&s, i, j, k);
				y = asl_tensor_entry(expected, i, j, k);
				if (memcmp(&x, &y, 8) != 0)
					fail_msg("%s: (%ju, %ju, %ju) is %.17g,"
						 " expected %.17g",
						 path, i, j, k, x, y);
			}
	asl_tensor_close(in);
}

static size_t npy_header(char *to, const char *order, uint64_t n0, uint64_t n1,
			 uint64_t n2)
{
	int n = sprintf(to + 10,
			"{'descr': '<f8', 'fortran_order': %s, 'shape': "
			"(%ju, %ju, %ju)}\n",
			order, n0, n1, n2);

	memcpy(to, "\x93NUMPY\x01\x00", 8);
	to[8] = (char)n;
	to[9] = 0;
	return 10 + (size_t)n;
}

struct cube {
	char file[200 + 8 * MOST * MOST * MOST];
	size_t header, bytes;
	uint64_t n;
};

/* Which order is said does not matter: it is the same file. */
static void make_cube(struct cube *x, uint64_t n, bool by_columns)
{
	char *at;

	x->n = n;
	x->header = npy_header(x->file, by_columns ? "True" : "False", n, n, n);
	x->bytes = x->header + 8 * n * n * n;
	at = x->file + x->header;
	for (uint64_t i = 0; i < n; i++)
		for (uint64_t j = 0; j < n; j++)
			for (uint64_t k = 0; k < n; k++, at += 8) {
				double v =
					asl_tensor_entry(&generated, i, j, k);

				memcpy(at, &v, 8);
			}
}

static char *cube_at(struct cube *x, uint64_t i, uint64_t j, uint64_t k)
{
	return x->file + x->header + 8 * ((i * x->n + j) * x->n + k);
}

static struct cube cube;

static void npy_files_are_read(void **state)
{
	static const uint64_t sizes[] = {1, 2, 3, 15, 16, 17, 33, MOST};

	(void)state;
	for (size_t i = 0; i < 2 * LENGTH(sizes); i++) {
		make_cube(&cube, sizes[i / 2], i % 2);
		holds(put("T.npy", cube.file, cube.bytes), cube.n, &generated);
	}
	/* By content, too. */
	holds(put("T.dat", cube.file, cube.bytes), cube.n, &generated);
}

struct line {
	uint64_t index[3];
	double value;
};

static void swap(uint64_t *a, uint64_t *b)
{
	uint64_t c = *a;

	*a = *b;
	*b = c;
}

/* All entries, in random order, each with its indices in random order. */
static uint64_t random_lines(struct line *to, uint64_t n, struct dice *d)
{
	uint64_t count = 0;

	for (uint64_t a = 0; a < n; a++)
		for (uint64_t b = 0; b <= a; b++)
			for (uint64_t c = 0; c <= b; c++) {
				struct line x = {
					{a, b, c},
					asl_tensor_entry(&generated, a, b, c)};
				uint64_t at = roll(d, 0, count);

				for (int i = 2; i > 0; i--)
					swap(&x.index[i],
					     &x.index[roll(d, 0, (uint64_t)i)]);
				to[count++] = to[at];
				to[at] = x;
			}
	return count;
}

static size_t print_line(char *to, const struct line *x)
{
	return (size_t)sprintf(to, "%ju %ju %ju %.17g\n", x->index[0] + 1,
			       x->index[1] + 1, x->index[2] + 1, x->value);
}

static struct line lines[120];
static char text[20000];

static size_t print_lines(uint64_t count, struct dice *d)
{
	size_t n = (size_t)sprintf(text, "# a tensor\n");

	for (uint64_t i = 0; i < count; i++) {
		n += print_line(text + n, &lines[i]);
		if (roll(d, 0, 5) == 0)
			n += (size_t)sprintf(text + n, "  # %ju\n\n", i);
	}
	return n - roll(d, 0, 1); /* the last newline need not be there */
}

static void tns_files_are_read(void **state)
{
	(void)state;
	for (uint32_t number = 0; number < 200; number++) {
		struct dice d = {.family = 3, .number = number};
		uint64_t n = roll(&d, 1, 7);
		uint64_t count = random_lines(lines, n, &d);
		size_t bytes = print_lines(count, &d);

		assert_int_equal(count, asl_tetrahedron(n));
		holds(put("T.tns", text, bytes), n, &generated);
	}
}

/* ---- Files that are refused ---- */

static void refused(const char *path, int err, const char *words)
{
	struct asl_tensor_in *in = (struct asl_tensor_in *)dir;
	int got = asl_tensor_open(&in, path);

	if (got != err)
		fail_msg("%s: %s, expected %s (%s)", path, strerror(-got),
			 strerror(-err), got ? asl_failure() : words);
	assert_null(in);
	says(path, words);
}

static void accepted(const char *path)
{
	struct asl_tensor_in *in;

	if (asl_tensor_open(&in, path))
		fail_msg("%s", asl_failure());
	asl_tensor_close(in);
}

static uint64_t sorted(uint64_t i, uint64_t j, uint64_t k, uint64_t *b,
		       uint64_t *c)
{
	if (i < j)
		swap(&i, &j);
	if (j < k)
		swap(&j, &k);
	if (i < j)
		swap(&i, &j);
	*b = j;
	*c = k;
	return i;
}

static void name_entry(char *to, bool by_columns, uint64_t i, uint64_t j,
		       uint64_t k)
{
	if (by_columns)
		swap(&i, &k);
	sprintf(to, "[%ju, %ju, %ju]", i, j, k);
}

/* One bit is enough, wherever it is; both places are named. */
static double largest(const struct cube *x)
{
	uint64_t all = x->n * x->n * x->n;
	double most = 0;

	for (uint64_t i = 0; i < all; i++) {
		double v;

		memcpy(&v, x->file + x->header + 8 * i, 8);
		most = fmax(most, fabs(v));
	}
	return most;
}

static void npy_files_are_symmetric_up_to_rounding(void **state)
{
	(void)state;
	for (uint32_t number = 0; number < 300; number++) {
		struct dice d = {.family = 4, .number = number};
		uint64_t n = roll(&d, 2, MOST), i = roll(&d, 0, n - 1),
			 j = roll(&d, 0, n - 1), k = roll(&d, 0, n - 1), b, c;
		bool by_columns = roll(&d, 0, 1);
		uint64_t a = sorted(i, j, k, &b, &c);
		char words[240], changed[80], first[80];
		double v;

		if (i == j && j == k)
			continue;
		make_cube(&cube, n, by_columns);
		memcpy(&v, cube_at(&cube, i, j, k), 8);
		v += 0.9e-12 * largest(&cube);
		memcpy(cube_at(&cube, i, j, k), &v, 8);
		accepted(put("T.npy", cube.file, cube.bytes));
		v += 0.2e-12 * largest(&cube);
		memcpy(cube_at(&cube, i, j, k), &v, 8);
		name_entry(changed, by_columns, i, j, k);
		name_entry(first, by_columns, a, b, c);
		snprintf(words, sizeof words,
			 "%s (from 0) is |%s|%.17g|"
			 "expected a tensor symmetric",
			 first, changed, v);
		refused(put("T.npy", cube.file, cube.bytes), -EINVAL, words);
	}
}

static void npy_files_must_be_finite(void **state)
{
	static const double wrong[] = {NAN, INFINITY, -INFINITY};
	static const char *const words[] = {"[7, 5, 2]|nan", "[7, 5, 2]|is inf",
					    "[7, 5, 2]|-inf"};
	static const uint64_t place[6][3] = {{7, 5, 2}, {7, 2, 5}, {5, 7, 2},
					     {5, 2, 7}, {2, 7, 5}, {2, 5, 7}};

	(void)state;
	make_cube(&cube, 9, false);
	for (int w = 0; w < 3; w++) {
		for (int p = 0; p < 6; p++)
			memcpy(cube_at(&cube, place[p][0], place[p][1],
				       place[p][2]),
			       &wrong[w], 8);
		refused(put("T.npy", cube.file, cube.bytes), -EINVAL, words[w]);
	}
}

static void npy_zeros_of_either_sign_are_equal(void **state)
{
	static const double zero[8] = {0, -0.0};
	size_t n;

	(void)state;
	n = npy_header(cube.file, "False", 2, 2, 2);
	memcpy(cube.file + n, zero, 64);
	accepted(put("T.npy", cube.file, n + 64));
}

static void npy_shapes_are_checked(void **state)
{
	static const struct {
		uint64_t n[3], words;
		const char *says;
	} cases[] = {
		{{2, 2, 3},
		 12,
		 "2 x 2 x 3 can't be symmetric: expected a cube"},
		{{2, 3, 2}, 12, "2 x 3 x 2"},
		{{3, 2, 2}, 12, "3 x 2 x 2"},
		{{0, 0, 0}, 0, "0 x 0 x 0 has no entries"},
		{{3, 3, 3}, 26, "cut off"},
		{{3, 3, 3}, 28, "too long"},
		{{1ull << 32, 1ull << 32, 1ull << 32}, 1, "any file holds"},
		{{1ull << 21, 1ull << 21, 1ull << 22}, 0, "any file holds"},
	};

	/* The header's length is 57. */
	static const char two[] = "\x93NUMPY\1\0\71\0"
				  "{'descr': '<f8', 'fortran_order': False, "
				  "'shape': (1, 1)}"
				  "12345678";

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		size_t n = npy_header(cube.file, "False", cases[i].n[0],
				      cases[i].n[1], cases[i].n[2]);

		memset(cube.file + n, 0, 8 * cases[i].words);
		refused(put("T.npy", cube.file, n + 8 * cases[i].words),
			-EINVAL, cases[i].says);
	}
	refused(put("T.npy", two, sizeof two - 1), -EINVAL,
		"has 2 dimensions, expected 3");
	refused(put("T.npy", "1 1 1 1\n", 8), -EINVAL, "no NumPy file");
}

static void tns_files_that_are_refused(void **state)
{
	static const struct {
		int err;
		const char *text, *words;
	} cases[] = {
		{-EINVAL, "# nothing\n\n", "has no entries"},
		{-EINVAL, "1 1 1 nan\n", ":1: |finite|'nan'"},
		{-EINVAL, "1 1 1 inf\n", ":1: |'inf'"},
		{-EINVAL, "1 1 1 1e999\n", ":1: |finite|'1e999'"},
		{-EINVAL, "1 1 1 0x1p3\n", ":1: |'0x1p3'"},
		{-EINVAL, "1 1 1 1,5\n", ":1: |'1,5'"},
		{-EINVAL, "# x\n1 1 1 1.5.\n", ":2: |'1.5.'"},
		{-EINVAL, "1 1 1\n", ":1: |finite decimal|end of the line"},
		{-EINVAL, "1 1\n", ":1: |third index|end of the line"},
		{-EINVAL, "1 1 1 1 1.0\n", ":1: |end of the line|'1.0'"},
		{-EINVAL, "1 1 1 1.0 # one\n", ":1: |end of the line|'#'"},
		{-EINVAL, "0 1 1 1\n", ":1: |first index is 0|1 to"},
		{-EINVAL, "1 0 1 1\n", ":1: |second index is 0"},
		{-EINVAL, "1 1 0 1\n", ":1: |third index is 0"},
		{-EINVAL, "1 -1 1 1\n", ":1: |second index|'-1'"},
		{-EINVAL, "1 1 1.0 1\n", ":1: |third index|'1.0'"},
		{-EINVAL, "1 1 x 1\n", ":1: |'x'"},
		{-EINVAL, "1 4294967297 1 1\n", ":1: |4294967297|4294967296"},
		{-EINVAL, "1 99999999999999999999 1 1\n", ":1: |'9999"},
		{-ENOMEM, "1 1 1 1\n4294967296 1 1 1\n", ":2: |4294967296|GiB"},
		{-ENOMEM, "100000 1 1 1\n", ":1: |size 100000|GiB"},
		{-EINVAL, "1 1 1 1\n2 1 1 1\n# x\n1 1 1 3\n",
		 ":4: |(1, 1, 1)|in line 1"},
		{-EINVAL, "1 1 1 1\n2 1 1 1\n# x\n1 2 1 3\n",
		 ":4: |(2, 1, 1)|in line 2"},
		{-EINVAL, "# x\n\n3 2 1 1\n3 1 2 1\n", ":4: |(3, 2, 1)|line 3"},
		{-EINVAL, "2 2 2 1\n",
		 "has 1 of the 4|size 2|3 are missing|first is (1, 1, 1)"},
		{-EINVAL, "1 1 1 1\n2 1 1 0\n2 2 2 1\n",
		 "has 3 of the 4|1 are missing|first is (2, 2, 1)"},
		{-EINVAL, "1000 1 1 0\n", "has 1 of the 167167000"},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++)
		refused(put("T.tns", cases[i].text, strlen(cases[i].text)),
			cases[i].err, cases[i].words);
}

/* Whatever the order, in which the file says it. */
static void tns_entries_are_each_there_once(void **state)
{
	(void)state;
	for (uint32_t number = 0; number < 200; number++) {
		struct dice d = {.family = 5, .number = number};
		uint64_t n = roll(&d, 3, 7), b, c, a;
		uint64_t count = random_lines(lines, n, &d);
		uint64_t from = roll(&d, 0, count - 1);
		struct line x = lines[from];
		char words[100];
		size_t bytes = 0;

		a = sorted(x.index[0], x.index[1], x.index[2], &b, &c);
		if (a == n - 1 && b == a && c == a)
			continue; /* n itself might be another */
		lines[from] = lines[count - 1];
		for (uint64_t i = 0; i < count - 1; i++)
			bytes += print_line(text + bytes, &lines[i]);
		sprintf(words, "1 are missing, the first is (%ju, %ju, %ju)",
			a + 1, b + 1, c + 1);
		refused(put("T.tns", text, bytes), -EINVAL, words);

		swap(&x.index[0], &x.index[roll(&d, 1, 2)]);
		lines[count - 1] = x;
		lines[count] = x;
		swap(&lines[count].index[1], &lines[count].index[2]);
		bytes += print_line(text + bytes, &lines[count - 1]);
		bytes += print_line(text + bytes, &lines[count]);
		sprintf(words, ":%ju: |(%ju, %ju, %ju)|in line %ju ", count + 1,
			a + 1, b + 1, c + 1, count);
		refused(put("T.tns", text, bytes), -EINVAL, words);
	}
}

static void what_is_no_file_is_refused(void **state)
{
	(void)state;
	refused(dir, -EISDIR, "directory");
	refused("/dev/zero", -EINVAL, "no regular file");
	refused(in_dir("none.tns"), -ENOENT, "No such file");
	refused(put("T.tns", "", 0), -EINVAL, "is empty");
	refused(put("T.txt", "1 1 1 1\n", 8), -EINVAL, ".npy|.tns");
}

static void damaged_files_never_crash(void **state)
{
	int read = 0;

	(void)state;
	for (uint32_t number = 0; number < 4000; number++) {
		struct dice d = {.family = 6, .number = number};
		struct asl_tensor_in *in;
		size_t bytes;
		char *file = text;

		if (number % 2) {
			make_cube(&cube, roll(&d, 1, 3), roll(&d, 0, 1));
			file = cube.file;
			bytes = cube.bytes;
		} else {
			bytes = print_lines(
				random_lines(lines, roll(&d, 1, 3), &d), &d);
		}
		for (uint64_t i = roll(&d, 0, 2); i > 0; i--)
			file[roll(&d, 0, bytes - 1)] ^=
				(char)(1 << roll(&d, 0, 7));
		if (asl_tensor_open(&in, put(number % 2 ? "T.npy" : "T.tns",
					     file, bytes)) != 0) {
			assert_null(in);
			says(dir, "");
			continue;
		}
		asl_tensor_close(in);
		read++;
	}
	assert_in_range(read, 1000, 3000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(entries_do_not_know_their_order),
		cmocka_unit_test(rows_are_entries),
		cmocka_unit_test(entries_differ),
		cmocka_unit_test(npy_files_are_read),
		cmocka_unit_test(tns_files_are_read),
		cmocka_unit_test(npy_files_are_symmetric_up_to_rounding),
		cmocka_unit_test(npy_files_must_be_finite),
		cmocka_unit_test(npy_zeros_of_either_sign_are_equal),
		cmocka_unit_test(npy_shapes_are_checked),
		cmocka_unit_test(tns_files_that_are_refused),
		cmocka_unit_test(tns_entries_are_each_there_once),
		cmocka_unit_test(what_is_no_file_is_refused),
		cmocka_unit_test(damaged_files_never_crash),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
