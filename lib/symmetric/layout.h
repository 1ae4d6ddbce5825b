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
 * its tensor blocks name.  All ranks that work with a row block share it: each
 * owns a range of its words, which may be empty, in the order of their numbers.
 * Two ranks that work with the same row block need each other's share of it.
 *
 * From a Steiner system with a block of s row blocks for each rank: a tensor
 * block off the diagonal belongs to the rank whose block has its three points.
 * The diagonal ones are matched to ranks that work with their row blocks
 * anyway: every rank gets m (m-1) / P of the non-central ones and m / P of the
 * central ones, or the next integer, and the central ones go to ranks with fewer
 * of the others.  No rank owns more than ceil(n/P) words of x; shares.c says how
 * many words that makes.  With spherical q, m = q^2 + 1, P = q m:
 *
 *	blocks of a rank	(q+1) q (q-1) / 6 off the diagonal, q non-central, 0
 *				or 1 central
 *	ranks of a row block	q (q+1)
 *	words to be received	n (q+1) / (q^2+1) - n / P
 *
 * That is from the paper that sttsv.c names.
 *
 * Two other layouts are for any number of ranks.  `cubic` is for comparison: a
 * rank has about a cube of the tensor, so three ranges of row blocks, and needs
 * 3 / 6^(1/3) = 1.65 times the words.  `cover` (cover_layout.c), also for tensors of
 * order 4 and 5, has sets of row blocks that overlap.
 */
#ifndef ASL_LAYOUT_H
#define ASL_LAYOUT_H

#include "lib/symmetric/block.h"
#include "lib/symmetric/graph.h"
#include "lib/symmetric/order.h"
#include "lib/symmetric/steiner.h"

struct asl_tensor_block {
	int i, j, k;
};

struct asl_layout {
	char name[ASL_STEINER_NAME]; /* the system's; "cubic-M" */
	uint64_t n;
	int m, order, ranks;
	int s;			  /* row blocks of every rank; 0: they differ */
	int cuts;		  /* parts of the longest row block */
	struct asl_lists rows;	  /* the row blocks of a rank, ascending */
	struct asl_lists sharers; /* the ranks of a row block, ascending */
	struct asl_range *share;  /* of rows.item: the rank's words of it */
	uint64_t even;	  /* every share has so many words; cubic: UINT64_MAX */
	int *extras;	  /* [m]: shares with more than those */
	uint64_t longest; /* message, by a schedule */

	/* Rank p's are block[first[p]] to block[first[p + 1] - 1], by kind in
	 * the order above. */
	struct asl_tensor_block *block;
	size_t *first;		 /* [ranks + 1] */
	struct asl_tuple *tuple; /* instead of block, if the order is above 3 */
};

/* Words of all row blocks of a rank, or of one if that sends no more words. */
enum asl_shares { ASL_SPREAD, ASL_SINGLE };

/*
 * Errors: 0, or a negative errno with asl_failure().
 *
 *	-EINVAL		there are fewer words than row blocks
 *	-ENOMEM
 */
int asl_layout_steiner(struct asl_layout *l, uint64_t n,
		       const struct asl_steiner *x, enum asl_shares how);

/*
 * For any number of ranks, from 1 on, and any n from 1 on.  If there are more
 * ranks than tensor blocks, the last ones have none.
 */
int asl_layout_cubic(struct asl_layout *l, uint64_t n, int ranks);

/* A tensor of any order on any number of ranks, and any n from 1 on. */
int asl_layout_cover(struct asl_layout *l, uint64_t n, int order, int ranks);

/*
 * A set of `size` of the points for each rank, such that any `order` points, or
 * all if there are fewer, are in at least one
 */
struct asl_cover {
	int points, size, order, ranks;
	uint64_t *set; /* [ranks]: bit i for point i */
};

enum { ASL_COVER_POINTS = 64 };

/* Can there be one, with so many blocks of a tensor that they can be dealt? */
bool asl_cover_is_worth_trying(const struct asl_cover *x);

/* Fill set[].  -ENOENT: none was found; -ENOMEM. */
int asl_cover_find(struct asl_cover *x);

/*
 * Ranks work with the row blocks that are named for them, once or repeatedly:
 * find rows and sharers.  0 or -ENOMEM.
 */
int asl_layout_list_rows(struct asl_layout *l, const struct asl_lists *named);

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

/* Tensor block i, of any order. */
struct asl_order_block asl_layout_order_block(const struct asl_layout *l,
					      size_t i);

/*
 * Pieces of a tensor block
 *
 * For a small cache row blocks are cut into `cuts` parts, or into single words
 * if they have fewer.  A tensor block lies in the pool piece by piece; a piece
 * is a block of parts, whose numbers, over all row blocks, replace those of row
 * blocks.  The last part changes fastest.
 */
struct asl_pieces {
	const struct asl_layout *l;
	struct asl_order_block parts; /* of each row block, as indices */
	struct asl_order_row at;
	uint64_t last; /* of at.length */
};

/* With cuts = 1 the first piece of block i is the block, and the only one. */
struct asl_pieces asl_pieces(const struct asl_layout *l, size_t i);
struct asl_order_block asl_piece_now(const struct asl_pieces *x);
bool asl_piece_next(struct asl_pieces *x); /* false: there are no more */

