/*
 * launch.h -- starting the ranks of a run with mpiexec
 */
#ifndef ASL_LAUNCH_H
#define ASL_LAUNCH_H

/*
 * Become `mpiexec -n ranks` of this same command with these arguments, but
 * for argv[leave_out].  Returns only on failure: the exit code, complained.
 */
int asl_launch(int ranks, int argc, char **argv, int leave_out);

#endif
