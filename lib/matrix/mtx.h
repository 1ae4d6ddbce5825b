/*
 * mtx.h -- between the two halves of the Matrix Market format
 */
#ifndef ASL_MTX_H
#define ASL_MTX_H

#include "lib/matrix/format.h"

/* Parse the mapped text and put the matrix in its place. */
int asl_mtx_read(struct asl_matrix_in *in, const char *path);

#endif
