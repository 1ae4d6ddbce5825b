/*
 * blas.c -- CBLAS's products of each type, with our argument order, cut over the
 * rank's threads
 *
 * OpenBLAS uses one thread, and each thread of the team calls it for a part of C.
 * A word of C is then the same sum in the same order: OpenBLAS cuts k alike for
 * any m and n, and its kernels treat a word alike wherever it is, as long as
 * parts begin at whole tiles of its registers.  Only the last columns, fewer than a
 * vector, are another sum for another number of columns (AVX-512).
 */
#include "lib/rank/blas.h"

#include <cblas.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "lib/base/error.h"
#include "lib/base/parts.h"
#include "lib/base/system.h"
#include "lib/base/team.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { SIDE = 160 };

static void multiply_some(void *arg, int piece)
{
	double *x = (double *)arg + (size_t)piece * SIDE * SIDE;

	cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, SIDE, SIDE, SIDE,
		    1, arg, SIDE, arg, SIDE, 0, x, SIDE);
}

/* OpenBLAS's own size on x86, from 0.3.10 on. */
#define BUFFER_BYTES ((size_t)128 << 20)

static bool has_memory(int threads)
{
	size_t bytes = (size_t)threads * BUFFER_BYTES;
	void *at = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return at != MAP_FAILED && !munmap(at, bytes);
}

/*
 * As many products at once as OpenBLAS has buffers for, two for each thread that it
 * was built for: with more it complains on stderr, and in the end it exits.
 */
static int at_most(int pieces)
{
	static int most;

	if (!most) {
		const char *at = strstr(openblas_get_config(), "MAX_THREADS=");

		most = at ? 2 * atoi(strchr(at, '=') + 1) : INT_MAX;
	}
	return pieces < most ? pieces : most;
}

/*
 * OpenBLAS allocates a thread's buffer with the first product that is not small,
 * and waits for ever if there is no memory: better before the pools than after.
 */
static int take_buffers(int threads)
{
	double *x;

	if (threads > 1 && !has_memory(threads))
		return asl_fail(-ENOMEM,
				"--threads: OpenBLAS has no memory for %d: "
				"%zu MiB (ulimit -v?)",
				threads,
				(size_t)threads * (BUFFER_BYTES >> 20));
	x = calloc((size_t)(threads + 1) * SIDE * SIDE, sizeof *x);
	if (x)
		asl_team_run(threads, multiply_some, x + SIDE * SIDE);
	free(x);
	return 0;
}

int asl_blas_one_thread(void)
{
	static int taken;
	int threads = at_most(asl_team_threads());
	int err;

	asl_blas_set_threads(1);
	if (taken >= threads)
		return 0;
	err = take_buffers(threads);
	if (!err)
		taken = threads;
	return err;
}

int asl_blas_threads(void)
{
	return openblas_get_num_threads();
}

/* After a fork it starts all its threads anew, which spin for a while, if it is asked. */
void asl_blas_set_threads(int threads)
{
	if (threads != openblas_get_num_threads())
		openblas_set_num_threads(threads);
}

/* Registers hold tiles with sides that divide these. */
enum { TILE_ROWS = 24, TILE_COLS = 16 };

/* A part's multiplications: OpenBLAS has other kernels for small products. */
enum { LEAST_PART = 5000000 };

struct product {
	uint64_t m, n, k, lda, ldb, ldc;
	const double *a, *b;
	double *c, beta;
	int rows, cols; /* parts of C */
	enum asl_type type;
	uint64_t band, depth; /* rows, and columns of a, at once */
	bool packed;	      /* by us: packed.c */
	bool past;	      /* zeros of c are written past the caches */
};

static uint64_t part_begins(uint64_t length, uint64_t tile, int parts, int i)
{
	uint64_t tiles =
		(length * (uint64_t)i / (uint64_t)parts + tile / 2) / tile;

	return i == parts ? length : tiles * tile;
}

static struct asl_range part_of(uint64_t length, uint64_t tile, int parts,
				int i)
{
	uint64_t first = part_begins(length, tile, parts, i);

	return (struct asl_range){
		first, part_begins(length, tile, parts, i + 1) - first};
}

static void clear(const struct product *x, uint64_t count, uint64_t stride)
{
	for (uint64_t i = 0; i < count; i++)
		memset(asl_type_at(x->type, x->c, i * stride), 0,
		       asl_type_bytes(x->type));
}

