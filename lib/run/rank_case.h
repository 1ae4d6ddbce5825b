/*
 * rank_case.h -- a rank's place in a case, for the files of a run
 */
#ifndef ASL_RANK_CASE_H
#define ASL_RANK_CASE_H

#include <limits.h>

#include "lib/run/hardware.h"
#include "lib/run/run.h"

/* What the ranks of this process share in one case. */
struct asl_common {
	struct asl_data data;
	bool opened;	    /* by the first rank here, which ... */
	int failed;	    /* ... failed with this, if not 0 */
	int inside;	    /* ranks here that have begun it */
	char dir[PATH_MAX]; /* where pools go */
	bool fresh;	    /* it is this case's own */
};

/* What they share in all cases. */
struct asl_session {
	const struct asl_run_want *const *want; /* [count] */
	int count;
	const bool *leave_out;	   /* [count] at rank 0, or NULL */
	struct asl_common *common; /* [count]: on sim a rank may be ahead */
	int (*each)(const struct asl_rep *rep, void *arg);
	void *arg;
	bool said; /* why it ended: by the net, or by another rank */
};

/* One rank's own, in one case. */
struct asl_rank_case {
	struct asl_session *s;
	struct asl_common *common;
	const struct asl_run_want *want;
	struct asl_net *net;
	char run_id[40];
	struct asl_store *pool, *staging;
	struct asl_replay *replay; /* NULL: none */
	struct asl_words own[ASL_MOST_OPERANDS];
	struct asl_ledger predicted;
	struct asl_rank_record *all; /* rank 0: of every rank */
	struct asl_hardware hardware;
	struct asl_emulator *pace; /* NULL: none is emulated */
	struct asl_emulator_probe probe;
	struct asl_rank r;

	/* Of a case that is gone on with: */
	bool lasts; /* this rank has a pool for that */
	bool finished;
	char *about;
	struct asl_resume_needs needs;
	struct asl_resume resume;
};

static inline const struct asl_family *
asl_rank_case_family(const struct asl_rank_case *p)
{
	return p->want->plan.algorithm->family;
}

static inline bool asl_rank_case_keeps_result(const struct asl_rank_case *p)
{
	return p->want->result || p->want->into;
}

/* 0, or what all ranks fail with; asl_rank_case_tear_down is due either way. */
int asl_rank_case_set_up(struct asl_rank_case *p);

/* A case that never began leaves nothing, even where pools are kept. */
void asl_rank_case_tear_down(struct asl_rank_case *p, bool began);

/* Emulation, before anything is taken: what it needs; is the machine fit? */
int asl_rank_case_open_emulator(struct asl_rank_case *p);
int asl_rank_case_check_emulator(struct asl_rank_case *p);

/* Going on: what it needs; from where; is it all there?  And, that it has ended. */
int asl_rank_case_walk(struct asl_rank_case *p);
int asl_rank_case_resume(struct asl_rank_case *p);
int asl_rank_case_found(const struct asl_rank_case *p);
void asl_rank_case_filled(struct asl_rank_case *p);
int asl_rank_case_finish(struct asl_rank_case *p);

/* All ranks go on, or none does; only who failed first keeps its words. */
int asl_rank_case_agree(struct asl_rank_case *p, int err);

/* Sum up what all ranks counted: everything in *rep that `rank` decides. */
void asl_rep_sum(struct asl_rep *rep);

/* Set aside what asl_run_why() gives, unless there is something; returns err. */
int asl_run_fail(int err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void asl_run_forget(void);

#endif
