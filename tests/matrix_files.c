/*
 * matrix_files.c -- matrices in files: what is read, refused and written
 *
 * `matrix_files convert IN OUT` copies a matrix, for matrix_numpy.sh.  Full
 * file systems are small tmpfs mounts in a mount namespace of this process;
 * without root those tests are skipped.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/base/error.h"
#include "lib/matrix/file.h"
#include "tests/help/files.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static size_t get(const char *path, char *to, size_t room)
{
	FILE *f = fopen(path, "r");
	size_t n;

	assert_non_null(f);
	n = fread(to, 1, room, f);
	fclose(f);
	return n;
}

static int files_in(const char *where)
{
	DIR *d = opendir(where);
	int n = 0;

	assert_non_null(d);
	for (struct dirent *e = readdir(d); e; e = readdir(d))
		n += e->d_name[0] != '.';
	closedir(d);
	return n;
}

/* Closing gives back the mapping of the file, too. */
static void not_mapped(const char *path)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[512];

	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (strstr(line, path))
			fail_msg("still mapped: %s", line);
	fclose(f);
}

static void refused(const char *path, int err, const char *words)
{
	struct asl_matrix_in *in = (struct asl_matrix_in *)&dir;
	int fd = open("/dev/null", O_RDONLY), next;
	int got = asl_matrix_open(&in, path);

	if (got != err)
		fail_msg("%s: %s, expected %s (%s)", path, strerror(-got),
			 strerror(-err), got ? asl_failure() : words);
	assert_null(in);
	says(path, words);
	not_mapped(path);
	next = open("/dev/null", O_RDONLY);
	assert_int_equal(next, fd + 1);
	close(next);
	close(fd);
}

/* The file holds exactly these entries, by rows; sign bits count. */
static void holds(const char *path, uint64_t rows, uint64_t cols,
		  const double *entries)
{
	struct asl_matrix_in *in;
	double *row = malloc(cols * sizeof(double));

	if (asl_matrix_open(&in, path) != 0)
		fail_msg("%s", asl_failure());
	assert_int_equal(asl_matrix_rows(in), rows);
	assert_int_equal(asl_matrix_cols(in), cols);
	for (uint64_t i = 0; i < rows; i++) {
		asl_matrix_read(in, row, i, 0, cols);
		for (uint64_t j = 0; j < cols; j++)
			if (memcmp(&row[j], &entries[i * cols + j], 8) != 0)
				fail_msg("%s: (%ju, %ju) is %.17g, expected "
					 "%.17g",
					 path, i, j, row[j],
					 entries[i * cols + j]);
		/* In pieces, too. */
		for (uint64_t j = 0; j < cols; j++) {
			double one[2] = {0, 77};

			asl_matrix_read(in, one, i, j, 1);
			assert_memory_equal(one, &entries[i * cols + j], 8);
			assert_true(one[1] == 77);
		}
	}
	asl_matrix_close(in);
	not_mapped(path);
	free(row);
}

/* ---- .npy ---- */

static const double six[6] = {1, 2, 3, 4, 5, 6};

/* A file of version `major`, with this header and n doubles; its length. */
static size_t make_npy(char *to, int major, const char *header, size_t n)
{
	size_t length = strlen(header), at = major == 1 ? 10 : 12;

	memcpy(to, "\x93NUMPY", 6);
	to[6] = (char)major;
	to[7] = 0;
	memset(to + 8, 0, at - 8);
	to[8] = (char)(length & 0xff);
	to[9] = (char)(length >> 8);
	memcpy(to + at, header, length);
	for (size_t i = 0; i < n; i++)
		memcpy(to + at + length + 8 * i, &six[i % 6], 8);
	return at + length + 8 * n;
}

static const char *npy(int major, const char *header, size_t n)
{
	static char file[70000];

	return put("A.npy", file, make_npy(file, major, header, n));
}

#define DESCR "'descr': '<f8'"
#define ORDER "'fortran_order': False"
#define SHAPE "'shape': (2, 3)"
#define GOOD "{" DESCR ", " ORDER ", " SHAPE ", }\n"

static void npy_headers_that_are_read(void **state)
{
	static const char *const headers[] = {
		GOOD,
		"{" SHAPE "," ORDER "," DESCR "}",
		"  {  'shape' :  ( 2 ,3, ) ,\n" ORDER " ,\t" DESCR " } \n\n",
		"{\"descr\": \"<f8\", \"fortran_order\": False, "
		"\"shape\": (2L, 3L)}",
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(headers); i++)
		for (int major = 1; major <= 3; major++)
			holds(npy(major, headers[i], 6), 2, 3, six);
}

