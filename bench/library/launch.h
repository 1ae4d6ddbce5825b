/*
 * launch.h -- starting the ranks of a run with mpiexec, or what a cluster has
 *
 * The environment variable ASLANT_LAUNCH may name another launcher than
 * mpiexec.mpich: words separated by blanks, which the number of ranks and the
 * command follow, such as "srun --mpi=pmi2 -n".
 */
#ifndef ASL_LAUNCH_H
#define ASL_LAUNCH_H

#include <stdbool.h>

/* Do the ranks share this host?  Otherwise only the launcher knows. */
bool asl_launch_is_local(void);

/*
 * Run `mpiexec -n ranks` of this same command with these arguments, but for
 * argv[leave_out], until it has ended.  The exit code.
 */
int asl_launch(int ranks, int argc, char **argv, int leave_out);

#endif
