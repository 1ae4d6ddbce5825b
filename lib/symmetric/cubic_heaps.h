/*
 * cubic_heaps.h -- the tensor's blocks in nearly cubic heaps, one for each rank
 */
#ifndef ASL_CUBIC_HEAPS_H
#define ASL_CUBIC_HEAPS_H

#include "lib/symmetric/layout.h"

/*
 * Give each rank of a layout, which has n, m, ranks and room for all blocks, its
 * heap.  0 or -ENOMEM.
 */
int asl_cubic_heaps(struct asl_layout *l);

#endif
