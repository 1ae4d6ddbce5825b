/*
 * given.h -- operands and results in the memory of a run's caller
 *
 * An array of numbers in any number of dimensions, with any distance from one
 * entry to the next: by rows, by columns, or a part of a larger array.  It is
 * read and written like a file: ranks copy the entries that they own.
 */
#ifndef ASL_GIVEN_H
#define ASL_GIVEN_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/type.h"

enum { ASL_GIVEN_DIMS = 32 };

struct asl_given {
	double *at; /* NULL: none; operands are only read */
	int dims;
	uint64_t size[ASL_GIVEN_DIMS];
	uint64_t step[ASL_GIVEN_DIMS]; /* in words */
	enum asl_type type;
};

struct asl_matrix_in;
struct asl_matrix_out;

/* Use it as a matrix (file.h); -EINVAL: it is not of this size. */
int asl_given_open(struct asl_matrix_in **out, const struct asl_given *from,
		   const char *name, uint64_t rows, uint64_t cols);
int asl_given_create(struct asl_matrix_out **out, const struct asl_given *to,
		     uint64_t rows, uint64_t cols);

/* Copy `count` words to or from memory with a step. */
void asl_given_read(enum asl_type type, const double *from, uint64_t step,
		    double *at, uint64_t count);
void asl_given_write(enum asl_type type, double *to, uint64_t step,
		     const double *at, uint64_t count);

/* The bytes from its first entry to its last. */
size_t asl_given_bytes(const struct asl_given *x);

#endif
