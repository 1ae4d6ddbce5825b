/*
 * layouts.h -- a symmetric tensor's layout by its name, and the cache it needs
 */
#ifndef ASL_TEST_LAYOUTS_H
#define ASL_TEST_LAYOUTS_H

#include <stdlib.h>

#include "lib/symmetric/wedge.h"

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

/* The cache of the busiest rank, with so many columns at a time. */
static inline uint64_t cache_for(const struct asl_symmetric *s, int columns)
{
	uint64_t R = (uint64_t)s->columns, most = 0;

	for (int p = 0; p < s->layout.ranks; p++) {
		struct asl_wedge w;
		uint64_t more;

		asl_wedge_for_prediction(&w, s, p);
		more = s->gradient ? R * asl_wedge_owned(&w) + R * R : 2;
		most = asl_max(most, asl_wedge_cache(&w, columns) + more);
	}
	return most;
}

#endif
