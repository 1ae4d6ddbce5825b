/*
 * ledgers.h -- where counted and predicted ledgers differ
 */
#ifndef ASL_TEST_LEDGERS_H
#define ASL_TEST_LEDGERS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "lib/run/run.h"

static inline void print_counters(int rank, const struct asl_ledger *counted,
				  const struct asl_ledger *predicted)
{
	for (int p = 0; p < ASL_PHASES; p++)
		for (int c = 0; c < ASL_COUNTERS; c++) {
			uint64_t a = counted->in[p].of[c];
			uint64_t b = predicted->in[p].of[c];

			if (asl_phase_counts(p) && a != b)
				print_error("rank %d %s %s: counted %ju, "
					    "predicted %ju\n",
					    rank, asl_phase_name(p),
					    asl_counter_name(c), a, b);
		}
}

static inline void print_ledgers(const struct asl_rep *rep)
{
	for (int r = 0; r < rep->ranks; r++) {
		const struct asl_ledger *a = &rep->rank[r].counted;
		const struct asl_ledger *b = &rep->rank[r].predicted;

		if (a->memory_high != b->memory_high ||
		    a->pool_high != b->pool_high)
			print_error("rank %d memory: counted %ju/%ju, "
				    "predicted %ju/%ju\n",
				    r, a->memory_high, a->pool_high,
				    b->memory_high, b->pool_high);
		print_counters(r, a, b);
	}
}

#endif
