/*
 * null.c -- a store without data, for counting alone
 *
 * Pieces have no address and moving words is free, so a run of a hundred thousand
 * ranks fits in one process.
 */
#include <errno.h>
#include <stdlib.h>

#include "lib/base/error.h"
#include "nvm/provider.h"

static int null_open(struct asl_store **out, const struct asl_store_want *want)
{
	struct asl_store *store = calloc(1, sizeof *store);

	(void)want;
	if (!store)
		return asl_fail(-ENOMEM, "no memory for a store");
	store->ops = &asl_store_null;
	store->medium = "model";
	*out = store;
	return 0;
}

static void null_close(struct asl_store *store)
{
	free(store);
}

const struct asl_store_ops asl_store_null = {
	.name = "null",
	.summary = "no data at all: counts only",
	.open = null_open,
	.close = null_close,
};
