/*
 * team.h -- the threads of a rank
 *
 * A process has one team: the ranks of a process take turns (net/sim.c), and each
 * has all threads in its turn.  Work is cut into pieces by the caller, who is one
 * of the threads; it counts, and talks to other ranks, alone.  So threads change
 * neither counts nor clocks, only how long a verb takes.
 *
 * Bits		What adds up in one order for any number of pieces has the same
 *		bits for any number of threads: copies, products of matrices,
 *		sums entry by entry.
 * Why not OpenMP	OpenBLAS has threads of its own or OpenMP's, as it was built;
 *		the team calls it from each thread for a part of a product, so
 *		that neither kind ever waits for the other.
 * Threads	One caller at a time; while a team works, others, and pieces
 *		themselves, do their work alone.
 */
#ifndef ASL_TEAM_H
#define ASL_TEAM_H

#include <stdint.h>

enum { ASL_MOST_THREADS = 1024 };

/* A number to be chosen: the cores that a rank may use by itself. */
enum { ASL_THREADS_AUTO = -1 };

/*
 * From here on so many threads, the caller's included.  0 or a negative errno,
 * with the team of one thread that there is at first.
 */
int asl_team_resize(int threads);
int asl_team_threads(void);

/* Call work(arg, i) once for each i below `pieces`; return when all is done. */
void asl_team_run(int pieces, void (*work)(void *arg, int piece), void *arg);

/* Pieces worth a thread: one for each, but of `least` words or more. */
int asl_team_pieces(uint64_t words, uint64_t least);

/* A piece of that many words takes longer than waking a thread. */
enum { ASL_TEAM_WORDS = 16384 };

#endif
