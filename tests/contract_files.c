/*
 * contract_files.c -- contractions from NumPy files to NumPy files
 *
 * Operands in C and Fortran order, diagonals, scalars and every rank's part of a
 * result; files that do not fit the einsum are refused in one line.
 */
#include <errno.h>

#include "tests/help/files.h"

#include "lib/base/error.h"
#include "lib/contract/array.h"
#include "lib/contract/contract.h"
#include "lib/kernels/kernel.h"
#include "lib/matrix/npy.h"
#include "lib/run/run.h"
#include "tests/help/random.h"

struct job {
	const char *spec, *result, *operand[ASL_MOST_INPUTS];
	int ranks, way;
	bool on_root;
};

static int look(const struct asl_rep *rep, void *arg)
{
	*(bool *)arg = rep->predicted_equal && rep->verified == 1;
	return 0;
}

/* Sizes come from the files. */
static int read_shapes(struct asl_einsum *e, const struct job *job)
{
	int err = asl_einsum_parse(e, job->spec);

	for (int i = 0; !err && i < e->inputs; i++) {
		struct asl_array_in *in;
		int modes = e->term[i].modes;

		err = asl_array_open(&in, job->operand[i], ASL_FLOAT64, modes);
		if (!err)
			err = asl_einsum_shape(e, i, modes, asl_array_shape(in),
					       job->operand[i]);
		asl_array_close(in);
	}
	return err ? err : asl_einsum_check(e);
}

static int contract(const struct job *job, bool *sound)
{
	static struct asl_contraction c;
	struct asl_run_want want = {
		.plan = {.algorithm = &asl_contract_einsum,
			 .kernel = asl_kernel_find("tight"),
			 .ranks = job->ranks,
			 .cache = 100,
			 .memory = 10000,
			 .panels = ASL_DRAM,
			 .contraction = &c,
			 .costs = {1, 1, 1, 1, 1, 0, 0}},
		.transport = "sim",
		.store = "dram",
		.result = job->result,
		.reps = 1,
		.verify = ASL_VERIFY_FREIVALDS,
	};
	struct asl_einsum e;
	uint64_t needed;
	int err = read_shapes(&e, job);

	if (err)
		return err;
	memcpy(want.files, job->operand, sizeof job->operand);
	c.e = e;
	c.on_root = job->on_root;
	c.asked = (enum asl_contract_way)job->way;
	assert_int_equal(asl_contract_settle(&want.plan, &needed), 0);
	return asl_run(&want, look, sound);
}

/* ---- Files of our own ---- */

enum { MOST = 4000 };

struct array {
	int dims;
	uint64_t size[ASL_MOST_INDICES];
	double at[MOST];
};

static uint64_t entries(const struct array *a)
{
	uint64_t all = 1;

	for (int i = 0; i < a->dims; i++)
		all *= a->size[i];
	return all;
}

/* a->at, which is in C order; by columns is the transposed shape's C order. */
static const char *put_array(const char *name, const struct array *a,
			     bool by_columns)
{
	static char bytes[ASL_NPY_HEAD + 8 * MOST];
	size_t head = asl_npy_head(bytes, ASL_FLOAT64, a->size, a->dims);
	uint64_t all = entries(a);

	if (by_columns)
		memcpy(strstr(bytes + 10, "False"), "True ", 5);
	for (uint64_t i = 0; i < all; i++) {
		uint64_t rest = i, to = 0, step = all;

		/* i in C order is at `to` in the other. */
		for (int d = a->dims - 1; d >= 0; d--) {
			step /= a->size[d];
			to += rest % a->size[d] * step;
			rest /= a->size[d];
		}
		memcpy(bytes + head + 8 * (by_columns ? to : i), &a->at[i], 8);
	}
	return put(name, bytes, head + 8 * all);
}

static void roll_array(struct dice *d, struct array *a)
{
	for (uint64_t i = 0; i < entries(a); i++)
		a->at[i] = (double)roll(d, 0, 64) - 32;
}

