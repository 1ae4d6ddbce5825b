/*
 * measure.h -- the cost of words, of flops and of messages, measured once
 */
#ifndef ASL_MEASURE_H
#define ASL_MEASURE_H

#include "lib/rank/seconds.h"
#include "net/net.h"
#include "nvm/store.h"

/*
 * ---- A word between a store and the cache ----
 *
 * The store copies tiles that fit into a core's own cache out of a region that
 * no cache holds, and into it, one after another, as in runs: a write is durable
 * when it is over.
 */

struct asl_store_bench {
	struct asl_store *store;
	double *at, *tile;
	double *times; /* of the chunks of one pass */
	uint64_t words;
};

/* A region is rounded up to chunks; a chunk has several tiles. */
enum { ASL_BENCH_TILE = 1 << 15, ASL_BENCH_CHUNK = 4 * ASL_BENCH_TILE };

/*
 * Take a region of so many words, and touch all of them.  0 or a negative errno;
 * close is due after a failure, too.  The store stays the caller's.
 */
int asl_store_bench_open(struct asl_store_bench *s, struct asl_store *store,
			 uint64_t words);
void asl_store_bench_close(struct asl_store_bench *s); /* all zero is allowed */

/* Nanoseconds a word of the first `words`: the median of chunks of 1 MiB. */
double asl_store_bench_read(struct asl_store_bench *s, uint64_t words);
double asl_store_bench_write(struct asl_store_bench *s, uint64_t words);

/*
 * A disk's rows, as asl_disk_ns has them, first read, then written: ns of a block to
 * begin, and of each row of so many words, which lie apart and begin within a block;
 * and all of a block of short rows that are near each other.
 * With `net`, ranks measure at once, and none begins a kind of block before all have
 * ended the last one: a short block would wait for another rank's megabytes.  Without
 * it (NULL) this rank measures alone.  0, -ENOMEM, or the barrier's error.
 */
enum asl_disk_kind {
	ASL_DISK_BEGIN,
	ASL_DISK_ROW, /* of the first size; the others follow */
	ASL_DISK_NEAR = ASL_DISK_ROW + ASL_ROW_SIZES,
	ASL_DISK_KINDS = 2 * (ASL_DISK_NEAR + 1)
};

int asl_disk_bench_run(struct asl_store_bench *s, struct asl_net *net,
		       uint64_t words, double ns[ASL_DISK_KINDS]);
uint64_t asl_disk_bench_size(int size);

/* ---- A flop in a multiplication by the BLAS, on one core ---- */

struct asl_flop_bench {
	struct asl_store *store; /* borrowed */
	double *a, *b, *c;
	int cut; /* sides are divided by it, which is 1 unless flops are slow */
};

enum { ASL_FLOP_BENCH_SIDE = 768 };

/* As asl_store_take fails; close is due after a failure, too. */
int asl_flop_bench_open(struct asl_flop_bench *p, struct asl_store *store);
void asl_flop_bench_close(struct asl_flop_bench *p); /* all zero is allowed */

/* Cut sides so that such a product takes about so many seconds, or less. */
void asl_flop_bench_limit(struct asl_flop_bench *p, double seconds);

/* Nanoseconds a flop, in one product of matrices of this side. */
double asl_flop_bench_run(struct asl_flop_bench *p);

/*
 * ---- Products of many shapes ----
 *
 * Nanoseconds of each of asl_product_terms, fitted to the products' times: the squares
 * of relative errors are least.
 */

/* With the matrices of the flop's bench; small ones added to C, and not, too. */
void asl_product_bench_run(const struct asl_flop_bench *p,
			   double ns[ASL_PRODUCT_TERMS]);

/* Terms from 0 on, by least squares relative to y: row i of x times c is y[i]. */
void asl_fit_terms(double *c, int terms, const double *x, const double *y,
		   int count);

/* ---- Arithmetic outside of products: in the cache, and on what streams ---- */

/* simple, stream, add and vector of struct asl_times */
enum { ASL_VECTOR_KINDS = 4 };

/* In about so many seconds: of the region, as many words as can be had by then. */
void asl_vector_bench_run(const struct asl_store_bench *s, double seconds,
			  double ns[ASL_VECTOR_KINDS]);

/*
 * ---- A message and its words, between two ranks ----
 *
 * Messages of many sizes go back and forth; the line alpha + beta x that is
 * nearest to their times, relative to these, gives both costs.  (By absolute
 * distance the largest messages alone would decide on alpha, too.)
 */

enum { ASL_NET_BENCH_SIZES = 14 };

struct asl_net_bench {
	int peer;
	bool first; /* of the two: to send */
	char *out, *in;
	double words[ASL_NET_BENCH_SIZES];
	double ns[ASL_NET_BENCH_SIZES]; /* one way, in the last run */
};

/* 0 or -ENOMEM; close is due after a failure, too. */
int asl_net_bench_open(struct asl_net_bench *s, int peer, bool first);
void asl_net_bench_close(struct asl_net_bench *s); /* all zero is allowed */

/*
 * Send all sizes, in about so many seconds, to be called by both ranks; 0 or an error
 * of the net.
 */
int asl_net_bench_run(struct asl_net_bench *s, struct asl_net *net,
		      double seconds);

/* So many messages of a size each way, by both; one way takes *ns on average. */
int asl_net_bench_trips(struct asl_net_bench *s, struct asl_net *net,
			size_t bytes, int trips, double *ns);

/* All ranks send to the next and receive from the one before, at once. */
int asl_step_bench_run(struct asl_net_bench *s, struct asl_net *net,
		       double seconds);

/*
 * Ranks that share cores multiply, and take a step after each product: what the step
 * adds to their time, with the turns that they take on a core.  And what a step of one
 * word takes right after another, and a short one of those that are taken at once.
 */
struct asl_crowd_ns {
	double row, message;
};

int asl_crowd_bench_run(struct asl_net_bench *s, struct asl_net *net,
			const struct asl_flop_bench *p, double seconds,
			struct asl_crowd_ns *ns);

struct asl_fit {
	double alpha, beta; /* 0 or more */
	double worst;	    /* maximum relative distance of a point */
};

/* The line nearest to (x, y), all of which are positive, in least squares. */
struct asl_fit asl_fit_line(const double *x, const double *y, int count);

/* The nearest numbers none of which is below the one before, in least squares. */
void asl_fit_rising(double *y, int count);

#endif
