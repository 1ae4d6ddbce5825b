/*
 * mpi_words.c -- MPI's sending functions, with a count in front
 *
 * Those that ScaLAPACK's message layer (the BLACS) calls, and their kin.
 */
#include "bench/measure/peers/mpi_words.h"

#include <mpi.h>

static struct mpi_words words;

struct mpi_words mpi_words_now(void)
{
	return words;
}

static uint64_t bytes_of(int count, MPI_Datatype type)
{
	int size = 0;

	PMPI_Type_size(type, &size);
	return (uint64_t)count * (uint64_t)size;
}

static void count_send(int count, MPI_Datatype type)
{
	words.sent_bytes += bytes_of(count, type);
	words.messages++;
}

int MPI_Send(const void *at, int count, MPI_Datatype type, int to, int tag,
	     MPI_Comm comm)
{
	count_send(count, type);
	return PMPI_Send(at, count, type, to, tag, comm);
}

int MPI_Ssend(const void *at, int count, MPI_Datatype type, int to, int tag,
	      MPI_Comm comm)
{
	count_send(count, type);
	return PMPI_Ssend(at, count, type, to, tag, comm);
}

int MPI_Rsend(const void *at, int count, MPI_Datatype type, int to, int tag,
	      MPI_Comm comm)
{
	count_send(count, type);
	return PMPI_Rsend(at, count, type, to, tag, comm);
}

int MPI_Isend(const void *at, int count, MPI_Datatype type, int to, int tag,
	      MPI_Comm comm, MPI_Request *request)
{
	count_send(count, type);
	return PMPI_Isend(at, count, type, to, tag, comm, request);
}

int MPI_Irsend(const void *at, int count, MPI_Datatype type, int to, int tag,
	       MPI_Comm comm, MPI_Request *request)
{
	count_send(count, type);
	return PMPI_Irsend(at, count, type, to, tag, comm, request);
}

int MPI_Sendrecv(const void *out, int out_count, MPI_Datatype out_type, int to,
		 int out_tag, void *in, int in_count, MPI_Datatype in_type,
		 int from, int in_tag, MPI_Comm comm, MPI_Status *status)
{
	count_send(out_count, out_type);
	return PMPI_Sendrecv(out, out_count, out_type, to, out_tag, in,
			     in_count, in_type, from, in_tag, comm, status);
}

int MPI_Bcast(void *at, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
	words.broadcast_bytes += bytes_of(count, type);
	return PMPI_Bcast(at, count, type, root, comm);
}
