/*
 * layouts.h -- a symmetric tensor's layout by its name, for any cache
 */
#ifndef ASL_TEST_LAYOUTS_H
#define ASL_TEST_LAYOUTS_H

#include <stdlib.h>

#include "lib/symmetric/symmetric.h"

/* 0, or asl_symmetric_settle's error and *s as it was. */
static inline int lay_out(struct asl_symmetric *s, const char *layout,
			  int ranks)
{
	struct asl_symmetric *asked = malloc(sizeof *asked);
	struct asl_plan plan = {.algorithm = &asl_symmetric_sttsv,
				.ranks = ranks,
				.cache = UINT64_MAX,
				.symmetric = asked};
	int err;

	if (!asked)
		abort();
	*asked = *s;
	asked->steiner = layout;
	err = asl_symmetric_settle(&plan);
	if (!err)
		*s = *plan.symmetric;
	free((struct asl_symmetric *)plan.symmetric);
	return err;
}

#endif
