/*
 * topology.h -- the machine as hwloc reports it
 */
#ifndef ASL_TOPOLOGY_H
#define ASL_TOPOLOGY_H

#include <hwloc.h>

/* Loaded once; NULL if hwloc failed. */
hwloc_topology_t asl_topology(void);

#endif
