/*
 * layout.c -- what can be asked of a layout, however it was made
 */
#include "lib/symmetric/layout.h"

#include <errno.h>
#include <stdlib.h>

#include "lib/symmetric/layout_parts.h"

int asl_layout_begin(struct asl_layout *l, uint64_t n, int m, int ranks,
		     size_t blocks)
{
	*l = (struct asl_layout){
		.n = n,
		.m = m,
		.ranks = ranks,
		.block = malloc(blocks * sizeof *l->block),
		.first = calloc((size_t)ranks + 1, sizeof *l->first),
	};
	return l->block && l->first ? 0 : -ENOMEM;
}

void asl_layout_free(struct asl_layout *l)
{
	asl_lists_give(&l->rows);
	asl_lists_give(&l->sharers);
	free(l->part);
	free(l->block);
	free(l->first);
	*l = (struct asl_layout){0};
}

struct asl_range asl_layout_share(const struct asl_layout *l, int rank, int i)
{
	int place = asl_list_find(&l->rows, rank, i);

	if (place < 0)
		return (struct asl_range){asl_layout_row(l, i).first, 0};
	return asl_layout_part(l, rank, place);
}

uint64_t asl_layout_words(const struct asl_layout *l, int rank)
{
	uint64_t words = 0;

	for (size_t i = l->first[rank]; i < l->first[rank + 1]; i++) {
		struct asl_block_shape x = asl_layout_shape(l, &l->block[i]);

		words += asl_block_words(&x);
	}
	return words;
}

int asl_layout_common(const struct asl_layout *l, int a, int b,
		      struct asl_common_row *x)
{
	const int *of_a = asl_list(&l->rows, a), *of_b = asl_list(&l->rows, b);
	int a_end = asl_list_length(&l->rows, a);
	int b_end = asl_list_length(&l->rows, b);
	int common = 0;

	for (int i = 0, j = 0; i < a_end && j < b_end;) {
		int left = of_a[i], right = of_b[j];

		if (left == right) {
			if (x)
				x[common] = (struct asl_common_row){i, j};
			common++;
		}
		i += left <= right;
		j += right <= left;
	}
	return common;
}

int asl_layout_end(struct asl_layout *l)
{
	size_t rows = l->rows.first[l->ranks];
	int *met = calloc((size_t)l->m, sizeof *met);

	l->part = calloc(rows + 1, sizeof *l->part);
	for (size_t i = 0; met && l->part && i < rows; i++)
		l->part[i] = met[l->rows.item[i]]++;
	free(met);
	return met && l->part ? 0 : -ENOMEM;
}
