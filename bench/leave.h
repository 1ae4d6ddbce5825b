/*
 * leave.h -- a rank that cannot go on takes the others of its job along
 */
#ifndef ASL_LEAVE_H
#define ASL_LEAVE_H

#include "bench/options.h"

/*
 * This rank has complained and cannot go on, and others of its job may not know:
 * files and profiles are read on every host.  All leave together, and the
 * complaint is heard, even if it is not rank 0's.  Returns code.
 */
int asl_job_abort(const struct asl_options *o, int code);

#endif
