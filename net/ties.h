/*
 * ties.h -- connections between the guards of a job
 */
#ifndef ASL_NET_TIES_H
#define ASL_NET_TIES_H

#include "net/boot.h"

/*
 * All ranks together, over MPI: connect each rank's guard with those of its
 * parent and children in a tree.  Nothing if the ranks have no guards, or are
 * not to look.  All get the same answer.
 */
int asl_ties_open(const struct asl_boot *boot);

#endif
