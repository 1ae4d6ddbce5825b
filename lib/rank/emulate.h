/*
 * emulate.h -- words that take as long as on another machine
 *
 * The verbs move words as fast as this machine can; then they wait for what is
 * left of the time that the other one would have taken.
 *
 * Pool		Every word that is charged to the pool, in phases that count,
 *		takes its time, also where it is lifted or landed by a copy or
 *		a message: so what is waited for is what is counted.  All
 *		ranks of a host share one bandwidth for reads and one for
 *		writes, in turns of 64 KiB, as they share a device.
 * Latency	Once a verb and direction.  The rows of a tile do not depend
 *		on each other, and a device works on them at once; what comes
 *		after the verb depends on all of them.
 * Lines	Each contiguous run of words written is rounded up to lines of
 *		the medium.
 * In place	What a multiplication reads in place takes its time as if it
 *		had been loaded before: it is waited for in full, on top of
 *		the computing.  So time in memory is counted words times cost.
 * Network	Each rank has a link of its own: alpha + beta x from the moment
 *		when both ends have begun, which a message from another host
 *		does not say; then, from when this end has.
 *
 * Nobody sleeps: waiting is looking at the processor's counter, and, where ranks
 * outnumber cores, letting others have the core in between.  A wait of less than
 * a microsecond is put off, and the next request begins that much later.
 *
 * Of all requests together the time they should have taken and what they took
 * beyond it are kept in the rank's seconds.
 */
#ifndef ASL_EMULATE_H
#define ASL_EMULATE_H

#include "lib/rank/rank.h"

enum asl_direction { ASL_READS, ASL_WRITES, ASL_DIRECTIONS };

/* The other machine, in nanoseconds. */
struct asl_emulation {
	char name[64]; /* "": there is none */
	double word[ASL_DIRECTIONS], latency[ASL_DIRECTIONS];
	double net, message;
	int line_bytes; /* 0: whatever is written */
};

/* What this machine can do; the worst of all ranks, in nanoseconds a word. */
struct asl_emulator_probe {
	double alone[ASL_DIRECTIONS]; /* of one rank on each host */
	double shared
		[ASL_DIRECTIONS]; /* of a host, when all its ranks are at it */
	double net;		  /* not a number: there are no two ranks */
	double error;		  /* of the first requests, relative */
};

/*
 * To be called by all ranks.  0 or a negative errno, with *why saying more;
 * asl_emulator_close is due either way.  Whatever ends the process, nothing is left.
 */
int asl_emulator_open(struct asl_emulator **out, const struct asl_emulation *as,
		      struct asl_net *net, const char **why);
void asl_emulator_close(struct asl_emulator *p); /* NULL is allowed */

/* Words of the pool that the ranks' probes need, before anything is taken. */
enum { ASL_PACE_WORDS = 1 << 19 };

/*
 * Hold the machine against what is asked of it, by all ranks; r->pace is set.
 * The same *out and answer on all ranks: 0, -EOPNOTSUPP if the pool is slower
 * than that, or why the verbs failed.  A network that is slower is left as it
 * is.  The rank begins anew.
 */
int asl_emulator_check(struct asl_emulator_probe *out, struct asl_rank *r);

/* Does the network have a pace, too? */
bool asl_emulator_has_net(const struct asl_emulator *p);

/* ---- For the verbs ---- */

/* So many runs of so many words are being charged to that counter. */
void asl_emulator_note(struct asl_emulator *p, enum asl_counter counter,
		       uint64_t runs, uint64_t run);

/* Wait for what has been noted, and is under way since then; book the time. */
void asl_emulator_pool(struct asl_rank *r, double since, double booked_until);

/* The same of a step in front, which has arrived. */
void asl_emulator_step(struct asl_rank *r, const struct asl_net_op *op);

/*
 * Of one behind: it starts; would the wait for it return at once?  The link has
 * the steps in front to carry meanwhile.
 */
void asl_emulator_start_overlap(struct asl_emulator *p);
bool asl_emulator_overlap_ended(const struct asl_emulator *p,
				const struct asl_net_op *op);
void asl_emulator_end_overlap(struct asl_emulator *p,
			      const struct asl_net_op *op);

#endif
