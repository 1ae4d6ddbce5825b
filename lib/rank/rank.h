/*
 * rank.h -- the one object that algorithms are written for
 *
 * A rank has a large memory (the pool: a store), a staging memory (DRAM), a
 * cache of S words, peers (a net), a ledger and a clock.  An algorithm is a
 * sequence of the verbs below and of nothing else, so one text runs simulated,
 * in memory and for real: what the stores and the net are made of decides.
 *
 * Counting	Every verb counts before it acts, here and only here.  Words
 *		are charged to the memory that they lie in, in the current phase.
 * Type		Words are numbers of the type that r->type is as they are taken; they
 *		carry it.  Counts are of words, whatever their bytes: costs and times,
 *		S and M, are those of words of the run's type.
 * Data		With a null store no block has an address, and verbs count
 *		without moving anything.
 * Cache	A tile is a buffer within S.  asl_multiply reads its operands
 *		in place and counts them as if they came through the cache in
 *		slivers, once per use: OpenBLAS packs them itself.  A tile of a
 *		block in ordinary memory is the block's own words, which the
 *		hardware's cache holds as well as a copy (asl_tile_begin).
 * Clock	Local work advances the rank's clocks (one an accounting, and one
 *		of time, seconds.h) by its cost; a message carries its sender's, so
 *		that the largest clock at the end is the critical path.
 * Emulation	Verbs take as long as this machine needs or, with r->emulator, as
 *		another machine would (emulate.h).  Counts and clocks are equal.
 * Errors	stick: after the first, r->err, every verb returns at once.
 *		Safe, because control flow never depends on the numbers in the
 *		tiles, and because the first error aborts the network.
 * Replay	A rank may have a model of a hardware cache, which verbs tell what
 *		they touch (replay.h).  Words then have addresses even without
 *		data; nothing may be read or written there.
 * Trace	A rank may write its work and its messages for SimGrid (trace.h).
 * Resume	A rank may resume an interrupted run; verbs that were completed
 *		then only count (resume.h).
 */
#ifndef ASL_RANK_H
#define ASL_RANK_H

#include "lib/base/system.h"
#include "lib/base/type.h"
#include "lib/rank/ledger.h"
#include "lib/rank/lru.h"
#include "lib/rank/seconds.h"
#include "net/net.h"
#include "nvm/store.h"

_Static_assert((int)ASL_NET_CLOCKS == (int)ASL_CLOCKS,
	       "a message carries all clocks");

/* The cache is not main memory: nothing is charged there for being moved. */
enum asl_where { ASL_POOL, ASL_DRAM, ASL_CACHE };

/* A run of words in main memory, or in a tile where the function says so. */
struct asl_words {
	enum asl_where where;
	enum asl_type type;
	uint64_t count;
	double *at; /* NULL without data, unless a replay gives addresses */
};

/* A matrix in main memory, by rows, `ld` words from one row to the next. */
struct asl_block {
	enum asl_where where;
	enum asl_type type;
	uint64_t rows, cols, ld;
	double *at;
};

/* A matrix in the cache; its fields are the rank's, not the algorithm's. */
struct asl_tile {
	uint64_t rows, cols, ld;
	double *at;
	enum asl_type type;
	bool zero;   /* all zeros, although `at` may say otherwise */
	bool data;   /* `at` may be read and written */
	double *own; /* the buffer taken, which `at` is unless it lies in place */
	uint64_t capacity;
	struct asl_block over; /* the block that it was laid over, if any */
	const double *from;    /* where it was loaded from, or NULL */
};

struct asl_seconds {
	double in[ASL_PHASES];	  /* spent in verbs, by phase */
	double compute, comm, io; /* the same, by kind of verb */
	/* Emulated requests: time due, time beyond it, time in the queue. */
	double target, late, queued;
};

/* Scalar results of an algorithm. */
struct asl_outcome {
	int iterations;			   /* 0: it does not iterate */
	double eigenvalue, eigen_residual; /* NaN: it has none */
};

struct asl_rank {
	int id, size;
	uint64_t cache; /* S */

	struct asl_store *memory[2]; /* by enum asl_where, without the cache */
	struct asl_net *net;
	bool data;    /* false: verbs only count */
	bool timed;   /* false on sim, where a fiber waits while others work */
	bool crowded; /* it shares its core with other ranks */
	enum asl_type type; /* of words and tiles that are taken from now on */

	enum asl_phase phase;
	struct asl_ledger ledger;
	struct asl_rates rates[ASL_ACCOUNTINGS];
	struct asl_net_stamp clock;    /* by enum asl_accounting; ASL_TIME */
	const struct asl_times *times; /* NULL: not known */
	struct asl_spent spent;
	double owed; /* nanoseconds that its last step adds to its work */
	struct asl_seconds seconds;

