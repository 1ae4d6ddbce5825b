/*
 * tensor.c -- entries of a symmetric tensor, generated or from a file
 */
#include "lib/symmetric/tensor.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/matrix/draw.h"
#include "lib/matrix/parts.h"
#include "lib/symmetric/packed.h"
#include "lib/symmetric/tensor_format.h"

#define NUMPY "\x93NUMPY"

static int open_mapped(struct asl_tensor_in *in, const char *path)
{
	size_t magic = strlen(NUMPY);
	bool numpy =
		in->map_bytes >= magic && memcmp(in->map, NUMPY, magic) == 0;

	if (asl_file_ends(path, ".tns"))
		return asl_tensor_tns_open(in, path);
	if (numpy)
		return asl_tensor_npy_open(in, path);
	if (asl_file_ends(path, ".npy"))
		return asl_file_fail(-EINVAL, "%s: is no NumPy file", path);
	return asl_file_fail(-EINVAL,
			     "%s: is neither .npy nor .tns, by name, nor NumPy "
			     "by content",
			     path);
}

int asl_tensor_open(struct asl_tensor_in **out, const char *path)
{
	struct asl_tensor_in *in = calloc(1, sizeof *in);
	int err;

	*out = NULL;
	if (!in)
		return asl_file_fail(-ENOMEM, "%s: no memory", path);
	err = asl_file_map(&in->map, &in->map_bytes, path);
	if (!err)
		err = open_mapped(in, path);
	if (err)
		asl_tensor_close(in);
	else
		*out = in;
	return err;
}

/* Is it n to the power of its dimensions, or packed, and without gaps? */
static bool is_whole(const struct asl_given *x, uint64_t n)
{
	if (x->dims == 1)
		return x->size[0] == asl_tetrahedron(n) && x->step[0] == 1;
	return x->dims == 3 && x->size[0] == n && x->size[1] == n &&
	       x->size[2] == n && x->step[0] == n * n && x->step[1] == n &&
	       x->step[2] == 1;
}

int asl_tensor_given(struct asl_tensor_in **out, const struct asl_given *from,
		     uint64_t n)
{
	struct asl_tensor_in *in;

	*out = NULL;
	if (!is_whole(from, n))
		return asl_file_fail(-EINVAL,
				     "the tensor: expected %ju x %ju x %ju "
				     "entries by rows, without gaps, or one "
				     "dimension of %ju",
				     n, n, n, asl_tetrahedron(n));
	in = calloc(1, sizeof *in);
	if (!in)
		return asl_file_fail(-ENOMEM, "no memory for the tensor");
	in->n = n;
	in->entries = (const char *)from->at;
	in->packed = from->dims == 1;
	*out = in;
	return in->packed ? 0 : asl_tensor_check(in, "the tensor", false);
}

void asl_tensor_close(struct asl_tensor_in *in)
{
	if (!in)
		return;
	asl_file_unmap(in->map, in->map_bytes);
	free(in);
}

uint64_t asl_tensor_size(const struct asl_tensor_in *in)
{
	return in->n;
}

static void read_file(const struct asl_tensor_in *in, double *at, uint64_t a,
		      uint64_t b, uint64_t c, uint64_t count)
{
	uint64_t from = in->packed ? asl_packed_at(a, b, c)
				   : (a * in->n + b) * in->n + c;

	assert(a < in->n);
	memcpy(at, in->entries + 8 * from, 8 * count);
}

/* The fourth number of the generator's counter is 0 for matrices' entries. */
void asl_tensor_read(const struct asl_tensor_source *source, double *at,
		     uint64_t a, uint64_t b, uint64_t c, uint64_t count)
{
	struct asl_draw draw = {
		.seed = source->seed,
		.row = {(uint32_t)b, (uint32_t)a, source->tensor + 1},
		.exact = source->exact};

	assert(a >= b && b + 1 >= c + count);
	if (source->file)
		read_file(source->file, at, a, b, c, count);
	else
		asl_draw(&draw, at, c, count);
}

double asl_tensor_entry(const struct asl_tensor_source *source, uint64_t i,
			uint64_t j, uint64_t k)
{
	uint64_t most = asl_larger(i, asl_larger(j, k));
	uint64_t least = asl_least(i, asl_least(j, k));
	double entry;

	asl_tensor_read(source, &entry, most, i + j + k - most - least, least,
			1);
	return entry;
}
