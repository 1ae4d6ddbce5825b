/*
 * seconds.h -- how long a rank's verbs take on a machine: a prediction
 *
 * Verbs that count also advance a clock of time, in nanoseconds, by what the
 * machine's times say.  It travels with messages, as the other clocks do, so that
 * the largest one at the end is how long the run takes if every rank has a core
 * of its own.  Ranks that share cores take no less than all their work together,
 * over these cores.
 */
#ifndef ASL_SECONDS_H
#define ASL_SECONDS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/rank/ledger.h"

/* The clock of time is behind those of the accountings. */
enum { ASL_TIME = ASL_ACCOUNTINGS, ASL_CLOCKS };

enum { ASL_STEP_SIZES = 14 };

enum { ASL_ROW_SIZES = 6 };

/* A line of memory. */
enum { ASL_LINE_BYTES = 64 };

/* Short rows in a block of 2 MiB, near enough that all of it is transferred. */
enum { ASL_NEAR_WORDS = 1 << 18, ASL_NEAR_LD = 1024 };

/*
 * A disk's times, to read and to write: what a block takes to begin, and each row of
 * so many words, between two sizes, and beyond, on a line; and a block of rows near each
 * other, 0 where none was measured.  No words: it is not known.
 */
struct asl_disk_times {
	double words[ASL_ROW_SIZES];
	double begin[2], row[2][ASL_ROW_SIZES], near[2];
};

/*
 * An emulated device, by its ways (emulate.h): of a word while all ranks of the host
 * use it, and of a request; the bytes of a line.  No words: none is emulated.
 */
struct asl_device_times {
	double word[2], request[2];
	uint64_t line_bytes;
};

/* Nanoseconds, of one rank while the others are as busy. */
struct asl_times {
	/*
	 * A product: of a flop, of a call, of a word of A, of B and of C, of each of all
	 * three that does not stay near the core, of a flop that registers do in vain
	 * where their sides do not divide C's, and of a word of C set to zero first.
	 */
	double flop, call, left, right, result, far, edge, zero;
	/* A word of a matrix times a vector, with its flops; 0: a product like others. */
	double vector;
	double simple; /* a flop outside of products */
	double stream; /* a word that passes through the cache, with its flops */
	double add;    /* a word of a sum from memory to memory */
	double read[2], write[2]; /* a word of a tile, by enum asl_where */
	bool in_place[2]; /* tiles are not copied to where they belong */
	/* A step of so many words; between two sizes, and beyond, on a line. */
	double words[ASL_STEP_SIZES], step[ASL_STEP_SIZES];
	/*
	 * The time of a core that it takes where ranks share them, between products;
	 * of one word, after another, and one more of those taken at once.  0: as above.
	 */
	double crowded[ASL_STEP_SIZES], row, message;
	struct asl_disk_times disk;
	/* All that words of the pool take, where it is emulated. */
	struct asl_device_times device;
};

/* The uses of a rank's time. */
enum asl_spending {
	ASL_ON_ARITHMETIC,
	ASL_ON_READING,
	ASL_ON_WRITING,
	ASL_ON_NETWORK,
	ASL_ON_COPYING,
	ASL_SPENDINGS
};

struct asl_spent {
	double ns[ASL_SPENDINGS];
	double disk; /* waiting for it takes nothing of a core */
};

/*
 * How many of each: flops, calls, words of A, of B, of C, far ones, flops in vain, words
 * of C where it is not added to.
 */
enum { ASL_PRODUCT_TERMS = 8 };

void asl_product_terms(double term[ASL_PRODUCT_TERMS], uint64_t m, uint64_t n,
		       uint64_t k, bool adds);
double asl_product_ns(const struct asl_times *t, uint64_t m, uint64_t n,
		      uint64_t k, bool adds);

static inline bool asl_knows_disk(const struct asl_times *t)
{
	return t && t->disk.words[0] > 0;
}

/* A block of rows on a disk, `ld` words from row to row. */
double asl_disk_ns(const struct asl_disk_times *t, bool writes, uint64_t rows,
		   uint64_t cols, uint64_t ld);
double asl_step_ns(const struct asl_times *t, uint64_t words);

/*
 * A step's own time of a core; and, where ranks share the core, the most that it adds to
 * the rank's next work, because others have put its words out of the cache meanwhile.
 */
struct asl_step_work {
	double own, later;
};

struct asl_step_work asl_step_work(const struct asl_times *t, uint64_t words,
				   bool crowded);

/* The own time of a step in a flight that has begun already: it delays no more work. */
double asl_message_ns(const struct asl_times *t, uint64_t words, bool crowded);

const char *asl_spending_name(enum asl_spending part);

#endif
