/*
 * rows.c -- a product over the processes of an MPI job, each with its rows
 *
 *	mpiexec -n 5 rows
 *
 * Process p has p + 2 rows of A and of C, and of B what is left over.
 */
#include <aslant/aslant.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	struct asl_task *task;
	int rank, ranks, rows, n, code;
	double *A, *B, *C;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	rows = rank + 2;
	MPI_Allreduce(&rows, &n, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	A = (double *)calloc((size_t)rows * n, sizeof *A);
	B = (double *)calloc((size_t)rows * n, sizeof *B);
	C = (double *)calloc((size_t)rows * n, sizeof *C);
	for (int i = 0; i < rows * n; i++)
		A[i] = B[i] = 1;
	code = asl_task_open(&task, "fused");
	if (!code)
		code = asl_task_communicator(task,
					     MPI_Comm_c2f(MPI_COMM_WORLD));
	if (!code)
		code = asl_task_matrix(task, 0, A, rows, n, n);
	if (!code)
		code = asl_task_matrix(task, 1, B, rows, n, n);
	if (!code)
		code = asl_task_result_matrix(task, C, rows, n, n);
	if (!code)
		code = asl_task_run(task);
	if (code)
		fprintf(stderr, "rows: %s\n", asl_why());
	for (int i = 0; !code && i < rows * n; i++)
		code = C[i] != n;
	if (!code && rank == ranks - 1)
		printf("%s ranks on a grid of %s, over %s\n",
		       asl_task_text(task, 0, "ranks"),
		       asl_task_text(task, 0, "grid"),
		       asl_task_text(task, 0, "transport"));
	asl_task_close(task);
	free(A);
	free(B);
	free(C);
	MPI_Finalize();
	return code;
}
