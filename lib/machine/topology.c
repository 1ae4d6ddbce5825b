/*
 * topology.c -- the machine as hwloc reports it
 */
#include "lib/machine/topology.h"

#include <pthread.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static hwloc_topology_t topology;

static void load(void)
{
	hwloc_topology_t t;

	if (hwloc_topology_init(&t) != 0)
		return;
	if (hwloc_topology_load(t) == 0)
		topology = t;
	else
		hwloc_topology_destroy(t);
}

hwloc_topology_t asl_topology(void)
{
	pthread_once(&once, load);
	return topology;
}

hwloc_bitmap_t asl_topology_bound(hwloc_topology_t t)
{
	hwloc_bitmap_t bound = hwloc_bitmap_alloc();

	if (bound && (!hwloc_topology_is_thissystem(t) ||
		      hwloc_get_cpubind(t, bound, HWLOC_CPUBIND_PROCESS) != 0))
		hwloc_bitmap_fill(bound);
	return bound;
}
