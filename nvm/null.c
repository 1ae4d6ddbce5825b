/*
 * null.c -- a store without data, for counting alone
 *
 * Pieces have no address and moving words is free, so a run of a hundred thousand
 * ranks fits in one process.  All of them have one store, as it has no state.
 */
#include "nvm/provider.h"

static int null_open(struct asl_store **out, const struct asl_store_want *want)
{
	static struct asl_store all = {.ops = &asl_store_null,
				       .medium = "model"};

	(void)want;
	*out = &all;
	return 0;
}

static void null_close(struct asl_store *store)
{
	(void)store;
}

const struct asl_store_ops asl_store_null = {
	.name = "null",
	.summary = "no data at all: counts only",
	.open = null_open,
	.close = null_close,
};