/* A type's functions: c = a b + beta c, and c += a b where c is a vector. */
struct arithmetic {
	void (*matrices)(const struct product *x);
	void (*vector)(const struct product *x);
};

/* `one` and `beta` are numbers or, of complex numbers, their addresses. */
#define ARITHMETIC(letter, part, one, beta)                                    \
	static void letter##_matrices(const struct product *x)                 \
	{                                                                      \
		const part *a = (const void *)x->a, *b = (const void *)x->b;   \
		part *c = (void *)x->c;                                        \
                                                                               \
		cblas_##letter##gemm(CblasRowMajor, CblasNoTrans,              \
				     CblasNoTrans, (blasint)x->m,              \
				     (blasint)x->n, (blasint)x->k, one, a,     \
				     (blasint)x->lda, b, (blasint)x->ldb,      \
				     beta, c, (blasint)x->ldc);                \
	}                                                                      \
                                                                               \
	static void letter##_vector(const struct product *x)                   \
	{                                                                      \
		const part *a = (const void *)x->a, *b = (const void *)x->b;   \
		part *c = (void *)x->c;                                        \
                                                                               \
		if (x->n == 1)                                                 \
			cblas_##letter##gemv(                                  \
				CblasRowMajor, CblasNoTrans, (blasint)x->m,    \
				(blasint)x->k, one, a, (blasint)x->lda, b,     \
				(blasint)x->ldb, one, c, (blasint)x->ldc);     \
		else                                                           \
			cblas_##letter##gemv(CblasRowMajor, CblasTrans,        \
					     (blasint)x->k, (blasint)x->n,     \
					     one, b, (blasint)x->ldb, a, 1,    \
					     one, c, 1);                       \
	}

static const float float_one[2] = {1, 0}, float_none[2] = {0, 0};
static const double double_one[2] = {1, 0}, double_none[2] = {0, 0};

ARITHMETIC(s, float, 1, (float)x->beta)
ARITHMETIC(d, double, 1, x->beta)
ARITHMETIC(c, float, float_one, x->beta == 0 ? float_none : float_one)
ARITHMETIC(z, double, double_one, x->beta == 0 ? double_none : double_one)

static const struct arithmetic arithmetic[] = {
	[ASL_FLOAT32] = {s_matrices, s_vector},
	[ASL_FLOAT64] = {d_matrices, d_vector},
	[ASL_COMPLEX64] = {c_matrices, c_vector},
	[ASL_COMPLEX128] = {z_matrices, z_vector},
};

/*
 * Kernels for vectors read a matrix without packing it.  Not all versions take what
 * is not to be added to, which may be no number, for zero.
 */
static void multiply_vector(const struct product *x)
{
	bool column = x->n == 1;

	if (x->beta == 0)
		clear(x, column ? x->m : x->n, column ? x->ldc : 1);
	arithmetic[x->type].vector(x);
}

/* OpenBLAS does not pack products of so few multiplications, with AVX-512. */
enum { SMALL = 1000000 };

/* A few rows that are left would be small: they join the last band. */
static uint64_t next_band(const struct product *x, uint64_t rest)
{
	uint64_t most =
		x->band * x->n * x->depth > SMALL ? 2 * x->band - 1 : x->band;

	return rest <= most ? rest : x->band;
}

/* A band, so deep at once. */
static void multiply_band(const struct product *x)
{
	struct product part = *x;
	uint64_t l = 0;

	do {
		part.k = asl_min(x->depth, x->k - l);
		part.a = asl_type_at(x->type, x->a, l);
		part.b = asl_type_at(x->type, x->b, l * x->ldb);
		part.beta = l ? 1 : x->beta;
		arithmetic[x->type].matrices(&part);
		l += part.k;
	} while (l < x->k);
}

static bool multiply_packed(const struct product *x)
{
	const struct asl_packed packed = {x->m,	  x->n, x->k, x->lda, x->ldb,
					  x->ldc, x->a, x->b, x->c,   x->beta};

	return asl_packed_multiply(&packed);
}

