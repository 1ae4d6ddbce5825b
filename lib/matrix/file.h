/*
 * file.h -- matrices from and to files: .npy (NumPy) and .mtx (Matrix Market)
 *
 * Read: .npy of float64 (little-endian, C or Fortran order, two dimensions),
 * .mtx `matrix array|coordinate real|integer|pattern? general|symmetric|...`.
 * Written: the same two, chosen by the name's ending; written aside and renamed
 * when complete, so that a half-written file is never seen.
 * Errors: 0 or a negative errno (-EINVAL: the file is not what it should be),
 * with asl_file_why() naming file, what was found and what was expected.
 */
#ifndef ASL_FILE_H
#define ASL_FILE_H

#include <stdint.h>

struct asl_matrix_in;
struct asl_matrix_out;

int asl_matrix_open(struct asl_matrix_in **out, const char *path);
void asl_matrix_close(struct asl_matrix_in *in); /* NULL is allowed */
uint64_t asl_matrix_rows(const struct asl_matrix_in *in);
uint64_t asl_matrix_cols(const struct asl_matrix_in *in);

/* Entries (row, col) to (row, col + count - 1). */
void asl_matrix_read(const struct asl_matrix_in *in, double *at, uint64_t row,
		     uint64_t col, uint64_t count);

/* Checks the name's ending, and that the directory can be written, at once. */
int asl_matrix_create(struct asl_matrix_out **out, const char *path,
		      uint64_t rows, uint64_t cols);
int asl_matrix_write(struct asl_matrix_out *out, const double *at,
		     uint64_t row, uint64_t col, uint64_t count);
int asl_matrix_commit(struct asl_matrix_out *out); /* closes it, too */
void asl_matrix_discard(struct asl_matrix_out *out); /* NULL is allowed */

const char *asl_file_why(void);

#endif
