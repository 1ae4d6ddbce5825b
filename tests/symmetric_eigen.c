/*
 * symmetric_eigen.c -- hopm finds eigenvalues that are known
 */
#include <errno.h>
#include <math.h>
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
#include "lib/run/run.h"
#include "lib/symmetric/symmetric.h"
#include "tests/help/layouts.h"
#include "tests/help/random.h"

static char dir[] = "/tmp/aslant-eigen-XXXXXX", tensor[64], vector[64];

static int begin(void **state)
{
	(void)state;
	if (!mkdtemp(dir))
		return -1;
	snprintf(tensor, sizeof tensor, "%s/a.tns", dir);
	snprintf(vector, sizeof vector, "%s/x.npy", dir);
	return 0;
}

static int end(void **state)
{
	(void)state;
	remove(tensor);
	remove(vector);
	return rmdir(dir);
}

static int each(const struct asl_rep *rep, void *arg)
{
	*(struct asl_outcome *)arg = rep->outcome;
	return rep->predicted_equal && rep->verified == 1 ? 0 : -EBADMSG;
}

struct power {
	uint64_t n, seed;
	int ranks;
	const char *layout;
	double shift;
};

static struct asl_outcome power(const struct power *p)
{
	struct asl_symmetric s = {
		.n = p->n,
		.order = 3,
		.columns = 1,
		.shift = p->shift,
		.tolerance = 1e-9,
	};
	struct asl_run_want want = {
		.plan = {.algorithm = &asl_symmetric_hopm,
			 .symmetric = &s,
			 .ranks = p->ranks,
			 .cache = 1 << 16,
			 .memory = 1 << 20,
			 .iterations = 20000},
		.transport = "sim",
		.store = "dram",
		.files = {tensor},
		.result = vector,
		.seed = p->seed,
		.reps = 1,
		.verify = ASL_VERIFY_ORACLE,
	};
	struct asl_outcome found;

	assert_int_equal(lay_out(&s, p->layout, p->ranks), 0);
	s.together = 1;
	if (asl_run(&want, each, &found))
		fail_msg("%s", asl_failure_to_print());
	asl_symmetric_free(&s);
	assert_in_range(found.iterations, 1, 19999);
	assert_true(found.eigen_residual <= 1e-9 * fabs(found.eigenvalue));
	return found;
}

/* ---- From the literature ---- */

/*
 * The 3 x 3 x 3 tensor of T. G. Kolda, J. R. Mayo, Shifted power method for
 * computing tensor eigenpairs, SIMAX 32(4), 2011, Example 3.6, and the seven
 * Z-eigenvalues that it has, up to sign.
 */
static const char *const entries = "1 1 1 -0.1281\n1 1 2 0.0516\n"
				   "1 3 1 -0.0954\n1 2 2 -0.1958\n"
				   "3 2 1 -0.1790\n1 3 3 -0.2676\n"
				   "2 2 2 0.3251\n2 2 3 0.2513\n"
				   "3 2 3 0.1773\n3 3 3 0.0338\n";
static const double published[] = {0.8730, 0.4306, 0.2294, 0.0180,
				   0.0033, 0.0018, 0.0006};

static int which(double eigenvalue)
{
	for (int i = 0; i < 7; i++)
		if (fabs(fabs(eigenvalue) - published[i]) < 5.1e-5)
			return i;
	return -1;
}

static void known_tensor(void **state)
{
	static const double shifts[] = {0, 0.3, 1, -1};
	bool seen[7] = {false}, least = false;
	FILE *f = fopen(tensor, "w");

	(void)state;
	assert_non_null(f);
	fputs(entries, f);
	assert_int_equal(fclose(f), 0);
	for (uint64_t i = 0; i < 60; i++) {
		struct power p = {3, i + 1, i % 2 ? 2 : 1,
				  i % 2 ? "cubic" : NULL, shifts[i % 4]};
		double eigenvalue = power(&p).eigenvalue;
		int found = which(eigenvalue);

		if (found < 0)
			print_error("seed %ju\n", i + 1);
		assert_true(found >= 0);
		seen[found] = true;
		least |= eigenvalue < -0.87;
	}
	/* Those that a power method can end at. */
	assert_true(seen[0] && seen[1] && seen[3]);
	assert_true(least);
}

/* ---- A sum of w x o x o x with orthonormal x ---- */

enum { N = 13, TERMS = 5 };

static void orthonormal(double x[TERMS][N], uint64_t seed)
{
	struct asl_source source = {.seed = seed, .matrix = 9};

	for (int l = 0; l < TERMS; l++) {
		double norm = 0;

		asl_source_read(&source, x[l], (uint64_t)l, 0, N);
		for (int again = 0; again < 2; again++)
			for (int k = 0; k < l; k++) {
				double dot = 0;

				for (int i = 0; i < N; i++)
					dot += x[l][i] * x[k][i];
				for (int i = 0; i < N; i++)
					x[l][i] -= dot * x[k][i];
			}
		for (int i = 0; i < N; i++)
			norm += x[l][i] * x[l][i];
		for (int i = 0; i < N; i++)
			x[l][i] /= sqrt(norm);
	}
}

static void write_sum(double x[TERMS][N], const double w[TERMS])
{
	FILE *f = fopen(tensor, "w");

	assert_non_null(f);
	for (int i = 0; i < N; i++)
		for (int j = 0; j <= i; j++)
			for (int k = 0; k <= j; k++) {
				double sum = 0;

				for (int l = 0; l < TERMS; l++)
					sum += w[l] * x[l][i] * x[l][j] *
					       x[l][k];
				fprintf(f, "%d %d %d %.17g\n", j + 1, i + 1,
					k + 1, sum);
			}
	assert_int_equal(fclose(f), 0);
}

/* Is what was written to the file x or -x? */
static bool is_written(const double *x)
{
	struct asl_matrix_in *in;
	double worst[2] = {0};

	assert_int_equal(asl_matrix_open(&in, vector), 0);
	for (uint64_t i = 0; i < N; i++) {
		struct asl_source source = {.file = in};
		double y;

		asl_source_read(&source, &y, i, 0, 1);
		worst[0] = fmax(worst[0], fabs(y - x[i]));
		worst[1] = fmax(worst[1], fabs(y + x[i]));
	}
	asl_matrix_close(in);
	return worst[0] < 1e-8 || worst[1] < 1e-8;
}

static void known_decomposition(void **state)
{
	static const double w[TERMS] = {3, 2.5, 2, 1.5, 1};
	double x[TERMS][N];

	(void)state;
	for (uint64_t i = 0; i < 12; i++) {
		struct power p = {N, i + 1, i % 2 ? 10 : 7,
				  i % 2 ? "spherical" : "cubic", 0};
		double found;
		int term = 0;

		orthonormal(x, i + 100);
		write_sum(x, w);
		found = fabs(power(&p).eigenvalue);
		while (term < TERMS && fabs(found - w[term]) > 1e-10)
			term++;
		assert_in_range(term, 0, TERMS - 1);
		assert_true(is_written(x[term]));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_tensor),
		cmocka_unit_test(known_decomposition),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
