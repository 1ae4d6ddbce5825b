/*
 * block.c -- rows, words and multiplications of a tensor block
 *
 * Row numbers are those of a rectangle (i != j) or of a triangle (i == j), and
 * rows have one length (j != k) or end at c = b (j == k).
 */
#include "lib/symmetric/block.h"

#include "lib/kernels/kernel.h"
#include "lib/symmetric/packed.h"

struct asl_block_shape asl_block_shape(uint64_t n, int m, int i, int j, int k)
{
	return (struct asl_block_shape){.i = i,
					.j = j,
					.k = k,
					.a = asl_part(n, m, i),
					.b = asl_part(n, m, j),
					.c = asl_part(n, m, k)};
}

uint64_t asl_block_rows(const struct asl_block_shape *shape)
{
	return shape->i == shape->j ? asl_triangle(shape->a.count)
				    : shape->a.count * shape->b.count;
}

uint64_t asl_block_words(const struct asl_block_shape *shape)
{
	return asl_block_before(shape, asl_block_rows(shape));
}

/* Entries with a > b > c take 3; what the diagonals take less is taken off. */
uint64_t asl_block_ternary(const struct asl_block_shape *shape)
{
	uint64_t all = 3 * asl_block_words(shape);
	uint64_t ab = shape->i == shape->j, bc = shape->j == shape->k;

	if (ab && bc)
		return all - shape->a.count * (shape->a.count + 1);
	return all - ab * shape->a.count * shape->c.count -
	       bc * shape->a.count * shape->c.count;
}

/* Where row r is, counted from the block's own corner. */
struct place {
	uint64_t a, b;
};

static struct place place_of(const struct asl_block_shape *shape, uint64_t r)
{
	uint64_t a;

	if (shape->i != shape->j)
		return (struct place){r / shape->b.count, r % shape->b.count};
	a = (asl_isqrt(8 * r + 1) - 1) / 2;
	return (struct place){a, r - asl_triangle(a)};
}

struct asl_block_row asl_block_row(const struct asl_block_shape *shape,
				   uint64_t r)
{
	struct place at = place_of(shape, r);

	return (struct asl_block_row){
		.a = shape->a.first + at.a,
		.b = shape->b.first + at.b,
		.length = shape->j == shape->k ? at.b + 1 : shape->c.count};
}

uint64_t asl_block_before(const struct asl_block_shape *shape, uint64_t r)
{
	struct place at = place_of(shape, r);

	if (shape->j != shape->k)
		return r * shape->c.count;
	if (shape->i != shape->j)
		return at.a * asl_triangle(shape->b.count) + asl_triangle(at.b);
	return asl_packed_at(at.a, at.b, 0);
}

void asl_block_next(const struct asl_block_shape *shape,
		    struct asl_block_row *row)
{
	row->b++;
	row->length += shape->j == shape->k;
	if (row->b < asl_block_end(shape, row->a))
		return;
	row->a++;
	row->b = shape->b.first;
	row->length = shape->j == shape->k ? 1 : shape->c.count;
}
