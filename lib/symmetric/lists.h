/*
 * lists.h -- lists of numbers, one after another in one array
 *
 * Who works with what: blocks of a Steiner system and their points, ranks and
 * their row blocks, and, transposed, row blocks and the ranks that share them.
 */
#ifndef ASL_LISTS_H
#define ASL_LISTS_H

#include <stddef.h>

struct asl_lists {
	int count;
	size_t *first; /* [count + 1]: list i is item[first[i]] and what follows */
	int *item;
};

/* Room for so many lists of so many items together.  0 or -ENOMEM. */
int asl_lists_take(struct asl_lists *l, int count, size_t items);
void asl_lists_give(struct asl_lists *l); /* all zero is allowed */

/* Of equal items that follow one another in a list, keep one. */
void asl_lists_unique(struct asl_lists *l);

/*
 * For each number from 0 to count - 1, in which lists of x it is; ascending.
 * What *out had is not given back.  0 or -ENOMEM.
 */
int asl_lists_transpose(struct asl_lists *out, const struct asl_lists *x,
			int count);

static inline const int *asl_list(const struct asl_lists *l, int i)
{
	return l->item + l->first[i];
}

static inline int asl_list_length(const struct asl_lists *l, int i)
{
	return (int)(l->first[i + 1] - l->first[i]);
}

/* Where x is in the ascending list i; -1: it is not. */
int asl_list_find(const struct asl_lists *l, int i, int x);

#endif
