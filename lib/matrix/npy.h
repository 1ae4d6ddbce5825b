/*
 * npy.h -- the header of a .npy file, once it is parsed
 */
#ifndef ASL_NPY_H
#define ASL_NPY_H

#include "lib/matrix/format.h"

#define ASL_NPY_KEYS 3

struct asl_npy_text {
	const char *at, *end;
};

struct asl_npy_header {
	bool seen[ASL_NPY_KEYS];
	struct asl_npy_text descr; /* in the header's text */
	bool by_columns;
	uint64_t dims;
	uint64_t size[2]; /* the first two, however many there are */
};

/* *h is zeros before; *t is used up. */
int asl_npy_parse(struct asl_npy_header *h, struct asl_npy_text *t,
		  const char *path);

#endif
