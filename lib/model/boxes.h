/*
 * boxes.h -- boxes of grids, and which grids a plan's algorithm may have
 */
#ifndef ASL_BOXES_H
#define ASL_BOXES_H

#include "lib/multiply/multiply.h"

/* The grids of an algorithm: `plan` has everything but the grid. */
struct asl_grids {
	struct asl_plan plan;
	uint64_t dim[3];
	uint64_t flops; /* the limit, for the busiest rank */
	double ranks;	/* fewer cannot keep to it */
};

/* All that are admitted within the flops limit (grid.h). */
void asl_grids_init(struct asl_grids *g, const struct asl_plan *plan);

/* A box that has all of them; false: there is none. */
bool asl_grids_box(struct asl_box *box, const struct asl_grids *g);

/* Cut into two which together have all of them that it has; how many did. */
int asl_box_split(struct asl_box half[2], const struct asl_box *box,
		  const struct asl_grids *g);

static inline bool asl_box_single(const struct asl_box *box)
{
	return box->low[0] == box->high[0] && box->low[1] == box->high[1] &&
	       box->low[2] == box->high[2];
}

static inline struct asl_grid asl_box_grid(const struct asl_box *single)
{
	return (struct asl_grid){
		{single->low[0], single->low[1], single->low[2]}};
}

/* Is a number 1 on some of its grids only?  Floors are not for such boxes. */
static inline bool asl_box_mixed(const struct asl_box *box)
{
	for (int i = 0; i < 3; i++)
		if (box->low[i] == 1 && box->high[i] > 1)
			return true;
	return false;
}

/* Is this one of them? */
bool asl_grids_have(const struct asl_grids *g, const struct asl_grid *grid);

#endif
