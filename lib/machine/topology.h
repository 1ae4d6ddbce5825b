/*
 * topology.h -- hwloc's answer, for the files of this folder
 */
#ifndef ASL_TOPOLOGY_H
#define ASL_TOPOLOGY_H

#include <hwloc.h>

/* Loaded once; NULL if hwloc failed. */
hwloc_topology_t asl_topology(void);

/* Cores, or processors where a machine has no cores, that `set` touches. */
int asl_count_cores(hwloc_topology_t t, hwloc_const_cpuset_t set);

struct asl_machine;

/* Everything of *m about caches; t NULL: hwloc failed. */
void asl_find_caches(struct asl_machine *m, hwloc_topology_t t);

#endif
