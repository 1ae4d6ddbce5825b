/*
 * pmi.h -- what the process manager does for the ranks that it started: PMI-1
 *
 * mpiexec, srun --mpi=pmi2 and Flux speak it.  Each call is for all ranks, which
 * come in the same order; 0, or a negative errno after which there are no more.
 */
#ifndef ASL_NET_PMI_H
#define ASL_NET_PMI_H

#include <stdbool.h>
#include <stddef.h>

/* Has a manager left a socket for this process? */
bool asl_pmi_is_there(void);

/* Once a process, of a job whose `rank` and `size` are known. */
int asl_pmi_open(int rank, int size);
int asl_pmi_close(void);

/* Every rank gets every rank's bytes; every rank gets rank 0's. */
int asl_pmi_gather(void *all, const void *mine, size_t bytes);
int asl_pmi_share(void *at, size_t bytes);

/* Every rank gets the lowest rank that brought something other than 0, and what. */
int asl_pmi_first(int *rank, int *brought);

/* End the job with this exit code, at once; the caller ends itself. */
void asl_pmi_abort(int exit_code);

#endif
