/*
 * run.h -- run a plan: stores, operands, repetitions, verification
 *
 * asl_run is the one way from a plan to counted words.  It opens the net and
 * the stores, fills the operands, runs the algorithm, checks the result, collects
 * every rank's ledger at rank 0, and passes each repetition to a callback there.
 *
 * asl_run_all runs one case after another over a single net: a process can join
 * a job only once, and joining takes longer than most cases.  Each case has
 * stores, operands and a run_id of its own.
 */
#ifndef ASL_RUN_H
#define ASL_RUN_H

#include <time.h>

#include "lib/machine/near.h"
#include "lib/plan/family.h"
#include "lib/rank/emulate.h"
#include "lib/rank/resume.h"

/* Where the plan's costs come from; only copied to the result. */
struct asl_origin {
	char profile[64];
	bool timed;	  /* nanoseconds, not just relative */
	double endurance; /* bytes that the device may be written; 0: unknown */
	struct asl_costs energy; /* nJ of a word, a flop; all 0: unknown */
};

struct asl_run_want {
	struct asl_plan plan;		      /* complete */
	const char *transport;		      /* sim, ofi, mpi */
	const char *provider;		      /* of libfabric; NULL: chosen */
	const char *interface;		      /* of the network; NULL: chosen */
	const int *comm;		      /* see struct asl_net_want */
	const char *store;		      /* pmem, dram, node, null */
	int memory_node;		      /* of a store that needs one */
	const char *nvm_dir;		      /* NULL: asl_store_default_dir */
	const char *files[ASL_MOST_OPERANDS]; /* NULL: generated */
	const char *result;		      /* file; NULL: none */
	/*
	 * The caller's memory instead of these files, for each operand and for
	 * the result.  For a multiplication on ofi or mpi it may hold this
	 * rank's rows only; first_rows then says which rows of A, B and C these
	 * are (family.h).
	 */
	const struct asl_given *given, *into; /* [ASL_MOST_OPERANDS]; NULL */
	const uint64_t *const *first_rows;
	uint64_t seed;
	bool exact; /* entries whose sums of products are exact in double */
	int reps, warmup;
	enum asl_verify verify;
	const char *hwc; /* hardware counters: asl_hwc_names; NULL: off */
	bool keep;	 /* leave the pools behind */
	bool erase;	 /* overwrite what is on devices for pools */
	/*
	 * Keep the pools until the run completes, and resume from pools of the
	 * same case: same plan, seed, files, and same `about`, lines of "name
	 * value" for other parameters of the family (NULL: none).  Needs store
	 * pmem, one repetition, and an algorithm that can be resumed.
	 */
	bool resume;
	const char *about;
	bool checksum; /* verify the operands when the run resumes */
	struct asl_lru_shape cache_model; /* words 0: none */
	const char *trace; /* directory, prepared; NULL: none (trace.h) */
	struct asl_emulation emulate; /* on sim: one rank only */
	struct asl_origin costs_from;
	const char *bind; /* as asl_machine_bind; NULL: none; on sim NULL */
	int threads;	  /* of a rank, or ASL_THREADS_AUTO; 0 is 1 */
	/*
	 * Why this process cannot take part, and a negative errno; NULL: it can.
	 * All ranks then fail with it before anything else (and only transport,
	 * provider, store and plan.ranks must be set).
	 */
	const char *refusal;
	int refused;
};

/* One rank's counts in one repetition, and their prediction. */
struct asl_rank_record {
	struct asl_ledger counted, predicted;
	struct asl_net_stamp clock; /* at the end, by enum asl_accounting */
	struct asl_seconds seconds;
	struct asl_spent spent; /* predicted */
	double core;		/* its share of one, up to 1 */
	double wall_s, residual;
	struct asl_outcome outcome;
	struct asl_lru_traffic lru; /* of the cache model */
	struct asl_resumed resumed;
	char cpus[32]; /* that it may run on; "": shared with other ranks */
	struct asl_near near; /* its pool, or memory, from these */
	char medium[16];      /* of its pool */
};

