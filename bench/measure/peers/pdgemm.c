/*
 * pdgemm.c -- ScaLAPACK's product, timed and counted as ours is
 *
 *	mpiexec -n P peer-pdgemm m n k ROWS COLS BLOCK TIMES
 *
 * C = A B with pdgemm on a ROWS x COLS grid, in blocks of BLOCK x BLOCK, once
 * to warm up and TIMES more, from a barrier to the end of the slowest process.
 * Rank 0 prints the median of the seconds, the words that the busiest process
 * sent (broadcasts counted once at each member), and those that all sent.  A
 * row of C is checked against plain sums: nothing is printed if it is wrong.
 *
 * Built only where ScaLAPACK over MPICH is installed (Debian:
 * libscalapack-mpich-dev).
 */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/base/estimate.h"

/*
 * Words that this program sends over MPI
 *
 * These functions stand before MPI's (the profiling interface, PMPI): those that
 * ScaLAPACK's message layer (the BLACS) calls, and others like them.  Sends are counted
 * where they start, and a broadcast as its words once at every rank, sent by the
 * root and received by the others.
 */

static uint64_t counted_bytes;

static uint64_t bytes_of(int count, MPI_Datatype type)
{
	int size = 0;

	PMPI_Type_size(type, &size);
	return (uint64_t)count * (uint64_t)size;
}

#define SEND(name)                                                             \
	int MPI_##name(const void *at, int count, MPI_Datatype type, int to,   \
		       int tag, MPI_Comm comm)                                 \
	{                                                                      \
		counted_bytes += bytes_of(count, type);                        \
		return PMPI_##name(at, count, type, to, tag, comm);            \
	}

#define ISEND(name)                                                            \
	int MPI_##name(const void *at, int count, MPI_Datatype type, int to,   \
		       int tag, MPI_Comm comm, MPI_Request *request)           \
	{                                                                      \
		counted_bytes += bytes_of(count, type);                        \
		return PMPI_##name(at, count, type, to, tag, comm, request);   \
	}

SEND(Send)
SEND(Ssend)
SEND(Rsend)
ISEND(Isend)
ISEND(Irsend)

int MPI_Sendrecv(const void *out, int out_count, MPI_Datatype out_type, int to,
		 int out_tag, void *in, int in_count, MPI_Datatype in_type,
		 int from, int in_tag, MPI_Comm comm, MPI_Status *status)
{
	counted_bytes += bytes_of(out_count, out_type);
	return PMPI_Sendrecv(out, out_count, out_type, to, out_tag, in,
			     in_count, in_type, from, in_tag, comm, status);
}

int MPI_Bcast(void *at, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
	counted_bytes += bytes_of(count, type);
	return PMPI_Bcast(at, count, type, root, comm);
}

void Cblacs_get(int context, int what, int *value);
void Cblacs_gridinit(int *context, const char *order, int rows, int cols);
void Cblacs_gridinfo(int context, int *rows, int *cols, int *row, int *col);
int numroc_(const int *n, const int *block, const int *me, const int *first,
	    const int *parts);
void descinit_(int *desc, const int *m, const int *n, const int *mb,
	       const int *nb, const int *row, const int *col,
	       const int *context, const int *ld, int *info);
void pdgemm_(const char *ta, const char *tb, const int *m, const int *n,
	     const int *k, const double *alpha, const double *a, const int *ia,
	     const int *ja, const int *da, const double *b, const int *ib,
	     const int *jb, const int *db, const double *beta, double *c,
	     const int *ic, const int *jc, const int *dc);
void openblas_set_num_threads(int threads);

static const int one = 1, zero = 0;

struct grid {
	int context, rows, cols, row, col, block;
};

/* A matrix in blocks over the grid, by columns. */
struct matrix {
	int rows, cols, local_rows, local_cols, desc[9];
	double *at;
};

static double entry(int which, int i, int j)
{
	return (double)((which * 7 + i * 31L + j * 17L) % 13) - 6;
}

/* Where local index `l` of a part lies in the whole. */
static int global(int l, int block, int me, int parts)
{
	return (l / block * parts + me) * block + l % block;
}

