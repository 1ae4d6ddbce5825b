/*
 * pool.h -- what a pool of the store `pmem` looks like, in the file and inside
 *
 * The file is DIR/aslant-RUN-RANK.pool if it is kept, a libpmemobj pool of layout "aslant".
 * Its root object is a struct asl_pool.  A pool is complete when its magic is
 * there, and a piece is there when its oid is not null; its words begin at
 * asl_pool_align() of the object's address.
 *
 * A pool that outlasts its run is DIR/aslant-resume-RANK.pool.  Its layout says
 * so, and which version and how long it is, so that all this can be read before
 * anything in the file is trusted.  `check` is over all that lies before it.
 *
 * Only pmem*.c, pool.c and their tests include this.
 */
#ifndef ASL_POOL_H
#define ASL_POOL_H

#include <libpmemobj.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#include "nvm/store.h"

#define ASL_POOL_LAYOUT "aslant"
#define ASL_POOL_MAGIC UINT64_C(0x4c4f4f504e4c5341) /* "ASLNPOOL" in bytes */

#define ASL_POOL_RESUMABLE "aslant resume version %d, %ju bytes"

enum {
	ASL_POOL_VERSION = 2,
	ASL_POOL_ALIGN = 64,
	ASL_POOL_RUN_ID = 64,
	ASL_POOL_ABOUT = 4096,
};

struct asl_pool_piece {
	PMEMoid oid;
	uint64_t words;
	uint64_t number; /* of all that were taken, from 0 on */
};

struct asl_pool {
	uint64_t magic;
	uint32_t version;
	int32_t rank;
	uint64_t words, pieces; /* as announced: at most so many, at a time */
	char run_id[ASL_POOL_RUN_ID];

	/* 0 unless the pool outlasts its run. */
	PMEMoid log;
	uint64_t log_words;
	char about[ASL_POOL_ABOUT];
	uint64_t check;
	uint64_t record[ASL_STORE_RECORD];

	struct asl_pool_piece piece[];
};

static inline double *asl_pool_align(void *object)
{
	uintptr_t at = (uintptr_t)object;

	return (double *)((at + ASL_POOL_ALIGN - 1) &
			  ~(uintptr_t)(ASL_POOL_ALIGN - 1));
}

/*
 * Bytes of a pool that holds `words` in any split into `pieces`,
 * or 0 when there is a split that no pool can hold.  Then the objects: what
 * to ask libpmemobj for, 0 when it is more than it gives.
 */
uint64_t asl_pool_bytes(uint64_t words, int pieces);
uint64_t asl_pool_root_bytes(int pieces);
uint64_t asl_pool_piece_bytes(uint64_t words);

/* The longest piece, in words. */
uint64_t asl_pool_longest(void);

/*
 * The path of the pool, and a new file there with all of its
 * blocks, which has a name only if it is to be kept.
 */
int asl_pool_path(char path[PATH_MAX], const struct asl_store_want *want);
int asl_pool_create(int *fd, const char *path, uint64_t bytes, bool keep);

/* Its parts: blocks for an open file; and a name that outlasts a power cut. */
int asl_pool_preallocate(int fd, const char *path, uint64_t bytes);
int asl_pool_sync_dir(const char *path);

/*
 * fsdax, tmpfs or file, whatever the environment makes libpmem
 * believe; and what a reader of results should know about that.
 */
const char *asl_pool_medium(int fd);
void asl_pool_note(char *note, size_t room, const char *medium);

#endif