static void read_array(struct array *a, const char *path)
{
	struct asl_array_in *in;
	struct asl_einsum e = {.inputs = 0};
	struct asl_array_source source;
	struct asl_tensor_row row = {.count = 1};

	assert_int_equal(asl_array_open(&in, path, ASL_FLOAT64, a->dims), 0);
	memcpy(a->size, asl_array_shape(in), sizeof a->size);
	for (int i = 0; i < a->dims; i++)
		e.size[i] = a->size[i];
	for (int i = 0; i < a->dims; i++)
		asl_term_add(&e.term[0], i);
	source = asl_array_source(&e, 0, in);
	for (uint64_t i = 0; i < entries(a); i++) {
		uint64_t rest = i;

		for (int d = a->dims - 1; d >= 0; d--) {
			row.at[d] = rest % a->size[d];
			rest /= a->size[d];
		}
		asl_array_read(&source, &a->at[i], &row);
	}
	asl_array_close(in);
}

/* The diagonal of A, times B, transposed: bb,bac->ca, by hand. */
static void results(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 60; i++) {
		static struct array A, B, C;
		struct dice d = {1, i, 0};
		uint64_t b = roll(&d, 1, 7), a = roll(&d, 1, 6);
		uint64_t c = roll(&d, 1, 9);
		struct job job = {.spec = "bb,bac->ca",
				  .ranks = (int)roll(&d, 1, 9),
				  .on_root = roll(&d, 0, 1)};
		bool sound = false;

		A = (struct array){.dims = 2, .size = {b, b}};
		B = (struct array){.dims = 3, .size = {b, a, c}};
		C = (struct array){.dims = 2};
		roll_array(&d, &A);
		roll_array(&d, &B);
		job.operand[0] = put_array("A.npy", &A, roll(&d, 0, 1));
		job.operand[1] = put_array("B.npy", &B, roll(&d, 0, 1));
		job.result = in_dir("C.npy");
		assert_int_equal(contract(&job, &sound), 0);
		assert_true(sound);
		read_array(&C, job.result);
		assert_int_equal(C.size[0], c);
		assert_int_equal(C.size[1], a);
		for (uint64_t x = 0; x < c * a; x++) {
			double sum = 0;

			for (uint64_t y = 0; y < b; y++)
				sum += A.at[y * b + y] *
				       B.at[(y * a + x % a) * c + x / a];
			assert_true(C.at[x] == sum);
		}
	}
}

static void scalars(void **state)
{
	static struct array A = {.dims = 1, .size = {5}, .at = {1, 2, 3, 4, 5}};
	static struct array s = {.dims = 0, .at = {-2}}, C = {.dims = 0};
	struct job job = {.spec = ",i->", .ranks = 3};
	bool sound = false;

	(void)state;
	job.operand[0] = put_array("s.npy", &s, false);
	job.operand[1] = put_array("A.npy", &A, false);
	job.result = in_dir("C.npy");
	assert_int_equal(contract(&job, &sound), 0);
	assert_true(sound);
	read_array(&C, job.result);
	assert_true(C.at[0] == -30);
}

/* ---- What is refused ---- */

static void refused(const struct job *job, const char *why)
{
	bool sound = false;

	assert_int_equal(contract(job, &sound), -EINVAL);
	if (strcmp(asl_failure() + strlen(dir) + 1, why)) {
		print_error("%s\nexpected %s\n", asl_failure(), why);
		fail();
	}
}

static void wrong_files(void **state)
{
	static struct array A = {.dims = 2, .size = {2, 3}};
	static struct array B = {.dims = 2, .size = {2, 3}};
	struct job job = {.spec = "ij,jk->ik", .ranks = 2};
	struct asl_array_out *out;
	struct asl_einsum e;

	(void)state;
	job.operand[0] = put_array("A.npy", &A, false);
	job.operand[1] = put_array("B.npy", &B, false);
	refused(&job, "B.npy: index 'j' has size 2, elsewhere 3");
	job.spec = "ij,jkl->ik";
	refused(&job, "B.npy: has 2 dimensions, expected 3");
	B.at[3] = 1.0 / 0.0;
	job.spec = "ij,ij->";
	job.operand[1] = put_array("B.npy", &B, false);
	refused(&job, "B.npy: entry 3 of 6 (from 0, as they lie in the file) "
		      "is inf, expected a finite number");
	job.operand[1] = put("B.npy", "nothing", 7);
	refused(&job, "B.npy: is no NumPy file");
	assert_int_equal(asl_einsum_parse(&e, "i->i"), 0);
	assert_int_equal(asl_einsum_dims(&e, "i=3"), 0);
	assert_int_equal(
		asl_array_create(&out, in_dir("C.mtx"), ASL_FLOAT64, &e),
		-EINVAL);
	assert_null(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(results),
		cmocka_unit_test(scalars),
		cmocka_unit_test(wrong_files),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
