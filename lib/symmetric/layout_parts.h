/*
 * layout_parts.h -- for those who make layouts: what is the same in all of them
 */
#ifndef ASL_LAYOUT_PARTS_H
#define ASL_LAYOUT_PARTS_H

#include "lib/symmetric/layout.h"

/* A layout without blocks, but with room for so many.  0 or -ENOMEM. */
int asl_layout_begin(struct asl_layout *l, uint64_t n, int m, int ranks,
		     size_t blocks);

/*
 * When rows and sharers are known: ranks meet their parts of a row block in
 * order.  0 or -ENOMEM.
 */
int asl_layout_end(struct asl_layout *l);

/* Append one to those of the rank that is being filled. */
static inline void asl_layout_put(struct asl_layout *l, int rank, int i, int j,
				  int k)
{
	l->block[l->first[rank + 1]++] = (struct asl_tensor_block){i, j, k};
}

#endif
