/*
 * view.c -- tensors as strides, and axes of several indices as one
 */
#include "lib/contract/view.h"

uint64_t asl_view_words(const struct asl_term *t, const uint64_t *len)
{
	uint64_t words = 1;

	for (int i = 0; i < t->count; i++)
		words *= len[t->index[i]];
	return words;
}

struct asl_view asl_view_dense(const struct asl_words *x,
			       const struct asl_term *t, const uint64_t *len)
{
	struct asl_view v = {.term = t, .where = x->where, .at = x->at};
	uint64_t stride = 1;

	for (int i = t->count - 1; i >= 0; i--) {
		v.stride[t->index[i]] = stride;
		stride *= len[t->index[i]];
	}
	return v;
}

struct asl_view asl_view_at(const struct asl_view *x, uint64_t word)
{
	struct asl_view v = *x;

	v.at = x->at ? x->at + word : NULL;
	return v;
}

struct asl_axis asl_axis_of(const struct asl_term *t, uint32_t set,
			    const uint64_t *len)
{
	struct asl_axis axis = {.len = 1};

	for (int i = 0; i < t->count; i++) {
		int index = t->index[i];

		if (!(set >> index & 1) || len[index] == 1)
			continue;
		axis.index[axis.count++] = index;
		axis.len *= len[index];
	}
	return axis;
}

bool asl_axis_even(const struct asl_axis *axis, const struct asl_view *x,
		   const uint64_t *len, uint64_t *step)
{
	uint64_t next;

	*step = 1;
	if (axis->count == 0)
		return true;
	*step = next = x->stride[axis->index[axis->count - 1]];
	for (int i = axis->count - 1; i >= 0; i--) {
		if (x->stride[axis->index[i]] != next)
			return false;
		next *= len[axis->index[i]];
	}
	return true;
}

uint64_t asl_axis_step(const struct asl_axis *axis, const struct asl_view *x,
		       const uint64_t *len)
{
	uint64_t step;

	asl_axis_even(axis, x, len, &step);
	return step;
}

uint64_t asl_axis_offset(const struct asl_axis *axis, const struct asl_view *x,
			 const uint64_t *len, uint64_t point)
{
	uint64_t offset = 0;

	for (int i = axis->count - 1; i >= 0; i--) {
		int index = axis->index[i];

		offset += point % len[index] * x->stride[index];
		point /= len[index];
	}
	return offset;
}
