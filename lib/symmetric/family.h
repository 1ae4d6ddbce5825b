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

/* Piece i of X or of Y: rows of n x R; false: no more. */
bool asl_symmetric_piece(struct asl_piece *x, const struct asl_plan *plan,
			 int rank, int which, int i);

/* Entries (a, b, c), (a, b, c + 1), ... that lie one after another. */
struct asl_entries {
	uint64_t a, b, c, count;
	bool packed; /* each stands for all permutations of its indices */
};

/* Call for all entries of the tensor that a rank owns, in their order. */
void asl_symmetric_each(const struct asl_plan *plan, int rank,
			void (*use)(const struct asl_entries *x, void *arg),
			void *arg);

/* ---- Operands ---- */

int asl_symmetric_open(struct asl_data *data);
int asl_symmetric_create(struct asl_data *data);
void asl_symmetric_close(struct asl_data *data);
struct asl_tensor_source asl_symmetric_source(const struct asl_data *data);
void asl_symmetric_fill(struct asl_rank *r, const struct asl_data *data,
			struct asl_words *own);

/* Y; of hopm X, the eigenvector. */
int asl_symmetric_write(struct asl_rank *r, struct asl_data *data,
			struct asl_words *own);

/*
 * The test: for random v, v'y against the sum over all entries of what they add
 * to it, every rank those that it owns, entry by entry from the definition; for
 * each column |difference| / (eps n sum of |terms|), the worst at rank 0.  Of
 * hopm also lambda against x'y.
 *
 * The oracle: every word of this rank's Y against the sum over the n^2 entries
 * made anew: |error| / (eps n sum of |terms|).
 */
double asl_symmetric_verify(struct asl_rank *r, const struct asl_data *data,
			    struct asl_words *own, enum asl_verify how);

#endif