static void npy_by_columns_is_turned(void **state)
{
	static const double turned[6] = {1, 4, 2, 5, 3, 6};
	static const double by_rows[6] = {1, 3, 5, 2, 4, 6};

	(void)state;
	holds(npy(1, "{" DESCR ", 'fortran_order': True, " SHAPE "}\n", 6), 2,
	      3, by_rows);
	holds(npy(1, "{" DESCR ", 'fortran_order': True, 'shape': (3, 2), }\n",
		  6),
	      3, 2, turned);
}

static void npy_headers_that_are_refused(void **state)
{
	static const struct {
		const char *header, *words;
	} cases[] = {
		{"{'descr': '<f4', " ORDER ", " SHAPE "}",
		 "entries are '<f4', expected '<f8' (float64)"},
		{"{'descr': '>f8', " ORDER ", " SHAPE "}", "'>f8'"},
		{"{'descr': '<c16', " ORDER ", " SHAPE "}", "'<c16'"},
		{"{'descr': '|O', " ORDER ", " SHAPE "}", "'|O'"},
		{"{'descr': [('x', '<f8')], " ORDER ", " SHAPE "}",
		 "structured"},
		{"{'descr': <f8, " ORDER ", " SHAPE "}", "'<f8, "},
		{"{" DESCR ", " ORDER ", 'shape': (6,)}", "1 dimension,"},
		{"{" DESCR ", " ORDER ", 'shape': ()}", "0 dimensions"},
		{"{" DESCR ", " ORDER ", 'shape': (1, 2, 3)}", "3 dimensions"},
		{"{" DESCR ", " ORDER ", 'shape': (2, 0)}", "2 x 0"},
		{"{" DESCR ", " ORDER ", 'shape': (2, -3)}", "'-3)"},
		{"{" DESCR ", " ORDER ", 'shape': (2 3)}", "',' or ')'"},
		{"{" DESCR ", " ORDER ", 'shape': (, 2, 3)}", "size"},
		{"{" DESCR ", " ORDER ", 'shape': [2, 3]}", "(rows, cols)"},
		{"{" DESCR ", " ORDER ", 'shape': (2, 3", "',' or ')'"},
		{"{" DESCR ", " ORDER ", 'shape': (1, 18446744073709551616)}",
		 "2^64"},
		{"{" DESCR ", " ORDER ", 'shape': (4294967296, 4294967296)}",
		 "4294967296 x 4294967296"},
		{"{" DESCR ", " ORDER ", 'shape': (1, 2305843009213693951)}",
		 "more than any file"},
		/* Times 8, these are 48 bytes again, but for the carry. */
		{"{" DESCR ", " ORDER ", 'shape': (1, 2305843009213693958)}",
		 "more than any file"},
		{"{" DESCR ", " ORDER "}", "no 'shape'"},
		{"{" DESCR ", " SHAPE "}", "no 'fortran_order'"},
		{"{" ORDER ", " SHAPE "}", "no 'descr'"},
		{"{" DESCR ", " ORDER ", " SHAPE ", " SHAPE "}",
		 "one each of|'shape'"},
		{"{" DESCR ", " ORDER ", " SHAPE ", 'x': 1}", "'x'"},
		{"{" DESCR ", 'fortran_order': 0, " SHAPE "}", "True or False"},
		{"{" DESCR " " ORDER ", " SHAPE "}", "',' or '}'"},
		{"{" DESCR ", " ORDER ", " SHAPE, "',' or '}'"},
		{"{" DESCR ", " ORDER ", " SHAPE "} x", "its end"},
		{"{'descr", "a key"},
		{"{'descr'", "':'"},
		{"{", "a key"},
		{"", "'{'"},
		{"[1]", "'{'"},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++)
		refused(npy(1, cases[i].header, 6), -EINVAL, cases[i].words);
}

/* Nothing is looked for in what follows. */
static void npy_headers_end_where_they_say(void **state)
{
	char file[512];
	size_t n = make_npy(file, 1, "{'descr", 6);

	(void)state;
	file[n - 9] = '\'';
	refused(put("A.npy", file, n), -EINVAL, "a key|where it has ''descr'");
}

static void npy_lengths_are_checked(void **state)
{
	char file[512], words[80];
	size_t n = make_npy(file, 1, GOOD, 6);

	(void)state;
	for (size_t bytes = 6; bytes < n; bytes++) {
		snprintf(words, sizeof(words), "cut off|found %zu", bytes);
		refused(put("A.npy", file, bytes), -EINVAL, words);
	}
	snprintf(words, sizeof(words), "expected %zu bytes, found %zu", n,
		 n - 1);
	refused(put("A.npy", file, n - 1), -EINVAL, words);
	snprintf(words, sizeof(words), "expected %zu bytes, found %zu", n,
		 n + 8);
	refused(npy(1, GOOD, 7), -EINVAL, words);
	n = make_npy(file, 2, GOOD, 6);
	file[11] = 1; /* 2^24 more of header */
	refused(put("A.npy", file, n), -EINVAL, "cut off|16777");
}

