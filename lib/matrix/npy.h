/*
 * npy.h -- a .npy file that is mapped: its header, and where its entries are
 */
#ifndef ASL_NPY_H
#define ASL_NPY_H

#include "lib/base/text.h"
#include "lib/matrix/format.h"

#define ASL_NPY_KEYS 3
#define ASL_NPY_DIMS 32 /* at most, NumPy's own limit */

struct asl_npy_header {
	bool seen[ASL_NPY_KEYS];
	struct asl_text descr; /* in the header's text */
	bool by_columns;       /* the first index runs fastest, not the last */
	uint64_t dims;
	uint64_t size[ASL_NPY_DIMS]; /* the first, however many there are */
};

/*
 * A file of float64 in `dims` dimensions, none of length 0, with all of its
 * entries and nothing after them.
 */
int asl_npy_open(struct asl_npy_header *h, const char **entries,
		 const char *path, const void *map, size_t map_bytes,
		 uint64_t dims);

/*
 * What a file of float64 in C order begins with, padded so that the entries are
 * aligned; its length in bytes.
 */
#define ASL_NPY_HEAD 1024
size_t asl_npy_head(char head[ASL_NPY_HEAD], const uint64_t *size, int dims);

#endif
