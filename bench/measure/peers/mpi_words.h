/*
 * mpi_words.h -- words that a program sends over MPI, counted from outside
 *
 * Linked into a program, the functions of mpi_words.c stand before those of MPI
 * (the profiling interface, PMPI): sends are counted where they start, and a
 * broadcast as its words once at every rank, sent by the root and received by
 * the others.
 */
#ifndef ASL_MPI_WORDS_H
#define ASL_MPI_WORDS_H

#include <stdint.h>

/* Bytes and messages of this process since the start. */
struct mpi_words {
	uint64_t sent_bytes, broadcast_bytes, messages;
};

struct mpi_words mpi_words_now(void);

#endif
