/*
 * load.h -- MPI and libfabric, loaded when a transport asks for them
 *
 * Neither is linked: libraries that they load sleep as they start, and catch
 * signals.  asl_mpi.Init is MPI_Init, asl_fabric.getinfo is fi_getinfo; most of
 * libfabric is inline functions over tables of its own, which need no loading.
 */
#ifndef ASL_NET_LOAD_H
#define ASL_NET_LOAD_H

#include <mpi.h>
#include <rdma/fabric.h>
#include <rdma/fi_errno.h>
#include <signal.h>
#include <stdbool.h>

#define ASL_MPI_CALLS(X)                                                       \
	X(Abort)                                                               \
	X(Comm_dup)                                                            \
	X(Comm_free)                                                           \
	X(Comm_rank)                                                           \
	X(Comm_set_errhandler)                                                 \
	X(Comm_size)                                                           \
	X(Error_string)                                                        \
	X(Finalize)                                                            \
	X(Finalized)                                                           \
	X(Get_library_version)                                                 \
	X(Iallgather)                                                          \
	X(Iallreduce)                                                          \
	X(Ibcast)                                                              \
	X(Init)                                                                \
	X(Initialized)                                                         \
	X(Irecv)                                                               \
	X(Irecv_c)                                                             \
	X(Isend)                                                               \
	X(Isend_c)                                                             \
	X(Request_get_status)                                                  \
	X(Test)                                                                \
	X(Testall)                                                             \
	X(Waitall)

#define ASL_FABRIC_CALLS(X)                                                    \
	X(dupinfo)                                                             \
	X(fabric)                                                              \
	X(freeinfo)                                                            \
	X(getinfo)                                                             \
	X(strerror)                                                            \
	X(version)

#define ASL_MPI_MEMBER(name) __typeof__(&MPI_##name) name;
#define ASL_FABRIC_MEMBER(name) __typeof__(&fi_##name) name;

extern struct asl_mpi_calls {
	ASL_MPI_CALLS(ASL_MPI_MEMBER)
} asl_mpi;

extern struct asl_fabric_calls {
	ASL_FABRIC_CALLS(ASL_FABRIC_MEMBER)
} asl_fabric;

/* 0, also if it was loaded before; -ENODEV: it is not installed, or too old. */
int asl_load_mpi(void);
int asl_load_fabric(void);

/* Has this process loaded MPI, or the program of which it is a part? */
bool asl_mpi_is_loaded(void);

/* Libraries that start must leave all signals to us: keep before, restore after. */
struct asl_signal_actions {
	struct sigaction of[_NSIG];
};

void asl_signal_actions_keep(struct asl_signal_actions *all);
void asl_signal_actions_restore(const struct asl_signal_actions *all);

#endif
