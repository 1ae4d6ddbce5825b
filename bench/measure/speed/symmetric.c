/*
 * symmetric.c -- how near to the memory's speed the symmetric tensor kernel comes
 *
 *	speed-symmetric [n [R [blocks [threads]]]]
 *
 * Run rules.  One rank, of so many threads (1), which sum the words, too.  A symmetric tensor of size n (1000) lies
 * packed in a pool, cut into so many row blocks (3).  In turn, seven times after
 * one that is not timed: the sum of all its words, one pass of the kernel
 * y = A x2 x x3 x, one pass for R (16) vectors at once; and the loop over the
 * cube that knows no symmetry, on a dense tensor of size n or 400, whichever is
 * less, scaled to n by its ternary multiplications.  Medians, and medians of each
 * turn's ratios; more is better:
 *
 *	of the sum	the kernel's bytes per second over the summation's
 *	over naive	the loop's time over the kernel's
 *	of R passes	the time of R passes over that of the pass for R
 *
 * The first of R vectors is the single one, and must have its result, to the last
 * bit: sums are exact.
 */
#include <math.h>
#include <string.h>

#include "bench/measure/speed/speed.h"
#include "lib/base/clones.h"
#include "lib/base/team.h"
#include "lib/matrix/file.h"
#include "lib/rank/rank.h"
#include "lib/symmetric/block.h"
#include "lib/symmetric/tensor.h"

enum { REPS = 7, LANES = 32, MOST_DENSE = 400 };

struct bench {
	uint64_t n, columns, words, dense;
	int blocks;
	struct asl_store *store;
	double *A; /* blocks one after another, in the store */
	double *cube;
	double *x, *y; /* n x columns */
	double *scratch;
};

static const struct asl_tensor_source tensor = {.seed = 1, .exact = true};

/* Calls each(bench, block, its words) for all blocks of the tensor. */
static void for_blocks(struct bench *b,
		       void (*each)(struct bench *,
				    const struct asl_block_shape *, double *))
{
	double *A = b->A;

	for (int i = 0; i < b->blocks; i++)
		for (int j = 0; j <= i; j++)
			for (int k = 0; k <= j; k++) {
				struct asl_block_shape s = asl_block_shape(
					b->n, b->blocks, i, j, k);

				each(b, &s, A);
				A += asl_block_words(&s);
			}
}

static void fill_block(struct bench *b, const struct asl_block_shape *s,
		       double *A)
{
	struct asl_block_row row = asl_block_row(s, 0);

	(void)b;
	for (uint64_t r = asl_block_rows(s); r; r--) {
		asl_tensor_read(&tensor, A, row.a, row.b, s->c.first,
				row.length);
		A += row.length;
		asl_block_next(s, &row);
	}
}

static void update_block(struct bench *b, const struct asl_block_shape *s,
			 double *A)
{
	uint64_t ld = b->columns;
	struct asl_block_vectors v = {
		.columns = b->columns,
		.ld = ld,
		.xi = b->x + s->a.first * ld,
		.xj = b->x + s->b.first * ld,
		.xk = b->x + s->c.first * ld,
		.yi = b->y + s->a.first * ld,
		.yj = b->y + s->b.first * ld,
		.yk = b->y + s->c.first * ld,
	};

	asl_block_update(s, A, (struct asl_range){0, asl_block_rows(s)}, &v,
			 b->scratch);
}

/* y for `columns` vectors. */
static double time_kernel(struct bench *b, uint64_t columns)
{
	struct asl_source x = {.seed = 2, .exact = true};
	double since;

	b->columns = columns;
	for (uint64_t i = 0; i < b->n; i++)
		asl_source_read(&x, b->x + i * columns, i, 0, columns);
	memset(b->y, 0, b->n * columns * sizeof *b->y);
	since = asl_now();
	for_blocks(b, update_block);
	return asl_now() - since;
}

ASL_CLONES
static double sum(const double *x, uint64_t count)
{
	double lane[LANES] = {0}, total = 0;

	for (; count >= LANES; x += LANES, count -= LANES)
		for (int i = 0; i < LANES; i++)
			lane[i] += x[i];
	for (int i = 0; i < LANES; i++)
		total += lane[i];
	while (count--)
		total += *x++;
	return total;
}

struct sums {
	const struct bench *b;
	double of[ASL_MOST_THREADS];
};

static void sum_piece(void *arg, int i)
{
	struct sums *x = arg;
	struct asl_range part = asl_part(x->b->words, asl_team_threads(), i);

	x->of[i] = sum(x->b->A + part.first, part.count);
}