#ifdef __SSE2__
/* Whole lines past the caches. */
static void write_zeros(char *at, uint64_t bytes)
{
	enum { LINE = 64, PIECE = sizeof(__m128i) };
	uint64_t done = asl_min(-(uintptr_t)at % LINE, bytes);

	memset(at, 0, done);
	for (; done + LINE <= bytes; done += LINE)
		for (int i = 0; i < LINE; i += PIECE)
			_mm_stream_si128((void *)(at + done + i),
					 _mm_setzero_si128());
	memset(at + done, 0, bytes - done);
}

/* They come before all that is written later. */
static void end_zeros(void)
{
	_mm_sfence();
}
#else
static void write_zeros(char *at, uint64_t bytes)
{
	memset(at, 0, bytes);
}

static void end_zeros(void)
{
}
#endif

static void clear_past(const struct product *x)
{
	for (uint64_t i = 0; i < x->m; i++)
		write_zeros((char *)asl_type_at(x->type, x->c, i * x->ldc),
			    x->n * asl_type_bytes(x->type));
	end_zeros();
}

static void multiply(const struct product *x)
{
	struct product band = *x;

	if (!x->m || !x->n)
		return;
	if (x->n == 1 || x->m == 1) {
		multiply_vector(x);
		return;
	}
	if (x->packed && multiply_packed(x))
		return;
	if (x->past) {
		clear_past(x);
		band.beta = 1;
	}
	for (uint64_t i = 0; i < x->m; i += band.m) {
		band.m = next_band(x, x->m - i);
		band.a = asl_type_at(x->type, x->a, i * x->lda);
		band.c = asl_type_at(x->type, x->c, i * x->ldc);
		multiply_band(&band);
	}
}

static void multiply_part(void *arg, int piece)
{
	const struct product *x = arg;
	struct asl_range m = part_of(x->m, TILE_ROWS, x->rows, piece / x->cols);
	struct asl_range n = part_of(x->n, TILE_COLS, x->cols, piece % x->cols);
	struct product part = *x;

	part.m = m.count;
	part.n = n.count;
	part.a = asl_type_at(x->type, x->a, m.first * x->lda);
	part.b = asl_type_at(x->type, x->b, n.first);
	part.c = asl_type_at(x->type, x->c, m.first * x->ldc + n.first);
	multiply(&part);
}

static bool may_cut(const struct product *x, int rows, int cols)
{
	return (rows == 1 || x->m / (uint64_t)rows >= TILE_ROWS) &&
	       (cols == 1 ||
		(x->n % TILE_COLS == 0 && x->n / (uint64_t)cols >= TILE_COLS));
}

/*
 * Every part packs its rows of a and columns of b: few of both together.  False:
 * there cannot be so many parts.
 */
static bool cut(struct product *x, int parts)
{
	double least = 0;

	for (int rows = 1; rows <= parts; rows++) {
		int cols = parts / rows;
		double packed = (double)x->m / rows + (double)x->n / cols;

		if (parts % rows || !may_cut(x, rows, cols) ||
		    (least > 0 && packed >= least))
			continue;
		least = packed;
		x->rows = rows;
		x->cols = cols;
	}
	return least > 0;
}

static void multiply_cut(struct product *x)
{
	double multiplications = (double)x->m * (double)x->n * (double)x->k;
	int parts;

	parts = at_most(asl_team_pieces((uint64_t)fmin(multiplications, 1e18),
					LEAST_PART));
	while (parts > 1 && !cut(x, parts))
		parts--;
	asl_team_run(x->rows * x->cols, multiply_part, x);
}

/* ---- Kernel sets ---- */

/* Vector instructions, from narrow to wide, by their flag in /proc/cpuinfo. */
static const struct vectors {
	const char *name, *flag;
} vectors[] = {
	{"SSE", "sse2"},
	{"AVX", "avx"},
	{"AVX2", "avx2"},
	{"AVX-512", "avx512vl"},
};

enum { VECTORS = sizeof vectors / sizeof vectors[0] };