static void npy_magic_and_version_are_checked(void **state)
{
	char file[512];
	size_t n = make_npy(file, 4, GOOD, 6);

	(void)state;
	refused(put("A.npy", file, n), -EINVAL, "version 4.0");
	file[6] = 0;
	refused(put("A.npy", file, n), -EINVAL, "version 0.0");
	file[6] = 1, file[7] = 1;
	refused(put("A.npy", file, n), -EINVAL, "version 1.1");
	file[1] = 'M';
	refused(put("A.npy", file, n), -EINVAL, "no NumPy file|begins with");
	refused(put("A.npy", file, 3), -EINVAL, "no NumPy file");
}

static void npy_entries_must_be_finite(void **state)
{
	static const double wrong[] = {NAN, INFINITY, -INFINITY};
	static const char *const words[] = {"nan", "is inf", "-inf"};
	char file[512], expected[64];
	size_t n = make_npy(file, 1, GOOD, 6);

	(void)state;
	for (size_t i = 0; i < 18; i++) {
		size_t at = i % 6;
		double before = six[at];

		memcpy(file + n - 48 + 8 * at, &wrong[i / 6], 8);
		snprintf(expected, sizeof(expected), "[%zu, %zu]|%s", at / 3,
			 at % 3, words[i / 6]);
		refused(put("A.npy", file, n), -EINVAL, expected);
		memcpy(file + n - 48 + 8 * at, &before, 8);
	}
	n = make_npy(file, 1, "{" DESCR ", 'fortran_order': True, " SHAPE "}",
		     6);
	memcpy(file + n - 48 + 8 * 3, &wrong[0], 8);
	refused(put("A.npy", file, n), -EINVAL, "[1, 1]|nan");
}

/* ---- .mtx ---- */

static const char *mtx(const char *text)
{
	return put("A.mtx", text, strlen(text));
}

#define ARRAY "%%MatrixMarket matrix array real general\n"
#define COORD "%%MatrixMarket matrix coordinate real general\n"

static void mtx_files_that_are_read(void **state)
{
	static const double by_rows[6] = {1, 3, 5, 2, 4, 6};
	static const double sparse[6] = {0, 0, -2.5, 1e300, 0, 0};
	static const double symmetric[9] = {1, 2, 3, 2, 4, 5, 3, 5, 6};
	static const double skew[9] = {0, -1, -2, 1, 0, -3, 2, 3, 0};
	static const double minus_zero[1] = {-0.0}, zero[1] = {0};
	static const double tiny[1] = {DBL_TRUE_MIN};

	(void)state;
	holds(mtx(ARRAY "2 3\n1\n2\n3\n4\n5\n6\n"), 2, 3, by_rows);
	holds(mtx(ARRAY "2 3\n1\n2\n3\n4\n5\n6"), 2, 3, by_rows);
	holds(mtx(ARRAY "% a\n%\n\n 2\t3 \r\n1\r\n+2.0\n  3e0\n\n40E-1\n"
			"% x\n5.\n6\n\n"),
	      2, 3, by_rows);
	holds(mtx("%%MatrixMarket MATRIX Array INTEGER General\n2 3\n1\n2\n3\n"
		  "4\n5\n6\n"),
	      2, 3, by_rows);
	holds(mtx(COORD "2 3 2\n2 1 1e300\n1 3 -2.5\n"), 2, 3, sparse);
	holds(mtx(COORD "2 3 4\n2 1 1e300\n1 3 -2\n1 2 0\n1 3 -.5\n"), 2, 3,
	      sparse);
	holds(mtx(COORD "1 1 0\n"), 1, 1, zero);
	holds(mtx(COORD "1 1 1\n1 1 -0\n"), 1, 1, minus_zero);
	holds(mtx(ARRAY "1 1\n-0.0\n"), 1, 1, minus_zero);
	holds(mtx(ARRAY "1 1\n4.9406564584124654e-324\n"), 1, 1, tiny);
	holds(mtx("%%MatrixMarket matrix array real symmetric\n3 3\n1\n2\n3\n4"
		  "\n5\n6\n"),
	      3, 3, symmetric);
	holds(mtx("%%MatrixMarket matrix coordinate integer symmetric\n3 3 7\n"
		  "1 1 1\n3 3 6\n2 1 1\n3 1 3\n2 2 4\n3 2 5\n2 1 1\n"),
	      3, 3, symmetric);
	holds(mtx("%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n"
		  "3\n"),
	      3, 3, skew);
	holds(mtx("%%MatrixMarket matrix coordinate real skew-symmetric\n"
		  "3 3 3\n2 1 1\n3 1 2\n3 2 3\n"),
	      3, 3, skew);
	holds(mtx("%%MatrixMarket matrix array real skew-symmetric\n1 1\n"), 1,
	      1, zero);
}

