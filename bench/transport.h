/*
 * transport.h -- who carries the ranks' messages, and whether that can be
 */
#ifndef ASL_TRANSPORT_H
#define ASL_TRANSPORT_H

#include "bench/case.h"

/* Do transport, store and ranks go together?  0, or the exit code. */
int asl_transport_check(const struct asl_case *c, const struct asl_options *o);

/* Are so many ranks too many for --launch?  0, or the exit code. */
int asl_launch_check(int ranks);

#endif
