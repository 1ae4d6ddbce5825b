/*
 * pool.c -- matrices in a pool of libpmemobj, multiplied into the same pool
 *
 *	pool FILE
 *
 * Makes the pool, computes C = A A there, and reads it after opening it again.
 */
#include <aslant/aslant.h>
#include <libpmemobj.h>
#include <stdio.h>

enum { N = 100, BYTES = N * N * sizeof(double) };

struct matrices {
	double A[N][N], C[N][N];
};

static int square(PMEMobjpool *pool)
{
	struct matrices *x = (struct matrices *)pmemobj_direct(
		pmemobj_root(pool, sizeof *x));
	struct asl_task *task;
	int code;

	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			x->A[i][j] = i == (j + 1) % N ? 2 : 0;
	pmemobj_persist(pool, x->A, BYTES);
	code = asl_task_open(&task, "auto");
	if (!code)
		code = asl_task_set(task, "ranks", "9");
	if (!code)
		code = asl_task_matrix(task, 0, x->A[0], N, N, N);
	if (!code)
		code = asl_task_matrix(task, 1, x->A[0], N, N, N);
	if (!code)
		code = asl_task_result_matrix(task, x->C[0], N, N, N);
	if (!code)
		code = asl_task_run(task);
	if (code)
		fprintf(stderr, "pool: %s\n", asl_why());
	else
		printf("%s, medium of the ranks: %s\n",
		       asl_task_text(task, 0, "algorithm"),
		       asl_task_text(task, 0, "medium"));
	asl_task_close(task);
	return code;
}

static int check(PMEMobjpool *pool)
{
	struct matrices *x = (struct matrices *)pmemobj_direct(
		pmemobj_root(pool, sizeof *x));
	int wrong = 0;

	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			wrong += x->C[i][j] != (i == (j + 2) % N ? 4 : 0);
	return wrong ? 1 : 0;
}

int main(int argc, char **argv)
{
	const char *path = argc == 2 ? argv[1] : "";
	PMEMobjpool *pool =
		pmemobj_create(path, "squares", PMEMOBJ_MIN_POOL, 0600);
	int code;

	if (!pool) {
		perror(path);
		return 3;
	}
	code = square(pool);
	pmemobj_close(pool);
	if (code)
		return code;
	pool = pmemobj_open(path, "squares");
	code = pool ? check(pool) : 3;
	if (pool)
		pmemobj_close(pool);
	return code;
}
