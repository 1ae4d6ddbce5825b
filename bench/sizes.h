/*
 * sizes.h -- how large the multiplication is: from options and operand files
 */
#ifndef ASL_SIZES_H
#define ASL_SIZES_H

#include "bench/options.h"

/* 0, or the exit code after a complaint. */
int asl_sizes(struct asl_shape *shape, const struct asl_options *o);

#endif
