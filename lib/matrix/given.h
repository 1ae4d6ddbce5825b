/*
 * given.h -- operands and results in memory that the caller of a run has
 *
 * An array of doubles in any number of dimensions, with any distance from one
 * entry to the next: by rows, by columns, or a part of something larger.  It is
 * read, and written, as a file would be: entry by entry into what a rank owns,
 * and out of it.
 */
#ifndef ASL_GIVEN_H
#define ASL_GIVEN_H

#include <stddef.h>
#include <stdint.h>

enum { ASL_GIVEN_DIMS = 32 };

struct asl_given {
	double *at; /* NULL: none; of an operand only read */
	int dims;
	uint64_t size[ASL_GIVEN_DIMS];
	uint64_t step[ASL_GIVEN_DIMS]; /* in words */
};

struct asl_matrix_in;
struct asl_matrix_out;

/* A matrix of it, as of a file (file.h); -EINVAL: it is none, or another's size. */
int asl_given_open(struct asl_matrix_in **out, const struct asl_given *from,
		   const char *name, uint64_t rows, uint64_t cols);
int asl_given_create(struct asl_matrix_out **out, const struct asl_given *to,
		     uint64_t rows, uint64_t cols);

/* Is it of this size, a vector being a column?  0, or -EINVAL. */
int asl_given_check(const struct asl_given *x, const char *name, uint64_t rows,
		    uint64_t cols);

/* `count` words, in steps, from memory and to it. */
void asl_given_read(const double *from, uint64_t step, double *at,
		    uint64_t count);
void asl_given_write(double *to, uint64_t step, const double *at,
		     uint64_t count);

/* From its first entry to its last. */
size_t asl_given_bytes(const struct asl_given *x);

#endif
