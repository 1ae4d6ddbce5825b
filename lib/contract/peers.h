/*
 * peers.h -- the ranks of a spread that may have words of a run
 *
 * Of 10^5 ranks few have words in common with one of them: they are found by
 * where the run lies, without asking the others.
 */
#ifndef ASL_PEERS_H
#define ASL_PEERS_H

#include "lib/contract/spread.h"

/*
 * Call visit(rank, arg) for every rank that has words of the run by this spread,
 * once; and for some that turn out to have none.  In no order.
 */
void asl_spread_peers(const struct asl_spread *s, const struct asl_run *x,
		      void (*visit)(int rank, void *arg), void *arg);

#endif
