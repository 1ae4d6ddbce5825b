/*
 * provider.h -- what a store implements
 *
 * To add a store: write one file that defines one struct asl_store_ops, and
 * name it in the table of store.c.  A store's own state begins with a struct
 * asl_store, so that the pointer it hands out is also the pointer to its state.
 */
#ifndef ASL_STORE_PROVIDER_H
#define ASL_STORE_PROVIDER_H

#include "nvm/store.h"

struct asl_store {
	const struct asl_store_ops *ops;
	const char *medium;
	char note[256];
	bool discarded; /* nothing is to be left behind */
	int error;	/* the first write that did not become durable */
	char *why;	/* and asl_failure() then */
	/* For a pool that outlasts its run: */
	bool resumed;
	void *record; /* or NULL */
	double *log;
};

/*
 * store.c ensures that rows and bytes are not 0, that `at` is not NULL in give, and
 * that *out and *at are NULL before open and take.
 */
struct asl_store_ops {
	const char *name, *summary;
	struct asl_store_traits can;
	int (*open)(struct asl_store **out, const struct asl_store_want *want);
	void (*close)(struct asl_store *store);
	/* NULL in a store without data. */
	int (*take)(struct asl_store *store, double **at, uint64_t words);
	void (*give)(struct asl_store *store, double *at);
	void (*read)(struct asl_store *store, void *dst, const void *src,
		     const struct asl_store_rows *x);
	void (*write)(struct asl_store *store, void *dst, const void *src,
		      const struct asl_store_rows *x);
	/* NULL where nothing has to be made durable. */
	void (*settle)(struct asl_store *store, double *at, uint64_t words);
	/* NULL unless pools may outlast their run. */
	void (*skip)(struct asl_store *store, bool skips);
	void (*release)(struct asl_store *store);
};

extern const struct asl_store_ops asl_store_pmem, asl_store_dram,
	asl_store_node_memory, asl_store_disk, asl_store_null;

/*
 * A store's read or write by all threads of the team, each of which calls
 * move(arg, dst, src, bytes) for its bytes and then, with 0 bytes and no
 * addresses, at the end of its part.
 */
typedef void asl_store_mover(void *arg, void *dst, const void *src,
			     uint64_t bytes);
void asl_store_move(void *dst, const void *src, const struct asl_store_rows *x,
		    asl_store_mover *move, void *arg);

/* A store's read or write by ordinary loads and stores. */
void asl_store_copy(struct asl_store *store, void *dst, const void *src,
		    const struct asl_store_rows *x);

/* A write did not become durable: keep the first such error and its message. */
void asl_store_keep_error(struct asl_store *store, int err);

/* Memory of its own whose address is a multiple of `page`; NULL: errno says why. */
void *asl_map_aligned(size_t page, size_t bytes);

#endif
