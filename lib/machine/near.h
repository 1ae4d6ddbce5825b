/*
 * near.h -- how far memories are from the cores of a rank
 *
 * Distances are those of the firmware, as the kernel and hwloc have them: 10 is
 * local, 20 twice as far.  A machine that reports none has 10 for the nodes of a
 * rank's socket, and 20 for others.
 */
#ifndef ASL_NEAR_H
#define ASL_NEAR_H

#include <hwloc.h>
#include <stdbool.h>
#include <stdint.h>

struct asl_near {
	int core_node; /* of all cores; -1: of several nodes, or not known */
	int node;      /* of the memory; -1: not known */
	int distance;  /* from the nearest core; 0: not known */
	bool far;      /* no core is on the socket of the memory */
};

/* From the cores that this process may run on to a node; -1: not known. */
struct asl_near asl_machine_near(int node);

/* From these cores, on this machine. */
struct asl_near asl_near_from(hwloc_topology_t t, hwloc_const_bitmap_t cores,
			      int node);

/* ---- Which of several memories each rank takes ---- */

enum { ASL_NEAR_MOST = 64 };

/* Distances of a rank, on one of the hosts, to the memories there. */
struct asl_reach {
	int host, count;
	int distance[ASL_NEAR_MOST]; /* 0: not known, and taken last */
	bool single[ASL_NEAR_MOST];  /* it holds one rank's pool only */
};

/*
 * Give each rank the nearest memory, one of those with the fewest ranks among
 * memories that are equally near.  take[ranks]; -1: its host has none left.
 */
void asl_near_spread(int *take, const struct asl_reach *of, int ranks);

#endif
