/*
 * kernel.h -- C = A B on one rank, by way of its cache
 *
 * A kernel decides how a block of C is tiled, so how often the words of A and
 * B pass from memory into the cache and those of C back: the vertical traffic.
 * To add one: write its file and name it in kernel.c.
 */
#ifndef ASL_KERNEL_H
#define ASL_KERNEL_H

#include "lib/rank/rank.h"

/* A product as far as counting goes: shapes, places and the machine. */
struct asl_product {
	uint64_t m, n, k;
	uint64_t cache; /* S */
	double read_cost, write_cost;
	enum asl_where A, B, C;
	bool add; /* C += A B: C is read, too */
};

/*
 * Products that are not known yet, as far as they are: sides m and n of each are
 * x's or longer, and their sides k add up to x's or more.  Words of all faces
 * together, and multiplications; at least.  C is made in `passes` or more, each
 * word by `deep` multiplications or more.
 */
struct asl_products {
	struct asl_product x;
	uint64_t A, B, C, volume; /* C: of one pass */
	uint64_t passes, deep;
};

struct asl_kernel {
	const char *name, *summary;
	uint64_t least_cache; /* the smallest S it can work in */

	/* C = A B, or C += A B if x->add. */
	void (*run)(struct asl_rank *r, const struct asl_product *x,
		    const struct asl_block *C, const struct asl_block *A,
		    const struct asl_block *B);

	/* Add what run counts, in closed form. */
	void (*predict)(struct asl_counts *counts, const struct asl_product *x);

	/* Add counts that cost no more than predict of any such products. */
	void (*lower_bound)(struct asl_counts *counts,
			    const struct asl_products *x,
			    const struct asl_rates *rates);
};

/* predict, remembered: planners ask for it a few thousands of times. */
void asl_kernel_predict(const struct asl_kernel *kernel,
			struct asl_counts *counts, const struct asl_product *x);

/* All kernels, NULL-ended; by name, NULL if there is none. */
extern const struct asl_kernel *const asl_kernels[];
const struct asl_kernel *asl_kernel_find(const char *name);

/* The tile with which `tight` reads least; a sliver of depth 1 fits beside. */
struct asl_sides {
	uint64_t rows, cols;
};

struct asl_sides asl_tight_sides(const struct asl_product *x);

/* ---- For kernels ---- */

/*
 * Keep a rows x cols tile of C in the cache for as long as A and B stream past
 * it in slivers `depth` deep; then store it, and go on to the next.  Its sides are
 * rounded for the BLAS where that makes neither more tiles nor fewer.
 */
void asl_stream(struct asl_rank *r, const struct asl_product *x,
		const struct asl_block *C, const struct asl_block *A,
		const struct asl_block *B, uint64_t rows, uint64_t cols,
		uint64_t depth);

void asl_stream_predict(struct asl_counts *counts, const struct asl_product *x,
			uint64_t rows, uint64_t cols);

/*
 * The floor of kernels that store a word of C once a pass: so many reads of A,
 * of B, and of either (both included), if these are more than the faces have.
 */
void asl_stream_lower_bound(struct asl_counts *counts,
			    const struct asl_products *x,
			    const struct asl_rates *rates, uint64_t reads_A,
			    uint64_t reads_B, uint64_t reads);

static inline enum asl_counter asl_read_counter(enum asl_where where)
{
	return where == ASL_POOL ? ASL_NVM_READ : ASL_DRAM_READ;
}

static inline enum asl_counter asl_write_counter(enum asl_where where)
{
	return where == ASL_POOL ? ASL_NVM_WRITE : ASL_DRAM_WRITE;
}

/* Add words that pass from there into a tile, or back; in the cache they stay. */
static inline void asl_count_read(struct asl_counts *x, enum asl_where from,
				  uint64_t words)
{
	if (from != ASL_CACHE)
		x->of[asl_read_counter(from)] += words;
}

static inline void asl_count_written(struct asl_counts *x, enum asl_where to,
				     uint64_t words)
{
	if (to != ASL_CACHE)
		x->of[asl_write_counter(to)] += words;
}

/* The integer square root, rounded down. */
uint64_t asl_isqrt(uint64_t x);

#endif
