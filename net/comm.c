/*
 * comm.c -- what the processes of a caller's communicator tell each other; and
 * what carries messages
 */
#include "net/comm.h"

#include <errno.h>
#include <rdma/fabric.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/error.h"
#include "net/provider.h"

static int check(int code, const char *what)
{
	return code ? asl_fail(-ECONNRESET, "%s failed", what) : 0;
}

const char *asl_net_versions(void)
{
	static char text[MPI_MAX_LIBRARY_VERSION_STRING + 64];
	char mpi[MPI_MAX_LIBRARY_VERSION_STRING] = "";
	uint32_t fabric = fi_version();
	int length;

	/* Of many lines the first has the number: "MPICH Version:	4.0.2". */
	MPI_Get_library_version(mpi, &length);
	mpi[strcspn(mpi, "\n")] = '\0';
	snprintf(text, sizeof text, "libfabric %u.%u\n%s\n", FI_MAJOR(fabric),
		 FI_MINOR(fabric), mpi);
	for (char *c = text; (c = strchr(c, '\t'));)
		*c = ' ';
	return text;
}

int asl_net_comm(int comm, int *rank, int *size)
{
	int begun = 0, ended = 0, code;

	MPI_Initialized(&begun);
	MPI_Finalized(&ended);
	if (!begun || ended)
		return asl_fail(-EINVAL,
				"a communicator needs MPI to be running: "
				"after MPI_Init, before MPI_Finalize");
	code = MPI_Comm_rank(MPI_Comm_f2c(comm), rank);
	if (!code)
		code = MPI_Comm_size(MPI_Comm_f2c(comm), size);
	return check(code, "MPI_Comm_rank");
}

int asl_net_comm_gather(int comm, void *all, const void *mine, int bytes)
{
	return check(MPI_Allgather(mine, bytes, MPI_BYTE, all, bytes, MPI_BYTE,
				   MPI_Comm_f2c(comm)),
		     "MPI_Allgather");
}

int asl_net_comm_share(int comm, void *at, int bytes)
{
	return check(MPI_Bcast(at, bytes, MPI_BYTE, 0, MPI_Comm_f2c(comm)),
		     "MPI_Bcast");
}
