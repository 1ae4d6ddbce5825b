/*
 * cli_multiply.h -- how large the multiplication is: from options and operand files
 */
#ifndef ASL_CLI_MULTIPLY_H
#define ASL_CLI_MULTIPLY_H

#include "bench/library/options.h"

/* 0, or the exit code after a complaint. */
int asl_sizes(struct asl_shape *shape, const struct asl_options *o);

#endif
