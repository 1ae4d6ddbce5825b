/*
 * parts.h -- cutting a length into p contiguous parts of floor/ceil size
 *
 * Two ways.  asl_part cuts the rows and columns of a matrix over a grid: the
 * first `length % p` parts get one more.  asl_share cuts the words of a block
 * over a group of ranks that will do collectives on it, and puts the larger
 * parts where those lose nothing by them:
 *
 *   p a power of two	spread evenly, part i from floor(i W / p) on.  Any run
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

/* The same of a range: where part i of it lies. */
static inline struct asl_range asl_part_of(struct asl_range whole, int parts,
					   int i)
{
	struct asl_range x = asl_part(whole.count, parts, i);

	x.first += whole.first;
	return x;
}

/* How many of asl_part's parts are of one length, the longer or the others. */
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

static inline uint64_t asl_ceil_div(uint64_t a, uint64_t b)
{
	return a / b + (a % b != 0);
}

#endif
