/*
 * hardware.h -- what the hardware counts in a case, host by host
 *
 * The first rank of every host asks its memory controllers, with the backend
 * that rank 0 found; on sim rank 0 is alone in asking.  Where there is nothing
 * to ask, a repetition is as if this did not exist; else ranks meet twice more:
 * nobody begins before all counters are read, and nobody goes on, to verify,
 * before they are read again.
 *
 * Each returns 0 or a negative errno, the same on all ranks.
 */
#ifndef ASL_HARDWARE_H
#define ASL_HARDWARE_H

#include "lib/machine/hwc.h"
#include "net/net.h"

struct asl_rank_case;
struct asl_rep;

/* What one rank says of a repetition. */
struct asl_hardware_record {
	bool process; /* it is the first rank of its process */
	bool host;    /* and of its host */
	struct asl_hwc_count count;
	char why[384]; /* nothing was counted; "": it was */
};

struct asl_hardware {
	char backend[16];	   /* "": nothing is counted, by any rank */
	char note[512], said[640]; /* of the case; of a repetition */
	struct asl_hwc *hwc;	   /* NULL: this rank asks nothing */
	struct asl_hardware_record mine; /* of this repetition */
	struct asl_hardware_record *all; /* rank 0: of every rank */
	char *sockets;			 /* rank 0 */
};

int asl_hardware_open(struct asl_rank_case *p);
void asl_hardware_close(struct asl_hardware *h);

int asl_hardware_begin(struct asl_rank_case *p);
int asl_hardware_end(struct asl_rank_case *p);

/* To rank 0, and there into rep->hardware, as long as p is. */
int asl_hardware_collect(struct asl_rank_case *p);
void asl_hardware_sum(struct asl_rep *rep, struct asl_hardware *h);

#endif