static void mtx_files_that_are_refused(void **state)
{
	static const struct {
		const char *text, *words;
	} cases[] = {
		{"%%MatrixMarket matrix array complex general\n",
		 ".mtx:1: |real or integer|'complex'"},
		{"%%MatrixMarket matrix coordinate pattern general\n",
		 ":1: |'pattern'"},
		{"%%MatrixMarket matrix array real hermitian\n",
		 ":1: |'hermitian'|skew-symmetric"},
		{"%%MatrixMarket vector array real general\n",
		 ":1: |the object matrix|'vector'"},
		{"%%MatrixMarket matrix elemental real general\n",
		 "'elemental'|array or coordinate"},
		{"%%MatrixMarket matrix array real\n1 1\n1\n",
		 ":1: |end of the line|symmetry"},
		{"%%MatrixMarket matrix array real general x\n", "'x'"},
		{"%%MatrixMarketmatrix array real general\n", ":1: |banner"},
		{"%MatrixMarket matrix array real general\n1 1\n1\n",
		 "no Matrix Market file|begins with '%MatrixMarket"},
		{ARRAY, "ends before|size"},
		{ARRAY "% only\n\n", "ends before|size"},
		{ARRAY "\n2\n", ":3: |columns|end of the line"},
		{ARRAY "2 3 6\n", ":2: |'6'"},
		{COORD "2 3\n", ":2: |entries"},
		{ARRAY "2 -3\n", ":2: |'-3'"},
		{ARRAY "2.0 3\n", "'2.0'"},
		{ARRAY "2 0\n", ":2: |2 x 0"},
		{ARRAY "2 18446744073709551616\n", ":2: |columns"},
		{"%%MatrixMarket matrix array real symmetric\n2 3\n",
		 ":2: |2 x 3|square"},
		{ARRAY "2 2\n1\n2\n3\n", "line 5|3 of 4"},
		{ARRAY "2 2\n1\n2\n3\n4\n5\n", ":7: |more than the 4"},
		{ARRAY "2 2\n1 2\n3 4\n", ":3: |end of the line|'2'"},
		{ARRAY "2 2\n1\nx\n3\n4\n", ":4: |finite|'x'"},
		{ARRAY "1 1\nnan\n", ":3: |'nan'"},
		{ARRAY "1 1\n-inf\n", ":3: |'-inf'"},
		{ARRAY "1 1\n1e999\n", ":3: |finite|'1e999'"},
		{ARRAY "1 1\n0x10\n", "'0x10'"},
		{ARRAY "1 1\n1,5\n", "'1,5'"},
		{ARRAY "1 1\n1e\n", "'1e'"},
		{ARRAY "1 1\n--1\n", "'--1'"},
		{ARRAY "1 1\n1d0\n", "'1d0'"},
		{COORD "2 3 1\n0 1 5\n", ":3: |the row is 0|1 to 2"},
		{COORD "2 3 1\n3 1 5\n", ":3: |the row is 3|1 to 2"},
		{COORD "2 3 1\n% x\n1 4 5\n", ":4: |the column is 4|1 to 3"},
		{COORD "2 3 1\n1 -1 5\n", ":3: |the column|'-1'"},
		{COORD "2 3 1\n1 1\n", ":3: |finite|end of the line"},
		{COORD "2 3 1\n1 1 5 6\n", ":3: |'6'"},
		{COORD "2 3 2\n1 1 5\n", "line 3|1 of 2"},
		{COORD "2 3 1\n1 1 5\n\n2 2 5\n", ":5: |more than the 1"},
		{COORD "2 3 2\n1 1 1e308\n1 1 1e308\n", ":4: |overflows"},
		{"%%MatrixMarket matrix coordinate integer general\n1 1 1\n"
		 "1 1 1.0\n",
		 ":3: |an integer|'1.0'"},
		{"%%MatrixMarket matrix coordinate integer general\n1 1 1\n"
		 "1 1 9007199254740994\n",
		 ":3: |2^53"},
		{"%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n"
		 "1 2 5\n",
		 ":3: |(1, 2)|or on it"},
		{"%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n"
		 "2 2 0\n",
		 ":3: |(2, 2)|skew-symmetric file"},
		{"%%MatrixMarket matrix array real symmetric\n2 "
		 "2\n1\n2\n3\n4\n",
		 ":6: |more than the 3"},
	};

	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++)
		refused(mtx(cases[i].text), -EINVAL, cases[i].words);
}