	uint64_t held[2];    /* words taken, by enum asl_where */
	uint64_t cache_held; /* words of tiles */
	/* Words of the pool that a budget leaves in storage: they are not held. */
	uint64_t stored;

	struct asl_outcome outcome;

	/* NULL: none. */
	struct asl_replay *replay;
	struct asl_trace *trace;
	struct asl_emulator *emulator;
	struct asl_resume *resume;
	struct asl_overlap *overlap; /* steps that overlap with computing */
	bool overlaps; /* between asl_overlap_begin and asl_overlap_end */

	int err; /* the first error, a negative errno */
};

struct asl_rank_want {
	struct asl_net *net;
	struct asl_store *pool, *staging;
	uint64_t cache;
	const struct asl_costs *costs;
	const struct asl_times *times; /* NULL: not known */
	bool crowded;		       /* it shares its core with other ranks */
	enum asl_type type;
	struct asl_replay *replay; /* NULL: none */
	struct asl_trace *trace;   /* NULL: none */
};

/* Borrows the stores, the net, the replay and the trace. */
void asl_rank_init(struct asl_rank *r, const struct asl_rank_want *want);

/* End a run; errors that show late, as a store's, count.  Returns r->err. */
int asl_rank_finish(struct asl_rank *r);

/* Reset ledger, clocks, seconds and outcome; words taken stay taken. */
void asl_rank_restart(struct asl_rank *r);

/*
 * Note an error, unless there is one already, and end the run of all ranks:
 * described by asl_failure(), or in the words given.  err 0: nothing happens.
 */
void asl_rank_stop(struct asl_rank *r, int err);
void asl_rank_fail(struct asl_rank *r, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * End the run of all ranks of this process at their next verbs, with -EINTR; or, with
 * false, let them run.  Signal handlers may call it.
 */
void asl_rank_interrupt(bool ends);

/* A model of a cache, empty; 0 or -ENOMEM. */
int asl_replay_open(struct asl_replay **out, const struct asl_lru_shape *shape);
void asl_replay_close(struct asl_replay *x); /* NULL is allowed */

/* Words read and written by the cache in phases that count; 0 without a replay. */
struct asl_lru_traffic asl_replay_traffic(const struct asl_replay *x);

void asl_phase(struct asl_rank *r, enum asl_phase phase);

/* ---- Main memory ---- */

/* Words of the cache (ASL_CACHE) are within S, and no main memory is held. */
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

/* dst = src and dst = a + b, from memory to memory; dst may be a or b. */
void asl_copy(struct asl_rank *r, struct asl_words *dst,
	      const struct asl_words *src);
void asl_copy_block(struct asl_rank *r, const struct asl_block *dst,
		    const struct asl_block *src);
void asl_add(struct asl_rank *r, struct asl_words *dst,
	     const struct asl_words *a, const struct asl_words *b);

/*
 * With factors, counted as without: dst = x src, between the pool and DRAM, where the
 * words are scaled in place (so that src is, too, if it is there); dst = x a + y b.
 */
void asl_copy_scaled(struct asl_rank *r, const struct asl_block *dst,
		     const struct asl_block *src, double x);
void asl_add_scaled(struct asl_rank *r, struct asl_words *dst, double x,
		    const struct asl_words *a, double y,
		    const struct asl_words *b);

/* ---- Cache ---- */

/* Room for a tile of up to rows x cols, zeroed; asl_tile_zero reshapes it. */
void asl_tile_take(struct asl_rank *r, struct asl_tile *t, uint64_t rows,
		   uint64_t cols);
void asl_tile_give(struct asl_rank *r, struct asl_tile *t);
void asl_tile_zero(struct asl_tile *t, uint64_t rows, uint64_t cols);

/*
 * Zero a tile in the shape of a block that it will be stored to: until it is
 * shaped anew, or loaded from elsewhere, it is laid over this block, and lies in
 * its place where that is ordinary memory.  A hardware cache (replay.h) has no
 * tiles and computes with the block's own words.
 */
void asl_tile_begin(const struct asl_rank *r, struct asl_tile *t,
		    const struct asl_block *block);

void asl_tile_load(struct asl_rank *r, struct asl_tile *dst,
		   const struct asl_block *src);
void asl_tile_store(struct asl_rank *r, const struct asl_block *dst,
		    const struct asl_tile *src);

/* Words of the tile in place, by rows: to be sent, added to, or stored. */
struct asl_words asl_tile_words(struct asl_tile *t, uint64_t first,
				uint64_t count);
struct asl_tile asl_tile_row(struct asl_tile *t, uint64_t first,
			     uint64_t count);

/* Some rows as a tile, to be loaded or stored, never given. */
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

/* C = A B, where C is in the cache and slivers 1 deep fit beside what is held. */
void asl_multiply_within(struct asl_rank *r, const struct asl_block *C,
			 const struct asl_block *A, const struct asl_block *B);

/*
 * Before product i of a batch of `count`, and with i = count after the last: while
 * there is one for each thread, each computes whole products.  Their C are apart
 * from each other and from all A and B.
 */
void asl_batch(struct asl_rank *r, uint64_t i, uint64_t count);

/*
 * Compute anything else on tiles: use(at, arg).  The words `streamed` (NULL:
 * none), which lie at `at`, pass through the cache in order, each once, and are
 * not kept.
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

struct asl_step {
	int to, from; /* nobody: -1 */
	struct asl_words out, in;
	enum asl_phase phase; /* the rank's */
};

