/*
 * comm.h -- the ranks of a run, as MPI has them
 */
#ifndef ASL_NET_COMM_H
#define ASL_NET_COMM_H

#include <mpi.h>

/* From asl_boot_open to asl_boot_close; of the caller's a copy. */
extern MPI_Comm asl_boot_comm;

#endif
