/*
 * product.c -- two matrices that a program has, multiplied on four ranks
 *
 * Compiles as C and as C++.  Prints what it cost; ends with 1 if it is wrong.
 */
#include <aslant/aslant.h>
#include <stdio.h>

enum { M = 30, N = 20, K = 40 };

static double A[M][K], B[K][N], C[M][N];

static int is_right(void)
{
	for (int i = 0; i < M; i++)
		for (int j = 0; j < N; j++) {
			double sum = 0;

			for (int k = 0; k < K; k++)
				sum += A[i][k] * B[k][j];
			if (C[i][j] != sum)
				return 0;
		}
	return 1;
}

int main(void)
{
	struct asl_task *task;
	uint64_t words;
	int code;

	for (int i = 0; i < K; i++) {
		for (int j = 0; j < M; j++)
			A[j][i] = i - j;
		for (int j = 0; j < N; j++)
			B[i][j] = i + j;
	}
	code = asl_task_open(&task, "em-jomma");
	if (!code)
		code = asl_task_set(task, "ranks", "4");
	if (!code)
		code = asl_task_matrix(task, 0, A[0], M, K, K);
	if (!code)
		code = asl_task_matrix(task, 1, B[0], K, N, N);
	if (!code)
		code = asl_task_result_matrix(task, C[0], M, N, N);
	if (!code)
		code = asl_task_run(task);
	if (!code)
		code = asl_task_count(task, 0, "bh_words_max", &words);
	if (code) {
		fprintf(stderr, "product: %s\n", asl_why());
		asl_task_close(task);
		return code;
	}
	printf("%s on a grid of %s: %llu words between ranks, %s\n",
	       asl_task_text(task, 0, "algorithm"),
	       asl_task_text(task, 0, "grid"), (unsigned long long)words,
	       is_right() ? "right" : "WRONG");
	asl_task_close(task);
	return is_right() ? 0 : 1;
}
