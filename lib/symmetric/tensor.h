/*
 * tensor.h -- the entries of a symmetric tensor, generated or from a file
 *
 * A generated entry is a pure function of (seed, tensor, its three indices in
 * any order), uniform in [-1/2, 1/2) as those of lib/matrix/source.h are, and
 * different from them.  Vectors to go with it come from a struct asl_source.
 *
 * Exact	Entries, and those of vectors, are multiples of 2^-10.  Then all
 *		A x_b x_c are multiples of 2^-30 and add up, for one element of
 *		y = A x2 x x3 x, to n^2 / 8 at most: whatever the order, every
 *		partial sum is exact in double for n <= 8192.  For orders above 3
 *		products are rounded.
 * Files	.npy of '<f8' (float64), n x n x n in either order, symmetric up
 *		to rounding (ASL_SYMMETRIC_TO); read in place.
 *		.tns, the text of FROSTT: lines `i j k value`, indices from 1,
 *		blank lines and lines of `# comment`; one of the up to six places
 *		of an entry is listed, whichever, and n is the largest index.
 *		Every entry must be listed, zero or not.  Packed in memory.
 *		The ending names the format, or NumPy's first bytes do.  Entries
 *		must be finite.
 * Errors	0, or a negative errno with asl_failure(), which names the file,
 *		in .tns the line, the text found and the text expected.
 * Threads	Any number may read a tensor at once.
 */
#ifndef ASL_TENSOR_H
#define ASL_TENSOR_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/matrix/given.h"

struct asl_tensor_in;

/*
 * Places of one entry differ at most by this times the largest entry, in absolute
 * values.  The one whose indices fall counts.
 */
#define ASL_SYMMETRIC_TO 1e-12

/*
 * On success *out is the caller's to close; on failure *out is NULL.
 *
 *	-EINVAL		the file has no symmetric tensor
 *	-EISDIR		it is a directory
 *	-ENOMEM		.tns: the packed tensor is larger than the memory
 *	other		it can't be opened
 */
int asl_tensor_open(struct asl_tensor_in **out, const char *path);

/*
 * One in the caller's memory, without gaps: a cube, symmetric up to rounding; or
 * with one dimension packed, entries i >= j >= k, the last changing fastest.
 * Errors as above.
 */
int asl_tensor_given(struct asl_tensor_in **out, const struct asl_given *from,
		     uint64_t n);
void asl_tensor_close(struct asl_tensor_in *in);	  /* NULL is allowed */
uint64_t asl_tensor_size(const struct asl_tensor_in *in); /* n, 1 or more */

struct asl_tensor_source {
	const struct asl_tensor_in *file; /* NULL: generated */
	uint64_t seed;
	uint32_t tensor; /* which of the seed's tensors */
	bool exact;
};

/*
 * Entries (a, b, c) to (a, b, c + count - 1), all of them with a >= b >= c;
 * indices below 2^32, and below the size of a file.
 */
void asl_tensor_read(const struct asl_tensor_source *source, double *at,
		     uint64_t a, uint64_t b, uint64_t c, uint64_t count);

/* Entry {i, j, k}, in any order. */
double asl_tensor_entry(const struct asl_tensor_source *source, uint64_t i,
			uint64_t j, uint64_t k);

/*
 * A tensor of any order, which is generated if the order is not 3: `count`
 * entries from at[0], ..., at[order - 1] on, all with descending indices, and
 * the entry of these indices in any order.
 */
void asl_tensor_read_any(const struct asl_tensor_source *source, int order,
			 double *to, const uint64_t at[], uint64_t count);
double asl_tensor_entry_any(const struct asl_tensor_source *source, int order,
			    const uint64_t at[]);

#endif
