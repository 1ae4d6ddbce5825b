/*
 * profile.h -- what a machine's words cost, by name or from a file
 *
 * A profile is one JSON object.  Those in bench/profiles are part of the command;
 * any other is given by its path.
 *
 *	name, about	texts, about may be missing; no control characters
 *	source		a text: where figures are from that do not say it
 *	device, access, persist, dimms, line_bytes, ranks
 *			what was measured: which device, by accesses of which
 *			kind, made durable how (nt-store, clwb, store, msync),
 *			on how many DIMMs; bytes that the medium writes at
 *			least; ranks that shared it.  All may be missing
 *	figures		an object, below
 *	alone		the same for a rank that has all to itself: of interest,
 *			but not for costs
 *	steps		an object of two arrays of 14 numbers: what a step of all
 *			ranks takes in `ns`, by its `words`, which grow.  May be
 *			missing
 *	provenance	an object, not looked into
 *
 * A figure is an object with a value, a unit and a source; also low, high and
 * samples, of measurements.
 *
 *	read, write, net	a word from the pool, to it, between ranks.
 *				These must be there
 *	dram_read, dram_write	the same of DRAM; as the pool's, if missing
 *	latency, flop		a message, a flop; nothing, if missing
 *	product_flop, product_call, product_left, product_right, product_result
 *				a product's flop, call, words of A, of B and of C
 *	simple_flop, stream, add	a flop outside of products, a word of a
 *				tensor that streams, a word of a sum
 *	read_latency, write_latency	of one access to the pool
 *	endurance		what the device is rated for to be written, all
 *				of its DIMMs together
 *	read_energy, write_energy, dram_read_energy, dram_write_energy, net_energy,
 *	flop_energy		what a word takes or a flop; DRAM's as the pool's, others
 *				nothing, if missing
 *
 * Units are ns/word, GB/s and GiB/s (a word is 8 bytes), ns and us, ns/flop and
 * GFLOP/s, TB and PB (written): costs are then nanoseconds.  Or all these are
 * `relative`, and costs are just them.  Energies are in nJ/word and pJ/bit, nJ/flop and
 * pJ/flop.
 */
#ifndef ASL_PROFILE_H
#define ASL_PROFILE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "lib/rank/seconds.h"

struct asl_profile {
	char name[64], about[256], source[2048];
	bool timed; /* costs are nanoseconds, not just relative */
	struct asl_costs costs;
	double read_latency, write_latency; /* ns; 0: not known */
	int line_bytes;			    /* 0: not known */
	double endurance;		    /* bytes; 0: not known */
	struct asl_costs energy;	    /* nJ, all 0: not known */
	/*
	 * The times of verbs on all ranks at once, and on one rank alone; flop 0: only
	 * memory and steps are known.
	 */
	struct asl_times times, alone;
	int disk_ranks; /* that a disk was measured on; 0: it was not */
	struct asl_disk_times disk_alone;
};

/* The names of profiles that are part of the command, NULL-ended. */
const char *const *asl_profile_names(void);

/*
 * The built-in profile of a machine like this one: one was measured with the BLAS's
 * kernels for AVX2, and with those for AVX-512.
 */
const char *asl_profile_of_class(void);

/*
 * The times of a profile on so many ranks: its own, or as far as it has none those
 * of the machine's class.  0, or the exit code.
 */
int asl_profile_times(struct asl_times *out, const struct asl_profile *profile,
		      int ranks);

/* Its own; else those of the machine's class stand for it. */
bool asl_profile_has_times(const struct asl_profile *profile);

/* By name, else from the file; 0, or the exit code after a complaint. */
int asl_profile_find(struct asl_profile *out, const char *name);

/* A file of bench/profiles: the build puts them all into the command. */
struct asl_profile_file {
	const char *name; /* without .json; NULL ends the list */
	const char *text;
	size_t bytes;
};

/* In the order of their names. */
extern const struct asl_profile_file asl_profile_files[];

#endif
