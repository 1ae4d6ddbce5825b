/*
 * array.h -- tensors from and to NumPy files, or from a generator
 *
 * A tensor is read and written by its term's indices (spec.h), whatever the order
 * of its file; where an index selects a diagonal, only the diagonal.
 *
 * Files	.npy of the tensors' type ('<f8', '<f4', '<c16', '<c8') in as many dimensions as
 *		the term has modes, in C or Fortran order, read in place.  Entries
 *		must be finite.  A result is written in C order to a temporary file,
 *		which is renamed when it is complete.
 * Generated	an entry is a pure function of the seed, the operand's number
 *		and its place in C order, uniform in [-1/2, 1/2), as are both parts
 *		of one that is complex.
 * Errors	0, or a negative errno, and asl_failure() names the file, what
 *		was found and what was expected.
 */
#ifndef ASL_ARRAY_H
#define ASL_ARRAY_H

#include "lib/contract/spread.h"
#include "lib/matrix/given.h"

struct asl_array_in;
struct asl_array_out;

/*
 * On success *out is the caller's to close; on failure *out is NULL.  A file may have
 * any number of dimensions, if dims is negative.
 */
int asl_array_open(struct asl_array_in **out, const char *path,
		   enum asl_type type, int dims);
/* The type of a file's entries; float64 if it is none of ours, or no such file. */
enum asl_type asl_array_type(const char *path);

int asl_array_given(struct asl_array_in **out, const struct asl_given *from);
void asl_array_close(struct asl_array_in *in); /* NULL is allowed */

/* Leave these out, which are of length 1. */
void asl_array_leave_out(struct asl_array_in *in, uint32_t dims);
int asl_array_dims(const struct asl_array_in *in);
const uint64_t *asl_array_shape(const struct asl_array_in *in); /* [dims] */

struct asl_array_source {
	const struct asl_array_in *file; /* NULL: generated */
	uint64_t seed;
	int operand;
	bool exact; /* entries are multiples of 2^-10 */
	enum asl_type type;
	const struct asl_term *term;
	uint64_t stride[ASL_MOST_INDICES]; /* by index: in entries */
};

struct asl_array_source asl_array_source(const struct asl_einsum *e, int which,
					 const struct asl_array_in *file);

void asl_array_read(const struct asl_array_source *source, double *at,
		    const struct asl_tensor_row *row);

/* The entry at a point of the iteration space. */
struct asl_number asl_array_entry(const struct asl_array_source *source,
				  const uint64_t point[ASL_MOST_INDICES]);

/* The output; rows may be written in any order, each by the indices of a term. */
int asl_array_create(struct asl_array_out **out, const char *path,
		     enum asl_type type, const struct asl_einsum *e);
int asl_array_into(struct asl_array_out **out, const struct asl_given *to,
		   const struct asl_einsum *e);
int asl_array_write(struct asl_array_out *out, const double *at,
		    const struct asl_term *term,
		    const struct asl_tensor_row *row);

/* Either frees `out`; discarding NULL is allowed. */
int asl_array_commit(struct asl_array_out *out);
void asl_array_discard(struct asl_array_out *out);

#endif
