/*
 * rank_case.h -- one rank's part of one case, for the files of this folder
 */
#ifndef ASL_RANK_CASE_H
#define ASL_RANK_CASE_H

#include <limits.h>

#include "lib/machine/hwc.h"
#include "lib/machine/memories.h"
#include "lib/plan/family.h"
#include "lib/rank/emulate.h"
#include "lib/rank/pools.h"
#include "lib/rank/resume.h"

struct asl_rep;
struct asl_rank_record;
struct asl_run_want;

/* Shared by the ranks of this process in one case. */
struct asl_common {
	struct asl_data data;
	bool opened;	    /* by the first rank here ... */
	int failed;	    /* ... which failed with this, if not 0 */
	int inside;	    /* ranks here that have begun the case */
	char dir[PATH_MAX]; /* of pools, or several directories */
	bool fresh;	    /* it was made for this case */
	bool looked;	    /* at them by the first rank here */
	struct asl_pools pools;
	/* Every rank here, and in rank 0's process all others, too. */
	struct asl_rank_record *records;
};

/* Shared by them in all cases. */
struct asl_session {
	const struct asl_run_want *const *want; /* [count] */
	int count;
	const bool *leave_out;	   /* [count] on rank 0, or NULL */
	struct asl_common *common; /* [count]: on sim a rank may be ahead */
	/* Every rank here; on a simulated rank's stack it takes a page more. */
	struct asl_rank_case *rank;
	int (*each)(const struct asl_rep *rep, void *arg);
	void *arg;
	/* The failure: of the lowest rank here that failed; and its rank. */
	char why[1024];
	int who;
	bool printed; /* by the network, by `each`, or by another process */
};

/* What one rank tells rank 0 of the hardware's counts of a repetition. */
struct asl_hardware_record {
	bool process; /* this is the first rank of its process */
	bool host;    /* this is the first rank of its host */
	struct asl_hwc_count count;
	char why[384]; /* the reason why nothing was counted, or "" */
};

struct asl_hardware {
	char backend[16];    /* "": no rank counts anything */
	char note[512];	     /* of the case */
	char said[640];	     /* of a repetition */
	struct asl_hwc *hwc; /* NULL: this rank counts nothing */
	struct asl_hardware_record mine;
	struct asl_hardware_record *all; /* rank 0: of every rank */
	char *sockets;			 /* rank 0 */
};

struct asl_rank_case {
	struct asl_session *s;
	struct asl_common *common;
	const struct asl_run_want *want;
	const struct asl_family *family;
	bool keeps_result;
	struct asl_net *net;
	char run_id[40];
	const char *dir; /* of this rank's pool */
	struct asl_near near;
	struct asl_memory_node memory; /* of a store that needs one */
	struct asl_store *pool, *staging;
	int threads, cores;	       /* as in struct asl_rep */
	struct asl_replay *replay;     /* NULL: none */
	struct asl_trace *trace;       /* NULL: none */
	struct asl_words *room, *own;  /* [operands] */
	int operands;		       /* 0: not taken yet */
	struct asl_rank_record *mine;  /* among common->records */
	struct asl_hardware *hardware; /* NULL: neither counts nor notes */
	struct asl_emulator *emulator; /* NULL: none */
	struct asl_emulator_probe probe;
	struct asl_rank r;

	/* With want->resume: */
	bool resumable; /* this rank has a pool that survives an interruption */
	bool finished;
	char *about;
	struct asl_resume_needs needs;
	struct asl_resume resume;
};

/* All continue, or all get the error of the lowest rank that failed. */
int asl_rank_case_agree(struct asl_rank_case *p, int err);

/* 0, or an error that all ranks get; tear_down is due after a failure, too. */
int asl_rank_case_set_up(struct asl_rank_case *p);

/* A case that never began leaves nothing, even where pools are kept. */
void asl_rank_case_tear_down(struct asl_rank_case *p, bool began);

/* The part of a core that the rank has, up to 1. */
double asl_rank_case_core(const struct asl_rank_case *p);

/* ---- Resume: resume.c ---- */

/* A dry run, which says what the pool needs. */
int asl_rank_case_dry_run(struct asl_rank_case *p);

/* Look at the pools of all ranks; resume, or start, the same on all ranks. */
int asl_rank_case_resume(struct asl_rank_case *p);

/* Are the operands complete and as they were filled? */
int asl_rank_case_check_operands(struct asl_rank_case *p);
void asl_rank_case_filled(struct asl_rank_case *p);
int asl_rank_case_finish(struct asl_rank_case *p);

/* ---- The hardware's counts: hardware.c; 0 or an error that all ranks get ---- */

int asl_hardware_open(struct asl_rank_case *p);
bool asl_hardware_counts(const struct asl_rank_case *p); /* ask the ranks */
void asl_hardware_close(struct asl_hardware *h);	 /* NULL is allowed */

int asl_hardware_begin(struct asl_rank_case *p);
int asl_hardware_end(struct asl_rank_case *p);

/* Send the counts to rank 0, and put them into rep->hardware there. */
int asl_hardware_collect(struct asl_rank_case *p);
void asl_hardware_sum(struct asl_rep *rep, struct asl_hardware *h);

#endif
