/*
 * family.h -- symmetric tensors as lib/plan/family.h asks: where A and X come
 * from, where Y goes, and whether it is right
 */
#ifndef ASL_SYMMETRIC_FAMILY_H
#define ASL_SYMMETRIC_FAMILY_H

#include "lib/matrix/piece.h"
#include "lib/symmetric/symmetric.h"
#include "lib/symmetric/tensor.h"

extern const struct asl_algorithm asl_symmetric_sttsv, asl_symmetric_hopm,
	asl_symmetric_cpgrad, asl_symmetric_naive, asl_symmetric_sequence;

/* ---- What a rank owns ---- */

/* Entries (a, b, c), (a, b, c + 1), ... that lie one after another. */
struct asl_entries {
	uint64_t a, b, c, count;
	bool packed; /* each stands for all permutations of its indices */
};

/* ---- Operands ---- */

#endif
