/*
 * emulate.h -- words that take as long as on another machine
 *
 * The verbs move words as fast as this machine can, and then wait for the rest
 * of the time that the other machine would have taken.
 *
 * Pool		Every word that is charged to the pool in phases that count
 *		takes its time, also where a copy or a message lifts or lands
 *		it: waiting and counting agree.  All ranks of a host share one
 *		bandwidth for reads and one for writes, in turns of 64 KiB, as
 *		they share a device.
 * Latency	Once a verb and direction.  The rows of a tile do not depend
 *		on each other, and a device works on them at once; the next
 *		verb depends on all of them.
 * Lines	Each contiguous run of words written is rounded up to lines of
 *		the medium.
 * In place	The operands that a multiplication reads in place take their
 *		time as if they had been loaded before, in full, on top of the
 *		computing.  So time in memory is counted words times cost.
 * Network	Each rank has a link of its own: alpha + beta x from the moment
 *		when both ends have begun or, as a message from another host
 *		does not say when, from the moment when this end has.
 *
 * Ranks never sleep: they wait by looking at the processor's counter and, where
 * ranks outnumber cores, yield the core in between.  A wait of less than a
 * microsecond becomes a debt, and the next request begins that much later.
 *
 * The rank's seconds hold the time that all requests should have taken, and the
 * time that they took beyond it.
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
	int line_bytes; /* 0: words are not rounded up */
};

/* The speed of this machine, the slowest rank's, in nanoseconds a word. */
struct asl_emulator_probe {
	double alone[ASL_DIRECTIONS];  /* one rank on each host */
	double shared[ASL_DIRECTIONS]; /* a host, with all its ranks at once */
	double net;		       /* NaN: there are no two ranks */
	double error;		       /* of the first requests, relative */
};

/* To be called by all ranks; asl_emulator_close is due after a failure, too. */
int asl_emulator_open(struct asl_emulator **out, const struct asl_emulation *as,
		      struct asl_net *net);
void asl_emulator_close(struct asl_emulator *p); /* NULL is allowed */

/* Words of the pool that asl_emulator_check takes and gives back. */
enum { ASL_EMULATOR_WORDS = 1 << 19 };

/*
 * Is this machine fast enough?  To be called by all ranks, with r->emulator set;
 * all get the same *out and answer: 0, -EOPNOTSUPP if the pool is too slow, or
 * the error of a verb.  A network that is too slow is not emulated.  The rank is
 * restarted.
 */
int asl_emulator_check(struct asl_emulator_probe *out, struct asl_rank *r);

/* Is the network emulated, too? */
bool asl_emulator_has_net(const struct asl_emulator *p);

/* ---- For the verbs ---- */

/*
 * The bytes that a device moves for so many runs of bytes charged to a counter, in
 * which direction: 0 for words that are not the pool's.
 */
uint64_t asl_emulated_bytes(enum asl_direction *way, enum asl_counter counter,
			    uint64_t runs, uint64_t run_bytes,
			    uint64_t line_bytes);

/* Note that `runs` runs of so many bytes are charged to a counter. */
void asl_emulator_note(struct asl_emulator *p, enum asl_counter counter,
		       uint64_t runs, uint64_t run_bytes);

/* Wait for the words noted; add the time from `booked_until` on to seconds. */
void asl_emulator_pool(struct asl_rank *r, double since, double booked_until);

/* Wait for a step that has arrived. */
void asl_emulator_step(struct asl_rank *r, const struct asl_net_op *op);

/* A step that overlaps with computing: it starts, could end now, or ends. */
void asl_emulator_start_overlap(struct asl_emulator *p);
bool asl_emulator_overlap_ended(const struct asl_emulator *p,
				const struct asl_net_op *op);
void asl_emulator_end_overlap(struct asl_emulator *p,
			      const struct asl_net_op *op);

#endif
