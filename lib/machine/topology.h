/*
 * topology.h -- hwloc's answer, for the files of this folder
 */
#ifndef ASL_TOPOLOGY_H
#define ASL_TOPOLOGY_H

#include <hwloc.h>
#include <stdbool.h>

/* Loaded once; NULL if hwloc failed. */
hwloc_topology_t asl_topology(void);

/* Of cores; or of processors, where a machine has no cores. */
hwloc_obj_type_t asl_core_type(hwloc_topology_t t);

/* Those that `set` touches. */
int asl_count_cores(hwloc_topology_t t, hwloc_const_cpuset_t set);

struct asl_machine;

/* Everything of *m about caches; t NULL: hwloc failed. */
void asl_find_caches(struct asl_machine *m, hwloc_topology_t t);

#endif
