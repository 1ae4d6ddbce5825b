/*
 * lists.c -- lists of numbers, one after another in one array
 */
#include "lib/symmetric/lists.h"

#include <errno.h>
#include <stdlib.h>

int asl_lists_take(struct asl_lists *l, int count, size_t items)
{
	*l = (struct asl_lists){
		.count = count,
		.first = calloc((size_t)count + 1, sizeof *l->first),
		.item = malloc((items ? items : 1) * sizeof *l->item),
	};
	if (l->first && l->item)
		return 0;
	asl_lists_give(l);
	return -ENOMEM;
}

void asl_lists_give(struct asl_lists *l)
{
	free(l->first);
	free(l->item);
	*l = (struct asl_lists){0};
}

void asl_lists_unique(struct asl_lists *l)
{
	size_t kept = 0, i = 0;

	for (int x = 0; x < l->count; x++) {
		size_t begin = kept;

		for (; i < l->first[x + 1]; i++)
			if (kept == begin || l->item[i] != l->item[kept - 1])
				l->item[kept++] = l->item[i];
		l->first[x + 1] = kept;
	}
}

int asl_lists_transpose(struct asl_lists *out, const struct asl_lists *x,
			int count)
{
	size_t items = x->first[x->count];
	int err = asl_lists_take(out, count, items);

	if (err)
		return err;
	for (size_t i = 0; i < items; i++)
		out->first[x->item[i] + 1]++;
	for (int i = 0; i < count; i++)
		out->first[i + 1] += out->first[i];
	/* While they fill, first[] moves on to where the next list begins. */
	for (int i = 0; i < x->count; i++)
		for (size_t j = x->first[i]; j < x->first[i + 1]; j++)
			out->item[out->first[x->item[j]]++] = i;
	for (int i = count; i > 0; i--)
		out->first[i] = out->first[i - 1];
	out->first[0] = 0;
	return 0;
}

int asl_list_find(const struct asl_lists *l, int i, int x)
{
	const int *list = asl_list(l, i);
	int low = 0, high = asl_list_length(l, i);

	while (low < high) {
		int middle = low + (high - low) / 2;

		if (list[middle] < x)
			low = middle + 1;
		else
			high = middle;
	}
	return low < asl_list_length(l, i) && list[low] == x ? low : -1;
}
