/*
 * pmem.h -- the store `pmem` from within, for pmem.c and pmem_resume.c
 */
#ifndef ASL_PMEM_H
#define ASL_PMEM_H

#include "nvm/pool.h"
#include "nvm/provider.h"

/* What is in the pool: a copy of its table where looking is cheap. */
struct asl_pmem_slot {
	double *at; /* NULL: nothing */
	uint64_t words, number;
	bool taken, given; /* in this run; and it has not been let go */
};

struct asl_pmem {
	struct asl_store base;
	PMEMobjpool *pop;
	struct asl_pool *root;
	bool is_pmem;	/* as libpmem sees it: flushing is enough */
	uint64_t taken; /* words in the pool */
	uint64_t takes; /* so far */

	/* Of a pool that outlasts its run: */
	bool skips;
	int fd; /* holds the locks; -1: it does not outlast it */

	struct asl_pmem_slot slot[]; /* as many as the root has pieces */
};

/* A pool in the file, with a head that says what is wanted; p is cleared. */
int asl_pmem_make(struct asl_pmem *p, int fd, uint64_t bytes,
		  const struct asl_store_want *want);

/* The slot of an address, or with NULL a free one; NULL: there is none. */
struct asl_pmem_slot *asl_pmem_slot(struct asl_pmem *p, const double *at);

/* Free what is in it. */
void asl_pmem_free(struct asl_pmem *p, struct asl_pmem_slot *slot);

/* pmem_resume.c: the pool that an earlier run left, or a new one. */
int asl_pmem_resume(struct asl_pmem *p, const char *path, uint64_t bytes,
		    const struct asl_store_want *want);
void asl_pmem_unlock(struct asl_pmem *p);
void asl_pmem_skip(struct asl_store *store, bool skips);
void asl_pmem_release(struct asl_store *store);

/* Is this take answered without taking? */
bool asl_pmem_take_again(int *err, struct asl_pmem *p, double **at,
			 uint64_t words);

#endif
