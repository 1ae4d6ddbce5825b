/*
 * pmem.h -- the store `pmem` and its pools, for nvm/p*.c
 *
 * A kept file is DIR/aslant-RUN-RANK.pool, a libpmemobj pool of layout "aslant".
 * Its root object is a struct asl_pool.  A pool is complete when its magic is
 * there, and a piece exists when its oid is not null; its words begin at
 * asl_pool_align() of the object's address.
 *
 * A pool that outlasts its run is DIR/aslant-resume-RANK.pool.  Its layout holds
 * the version and the length, which are thus known before anything in the file is
 * trusted.  `check` covers all that lies before it.
 */
#ifndef ASL_PMEM_H
#define ASL_PMEM_H

#include <libpmemobj.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>

#include "nvm/provider.h"

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
	uint64_t number; /* in the order of taking, from 0 on */
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

/* Bytes of a pool for `words` in any split into `pieces`; 0: no pool holds all. */
uint64_t asl_pool_bytes(uint64_t words, int pieces);

/* Bytes of an object to ask libpmemobj for; 0: more than it can give. */
uint64_t asl_pool_root_bytes(int pieces);
uint64_t asl_pool_piece_bytes(uint64_t words);

/* The longest piece, in words. */
uint64_t asl_pool_longest(void);

/* Can there be pools?  0 or a negative errno, as from asl_store_open. */
int asl_pool_check_dir(const char *dir);

/* The path of a pool, and a new file there; it has a name only if it is kept. */
int asl_pool_path(char path[PATH_MAX], const struct asl_store_want *want);
int asl_pool_create(int *fd, const char *path, uint64_t bytes, bool keep);

/* "pool PATH: " and what errno says. */
int asl_pool_failed(const char *path);

/*
 * libpmemobj neither makes nor opens a pool on a bad block, and does not say where
 * that is: -EIO and the offset, if this is why.
 */
int asl_pool_bad_block(int fd, const char *path, const char *why);

/*
 * Make a file without a name in a directory.  `name` leads to it: a random name
 * where the file system has no such files.  -1 and errno on failure.
 */
int asl_pool_unnamed(int dir, char name[64]);

/* Allocate the blocks of a file; make its name durable. */
int asl_pool_preallocate(int fd, const char *path, uint64_t bytes);
int asl_pool_sync_dir(const char *path);

/*
 * devdax, fsdax, fsdax-msync, tmpfs or file, whatever libpmem was told; whether words
 * of a pool are durable once they are flushed; and a note for the user.
 */
const char *asl_pool_medium(int fd);
bool asl_pool_is_pmem(const void *at, size_t bytes, const char *medium);
void asl_pool_note(char *note, size_t room, const char *medium,
		   const char *dir);

/* Which memory a tmpfs has been told to take: "mpol=bind:2"; false: any. */
bool asl_pool_policy(char *text, size_t room, const char *dir);

/* Lock a pool for this run; -ETXTBSY: another run has it open. */
int asl_pool_lock(int fd, const char *path);

/* ---- Devices: device.c ---- */

struct asl_device {
	uint64_t id, bytes, align;
	int node; /* -1: not known */
};

/* Is it a device at all?  And a DAX device that this user may use: 0 or -errno. */
bool asl_device_is(const char *place);
int asl_device_look(struct asl_device *out, const char *place);

/* Add DAX devices of this host to a list with commas. */
void asl_device_list(char *list, size_t room);

/* Open and lock a device that has so much room; *bytes is its size. */
int asl_device_open(int *fd, const char *place, uint64_t needed,
		    uint64_t *bytes);

enum asl_device_holds {
	ASL_HOLDS_NOTHING,
	ASL_HOLDS_POOL, /* ours, of a run that was killed, or kept it */
	ASL_HOLDS_RUN,	/* ours, and may be resumed */
	ASL_HOLDS_STRANGER,
};

enum { ASL_DEVICE_LAYOUT = 1024 };

/* Look at the ends of a device: whose pool it holds, and the pool's layout. */
int asl_device_holds(enum asl_device_holds *out, int fd, const char *place,
		     char layout[ASL_DEVICE_LAYOUT]);
bool asl_device_has_head(int fd, const char *place);
int asl_device_refuse(const char *place, enum asl_device_holds holds);

/* Where the first block is that the kernel lists as bad; false: not known. */
bool asl_device_bad_block(uintmax_t *offset, const char *place);

/* Empty it for a pool of this layout; "": leave nothing. */
int asl_device_clear(int fd, const char *place, const char *layout);

/* The checksum of a head. */
static inline uint64_t asl_pool_check(const struct asl_pool *x)
{
	return asl_store_check(&x->version,
			       offsetof(struct asl_pool, check) -
				       offsetof(struct asl_pool, version),
			       0);
}

/* ---- The store, from within ---- */

/* A piece of the pool; the table in DRAM is cheap to search. */
struct asl_pmem_slot {
	double *at; /* NULL: no piece */
	uint64_t words, number;
	bool taken, given; /* in this run; and not yet released */
};

struct asl_pmem {
	struct asl_store base;
	PMEMobjpool *pop;
	struct asl_pool *root;
	bool is_pmem;	/* flushing is enough */
	uint64_t taken; /* words in the pool */
	uint64_t takes; /* so far */

	char *file;	      /* what discard removes, or NULL */
	int device;	      /* open and locked; -1: the pool is a file */
	char place[PATH_MAX]; /* of the device */
	bool stays;	      /* a pool on a device that is not to be cleared */

	/* For a pool that outlasts its run: */
	bool skips;
	int fd; /* holds the locks; -1: it does not outlast it */

	struct asl_pmem_slot slot[]; /* as many as the root has pieces */
};

/* heap.c: as libpmemobj does (asl_store_large_pages). */
PMEMobjpool *asl_pmem_create(const char *path, const char *layout);
PMEMobjpool *asl_pmem_open(const char *path, const char *layout);

/* Make a pool in the file, with a head; p has been cleared. */
int asl_pmem_make(struct asl_pmem *p, int fd, uint64_t bytes,
		  const struct asl_store_want *want);

/* pmem_resume.c: the pool that an earlier run left, or a new one. */
int asl_pmem_resume(struct asl_pmem *p, const char *path, uint64_t bytes,
		    const struct asl_store_want *want);

/* Does an earlier run, or skipping, answer this take? */
bool asl_pmem_take_again(int *err, struct asl_pmem *p, double **at,
			 uint64_t words);

#endif