/* The hardware's counts in one repetition, summed over hosts. */
struct asl_rep_hardware {
	const char *backend; /* "": none */
	const char *note;    /* what was counted, or why not */
	bool memory;	     /* the next three mean something */
	uint64_t read_bytes, write_bytes;
	/* "RANK/SOCKET/MEDIUM:READ:WRITTEN;...", by the rank that asked. */
	const char *sockets;
	bool misses; /* of the last-level cache were counted: */
	uint64_t miss_bytes;
	bool energy; /* of every host was counted */
	bool energy_dram;
	double joules;
	double share; /* as in asl_hwc_count */
};

/* Beyond these errors of an emulation the user is warned; it is invalid. */
#define ASL_EMULATION_OFF 0.05
#define ASL_EMULATION_INVALID 0.15

/* One repetition, as rank 0 passes it on. */
struct asl_rep {
	const struct asl_run_want *want;
	char run_id[40];
	int rep; /* from 0, without warm-ups */
	time_t ended;
	int ranks;
	const struct asl_rank_record *rank; /* [ranks] */

	struct asl_counts max, total;	/* over ranks, in phases that count */
	uint64_t read_max, written_max; /* B_r and B_w */
	double q_max[ASL_ACCOUNTINGS], q_path[ASL_ACCOUNTINGS];
	double predicted_q_max[ASL_ACCOUNTINGS];
	/* The slowest rank's; NaN: times, or threads', are not known. */
	double predicted_s, predicted_part_s[ASL_SPENDINGS];
	bool predicted_equal;
	uint64_t memory_high, pool_high;
	struct asl_outcome outcome;		   /* rank 0's */
	struct asl_lru_traffic lru_max, lru_total; /* of the cache model */

	uint64_t starts;	    /* 0: it cannot be resumed */
	struct asl_counts repeated; /* repeated after restarts, all ranks */
	uint64_t safety_words;	    /* logged to be able to resume, all ranks */

	bool moved; /* false: null store, nothing below was measured */
	bool timed; /* comm_s means something (not on sim) */
	double wall_s, compute_s, comm_s, io_s; /* of the slowest rank */
	double residual;
	int verified; /* 1, 0; -1: not requested */

	struct asl_rep_hardware hardware;
	const struct asl_emulator_probe *emulated; /* NULL: not emulated */
	double emulation_error; /* relative, of all waits; NaN: no waits */
	double io_queued_s;	/* part of io_s, behind other ranks' requests */
	bool emulated_net;	/* the network was emulated, too */
	bool crowded;		/* ranks of a host outnumber its cores */
	const char *lies_on;	/* the real medium */

	int threads; /* of a rank */
	int cores;   /* that rank 0 shares with no other rank; at least 1 */
	const char *bind; /* "launcher": already bound at start; "": on sim */
	const char *medium, *provider, *note; /* note: "" or about the medium */
	const char *pool_dir;		      /* of kept pools; "": none */
};

/* The plan as it was carried out: with the iterations that were made. */
struct asl_plan asl_rep_made(const struct asl_rep *rep);

/* From `each`: no more repetitions of this case are needed. */
enum { ASL_RUN_ENOUGH = 1000 };

/*
 * Run, and call each(rep, arg) on rank 0 for every repetition.  Returns 0, a
 * negative errno, or what each returned if not 0.  If many ranks fail, one of
 * them has the word: its line is asl_failure_to_print() in its process, and "" in
 * others.  It is "" as well if the network, or `each`, has printed it already.
 */
int asl_run(const struct asl_run_want *want,
	    int (*each)(const struct asl_rep *rep, void *arg), void *arg);

/*
 * Run `count` cases in order, all of which can run together (asl_run_together;
 * else -EINVAL).  The first error ends them all.  rep->want is the element of
 * want[] that the repetition belongs to.  Cases with leave_out[] true on rank 0
 * are skipped; NULL: none.
 */
int asl_run_all(const struct asl_run_want *const want[], int count,
		const bool *leave_out,
		int (*each)(const struct asl_rep *rep, void *arg), void *arg);

/* Do they agree in transport, provider, number of ranks, and having data? */
bool asl_run_together(const struct asl_run_want *a,
		      const struct asl_run_want *b);

#endif