static void mtx_numbers_have_an_end(void **state)
{
	char text[3000];
	int n = snprintf(text, sizeof(text), "%s1 1\n", ARRAY);
	static const double third[1] = {0.3};

	(void)state;
	memset(text + n, '0', 2000);
	memcpy(text + n + 900, ".3\n", 4);
	holds(mtx(text), 1, 1, third);
	memset(text + n, '0', 2000);
	text[n + 2000] = '\0';
	refused(mtx(text), -EINVAL, ":3: |finite|000...");
	memcpy(text + n, "1\0", 3);
	refused(put("A.mtx", text, (size_t)n + 2), -EINVAL, ":3: ");
}

static void mtx_larger_than_memory_is_refused(void **state)
{
	static const char *const sizes[] = {
		"1000000000 1000000000 1\n1 1 1\n",
		"18446744073709551615 18446744073709551615 1\n1 1 1\n",
		"4294967296 4294967296 0\n",
		"1 2305843009213693952 0\n",
		"1000000 1000000 1\n1 1 1\n",
	};
	char text[256];

	(void)state;
	for (size_t i = 0; i < LENGTH(sizes); i++) {
		snprintf(text, sizeof(text), "%s%s", COORD, sizes[i]);
		refused(mtx(text), -ENOMEM, "memory| x ");
	}
	/* Many entries in a small matrix need no room. */
	refused(mtx(COORD "1 1 18446744073709551615\n1 1 1\n"), -EINVAL,
		"1 of 18446744073709551615");
}

/* ---- Any file ---- */

static void what_is_no_file_is_refused(void **state)
{
	const char *fifo = in_dir("F.npy"), *none = in_dir("none.npy");
	struct asl_matrix_in *in;

	(void)state;
	refused(dir, -EISDIR, "directory");
	refused("/dev/zero", -EINVAL, "no regular file");
	refused(none, -ENOENT, "No such file");
	assert_int_equal(mkfifo(fifo, 0600), 0);
	refused(fifo, -EINVAL, "no regular file");
	unlink(fifo);
	refused(put("E.mtx", "", 0), -EINVAL, "empty");
	put("bad\n.npy", "x", 1);
	assert_int_equal(asl_matrix_open(&in, in_dir("bad\n.npy")), -EINVAL);
	says(in_dir("bad?.npy"), "begins with 'x'");
}

static void unreadable_files_are_refused(void **state)
{
	const char *path = put("U.npy", "x", 1);

	(void)state;
	assert_int_equal(chmod(path, 0), 0);
	if (geteuid() == 0 && seteuid(65534) != 0)
		skip();
	chmod(dir, 0755);
	refused(path, -EACCES, "denied");
	if (getuid() == 0)
		assert_int_equal(seteuid(0), 0);
}

static void content_decides_where_the_name_does_not(void **state)
{
	static const double one[1] = {1};
	char file[512];
	size_t n = make_npy(file, 1, GOOD, 6);

	(void)state;
	holds(put("A.dat", file, n), 2, 3, six);
	holds(put("A", file, n), 2, 3, six);
	holds(put("B.txt", ARRAY "1 1\n1\n", strlen(ARRAY) + 6), 1, 1, one);
	holds(put("A.NPY", file, n), 2, 3, six);
	refused(put("A.NPY", "x", 1), -EINVAL, "no NumPy file");
	refused(put("A.csv", "1,2\n", 4), -EINVAL, "neither .npy nor .mtx");
	refused(put("A.mtx", file, n), -EINVAL,
		"no Matrix Market file|begins with '?NUMPY");
	refused(put("A.npy", ARRAY "1 1\n1\n", strlen(ARRAY) + 6), -EINVAL,
		"no NumPy file|'%%MatrixMarket");
}

/* ---- Writing ---- */

static struct asl_matrix_out *created(const char *path, uint64_t rows,
				      uint64_t cols)
{
	struct asl_matrix_out *out;

	if (asl_matrix_create(&out, path, rows, cols) != 0)
		fail_msg("%s", asl_failure());
	assert_non_null(out);
	return out;
}

static void committed(struct asl_matrix_out *out)
{
	if (asl_matrix_commit(out) != 0)
		fail_msg("%s", asl_failure());
}

static void not_created(const char *path, uint64_t rows, uint64_t cols, int err,
			const char *words)
{
	struct asl_matrix_out *out = (struct asl_matrix_out *)&dir;
	int got = asl_matrix_create(&out, path, rows, cols);

	if (got != err)
		fail_msg("%s: %s, expected %s", path, strerror(-got),
			 strerror(-err));
	assert_null(out);
	says(path, words);
}

static uint64_t chance(uint64_t *state)
{
	*state = *state * 6364136223846793005u + 1442695040888963407u;
	return *state >> 33 ^ *state << 29;
}

static double any_double(uint64_t *state)
{
	double value;

	do {
		uint64_t bits = chance(state);

		memcpy(&value, &bits, 8);
	} while (!isfinite(value));
	return value;
}

