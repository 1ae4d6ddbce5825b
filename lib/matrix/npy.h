/*
 * npy.h -- the header of a mapped .npy file
 */
#ifndef ASL_NPY_H
#define ASL_NPY_H

#include "lib/base/text.h"
#include "lib/base/type.h"
#include "lib/matrix/format.h"

#define ASL_NPY_KEYS 3
#define ASL_NPY_DIMS 32 /* at most, NumPy's own limit */

struct asl_npy_header {
	bool seen[ASL_NPY_KEYS];
	struct asl_text descr; /* within the file */
	bool by_columns;       /* the first index varies fastest */
	uint64_t dims;
	uint64_t size[ASL_NPY_DIMS]; /* sizes beyond are not kept */
};

/* Parse a whole file of this type in `dims` dimensions (or any), none of length 0. */
#define ASL_NPY_ANY UINT64_MAX
int asl_npy_open(struct asl_npy_header *h, const char **entries,
		 const char *path, const void *map, size_t map_bytes,
		 enum asl_type type, uint64_t dims);

/* The type of a file's entries; float64 if it is none of ours, or no such file. */
enum asl_type asl_npy_type(const char *path, const void *map, size_t map_bytes);

/* Write the padded head of a file of this type in C order; returns its bytes. */
#define ASL_NPY_HEAD 1024
size_t asl_npy_head(char head[ASL_NPY_HEAD], enum asl_type type,
		    const uint64_t *size, int dims);

#endif
