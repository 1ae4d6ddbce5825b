/*
 * topology.h -- the machine as hwloc reports it
 */
#ifndef ASL_TOPOLOGY_H
#define ASL_TOPOLOGY_H

#include <hwloc.h>

/* Loaded once; NULL if hwloc failed. */
hwloc_topology_t asl_topology(void);

/*
 * The processors that this process is bound to; all for a recorded machine, of
 * which a binding here says nothing.  The caller frees them; NULL: no memory.
 */
hwloc_bitmap_t asl_topology_bound(hwloc_topology_t t);

#endif