static void make(struct matrix *x, const struct grid *g, int rows, int cols,
		 int which)
{
	int info, ld;

	*x = (struct matrix){.rows = rows, .cols = cols};
	x->local_rows = numroc_(&rows, &g->block, &g->row, &zero, &g->rows);
	x->local_cols = numroc_(&cols, &g->block, &g->col, &zero, &g->cols);
	ld = x->local_rows > 0 ? x->local_rows : 1;
	descinit_(x->desc, &rows, &cols, &g->block, &g->block, &zero, &zero,
		  &g->context, &ld, &info);
	x->at = malloc(sizeof *x->at * (size_t)ld *
		       (size_t)(x->local_cols + 1));
	if (info || !x->at)
		MPI_Abort(MPI_COMM_WORLD, 3);
	for (int j = 0; j < x->local_cols; j++)
		for (int i = 0; i < x->local_rows; i++)
			x->at[(size_t)j * (size_t)ld + (size_t)i] = entry(
				which, global(i, g->block, g->row, g->rows),
				global(j, g->block, g->col, g->cols));
}

static double product(const struct matrix *a, const struct matrix *b,
		      struct matrix *c)
{
	const double unit = 1, none = 0;
	double since, mine, slowest;

	MPI_Barrier(MPI_COMM_WORLD);
	since = MPI_Wtime();
	pdgemm_("N", "N", &a->rows, &b->cols, &a->cols, &unit, a->at, &one,
		&one, a->desc, b->at, &one, &one, b->desc, &none, c->at, &one,
		&one, c->desc);
	mine = MPI_Wtime() - since;
	MPI_Allreduce(&mine, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
	return slowest;
}

/* This process's words of the first row of C, which are whole numbers. */
static int is_wrong(const struct matrix *c, const struct grid *g, int k)
{
	for (int j = 0; g->row == 0 && c->local_rows && j < c->local_cols;
	     j++) {
		int col = global(j, g->block, g->col, g->cols);
		double sum = 0;

		for (int l = 0; l < k; l++)
			sum += entry(0, 0, l) * entry(1, l, col);
		if (c->at[(size_t)j * (size_t)c->local_rows] != sum)
			return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct matrix a, b, c;
	struct grid g;
	int x[8] = {0}, rank, wrong, any;
	double *seconds;
	uint64_t sent, most, all;

	MPI_Init(&argc, &argv);
	openblas_set_num_threads(1);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 1; i < 8 && i < argc; i++)
		x[i] = atoi(argv[i]);
	if (argc != 8 || x[7] < 1) {
		if (rank == 0)
			fputs("usage: peer-pdgemm m n k ROWS COLS BLOCK "
			      "TIMES\n",
			      stderr);
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	g.block = x[6];
	Cblacs_get(-1, 0, &g.context);
	Cblacs_gridinit(&g.context, "Row", x[4], x[5]);
	Cblacs_gridinfo(g.context, &g.rows, &g.cols, &g.row, &g.col);
	make(&a, &g, x[1], x[3], 0);
	make(&b, &g, x[3], x[2], 1);
	make(&c, &g, x[1], x[2], 2);
	seconds = calloc((size_t)x[7] + 1, sizeof *seconds);
	sent = counted_bytes;
	product(&a, &b, &c);
	sent = (counted_bytes - sent) / 8;
	for (int i = 0; i < x[7]; i++)
		seconds[i] = product(&a, &b, &c);

	wrong = is_wrong(&c, &g, x[3]);
	MPI_Reduce(&sent, &most, 1, MPI_UINT64_T, MPI_MAX, 0, MPI_COMM_WORLD);
	MPI_Reduce(&sent, &all, 1, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
	MPI_Allreduce(&wrong, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
	if (rank == 0 && any) {
		fputs("peer-pdgemm: the product is wrong\n", stderr);
	} else if (rank == 0 && !all && g.rows * g.cols > 1) {
		fputs("peer-pdgemm: no words were counted\n", stderr);
		any = 1;
	} else if (rank == 0) {
		printf("%.6f %ju %ju\n", asl_median(seconds, x[7]),
		       (uintmax_t)most, (uintmax_t)all);
	}
	MPI_Finalize();
	return any;
}
