/*
 * hello.c -- the least that a job of MPI processes does
 *
 *	mpiexec -n P peer-hello
 *
 * From its time to that of `aslant run --launch` is what aslant's start costs.
 */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	int rank = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0)
		printf("hello\n");
	MPI_Finalize();
	return 0;
}