/* The flag stands for all instructions that the kernels were compiled for. */
static const struct set {
	const char *name, *vectors, *flag;
} sets[] = {
	{"Prescott", "SSE", "pni"},
	{"Core2", "SSE", "ssse3"},
	{"Penryn", "SSE", "sse4_1"},
	{"Nehalem", "SSE", "sse4_2"},
	{"Sandybridge", "AVX", "avx"},
	{"Bulldozer", "AVX", "fma4"},
	{"Piledriver", "AVX", "fma"},
	{"Haswell", "AVX2", "avx2"},
	{"Zen", "AVX2", "avx2"},
	{"SkylakeX", "AVX-512", "avx512vl"},
	{"Cooperlake", "AVX-512", "avx512_bf16"},
	{"SapphireRapids", "AVX-512", "avx512_fp16"},
};

enum { SETS = sizeof sets / sizeof sets[0] };

/* The line of flags of the first processor; "": there is none. */
static const char *flags(void)
{
	/* Tests have other processors in a file. */
	const char *other = getenv("ASLANT_CPUINFO");
	static char line[8192];
	bool found = false;
	FILE *f;

	/* A blank is added only once: thousands of rows ask. */
	if (*line)
		return line;
	f = asl_system_open("", other ? other : "/proc/cpuinfo");
	while (!found && f && fgets(line, sizeof line - 1, f))
		found = !strncmp(line, "flags", 5);
	if (f)
		fclose(f);
	if (!found)
		return strcpy(line, " ");
	line[strcspn(line, "\n")] = ' ';
	return line;
}

static bool has(const char *flag)
{
	char word[32];

	snprintf(word, sizeof word, " %s ", flag);
	return strstr(flags(), word);
}

static const char *widest(void)
{
	const char *name = "";

	for (int i = 0; i < VECTORS; i++)
		if (has(vectors[i].flag))
			name = vectors[i].name;
	return name;
}

static const char *vectors_of(const char *kernels)
{
	for (int i = 0; i < SETS; i++)
		if (!strcmp(sets[i].name, kernels))
			return sets[i].vectors;
	return "";
}

/* The first set for them: the one that most libraries have. */
static const char *set_for(const char *instructions)
{
	for (int i = 0; i < SETS; i++)
		if (!strcmp(sets[i].vectors, instructions))
			return sets[i].name;
	return NULL;
}

struct asl_blas asl_blas(void)
{
	struct asl_blas x = {
		.kernels = openblas_get_corename(),
		.chosen = getenv(ASL_BLAS_CHOICE) != NULL,
		.has = widest(),
	};

	x.uses = vectors_of(x.kernels);
	/* Only these are worth it: narrower ones are chosen where they fit. */
	if (!strcmp(x.has, "AVX-512") && *x.uses && strcmp(x.uses, x.has))
		x.wider = set_for(x.has);
	return x;
}

const char *const *asl_blas_kernel_names(void)
{
	static const char *names[SETS + 1];

	for (int i = 0; i < SETS; i++)
		names[i] = sets[i].name;
	return names;
}

bool asl_blas_can_run(const char *kernels)
{
	for (int i = 0; i < SETS; i++)
		if (!strcmp(sets[i].name, kernels))
			return has(sets[i].flag);
	return false;
}

/* ---- Tiles and slabs ---- */

/*
 * With AVX-512, OpenBLAS takes up to a third longer where c has few columns than where it
 * has many, and packed.c does not.  Where c is not added to, OpenBLAS sets it to zero and
 * then reads it again; packed.c only writes it, unless the product is deep, but zeros past
 * the caches (below) are faster still.  OpenBLAS does small products and shallow ones well,
 * and tall ones in small products, in a row of which b stays in the core's own cache.
 */
enum { LEAST_ROWS = 32, LEAST_COLS = 64, MOST_COLS = 768, LEAST_DEPTH = 128 };

/* Below, a cache holds it all; what a core's own cache holds. */
enum { TALL = 32 * TILE_ROWS, HELD_WORDS = 1 << 17 };

/*
 * OpenBLAS sets a c that is not added to to zero before all else, and waits for its
 * lines to come; past the caches zeros take a third of that, and its kernels have c
 * come while they compute.  But memory is written twice then.  A smaller c may lie in a
 * cache, and stays there; of a deeper product zeros take less than a fiftieth.
 */
enum { PAST_WORDS = 1 << 19, PAST_DEPTH = 512 };

/* Kernels for small products are slow where k is, or is far less than n. */
enum { LEAST_SMALL_DEPTH = 16, COLS_A_DEPTH = 8 };

static bool has_avx512(void)
{
	return !strcmp(vectors_of(openblas_get_corename()), "AVX-512");
}

