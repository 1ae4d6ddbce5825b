/*
 * file.h -- matrices in files: .npy (NumPy) and .mtx (Matrix Market); generated
 *
 * Read		.npy, versions 1.0 to 3.0, of '<f8' (float64) in two dimensions,
 *		in C or Fortran order; read in place.
 *		.mtx `matrix array|coordinate real|integer
 *		general|symmetric|skew-symmetric`; made dense in memory.
 *		The ending names the format, or else the content does.  The file
 *		is refused when it is opened if an entry is not finite.
 * Written	.npy in C order, .mtx as `array real general`, chosen by the
 *		name's ending.  The file appears under its name when it is
 *		complete (atomic_file.h).  Every finite double reads back as it
 *		was; NaN and infinities are written, but asl_matrix_open refuses
 *		them.
 * Errors	0, or a negative errno; asl_failure() names the file, and in .mtx
 *		the line, what was found and what was expected.
 * Threads	Any number may read a matrix at once; only one may write one.
 *
 * A file must not be truncated while it is open: reading it then raises SIGBUS.
 */
#ifndef ASL_FILE_H
#define ASL_FILE_H

#include <stdbool.h>
#include <stdint.h>

struct asl_matrix_in;
struct asl_matrix_out;

/*
 * On success *out is the caller's to close; on failure *out is NULL.
 *
 *	-EINVAL		the file is not of its format
 *	-EISDIR		it is a directory
 *	-ENOMEM		.mtx: the dense matrix is larger than the memory
 *	other		it can't be opened
 */
int asl_matrix_open(struct asl_matrix_in **out, const char *path);
void asl_matrix_close(struct asl_matrix_in *in);	  /* NULL is allowed */
uint64_t asl_matrix_rows(const struct asl_matrix_in *in); /* 1 or more */
uint64_t asl_matrix_cols(const struct asl_matrix_in *in);

/* Entries (row, col) to (row, col + count - 1), which must exist. */
void asl_matrix_read(const struct asl_matrix_in *in, double *at, uint64_t row,
		     uint64_t col, uint64_t count);

/*
 * Check the name's ending and that the directory is writable, and create a file.
 * On failure *out is NULL and nothing is left behind.
 *
 *	-EINVAL		another ending; no rows or columns; the name is that of
 *			something else than a regular file
 *	-ENOSPC		.npy: the file system can't hold it
 *	-ENOMEM		.mtx: the memory can't, until it is committed
 *	-EFBIG		larger than ulimit -f allows, or than files can be
 *	other		the directory can't be written
 */
int asl_matrix_create(struct asl_matrix_out **out, const char *path,
		      uint64_t rows, uint64_t cols);

/* After a failure all later calls return it, too. */
int asl_matrix_write(struct asl_matrix_out *out, const double *at, uint64_t row,
		     uint64_t col, uint64_t count);

/*
 * Put the file in its place.  Ends `out` even if it fails; then the old file of
 * that name, if any, is untouched.
 *
 *	-EINVAL		entries were not written
 *	-ENOSPC		.mtx: the file system can't hold it
 */
int asl_matrix_commit(struct asl_matrix_out *out);
void asl_matrix_discard(struct asl_matrix_out *out); /* NULL is allowed */

/*
 * Entries of a matrix, from a file or generated
 *
 * A generated entry is a pure function of (seed, matrix, row, column), by a
 * counter-based generator, so that any rank can make or check any entry
 * without asking another.  Entries are uniform in [-1/2, 1/2).  Exact ones are
 * multiples of 2^-10: their products are multiples of 2^-20 and sums of up to 2^34
 * of these are exact, so that a product is the same to the last bit in whatever
 * order it is summed.
 */
struct asl_source {
	const struct asl_matrix_in *file; /* NULL: generated */
	uint64_t seed;
	uint32_t matrix; /* which of the seed's matrices */
	bool exact;
};

/* Entries (row, col) to (row, col + count - 1); indices below 2^32. */
void asl_source_read(const struct asl_source *source, double *at, uint64_t row,
		     uint64_t col, uint64_t count);

#endif
