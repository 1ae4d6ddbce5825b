/*
 * packed.h -- where the entries of a packed symmetric tensor are
 *
 * Of the six places that entry {a, b, c} has in the cube, the packed tensor
 * keeps a >= b >= c; c runs fastest, then b.  How far an entry is from the
 * first does not depend on n: a larger tensor begins with the smaller one.
 */
#ifndef ASL_PACKED_H
#define ASL_PACKED_H

#include <stdint.h>

/* Pairs a >= b below n. */
static inline uint64_t asl_triangle(uint64_t n)
{
	return n % 2 ? (n + 1) / 2 * n : n / 2 * (n + 1);
}

/* Triples a >= b >= c below n; fits when n < 4801279. */
static inline uint64_t asl_tetrahedron(uint64_t n)
{
	uint64_t pairs = asl_triangle(n);

	return pairs % 3 ? (n + 2) / 3 * pairs : pairs / 3 * (n + 2);
}

static inline uint64_t asl_packed_at(uint64_t a, uint64_t b, uint64_t c)
{
	return asl_tetrahedron(a) + asl_triangle(b) + c;
}

#endif
