/*
 * run.h -- carrying a plan out: stores, operands, repetitions, verification
 *
 * asl_run is the one way from a plan to counted words.  It opens the net and
 * the stores, fills the operands, lets the algorithm run, checks the result,
 * collects every rank's ledger at rank 0, and hands each repetition over there.
 *
 * asl_run_all does so for one case after another over a single net: a process
 * can join a job once, and joining takes longer than most cases.  Each case has
 * stores, operands and a run_id of its own.
 */
#ifndef ASL_RUN_H
#define ASL_RUN_H

#include <time.h>

#include "lib/plan/family.h"
#include "lib/rank/emulate.h"
#include "lib/rank/resume.h"

/* Where the plan's costs are from: kept with the result, else not looked at. */
struct asl_origin {
	char profile[64];
	bool timed;	  /* nanoseconds, not just relative */
	double endurance; /* bytes that the device may be written; 0: unknown */
};

struct asl_run_want {
	struct asl_plan plan;		      /* complete */
	const char *transport;		      /* sim, ofi, mpi */
	const char *provider;		      /* of libfabric; NULL: chosen */
	const char *interface;		      /* of the network; NULL: chosen */
	const int *comm;		      /* see struct asl_net_want */
	const char *store;		      /* pmem, dram, null */
	const char *nvm_dir;		      /* NULL: asl_store_default_dir */
	const char *files[ASL_MOST_OPERANDS]; /* from; NULL: generated */
	const char *result;		      /* to; NULL: it is not kept */
	/*
	 * The caller's memory instead of these files: of every operand, and of
	 * the result.  Of a multiplication on ofi or mpi it may be this rank's
	 * rows alone; what rows those are is then said of A, B and C (family.h).
	 */
	const struct asl_given *given, *into; /* [ASL_MOST_OPERANDS]; NULL */
	const uint64_t *const *first_rows;
	uint64_t seed;
	bool exact; /* entries whose sums of products are exact in double */
	int reps, warmup;
	enum asl_verify verify;
	const char *hwc; /* hardware counters: asl_hwc_names; NULL: off */
	bool keep;	 /* leave the pools behind */
	/*
	 * Pools outlast the run, unless it comes to its end, and are gone on with
	 * if they are there: of a case that is the same in plan, seed, files and
	 * `about`, lines of "name value" for what the family is told beside
	 * (NULL: nothing).  Store pmem, one repetition, an algorithm that can.
	 */
	bool resume;
	const char *about;
	bool checksum; /* of the operands, held against when gone on with */
	struct asl_lru_shape cache_model; /* to be replayed; words 0: none */
	struct asl_emulation emulate;	  /* not on sim, but for one rank */
	struct asl_origin costs_from;
	const char *bind; /* as asl_machine_bind; NULL: no rank; and on sim */
	/*
	 * Why this process cannot take part, and a negative errno for it; NULL:
	 * it can.  All ranks then leave together, before anything else is done
	 * (only transport, provider, store and plan.ranks need be set).
	 */
	const char *refusal;
	int refused;
};

/* What one rank counted in one repetition, and was predicted to. */
struct asl_rank_record {
	struct asl_ledger counted, predicted;
	struct asl_net_stamp clock; /* at the end, by enum asl_accounting */
	struct asl_seconds seconds;
	double wall_s, residual;
	struct asl_outcome outcome;
	struct asl_lru_traffic lru; /* of the cache model */
	struct asl_resumed resumed; /* in all lives */
	char cpus[32]; /* that it may run on; "": they are not its own */
};

/* What the hardware counted in one repetition, all hosts together. */
struct asl_rep_hardware {
	const char *backend; /* "": none */
	const char *note;    /* what was counted, or why not */
	bool memory;	     /* bytes through memory controllers: */
	uint64_t read_bytes, write_bytes;
	/* "RANK/SOCKET/MEDIUM:READ:WRITTEN;...", by the rank that asked. */
	const char *sockets;
	bool misses; /* lines that ranks missed in the last-level cache: */
	uint64_t miss_bytes;
	double share; /* as in asl_hwc_count */
};

/* An emulation that is off by more: the user is warned; it is not valid. */
#define ASL_EMULATION_OFF 0.05
#define ASL_EMULATION_INVALID 0.15

/* One repetition, as rank 0 hands it over. */
struct asl_rep {
	const struct asl_run_want *want;
	char run_id[40];
	int rep; /* from 0; warm-ups are not handed over */
	time_t ended;
	int ranks;
	const struct asl_rank_record *rank; /* [ranks] */

	struct asl_counts max, total;	/* over ranks, of phases that count */
	uint64_t read_max, written_max; /* B_r and B_w */
	double q_max[ASL_ACCOUNTINGS], q_path[ASL_ACCOUNTINGS];
	double predicted_q_max[ASL_ACCOUNTINGS];
	bool predicted_equal;
	uint64_t memory_high;
	struct asl_outcome outcome;		   /* as rank 0 has it */
	struct asl_lru_traffic lru_max, lru_total; /* of the cache model */

	uint64_t lives;		  /* 0: it could not be gone on with */
	struct asl_counts redone; /* moved again, all ranks together */
	uint64_t safety_words;	  /* written for that, likewise */

	bool moved; /* false: null store, nothing below was measured */
	bool timed; /* comm_s means something (not on sim) */
	double wall_s, compute_s, comm_s, io_s; /* of the slowest rank */
	double residual;
	int verified; /* 1, 0; -1: not asked */

	struct asl_rep_hardware hardware;
	/* NULL: not emulated.  The error is relative, of all waits together. */
	const struct asl_emulator_probe *emulated;
	double emulation_error; /* not a number: there was nothing to wait for */
	double io_queued_s;	/* of io_s: other ranks were being served */
	bool emulated_net;	/* the network, too */
	bool crowded;		/* ranks of a host outnumber its cores */
	const char *lies_on;	/* the medium that stands in */

	const char *bind; /* as wanted; "launcher": done before; "": on sim */
	const char *medium, *provider, *note; /* note: "" or about the medium */
	const char *pool_dir; /* where kept pools are; "" if none were kept */
};

/*
 * Run, and call each(rep, arg) on rank 0 for every repetition kept.  Returns 0,
 * a negative errno (asl_run_why), or what each returned if not 0.
 */
int asl_run(const struct asl_run_want *want,
	    int (*each)(const struct asl_rep *rep, void *arg), void *arg);

/*
 * The same for `count` cases, in order, each of which could be run with the
 * others (asl_run_together; else -EINVAL).  The first error ends them all.
 * rep->want is the element of want[] that the repetition belongs to.
 *
 * Cases are left out where leave_out[], which is rank 0's to know, is true;
 * NULL there: none.
 */
int asl_run_all(const struct asl_run_want *const want[], int count,
		const bool *leave_out,
		int (*each)(const struct asl_rep *rep, void *arg), void *arg);

/* Have they one transport, provider and number of ranks, and both data or none? */
bool asl_run_together(const struct asl_run_want *a,
		      const struct asl_run_want *b);

/* What asl_run's error was about.  "" if it has been said on stderr already. */
const char *asl_run_why(void);

#endif
