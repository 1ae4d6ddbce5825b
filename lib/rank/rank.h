/*
 * rank.h -- the one object that algorithms are written for
 *
 * A rank has a large memory (the pool: a store), a staging memory (DRAM), a
 * cache of S words, peers (a net), a ledger and a clock.  An algorithm is a
 * sequence of the verbs below and of nothing else, so one text runs simulated,
 * in memory and for real: what the stores and the net are made of decides.
 *
 * Counting	Every verb counts before it acts, here and only here.  Words
 *		are charged to where they lie, in the current phase.
 * Data		With a null store no block has an address, and verbs count
 *		without moving anything.
 * Cache	A tile is a buffer within S.  asl_multiply reads its operands
 *		in place and counts them as if they came through the cache in
 *		slivers, once per use: OpenBLAS packs them itself.
 * Clock	Local work advances the rank's clocks (one an accounting) by
 *		its cost; a message carries its sender's, so that the largest
 *		clock at the end is the critical path.
 * Pace		Verbs are as fast as the machine, or, with r->pace, take as long
 *		as on another one (pace.h).  Counts and clocks are the same.
 * Errors	stick: after the first, r->err, every verb returns at once.
 *		Safe, because control flow never depends on the numbers in the
 *		tiles, and because the first error aborts the network.
 * Replay	A rank may have a model of a hardware cache beside it, that is told
 *		what the verbs touch (lib/rank/replay.h).  Without data words then
 *		have addresses, too, with nothing there.
 * Resume	A rank may go on with a run that was ended; verbs that have been
 *		done then only count (lib/rank/resume.h).
 */
#ifndef ASL_RANK_H
#define ASL_RANK_H

#include "lib/rank/cost.h"
#include "lib/rank/ledger.h"
#include "lib/rank/lru.h"
#include "net/net.h"
#include "nvm/store.h"

_Static_assert(sizeof((struct asl_net_stamp *)0)->at ==
		       ASL_ACCOUNTINGS * sizeof(double),
	       "a message carries a clock for every accounting");

/* The cache is not main memory: nothing is charged there for being moved. */
enum asl_where { ASL_POOL, ASL_DRAM, ASL_CACHE };

/* A run of words in main memory; or of a tile, where that is said. */
struct asl_words {
	enum asl_where where;
	uint64_t count;
	double *at; /* NULL without data, unless it is replayed */
};

/* A matrix in main memory, by rows, `ld` words from one row to the next. */
struct asl_block {
	enum asl_where where;
	uint64_t rows, cols, ld;
	double *at;
};

/* A matrix in the cache; the rank's, not the algorithm's. */
struct asl_tile {
	uint64_t rows, cols;
	double *at;
	bool zero; /* all zeros, although `at` may say otherwise */
	bool data; /* there is something at `at` */
	uint64_t room;
	struct asl_block over; /* the block that it was laid over; or nothing */
	const double *from;    /* where it was loaded from; or nothing */
};

/*
 * Ranks first, first + stride, ...: a line of a processor grid; or, where the
 * ranks are in no such order, those listed.
 */
struct asl_group {
	int first, stride, size;
	int me; /* index of this rank in the group */
	const int *list;
};

struct asl_seconds {
	double in[ASL_PHASES];	  /* spent in verbs, by phase */
	double compute, comm, io; /* the same, by kind of verb */
	/*
	 * Of what has a pace: takes on the other machine, took beyond it, and
	 * waited for other ranks of the host to be served.
	 */
	double target, late, queued;
};

/* What an algorithm finds beside the words of its result. */
struct asl_outcome {
	int iterations;			   /* made; 0: it does not iterate */
	double eigenvalue, eigen_residual; /* not numbers: there are none */
};

struct asl_rank {
	int id, size;
	uint64_t cache; /* S */

	struct asl_store *memory[2]; /* by enum asl_where, but the cache */
	struct asl_net *net;
	bool data;  /* are there words to move at all? */
	bool timed; /* sim: no, a fiber's wait is another fiber's work */

	enum asl_phase phase;
	struct asl_ledger ledger;
	struct asl_rates rates[ASL_ACCOUNTINGS];
	struct asl_net_stamp clock; /* by enum asl_accounting */
	struct asl_seconds seconds;

	uint64_t held[2];    /* words taken, likewise */
	uint64_t cache_held; /* words of tiles */

	struct asl_outcome outcome;

	struct asl_replay *replay; /* NULL: none */
	struct asl_emulator *pace; /* NULL: as fast as the machine is */
	struct asl_resume *resume; /* NULL: nothing is to be gone on with */

	struct asl_overlap *behind; /* steps under way; NULL: none */
	bool notes_steps;	    /* they are being noted */

	int err; /* the first error, a negative errno */
	char why[512];
};

struct asl_rank_want {
	struct asl_net *net;
	struct asl_store *pool, *staging;
	uint64_t cache;
	const struct asl_costs *costs;
	struct asl_replay *replay; /* NULL: none */
};

/* Borrows the stores, the net and the replay. */
void asl_rank_init(struct asl_rank *r, const struct asl_rank_want *want);

/*
 * The end of a run: what only shows late (a store that could not write) is
 * noted now.  Returns r->err.
 */
int asl_rank_finish(struct asl_rank *r);

