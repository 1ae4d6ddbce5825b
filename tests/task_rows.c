/*
 * task_rows.c -- multiplications over a communicator: rows in, rows out
 *
 * Starts itself with mpiexec, in jobs of several sizes.  Random matrices whose
 * rows are spread anyhow, some ranks having none; communicators that are parts of
 * the job, with ranks in another order; mpi and ofi.  Entries are small whole
 * numbers that any rank knows, so that it can check its rows of the product.
 */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/library/aslant.h"
#include "tests/help/random.h"

enum { GAP = -7777 };

static int world_rank, number;

static void fail(const char *what)
{
	fprintf(stderr, "task_rows: rank %d, case %d: %s\n", world_rank, number,
		what);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

static double entry(int matrix, uint64_t i, uint64_t j)
{
	return (double)((i * 7 + j * 13 + (uint64_t)matrix * 5 + i * j) % 9) -
	       4;
}

/* A rank's rows of one matrix, with `gap` words between them. */
struct part {
	uint64_t first, rows, cols, ld;
	double *at;
};

/* The same cuts on all ranks: they roll the same dice. */
static struct part cut(struct dice *dice, uint64_t rows, uint64_t cols,
		       int rank, int ranks)
{
	struct part x = {.cols = cols, .ld = cols + roll(dice, 0, 3)};
	uint64_t left = rows;

	for (int i = 0; i < ranks; i++) {
		uint64_t some = i == ranks - 1 ? left : roll(dice, 0, left);

		if (i == rank) {
			x.first = rows - left;
			x.rows = some;
		}
		left -= some;
	}
	x.at = x.rows ? malloc(x.rows * x.ld * sizeof *x.at) : NULL;
	for (uint64_t i = 0; i < x.rows * x.ld; i++)
		x.at[i] = GAP;
	return x;
}

static void fill(struct part *x, int matrix)
{
	for (uint64_t i = 0; i < x->rows; i++)
		for (uint64_t j = 0; j < x->cols; j++)
			x->at[i * x->ld + j] = entry(matrix, x->first + i, j);
}

static void check(const struct part *C, uint64_t k)
{
	for (uint64_t i = 0; i < C->rows; i++)
		for (uint64_t j = 0; j < C->ld; j++) {
			double sum = 0;

			for (uint64_t l = 0; j < C->cols && l < k; l++)
				sum += entry(0, C->first + i, l) *
				       entry(1, l, j);
			if (C->at[i * C->ld + j] !=
			    (j < C->cols ? sum : (double)GAP))
				fail("a wrong word");
		}
}

static void set(struct asl_task *task, const char *option, const char *value)
{
	if (asl_task_set(task, option, value))
		fail(asl_why());
}

static void run(struct asl_task *task)
{
	uint64_t equal = 0, verified = 0;

	if (asl_task_run(task) ||
	    asl_task_count(task, 0, "predicted_equal", &equal) ||
	    asl_task_count(task, 0, "verified", &verified))
		fail(asl_why());
	if (!equal || !verified)
		fail("counts or result are wrong");
}

static void multiply(MPI_Comm comm, struct dice *dice)
{
	static const char *const names[] = {"em-jomma", "3d",	"fused",
					    "lm-jomma", "cuts", "auto"};
	const char *name = names[roll(dice, 0, 5)];
	bool ofi = roll(dice, 0, 3) == 0, pool = roll(dice, 0, 1);
	uint64_t m = roll(dice, 1, 60), n = roll(dice, 1, 60),
		 k = roll(dice, 1, 60);
	struct asl_task *task;
	struct part A, B, C;
	int rank, ranks;

	MPI_Comm_rank(comm, &rank);
	MPI_Comm_size(comm, &ranks);
	A = cut(dice, m, k, rank, ranks);
	B = cut(dice, k, n, rank, ranks);
	C = cut(dice, m, n, rank, ranks);
	fill(&A, 0);
	fill(&B, 1);
	if (asl_task_open(&task, name))
		fail(asl_why());
	set(task, "cache", "300");
	set(task, "transport", ofi ? "ofi" : "mpi");
	set(task, "store", pool ? "pmem" : "dram");
	if (asl_task_communicator(task, MPI_Comm_c2f(comm)) ||
	    asl_task_matrix(task, 0, A.at, A.rows, A.cols, A.ld) ||
	    asl_task_matrix(task, 1, B.at, B.rows, B.cols, B.ld) ||
	    asl_task_result_matrix(task, C.at, C.rows, C.cols, C.ld))
		fail(asl_why());
	run(task);
	check(&C, k);
	asl_task_close(task);
	free(A.at);
	free(B.at);
	free(C.at);
}

/* What one rank cannot do, all refuse, and say who it was. */
static void refuse(void)
{
	static double at[16];
	struct asl_task *task;
	int ranks;

	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (asl_task_open(&task, "3d") ||
	    asl_task_communicator(task, MPI_Comm_c2f(MPI_COMM_WORLD)) ||
	    asl_task_matrix(task, 0, at, 2, 2, 2) ||
	    asl_task_result_matrix(task, at, 2, 2, 2))
		fail(asl_why());
	if (world_rank != ranks - 1)
		asl_task_matrix(task, 1, at, 2, 2, 2);
	if (asl_task_run(task) != ASL_BAD_INPUT ||
	    !strstr(asl_why(), "of A, B and the result"))
		fail(asl_why());
	asl_task_matrix(task, 1, at, 1, 2 + (world_rank == ranks - 1), 3);
	if (ranks > 1 && (asl_task_run(task) != ASL_BAD_INPUT ||
			  !strstr(asl_why(), "B has 3 columns")))
		fail(asl_why());
	asl_task_close(task);
}

/* Of others every rank has the whole operands, and rank 0 gets the result. */
static void contract(void)
{
	double x[6] = {1, 2, 3, 4, 5, 6}, y[2] = {0};
	const uint64_t size[] = {2, 3};
	struct asl_task *task;

	if (asl_task_open(&task, "einsum") ||
	    asl_task_communicator(task, MPI_Comm_c2f(MPI_COMM_WORLD)) ||
	    asl_task_operand(task, 0, x, 2, size, NULL) ||
	    asl_task_result(task, y, 1, size, NULL))
		fail(asl_why());
	set(task, "spec", "ij->i");
	run(task);
	if (world_rank == 0 && (y[0] != 6 || y[1] != 15))
		fail("einsum is wrong");
	asl_task_close(task);
}

static int job(void)
{
	MPI_Comm part;
	int ranks;

	alarm(200); /* for ranks that wait for ever */
	MPI_Init(NULL, NULL);
	MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	/* Two halves, that are busy at the same time; the order turned round. */
	MPI_Comm_split(MPI_COMM_WORLD, world_rank % 2, -world_rank, &part);
	for (number = 0; number < (int)how_many(4, 12); number++) {
		struct dice dice = {.family = 72, .number = (uint32_t)number};

		multiply(number % 3 ? MPI_COMM_WORLD : part, &dice);
	}
	refuse();
	contract();
	MPI_Comm_free(&part);
	MPI_Finalize();
	return 0;
}

int main(int argc, char **argv)
{
	static const char *const sizes[] = {"1", "4", "7"};
	int status = 0;

	if (argc > 1)
		return job();
	for (int i = 0; i < 3 && !status; i++) {
		pid_t child = fork();

		if (!child) {
			execlp("mpiexec.mpich", "mpiexec.mpich", "-n", sizes[i],
			       argv[0], "job", NULL);
			_exit(127);
		}
		if (child < 0 || waitpid(child, &status, 0) < 0)
			return 1;
	}
	return status ? 1 : 0;
}