/* Steps that all of a group take, and what each rank does beside them. */
struct asl_exchanges {
	int steps;
	/* Pack what step i sends, and say what it exchanges; x says nothing yet. */
	void (*before)(struct asl_rank *r, int i, struct asl_step *x,
		       void *arg);
	void (*after)(struct asl_rank *r, int i, void *arg); /* NULL: nothing */
	/*
	 * NULL, or: the first step from i on in which this rank does anything; steps, if
	 * there is none.  The others are left out.  It is asked in their order.
	 */
	int (*next)(const struct asl_rank *r, int i, void *arg);
	void *arg;
	/*
	 * Not 0: no step sends what one of the same flight brought, which are so many:
	 * steps 0 to flight - 1, and so on.  They go out one after another without
	 * waiting for what comes in, which needs a place of its own in each until its
	 * `after`.  All of a flight's `before` may come first; what one packed has left
	 * when the next is called.
	 */
	int flight;
};

/* The most that are worth their room. */
enum { ASL_FLIGHT = 64 };

/* Peers are of the group, which has the same number of steps for all. */
void asl_exchange_all(struct asl_rank *r, const struct asl_group *g,
		      const struct asl_exchanges *x);

/*
 * Round the group's ring: in step s < size - 1, member i sends part i - s of `all`
 * (asl_share) to the next member, and receives part i - s - 1.
 */
void asl_pass_round(struct asl_rank *r, const struct asl_group *g,
		    struct asl_words *all);

/*
 * Steps that overlap with computing: between begin and end, steps (and
 * collectives made of steps alone, without reductions) are counted and queued.
 * They are taken one after another while the rank computes, whenever
 * asl_multiply polls them.  After wait, all have ended.
 *
 * Until then their buffers and their peers belong to them: no other step goes
 * to one of these peers.  Counts do not depend on the work in between.  The
 * clock after wait is the later of the rank's own and of the link's, which also
 * carried the steps outside the queue.  So work that overlaps costs once, and
 * the path may be shorter than the busiest rank's Q.
 */
void asl_overlap_begin(struct asl_rank *r);
void asl_overlap_end(struct asl_rank *r);
void asl_overlap_wait(struct asl_rank *r);

/* ---- For verbs ---- */

/* Add to the ledger and, in phases that count, to the clocks. */
void asl_charge(struct asl_rank *r, enum asl_counter counter, uint64_t n);

/* Charge `runs` contiguous runs of `run` words each. */
void asl_charge_runs(struct asl_rank *r, enum asl_counter counter,
		     uint64_t runs, uint64_t run);

/*
 * Predicted nanoseconds, if times are known, in phases that count: the rank's clock
 * advances; or the work alone, where the clock knows of it.
 */
void asl_spend(struct asl_rank *r, enum asl_spending on, double ns);
void asl_spend_disk(struct asl_rank *r, bool writes, uint64_t rows,
		    uint64_t cols, uint64_t ld);
void asl_spend_work(struct asl_rank *r, enum asl_spending on, double ns);

/* Raise the high-water marks to the words held now. */
void asl_note_high(struct asl_rank *r);

/* Advance the steps that overlap with computing; false: none is left. */
bool asl_overlap_poll(struct asl_rank *r);

enum asl_verb { ASL_COMPUTES, ASL_TALKS, ASL_MOVES };

/* Add seconds to the current phase and to the verb's kind. */
void asl_time_add(struct asl_rank *r, enum asl_verb verb, double s);

/* Add the time since then, and wait until emulated words have taken theirs. */
void asl_time_since(struct asl_rank *r, enum asl_verb verb, double since);

#endif
