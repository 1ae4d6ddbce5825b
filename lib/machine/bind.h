/*
 * bind.h -- which processors each of several processes gets
 */
#ifndef ASL_BIND_H
#define ASL_BIND_H

#include "lib/machine/machine.h"

/*
 * For number `mate` of `mates` processes that may run on `within`: a core, or
 * all of `within` that is in the same socket.  They are spread evenly: each has a
 * core to itself as long as there are enough, and neighbours in number are
 * neighbours on the machine.  0 or a negative errno.
 */
int asl_bind_choose(hwloc_bitmap_t out, hwloc_topology_t t,
		    hwloc_const_bitmap_t within, bool socket, int mate,
		    int mates);

#endif