/* Row by row from the last, each in two pieces of which the latter is first. */
static void write_all(struct asl_matrix_out *out, const double *entries,
		      uint64_t rows, uint64_t cols)
{
	for (uint64_t i = rows; i-- > 0;) {
		uint64_t cut = i % cols;

		assert_int_equal(asl_matrix_write(out, entries + i * cols + cut,
						  i, cut, cols - cut),
				 0);
		assert_int_equal(
			asl_matrix_write(out, entries + i * cols, i, 0, cut),
			0);
	}
}

static void round_trip(const char *name, uint64_t rows, uint64_t cols,
		       uint64_t seed)
{
	const char *path = in_dir(name);
	static const double special[] = {
		-0.0, DBL_MAX, -DBL_MAX, DBL_MIN, DBL_TRUE_MIN, 0.1, 1.0 / 3};
	double *entries = malloc(rows * cols * sizeof(double));
	struct asl_matrix_out *out = created(path, rows, cols);

	for (uint64_t i = 0; i < rows * cols; i++)
		entries[i] =
			i < LENGTH(special) ? special[i] : any_double(&seed);
	write_all(out, entries, rows, cols);
	committed(out);
	holds(path, rows, cols, entries);
	free(entries);
}

static void doubles_read_back_exactly(void **state)
{
	(void)state;
	round_trip("R.npy", 1, 1, 1);
	round_trip("R.mtx", 1, 1, 1);
	round_trip("R.npy", 37, 5, 2);
	round_trip("R.mtx", 37, 5, 2);
	round_trip("R.npy", 3, 1001, 3);
	round_trip("R.mtx", 71, 113, 3); /* several buffers of text */
}

/* Made for the occasion, since few machines have one. */
static bool speak_german(void)
{
	char command[256];

	snprintf(command, sizeof(command),
		 "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >%s/log 2>&1", dir,
		 dir);
	if (system(command) != 0)
		return false;
	setenv("LOCPATH", dir, 1);
	return setlocale(LC_ALL, "de_DE.UTF-8") &&
	       localeconv()->decimal_point[0] == ',';
}

/* The point stays a point where the user's language has a comma. */
static void another_language_changes_nothing(void **state)
{
	(void)state;
	if (!speak_german())
		skip();
	round_trip("L.mtx", 5, 7, 4);
	assert_int_equal(localeconv()->decimal_point[0], ',');
	setlocale(LC_ALL, "C");
}

static void written_files_are_canonical(void **state)
{
	const char *path = in_dir("C.npy");
	struct asl_matrix_out *out = created(path, 2, 3);
	char file[512];

	(void)state;
	write_all(out, six, 2, 3);
	committed(out);
	assert_int_equal(get(path, file, sizeof(file)), 128 + 48);
	assert_memory_equal(file, "\x93NUMPY\x01\x00\x76\x00", 10);
	assert_int_equal(file[127], '\n');
	assert_memory_equal(file + 128, six, 48);

	path = in_dir("C.mtx");
	out = created(path, 2, 3);
	write_all(out, six, 2, 3);
	committed(out);
	file[get(path, file, sizeof(file))] = '\0';
	assert_string_equal(file, ARRAY "2 3\n1\n4\n2\n5\n3\n6\n");
}

static void nothing_is_seen_before_commit(void **state)
{
	static const char *const names[] = {"N.npy", "N.mtx"};
	struct stat st;

	(void)state;
	for (int i = 0; i < 2; i++) {
		const char *path = in_dir(names[i]);
		int before = files_in(dir);
		struct asl_matrix_out *out = created(path, 2, 3);

		write_all(out, six, 2, 3);
		assert_int_equal(access(path, F_OK), -1);
		asl_matrix_discard(out);
		assert_int_equal(files_in(dir), before);

		umask(027);
		out = created(path, 2, 3);
		write_all(out, six, 2, 3);
		committed(out);
		assert_int_equal(stat(path, &st), 0);
		assert_int_equal(st.st_mode & 0777, 0640);
		assert_int_equal(umask(022), 027);
		assert_int_equal(files_in(dir), before + 1);

		/* An old file stays until a new one is whole. */
		out = created(path, 1, 1);
		holds(path, 2, 3, six);
		asl_matrix_discard(out);
		holds(path, 2, 3, six);
		out = created(path, 1, 1);
		assert_int_equal(asl_matrix_write(out, six, 0, 0, 1), 0);
		committed(out);
		holds(path, 1, 1, six);
		assert_int_equal(files_in(dir), before + 1);
	}
}

static void a_failed_commit_leaves_nothing(void **state)
{
	const char *path = in_dir("late.npy");
	int before = files_in(dir);
	struct asl_matrix_out *out = created(path, 2, 3);

	(void)state;
	write_all(out, six, 2, 3);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_int_equal(asl_matrix_commit(out), -EISDIR);
	says(path, "directory");
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(files_in(dir), before);
}

