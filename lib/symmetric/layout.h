/*
 * layout.h -- which rank works with which part of a tensor, and who sends when
 *
 * Vectors of n words are cut into m row blocks (asl_part), and so the tensor's
 * lower tetrahedron into blocks (i, j, k), i >= j >= k, of row blocks:
 *
 *	off the diagonal	i > j > k
 *	non-central		two are equal: (i, i, k) or (i, k, k)
 *	central			(i, i, i)
 *
 * One rank owns a tensor block, for good; it computes with the row blocks that
 * its tensor blocks name.  All ranks that work with a row block share it: they
 * own its words in even contiguous parts, in the order of their numbers.  Two
 * ranks that work with the same row block need each other's part of it.
 *
 * From a Steiner system with a block of s row blocks for each rank: a tensor
 * block off the diagonal belongs to the rank whose block has its three points.
 * The diagonal ones are matched to ranks that work with their row blocks
 * anyway: every rank gets m (m-1) / P of the non-central ones and m / P of the
 * central ones, or the next integer.  With spherical q, m = q^2 + 1, P = q m:
 *
 *	blocks of a rank	(q+1) q (q-1) / 6 off the diagonal, q non-central, 0
 *				or 1 central
 *	ranks of a row block	q (q+1)
 *	words to be received	n (q+1) / (q^2+1) - n / P
 *
 * That is from the paper that sttsv.c names.
 *
 * The other layout, `cubic`, is for any number of ranks, and for comparison: a
 * rank has about a cube of the tensor, so three ranges of row blocks, and needs
 * 3 / 6^(1/3) = 1.65 times the words.
 */
#ifndef ASL_LAYOUT_H
#define ASL_LAYOUT_H

#include "lib/symmetric/block.h"
#include "lib/symmetric/graph.h"
#include "lib/symmetric/steiner.h"

struct asl_tensor_block {
	int i, j, k;
};

struct asl_layout {
	char name[ASL_STEINER_NAME]; /* the system's; "cubic-M" */
	uint64_t n;
	int m, ranks;
	struct asl_lists rows;	  /* the row blocks of a rank, ascending */
	struct asl_lists sharers; /* the ranks of a row block, ascending */
	int *part; /* of rows.item: which part of it is the rank's */

	/* Rank p's are block[first[p]] to block[first[p + 1] - 1], by kind in
	 * the order above. */
	struct asl_tensor_block *block;
	size_t *first; /* [ranks + 1] */
};

/*
 * Errors: 0, or a negative errno with asl_failure().
 *
 *	-EINVAL		there are fewer words than row blocks
 *	-ENOMEM
 */
int asl_layout_steiner(struct asl_layout *l, uint64_t n,
		       const struct asl_steiner *x);

/*
 * For any number of ranks, from 1 on, and any n from 1 on.  If there are more
 * ranks than tensor blocks, the last ones have none.
 */
int asl_layout_cubic(struct asl_layout *l, uint64_t n, int ranks);

void asl_layout_free(struct asl_layout *l); /* all zero is allowed */

/* The words of row block i. */
static inline struct asl_range asl_layout_row(const struct asl_layout *l, int i)
{
	return asl_part(l->n, l->m, i);
}

static inline struct asl_block_shape
asl_layout_shape(const struct asl_layout *l, const struct asl_tensor_block *x)
{
	return asl_block_shape(l->n, l->m, x->i, x->j, x->k);
}

/* The words that a rank owns of the row block at `place` in its list. */
static inline struct asl_range asl_layout_part(const struct asl_layout *l,
					       int rank, int place)
{
	size_t at = l->rows.first[rank] + (size_t)place;
	int i = l->rows.item[at];

	return asl_part_of(asl_layout_row(l, i),
			   asl_list_length(&l->sharers, i), l->part[at]);
}

/* Words of a rank's tensor blocks. */
uint64_t asl_layout_words(const struct asl_layout *l, int rank);

/* A row block that two ranks work with: its place in the list of each. */
struct asl_common_row {
	int of_a, of_b;
};

/*
 * Write all of them, ascending, to x[], which has room for one rank's row
 * blocks; NULL: only count them.
 */
int asl_layout_common(const struct asl_layout *l, int a, int b,
		      struct asl_common_row *x);

/*
 * Schedules
 *
 * Two ranks that work with the same row blocks exchange their shares of x, and
 * then partial sums of each other's shares of y.  That takes steps: in a step a
 * rank sends to one other rank at most, and receives from one, which may be
 * another.  Every rank sends once to each rank that it shares a row block with.
 *
 * The steps between ranks with most row blocks in common come first, then those
 * with one less, and so on: so what a rank sends in a step is about as long as
 * what it receives, and equal where everything divides.  For each such number
 * there are as many steps as some rank has peers; ranks with fewer rest in
 * some.  In layouts from Steiner systems the numbers are 2 and 1, and no rank
 * rests:
 *
 *	spherical q	q^3 / 2 + 3 q^2 / 2 - 1 steps, instead of q^3 + q - 1
 *	boolean 3	12, instead of 13
 *
 * All to all, the alternative, needs no table: in step s = 1 ... P - 1, rank p
 * sends to p + s and receives from p - s, modulo P.
 */

struct asl_schedule {
	int ranks, steps;
	int *to, *from; /* [ranks][steps]; -1: no rank */
};

/* 0, or -ENOMEM with asl_failure(). */
int asl_schedule_make(struct asl_schedule *s, const struct asl_layout *l);
void asl_schedule_free(struct asl_schedule *s); /* all zero is allowed */

/* The steps of a schedule for this system. */
int asl_steiner_steps(const struct asl_steiner_size *x);

static inline int asl_schedule_to(const struct asl_schedule *s, int rank,
				  int step)
{
	return s->to[(size_t)rank * (size_t)s->steps + (size_t)step];
}

static inline int asl_schedule_from(const struct asl_schedule *s, int rank,
				    int step)
{
	return s->from[(size_t)rank * (size_t)s->steps + (size_t)step];
}

#endif
