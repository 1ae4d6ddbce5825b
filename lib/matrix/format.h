/*
 * format.h -- the interface of a format of matrix files
 *
 * To add a format: write one file that defines one struct asl_format, and name
 * it in the table of file.c.  file.c opens and maps files, and creates and commits
 * them; a format reads and writes their contents.
 */
#ifndef ASL_FORMAT_H
#define ASL_FORMAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/atomic_file.h"
#include "lib/base/text.h"
#include "lib/matrix/given.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
	       "files are read and written in place, as little-endian");

struct asl_matrix_in {
	uint64_t rows, cols;
	/* Entry (i, j) is 8 * (i * row_step + j * col_step) bytes further;
	 * nothing promises that it is aligned. */
	const char *entries;
	uint64_t row_step, col_step;
	void *map; /* the file, or memory that a format put in its place */
	size_t map_bytes;
};

struct asl_matrix_out {
	const struct asl_format *format;
	uint64_t rows, cols;
	uint64_t written;	       /* entries */
	int err;		       /* the first one, of a write */
	const struct asl_given *given; /* into memory: nothing below is used */
	struct asl_atomic_file file;
	uint64_t data_at; /* .npy: where the entries begin */
	void *map;	  /* .mtx: the entries, until they are text */
	size_t map_bytes;
};

struct asl_format {
	const char *name, *ending, *magic;
	/* `in` has a mapped file that begins with the magic. */
	int (*open)(struct asl_matrix_in *in, const char *path);
	int (*create)(struct asl_matrix_out *out);
	int (*write)(struct asl_matrix_out *out, const double *at, uint64_t row,
		     uint64_t col, uint64_t count);
	/* The last step before the file gets its name; NULL: none. */
	int (*finish)(struct asl_matrix_out *out);
};

extern const struct asl_format asl_format_npy, asl_format_mtx;

/* Allocate rows x cols zeros; -ENOMEM if this machine can't hold them. */
int asl_matrix_allocate(void **map, size_t *map_bytes, const char *path,
			uint64_t rows, uint64_t cols);

#endif
