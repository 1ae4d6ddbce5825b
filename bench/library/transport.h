/*
 * transport.h -- the choice of a transport, and whether it can work
 */
#ifndef ASL_TRANSPORT_H
#define ASL_TRANSPORT_H

#include "bench/library/case.h"
#include "bench/library/options.h"

/*
 * A rank that cannot go on takes the others of its job along
 */

/*
 * This rank has complained and cannot go on, and others of its job may not know:
 * files and profiles are read on every host.  All leave together, and the
 * complaint is heard, even if it is not rank 0's.  Returns code.
 */
int asl_job_abort(const struct asl_options *o, int code);

/* Do transport, store and ranks go together?  0, or the exit code. */
int asl_transport_check(const struct asl_case *c, const struct asl_options *o);

/* Refuse more ranks than --launch can start: 0, or the exit code. */
int asl_launch_check(int ranks);

#endif