/* The row block of a part, by its number. */
static inline int asl_layout_row_of(const struct asl_layout *l, int part)
{
	return part / l->cuts;
}

/* The words that a rank owns of the row block at `place` in its list. */
static inline struct asl_range asl_layout_part(const struct asl_layout *l,
					       int rank, int place)
{
	return l->share[l->rows.first[rank] + (size_t)place];
}

/* Parts of a row block. */
static inline int asl_layout_parts(const struct asl_layout *l, int row)
{
	return (int)asl_min((uint64_t)l->cuts, asl_layout_row(l, row).count);
}

/* Words of a rank's row blocks. */
uint64_t asl_layout_rows_words(const struct asl_layout *l, int rank);

/* Products of an entry of tensor block i and of x, for each word of y. */
uint64_t asl_layout_block_products(const struct asl_layout *l, size_t i);

/* Words of tensor block i, and of all of a rank's. */
uint64_t asl_layout_block_words(const struct asl_layout *l, size_t i);
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
 * Shares, when rows and sharers are known: of a Steiner system's layout, and of
 * cubic's, in parts.  0 or -ENOMEM.
 */
int asl_shares_make(struct asl_layout *l, enum asl_shares how);
int asl_shares_by_parts(struct asl_layout *l);

/* Shares of cover's, in chunks.  Sets the words that a rank exchanges each way. */
int asl_shares_by_chunks(struct asl_layout *l, uint64_t *words);

/* The least words of x that the busiest rank sends or receives. */
uint64_t asl_shares_least(const struct asl_layout *l);

/*
 * Schedules
 *
 * Two ranks that work with the same row blocks exchange their shares of x, and
 * then partial sums of each other's shares of y.  That takes steps:
 * in a step a rank sends to one other rank at most, and receives from one, which
 * may be another.
 *
 * In layouts from Steiner systems all ranks first send the `even` words of their
 * shares.  The steps between ranks with two row blocks in common come first, then those
 * with one: so a rank sends as much in a step as it receives.  No rank rests:
 *
 *	spherical q	q^3 / 2 + 3 q^2 / 2 - 1 steps, instead of q^3 + q - 1
 *	boolean 3	12, instead of 13
 *
 * Then each rank sends what else it owns of a row block, in one step to each
 * rank that works with it; two row blocks take two steps.  A rank whose steps
 * out and in differ in number rests in as many as the larger number leaves, so
 * that each of the fewer coincides with one of the others.  These messages are
 * equally long, or one word shorter for ranks that own one word less; so no rank
 * ever waits for more words than it has to send or to receive in all.  Covers have only
 * such steps.
 *
 * Cubic layouts, whose shares have no even words and extra ones, need no table: in
 * step s, ranks p and q exchange what they share if p + q = s, modulo P.  With even P
 * that is so for the first P - 1 ranks, modulo P - 1, and the one which would meet
 * itself meets the last.
 *
 * All to all, the alternative, needs none either: in step s = 1 ... P - 1, rank p
 * sends to p + s and receives from p - s, modulo P.
 */

struct asl_schedule {
	int ranks, steps;
	int even;	/* steps for the even words, the first ones */
	int *to, *from; /* [ranks][steps]: as below; -1: no rank; cubic: NULL */
};

/* A rank met in a step, and the words exchanged with it. */
struct asl_turn {
	int peer;  /* -1: none */
	int extra; /* ASL_EVEN; 0, 1: the first or second extra in common */
};

enum { ASL_EVEN = -1, ASL_WHOLE = -2 /* all of the shares */ };

/* 0, or -ENOMEM with asl_failure(). */
int asl_schedule_make(struct asl_schedule *s, const struct asl_layout *l);
void asl_schedule_free(struct asl_schedule *s); /* all zero is allowed */

/* The steps of a schedule for this system. */
int asl_steiner_steps(const struct asl_steiner_size *x);

/* Without a table: the rank met in a step. */
static inline int asl_schedule_meets(const struct asl_schedule *s, int rank,
				     int step)
{
	int odd = s->ranks - 1 + s->ranks % 2, other = step - rank;

	if (rank == odd)
		return (step % 2 ? step + odd : step) / 2;
	other += other < 0 ? odd : 0;
	if (other == rank)
		return s->ranks % 2 ? -1 : odd;
	return other;
}

/* Tables count the ranks on once more for a second extra. */
static inline struct asl_turn asl_schedule_turn(const struct asl_schedule *s,
						const int *table, int rank,
						int step)
{
	int x;

	if (!table)
		return (struct asl_turn){asl_schedule_meets(s, rank, step),
					 ASL_EVEN};
	x = table[(size_t)rank * (size_t)s->steps + (size_t)step];
	if (x < 0)
		return (struct asl_turn){-1, ASL_EVEN};
	return (struct asl_turn){x % s->ranks,
				 step < s->even ? ASL_EVEN : x / s->ranks};
}

static inline struct asl_turn asl_schedule_to(const struct asl_schedule *s,
					      int rank, int step)
{
	return asl_schedule_turn(s, s->to, rank, step);
}

static inline struct asl_turn asl_schedule_from(const struct asl_schedule *s,
						int rank, int step)
{
	return asl_schedule_turn(s, s->from, rank, step);
}

#endif
