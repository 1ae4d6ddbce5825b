/*
 * profile.h -- what a machine's words cost, by name or from a file
 *
 * A profile file is one JSON object:
 *
 *	name, source		texts, required: what it is, where it is from; a
 *				name holds no control characters
 *	read_cost, write_cost, net_cost, latency, flop_cost
 *	dram_read_cost, dram_write_cost
 *				numbers, 0 to 1e100; what is missing is that of
 *				the profile `dram`
 */
#ifndef ASL_PROFILE_H
#define ASL_PROFILE_H

#include "lib/model/cost.h"

struct asl_profile {
	char name[64], source[512];
	struct asl_costs costs;
};

/* The profiles built in, ended by an empty name. */
extern const struct asl_profile asl_profiles[];

/* NULL: there is none of that name. */
const struct asl_profile *asl_profile_built_in(const char *name);

/* By name, else from the file; 0, or the exit code after a complaint. */
int asl_profile_find(struct asl_profile *out, const char *name);

#endif