static void a_part_is_not_committed(void **state)
{
	static const char *const names[] = {"P.npy", "P.mtx"};

	(void)state;
	for (int i = 0; i < 2; i++) {
		const char *path = in_dir(names[i]);
		int before = files_in(dir);
		struct asl_matrix_out *out = created(path, 2, 3);

		assert_int_equal(asl_matrix_write(out, six, 0, 0, 3), 0);
		assert_int_equal(asl_matrix_write(out, six, 1, 0, 2), 0);
		assert_int_equal(asl_matrix_commit(out), -EINVAL);
		says(path, "only 5 of 2 x 3");
		assert_int_equal(files_in(dir), before);
	}
}

static void places_that_are_refused(void **state)
{
	char path[300];
	int before = files_in(dir);

	(void)state;
	not_created(in_dir("A.txt"), 2, 3, -EINVAL, ".npy or .mtx");
	not_created(in_dir("npy"), 2, 3, -EINVAL, ".npy or .mtx");
	not_created(in_dir("Z.npy"), 0, 3, -EINVAL, "0 x 3");
	not_created(in_dir("none/A.npy"), 2, 3, -ENOENT, "No such file");
	not_created("/proc/A.npy", 2, 3, -ENOENT, "its directory");
	snprintf(path, sizeof(path), "%s/sub.npy", dir);
	assert_int_equal(mkdir(path, 0700), 0);
	not_created(path, 2, 3, -EISDIR, "is a directory");
	rmdir(path);
	assert_int_equal(mkfifo(path, 0600), 0);
	not_created(path, 2, 3, -EINVAL, "not replaced");
	unlink(path);
	not_created(in_dir("H.mtx"), UINT64_C(1) << 32, UINT64_C(1) << 32,
		    -ENOMEM, "memory");
	not_created(in_dir("H.npy"), UINT64_C(1) << 32, UINT64_C(1) << 32,
		    -EFBIG, "any file");
	not_created(in_dir("H.npy"), UINT64_C(1) << 20, UINT64_C(1) << 30,
		    -ENOSPC, "no room");
	assert_int_equal(files_in(dir), before);
}