static double time_sum(const struct bench *b, double *total)
{
	static struct sums x;
	double since = asl_now();

	x.b = b;
	asl_team_run(asl_team_threads(), sum_piece, &x);
	*total = sum(x.of, (uint64_t)asl_team_threads());
	return asl_now() - since;
}

/* Algorithm 3: no symmetry, a plain loop. */
static void naive(double *y, const double *cube, const double *x, uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		for (uint64_t j = 0; j < n; j++)
			for (uint64_t k = 0; k < n; k++)
				y[i] += cube[(i * n + j) * n + k] * x[j] * x[k];
}

static double time_naive(struct bench *b)
{
	double since, scale = (double)b->n / (double)b->dense;

	memset(b->y, 0, b->dense * sizeof *b->y);
	since = asl_now();
	naive(b->y, b->cube, b->x, b->dense);
	return (asl_now() - since) * scale * scale * scale;
}

static void compare(const double *y, uint64_t ld, const double *expected,
		    uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		if (y[i * ld] != expected[i])
			speed_fail(3, "results differ");
}

static void open_tensor(struct bench *b, const char *store)
{
	bool fresh;
	struct asl_store_want want = {.name = store,
				      .dir = asl_store_default_dir(&fresh),
				      .run_id = "speed-symmetric",
				      .words = b->words,
				      .pieces = 1};

	if (asl_store_open(&b->store, &want) ||
	    asl_store_take(b->store, &b->A, b->words))
		speed_fail(3, asl_failure());
	for_blocks(b, fill_block);
}

static void fill_cube(struct bench *b)
{
	uint64_t n = b->dense;

	b->cube = speed_room(n * n * n);
	for (uint64_t i = 0; i < n; i++)
		for (uint64_t j = 0; j < n; j++)
			for (uint64_t k = 0; k < n; k++)
				b->cube[(i * n + j) * n + k] =
					asl_tensor_entry(&tensor, i, j, k);
}

struct times {
	double add, one, loop, all;
};

static struct times run_round(struct bench *b, uint64_t R, double *y,
			      double *total)
{
	struct times t;

	t.add = time_sum(b, total);
	t.one = time_kernel(b, 1);
	memcpy(y, b->y, b->n * sizeof *y);
	t.loop = time_naive(b);
	t.all = time_kernel(b, R);
	compare(b->y, R, y, b->n);
	return t;
}

static void measure(struct bench *b, uint64_t R)
{
	double add[REPS + 1], one[REPS + 1], all[REPS + 1];
	double of_sum[REPS + 1], over_loop[REPS + 1], of_passes[REPS + 1];
	double bytes = 8e-9 * (double)b->words, r = (double)R, total;
	double *y = speed_room(b->n);

	for (int i = REPS; i >= 0; i--) {
		struct times t = run_round(b, R, y, &total);

		add[i] = t.add;
		one[i] = t.one;
		all[i] = t.all;
		of_sum[i] = t.add / t.one;
		over_loop[i] = t.loop / t.one;
		of_passes[i] = r * t.one / t.all;
	}
	free(y);
	printf("n %ju, %d row blocks, %.3g GB on %s (sum %g)\n", b->n,
	       b->blocks, bytes, asl_store_medium(b->store), total);
	printf("  sum        %6.2f GB/s\n", bytes / asl_median(add, REPS));
	printf("  1 vector   %6.2f GB/s: %.3f of the sum, %.1f over naive\n",
	       bytes / asl_median(one, REPS), asl_median(of_sum, REPS),
	       asl_median(over_loop, REPS));
	printf("  %ju vectors %6.2f GFLOP/s: %.2f of %ju passes\n", R,
	       4e-9 * r * (double)b->words / asl_median(all, REPS),
	       asl_median(of_passes, REPS), R);
}

int main(int argc, char **argv)
{
	struct bench b = {0};
	uint64_t R = argc > 2 ? strtoull(argv[2], NULL, 10) : 16;

	b.n = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000;
	b.blocks = argc > 3 ? atoi(argv[3]) : 3;
	if (b.blocks < 1 || b.n < (uint64_t)b.blocks || !R)
		speed_fail(
			3,
			"n must be as many as the row blocks or more, R 1 or "
			"more");
	b.dense = b.n < MOST_DENSE ? b.n : MOST_DENSE;
	b.words = asl_tetrahedron(b.n);
	b.x = speed_room(b.n * R);
	b.y = speed_room(b.n * R);
	b.scratch = speed_room(2 * b.n * R);
	if (asl_team_resize(argc > 4 ? atoi(argv[4]) : 1))
		speed_fail(3, asl_failure());
	open_tensor(&b, "pmem");
	fill_cube(&b);
	measure(&b, R);
	asl_store_close(b.store);
	free(b.cube);
	free(b.scratch);
	free(b.y);
	free(b.x);
	return 0;
}
