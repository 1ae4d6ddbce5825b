/*
 * pace_state.h -- what the files of pace know of it
 */
#ifndef ASL_PACE_STATE_H
#define ASL_PACE_STATE_H

#include "lib/rank/bucket.h"
#include "lib/rank/pace.h"

/* In memory that the ranks of a host share. */
struct asl_pace_host {
	struct asl_bucket way[ASL_DIRECTIONS];
	double begin; /* by asl_now, on which they agree: times count from it */
	uint64_t nonce; /* it is this one */
};

struct asl_pace {
	struct asl_pace_host *host;
	int fd; /* of the memory, where it was made; -1 elsewhere */
	int rank;
	int *host_first; /* of every rank: the first on its host */
	int host_ranks;
	double ticks_per_s;
	void (*rest)(void); /* between two looks at the ticks */

	struct asl_emulation as;
	double byte_ps[ASL_DIRECTIONS], net_byte_ps;
	uint64_t latency_ps[ASL_DIRECTIONS], message_ps, line_bytes;
	bool net; /* ... has a pace */

	uint64_t aside_ps; /* of steps in front, since one behind started */
	uint64_t bytes[ASL_DIRECTIONS]; /* noted, and not waited for */
	uint64_t owed; /* not waited for, of the last request */
};

#endif
