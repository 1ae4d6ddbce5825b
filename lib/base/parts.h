/*
 * parts.h -- cut a length into p contiguous parts of floor/ceil size
 *
 * asl_part cuts the rows and columns of a matrix over a grid: the first
 * `length % p` parts get one more.  asl_share cuts the words of a block over a
 * group of ranks that will do collectives on it, and places the larger parts
 * where collectives lose nothing by them:
 *
 *   p a power of two	evenly spread, part i from floor(i W / p) on.  Any run
 *			of 2^x parts is then a part of the cut into p / 2^x, so
 *			that recursive doubling swaps runs that differ by one
 *			word at most.
 *   any other p	first, as in asl_part: around a ring a part is then
 *			followed by one of another size only twice.
 */
#ifndef ASL_PARTS_H
#define ASL_PARTS_H

#include <stdint.h>

struct asl_range {
	uint64_t first, count;
};

static inline struct asl_range asl_part(uint64_t length, int parts, int i)
{
	uint64_t p = (uint64_t)parts, x = (uint64_t)i;
	uint64_t each = length / p, more = length % p;

	return (struct asl_range){each * x + (x < more ? x : more),
				  each + (x < more)};
}

/* Part i of a range. */
static inline struct asl_range asl_part_of(struct asl_range whole, int parts,
					   int i)
{
	struct asl_range x = asl_part(whole.count, parts, i);

	x.first += whole.first;
	return x;
}

/* The longer parts of asl_part, or the others: their length and number. */
struct asl_alike {
	uint64_t length, many;
};

static inline struct asl_alike asl_parts_alike(uint64_t length, int parts,
					       int longer)
{
	uint64_t p = (uint64_t)parts, more = length % p;

	return longer ? (struct asl_alike){length / p + 1, more}
		      : (struct asl_alike){length / p, p - more};
}

static inline int asl_is_power_of_two(int p)
{
	return (p & (p - 1)) == 0;
}

/* The index wraps: part -1 is the last one. */
static inline struct asl_range asl_share(uint64_t words, int parts, int i)
{
	uint64_t p = (uint64_t)parts,
		 x = (uint64_t)((i % parts + parts) % parts);
	uint64_t each = words / p, more = words % p, first;

	if (!asl_is_power_of_two(parts))
		return asl_part(words, parts, (int)x);
	first = each * x + more * x / p;
	return (struct asl_range){first,
				  each * (x + 1) + more * (x + 1) / p - first};
}

static inline uint64_t asl_max(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

static inline uint64_t asl_min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* What two ranges have in common; their order does not matter. */
static inline struct asl_range asl_common(struct asl_range a,
					  struct asl_range b)
{
	uint64_t first = asl_max(a.first, b.first);
	uint64_t end = asl_min(a.first + a.count, b.first + b.count);

	return (struct asl_range){first, end > first ? end - first : 0};
}

static inline uint64_t asl_ceil_div(uint64_t a, uint64_t b)
{
	return a / b + (a % b != 0);
}

/* The words of a matrix that a rank owns: a run of a block, by rows. */
struct asl_piece {
	struct asl_range rows, cols; /* the block, in the matrix */
	struct asl_range words;	     /* the run, within the block */
};

/* Consecutive words of one row of the matrix. */
struct asl_stretch {
	uint64_t row, col, count;
};

static inline struct asl_piece asl_whole_piece(struct asl_range rows,
					       struct asl_range cols)
{
	return (struct asl_piece){rows, cols, {0, rows.count * cols.count}};
}

/* The words from word `at` of the run to the end of the row, at most `most`. */
static inline struct asl_stretch asl_piece_stretch(const struct asl_piece *x,
						   uint64_t at, uint64_t most)
{
	uint64_t word = x->words.first + at;
	uint64_t row = word / x->cols.count, col = word % x->cols.count;
	uint64_t left = x->cols.count - col;

	return (struct asl_stretch){x->rows.first + row, x->cols.first + col,
				    left < most ? left : most};
}

#endif
