/*
 * file.h -- matrices from and to files: .npy (NumPy) and .mtx (Matrix Market)
 *
 * Read		.npy, versions 1.0 to 3.0, of '<f8' (float64) in two dimensions,
 *		in C or Fortran order; read in place.
 *		.mtx `matrix array|coordinate real|integer
 *		general|symmetric|skew-symmetric`; made dense in memory.
 *		The ending names the format, or else the content does.  Entries
 *		that are not finite are refused, all of them when it is opened.
 * Written	.npy in C order, .mtx as `array real general`, chosen by the
 *		name's ending.  Written aside and renamed when complete, so that
 *		a half-written file is never seen.  Every finite double reads
 *		back as it was; NaN and infinities are written, too, but can
 *		only be read elsewhere.
 * Errors	0, or a negative errno with asl_failure() naming the file, and
 *		in .mtx the line, what was found and what was expected.
 * Threads	Any number may read a matrix at once; one may write one.
 *
 * A file must not be cut short while it is open: what was there is read where
 * it was, and SIGBUS is all that the system has to say then.
 */
#ifndef ASL_FILE_H
#define ASL_FILE_H

#include <stdint.h>

struct asl_matrix_in;
struct asl_matrix_out;

/*
 * On success *out is the caller's to close; on failure *out is NULL.
 *
 *	-EINVAL		the file is not what it should be
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
 * Checks the name's ending, and that the directory can be written, at once.
 * On failure *out is NULL and nothing is left behind.
 *
 *	-EINVAL		another ending; no rows or columns; what has the name
 *			now is no regular file
 *	-ENOSPC		.npy: the file system can't hold it
 *	-ENOMEM		.mtx: the memory can't, until it is committed
 *	-EFBIG		larger than ulimit -f allows, or than files can be
 *	other		the directory can't be written
 */
int asl_matrix_create(struct asl_matrix_out **out, const char *path,
		      uint64_t rows, uint64_t cols);

/* The first failure is kept, and returned by all that follows. */
int asl_matrix_write(struct asl_matrix_out *out, const double *at, uint64_t row,
		     uint64_t col, uint64_t count);

/*
 * Put the file in its place.  Ends `out` whether it succeeds or not; a failure
 * leaves what had the name before.
 *
 *	-EINVAL		fewer entries were written than there are
 *	-ENOSPC		.mtx: the file system can't hold it
 */
int asl_matrix_commit(struct asl_matrix_out *out);
void asl_matrix_discard(struct asl_matrix_out *out); /* NULL is allowed */

#endif