/*
 * Begin to count anew: ledger, clocks, seconds, outcome; what is held stays
 * held.
 */
void asl_rank_restart(struct asl_rank *r);

/* Note an error, unless there is one already, and end the run of all ranks. */
void asl_rank_fail(struct asl_rank *r, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* A model of a cache, empty; 0 or -ENOMEM. */
int asl_replay_open(struct asl_replay **out, const struct asl_lru_shape *shape);
void asl_replay_close(struct asl_replay *x); /* NULL is allowed */

/* What has come and gone, of phases that count; 0 without a replay. */
struct asl_lru_traffic asl_replay_traffic(const struct asl_replay *x);

/* Seconds on a clock that only goes forward. */
double asl_now(void);

void asl_phase(struct asl_rank *r, enum asl_phase phase);

/* ---- Main memory ---- */

void asl_take(struct asl_rank *r, struct asl_words *x, enum asl_where where,
	      uint64_t count);
void asl_give(struct asl_rank *r, struct asl_words *x);

/* `count` words of x from `first` on. */
struct asl_words asl_slice(const struct asl_words *x, uint64_t first,
			   uint64_t count);

/* The words as a matrix; rows * cols of them. */
struct asl_block asl_as_block(const struct asl_words *x, uint64_t rows,
			      uint64_t cols);

struct asl_block asl_sub_block(const struct asl_block *x, uint64_t row,
			       uint64_t col, uint64_t rows, uint64_t cols);

/* dst = src, and dst = a + b, from memory to memory; the sum may go to a or b. */
void asl_copy(struct asl_rank *r, struct asl_words *dst,
	      const struct asl_words *src);
void asl_copy_block(struct asl_rank *r, const struct asl_block *dst,
		    const struct asl_block *src);
void asl_add(struct asl_rank *r, struct asl_words *dst,
	     const struct asl_words *a, const struct asl_words *b);

/* ---- Cache ---- */

/* Room for a tile of up to rows x cols, zeroed; asl_tile_zero reshapes it. */
void asl_tile_take(struct asl_rank *r, struct asl_tile *t, uint64_t rows,
		   uint64_t cols);
void asl_tile_give(struct asl_rank *r, struct asl_tile *t);
void asl_tile_zero(struct asl_tile *t, uint64_t rows, uint64_t cols);

/*
 * The same in the shape of a block that the tile will be stored to: until it is
 * shaped anew, or loaded from elsewhere, it is laid over this block.  Where a
 * cache does as it likes there are no tiles, and the block's own words are what
 * is computed with.
 */
void asl_tile_begin(struct asl_tile *t, const struct asl_block *block);

void asl_tile_load(struct asl_rank *r, struct asl_tile *dst,
		   const struct asl_block *src);
void asl_tile_store(struct asl_rank *r, const struct asl_block *dst,
		    const struct asl_tile *src);

/*
 * `count` words of the tile from `first` on, by rows, where they lie: to be sent,
 * to be added to, or as a tile of one row to be stored.
 */
struct asl_words asl_tile_words(struct asl_tile *t, uint64_t first,
				uint64_t count);
struct asl_tile asl_tile_row(struct asl_tile *t, uint64_t first,
			     uint64_t count);

/* Some of its rows as a tile, to be loaded or stored; never to be given. */
struct asl_tile asl_tile_rows(struct asl_tile *t, uint64_t first,
			      uint64_t count);

/*
 * c += A B.  A and B pass through the cache in slivers that are `depth` deep
 * (columns of A, rows of B) and fit into S beside what is held: each of their
 * words is read once.
 */
void asl_multiply(struct asl_rank *r, struct asl_tile *c,
		  const struct asl_block *A, const struct asl_block *B,
		  uint64_t depth);

/*
 * Any other computing on tiles: use(at, arg).  The words `streamed` (NULL: none)
 * lie at `at`; they pass through the cache in order, each once, and are not
 * kept.
 */
void asl_compute(struct asl_rank *r, const struct asl_words *streamed,
		 uint64_t flops, void (*use)(const double *at, void *arg),
		 void *arg);

/* ---- Network ---- */

void asl_send(struct asl_rank *r, int to, const struct asl_words *out);
void asl_recv(struct asl_rank *r, int from, struct asl_words *in);
/* Either side may be NULL. */
void asl_exchange(struct asl_rank *r, int to, const struct asl_words *out,
		  int from, struct asl_words *in);

/*
 * Behind: between begin and end, steps (and collectives that are made of steps
 * alone: no reductions) are counted and noted, and taken one after another while
 * the rank computes, as asl_multiply looks after them.  Join: all have ended.
 *
 * Until then the buffers are theirs, and so are their peers: no step in front
 * of them goes to one.  Counts do not depend on what lies between.  The clock
 * after join is the later of the rank's own and of the link's, which had the
 * steps in front to carry as well; so what overlaps costs once, and the path may
 * be shorter than the busiest rank's Q.
 */
void asl_overlap_begin(struct asl_rank *r);
void asl_overlap_end(struct asl_rank *r);
void asl_overlap_wait(struct asl_rank *r);

static inline int asl_member(const struct asl_group *g, int i)
{
	return g->list ? g->list[i] : g->first + i * g->stride;
}

#endif