static void links_are_followed(void **state)
{
	const char *path = put("target.npy", "x", 1),
		   *link = in_dir("link.npy");
	struct asl_matrix_out *out;
	struct stat st;

	(void)state;
	assert_int_equal(symlink("target.npy", link), 0);
	out = created(link, 2, 3);
	write_all(out, six, 2, 3);
	committed(out);
	holds(path, 2, 3, six);
	assert_int_equal(lstat(link, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
}

static void a_file_size_limit_is_an_error(void **state)
{
	struct rlimit before, small = {1000, 0};
	struct asl_matrix_out *out;
	double row[40];

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	small.rlim_max = before.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	not_created(in_dir("S.npy"), 40, 40, -EFBIG, "ulimit -f");
	out = created(in_dir("S.mtx"), 40, 1000);
	for (int i = 0; i < 40; i++)
		row[i] = 1.0 / 3;
	for (uint64_t i = 0; i < 40; i++)
		for (uint64_t j = 0; j < 1000; j += 40)
			asl_matrix_write(out, row, i, j, 40);
	assert_int_equal(asl_matrix_commit(out), -EFBIG);
	says(in_dir("S.mtx"), "ulimit -f");
	setrlimit(RLIMIT_FSIZE, &before);
	assert_int_equal(access(in_dir("S.mtx"), F_OK), -1);
}

static void full_disk(const char *where)
{
	static double row[1000];
	struct asl_matrix_out *out;
	char path[300];

	snprintf(path, sizeof(path), "%s/A.npy", where);
	not_created(path, 1000, 1000, -ENOSPC, "no room|8000128 bytes");
	assert_int_equal(files_in(where), 0);
	snprintf(path, sizeof(path), "%s/A.mtx", where);
	out = created(path, 1000, 1000);
	for (uint64_t i = 0; i < 1000; i++)
		assert_int_equal(asl_matrix_write(out, row, i, 0, 1000), 0);
	assert_int_equal(asl_matrix_commit(out), -ENOSPC);
	says(path, "no room");
	assert_int_equal(files_in(where), 0);
}

/* In a process of its own, whose mounts end with it. */
static void full_disks_leave_nothing(void **state)
{
	int status;
	pid_t child;

	(void)state;
	if (geteuid() != 0)
		skip();
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		if (unshare(CLONE_NEWNS) != 0 ||
		    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
		    mount("tmpfs", dir, "tmpfs", 0, "size=1m") != 0)
			_exit(77);
		full_disk(dir);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
		skip();
	assert_int_equal(status, 0);
}

/* ---- Damage ---- */

static void damage(char *file, size_t *bytes, uint64_t *seed)
{
	static const char digits[] = "0123456789-+.eE ,()'{}%\n\0\xff";
	uint64_t times = 1 + chance(seed) % 4;

	if (chance(seed) % 3 == 0)
		*bytes = chance(seed) % (*bytes + 1);
	while (times-- > 0 && *bytes > 0) {
		size_t at = chance(seed) % *bytes;

		if (chance(seed) % 2)
			file[at] = (char)(file[at] ^ (1 << chance(seed) % 8));
		else
			file[at] = digits[chance(seed) % sizeof(digits)];
	}
}

/* Refused with a word, or read without stepping outside. */
static int survives(const char *path)
{
	struct asl_matrix_in *in;
	double *row;
	int err = asl_matrix_open(&in, path);

	if (err) {
		assert_null(in);
		says(path, "");
		return 0;
	}
	row = malloc(asl_matrix_cols(in) * sizeof(double));
	assert_non_null(row);
	for (uint64_t i = 0; i < asl_matrix_rows(in) && i < 100; i++)
		asl_matrix_read(in, row, i, 0, asl_matrix_cols(in));
	asl_matrix_read(in, row, asl_matrix_rows(in) - 1, 0,
			asl_matrix_cols(in));
	asl_matrix_close(in);
	free(row);
	return 1;
}

static void damaged_files_never_crash(void **state)
{
	static const char *const texts[] = {
		ARRAY "2 3\n1\n2.5\n3e7\n4\n5\n6\n",
		COORD "% c\n7 9 3\n7 9 1.25\n1 2 -3\n5 5 5e-3\n",
		"%%MatrixMarket matrix coordinate integer skew-symmetric\n"
		"4 4 2\n4 1 7\n3 2 -9\n",
	};
	uint64_t seed = 20;
	int read = 0, rounds = 20000;

	(void)state;
	for (int i = 0; i < rounds; i++) {
		const char *text = texts[i % LENGTH(texts)];
		char file[512];
		size_t n = strlen(text);

		if (i % 2)
			n = make_npy(file, 1 + i % 3, GOOD, 6);
		else
			memcpy(file, text, n);
		damage(file, &n, &seed);
		read += survives(put(i % 2 ? "D.npy" : "D.mtx", file, n));
	}
	/* Else the damage was too much, or too little, to be a test. */
	assert_in_range(read, rounds / 50, rounds / 2);
}

static int copy(struct asl_matrix_in *in, const char *to)
{
	uint64_t rows = asl_matrix_rows(in), cols = asl_matrix_cols(in);
	double *row = malloc(cols * sizeof(double));
	struct asl_matrix_out *out;
	int err = asl_matrix_create(&out, to, rows, cols);

	for (uint64_t i = 0; !err && i < rows; i++) {
		asl_matrix_read(in, row, i, 0, cols);
		err = asl_matrix_write(out, row, i, 0, cols);
	}
	free(row);
	return err ? err : asl_matrix_commit(out);
}

static int convert(const char *from, const char *to)
{
	struct asl_matrix_in *in;
	int err = asl_matrix_open(&in, from);

	if (!err)
		err = copy(in, to);
	if (err)
		fprintf(stderr, "matrix_files: %s\n", asl_failure());
	asl_matrix_close(in);
	return err ? 1 : 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(npy_headers_that_are_read),
		cmocka_unit_test(npy_by_columns_is_turned),
		cmocka_unit_test(npy_headers_that_are_refused),
		cmocka_unit_test(npy_headers_end_where_they_say),
		cmocka_unit_test(npy_lengths_are_checked),
		cmocka_unit_test(npy_magic_and_version_are_checked),
		cmocka_unit_test(npy_entries_must_be_finite),
		cmocka_unit_test(mtx_files_that_are_read),
		cmocka_unit_test(mtx_files_that_are_refused),
		cmocka_unit_test(mtx_numbers_have_an_end),
		cmocka_unit_test(mtx_larger_than_memory_is_refused),
		cmocka_unit_test(what_is_no_file_is_refused),
		cmocka_unit_test(unreadable_files_are_refused),
		cmocka_unit_test(content_decides_where_the_name_does_not),
		cmocka_unit_test(doubles_read_back_exactly),
		cmocka_unit_test(another_language_changes_nothing),
		cmocka_unit_test(written_files_are_canonical),
		cmocka_unit_test(nothing_is_seen_before_commit),
		cmocka_unit_test(a_failed_commit_leaves_nothing),
		cmocka_unit_test(a_part_is_not_committed),
		cmocka_unit_test(places_that_are_refused),
		cmocka_unit_test(links_are_followed),
		cmocka_unit_test(a_file_size_limit_is_an_error),
		cmocka_unit_test(full_disks_leave_nothing),
		cmocka_unit_test(damaged_files_never_crash),
	};

	if (argc == 4 && strcmp(argv[1], "convert") == 0)
		return convert(argv[2], argv[3]);
	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