static bool packs(const struct product *x)
{
	bool only_writes = x->beta == 0 && !x->past && x->k <= ASL_PACKED_DEPTH;

	return x->m >= LEAST_ROWS && x->n >= LEAST_COLS &&
	       (x->n <= MOST_COLS || only_writes) && x->k >= LEAST_DEPTH &&
	       x->m * x->n * x->k > SMALL;
}

/* As deep as small products of a few rows can be, unless they are slow. */
static void cut_small(struct product *x)
{
	uint64_t deepest = SMALL / (x->n * TILE_ROWS);
	uint64_t depth = asl_ceil_div(x->k, asl_ceil_div(x->k, deepest));

	if (x->n * x->k > HELD_WORDS || depth < LEAST_SMALL_DEPTH ||
	    x->n > COLS_A_DEPTH * depth)
		return;
	x->depth = depth;
	x->band = SMALL / (x->n * depth) / TILE_ROWS * TILE_ROWS;
}

/*
 * How it is multiplied.  Threads cut the product after that, so that the same kernels
 * compute a word with any number of them.
 */
static void choose(struct product *x)
{
	x->past &= x->m * x->n >= PAST_WORDS && x->k <= PAST_DEPTH;
	if (x->type != ASL_FLOAT64 || x->n < 2 || !has_avx512())
		return;
	x->packed = packs(x);
	if (!x->packed && x->m >= TALL && x->k >= LEAST_SMALL_DEPTH &&
	    x->n <= MOST_COLS)
		cut_small(x);
	x->past &= x->band == x->m;
}

/* ---- Products that wait ---- */

enum { WAITING = 256 };

static struct {
	struct product x[WAITING];
	int count;
	int groups, first[WAITING]; /* first: of a group's products */
	bool open;
} waiting;

static void multiply_group(int i)
{
	int end = i + 1 < waiting.groups ? waiting.first[i + 1] : waiting.count;

	for (int j = waiting.first[i]; j < end; j++)
		multiply(&waiting.x[j]);
}

static void multiply_groups(void *arg, int piece)
{
	int pieces = *(const int *)arg;
	struct asl_range part =
		asl_part((uint64_t)waiting.groups, pieces, piece);

	for (uint64_t i = 0; i < part.count; i++)
		multiply_group((int)(part.first + i));
}

/* One group after another is taken, unless there are too few buffers. */
static void multiply_waiting(void)
{
	int threads = asl_team_threads(), pieces = at_most(threads);

	if (pieces == threads)
		pieces = waiting.groups;
	asl_team_run(pieces, multiply_groups, &pieces);
	waiting.count = waiting.groups = 0;
}

static void wait_with(const struct product *x)
{
	if (waiting.count == WAITING)
		multiply_waiting();
	if (!waiting.groups)
		waiting.first[waiting.groups++] = 0;
	waiting.x[waiting.count++] = *x;
}

void asl_gemm_group(void)
{
	if (waiting.count == WAITING)
		multiply_waiting();
	waiting.open = asl_team_threads() > 1;
	if (waiting.groups && waiting.first[waiting.groups - 1] < waiting.count)
		waiting.first[waiting.groups++] = waiting.count;
}

void asl_gemm_finish(void)
{
	waiting.open = false;
	multiply_waiting();
}

static void begin(struct product *x)
{
	x->rows = x->cols = 1;
	x->band = x->m;
	x->depth = x->k;
	choose(x);
	if (waiting.open)
		wait_with(x);
	else
		multiply_cut(x);
}

void asl_gemm(enum asl_type type, uint64_t m, uint64_t n, uint64_t k,
	      const double *a, uint64_t lda, const double *b, uint64_t ldb,
	      double beta, double *c, uint64_t ldc)
{
	begin(&(struct product){m, n, k, lda, ldb, ldc, a, b, c, beta,
				.type = type});
}

void asl_gemm_in_memory(enum asl_type type, uint64_t m, uint64_t n, uint64_t k,
			const double *a, uint64_t lda, const double *b,
			uint64_t ldb, double *c, uint64_t ldc)
{
	begin(&(struct product){m, n, k, lda, ldb, ldc, a, b, c, .type = type,
				.past = true});
}

const char *asl_blas_version(void)
{
	return openblas_get_config();
}
