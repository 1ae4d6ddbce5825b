/*
 * tensor_format.h -- between the files of tensors and their formats
 */
#ifndef ASL_TENSOR_FORMAT_H
#define ASL_TENSOR_FORMAT_H

#include "lib/matrix/map.h"
#include "lib/symmetric/tensor.h"

struct asl_tensor_in {
	uint64_t n;
	/*
	 * Packed, or else the cube, in which a symmetric tensor is by rows and
	 * by columns alike; nothing promises that it is aligned.
	 */
	const char *entries;
	bool packed;
	void *map; /* the file, until a format puts the entries here */
	size_t map_bytes;
};

/* `in` has a mapped file. */
int asl_tensor_npy_open(struct asl_tensor_in *in, const char *path);

/* Is in's cube symmetric and finite?  0, or -EINVAL. */
int asl_tensor_check(const struct asl_tensor_in *in, const char *path,
		     bool by_columns);
int asl_tensor_tns_open(struct asl_tensor_in *in, const char *path);

#endif
