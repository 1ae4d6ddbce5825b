/*
 * store.h -- the large memory of one rank, where matrices live
 *
 * A store is opened by name: `pmem` (one libpmemobj pool per rank), `dram`
 * (ordinary memory), `node` (memory of one NUMA node), `disk` (a file, past the page
 * cache) or `null` (no data at all: pieces have no address, and moving words is free).  Words are doubles.
 *
 * Reading	Pieces may be read in place, by anybody; on a disk that takes much
 *		longer than asl_store_read.
 * Writing	Goes through asl_store_write, which is durable when it returns
 *		(non-temporal stores, then a drain), or in place followed by
 *		asl_store_settle.
 * Counting	None here: that is the business of lib/rank.
 * Errors	0, or a negative errno (lib/base/error.h).  A write
 *		that could not be made durable is kept in asl_store_error().
 * Resume	A pool may outlast its run, for another run of the same case to
 *		resume (asl_store_want.about; lib/rank/resume.h).
 * Threads	One at a time per store; reads and writes use the rank's team.
 */
#ifndef ASL_STORE_H
#define ASL_STORE_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct asl_store;

struct asl_store_want {
	const char *name;   /* pmem, dram, node, disk, null */
	const char *dir;    /* pmem: a directory or a DAX device; disk */
	bool erase; /* pmem: whatever is on the device is overwritten */
	const char *run_id; /* pmem: goes into the pool's header and name */
	int rank;	    /* pmem: goes there, too */
	uint64_t words;	    /* pmem: the most that is taken at a time */
	uint64_t longest;   /* pmem: of one piece, as far as that is known */
	int pieces;	    /* pmem: the most pieces at a time */
	bool keep;	    /* pmem: leave the pool file behind */
	/*
	 * pmem: the case of a pool that outlasts its run, as lines of "name
	 * value"; NULL: it does not.  An existing pool of this run id and rank
	 * is resumed if it is of the same case, else refused.
	 */
	const char *about;
	uint64_t log; /* and words set aside in it, for asl_store_log */

	/* node: the NUMA node, its kind, and what takes an area's pages there. */
	int node;
	const char *kind;
	int (*bind)(void *at, size_t bytes, int node);
};

/*
 * On success *out is the caller's to close; on failure *out is NULL.
 *
 *	-ENOENT		no such store, or the directory is missing
 *	-ENOTDIR -EACCES -EROFS	the directory or device can't be used
 *	-ENOSPC		the file system can't hold the pool
 *	-EFBIG		a piece must be larger than a store can hold in one, or
 *			the pool larger than ulimit -f allows
 *	-EEXIST		keep: a pool of this run id and rank is there
 *	-EINVAL -ENAMETOOLONG	the run id can't be part of a file name
 *	-EINVAL		about: the pool that is there is cut off, damaged, not
 *			ours, of another version, or for something else
 *	-ETXTBSY	about, or a device: another process has it open
 *	-EINVAL		a device holds what is not ours, or an interrupted run
 *
 * A pool is preallocated in full, so that a full file system is found here and
 * never later.  Without keep it has no name (O_TMPFILE), so dir may be used
 * directly, and whatever ends the process, nothing is left behind.  A file
 * system that has no such files gives it one for a moment.
 */
int asl_store_open(struct asl_store **out, const struct asl_store_want *want);

/*
 * Have libpmemobj take the memory that it needs itself from large pages.  Call this
 * before the program first uses libpmemobj, and not if it opens pools of its own.
 */
void asl_store_large_pages(void);

/* NULL is allowed.  Frees all pieces, except those in a kept pool. */
void asl_store_close(struct asl_store *store);

/* Close, and remove what keep or about would leave behind. */
void asl_store_discard(struct asl_store *store);

/*
 * Allocate a piece: words of any content, 64-byte aligned.  *at is NULL in a null
 * store and after an error.  Zero words are a piece, too.
 *
 *	-ENOMEM		there is no room; in pmem also: more words or pieces
 *			than were announced when it was opened
 *	-EFBIG		pmem: larger than one object of libpmemobj can be
 *
 * The announced words always fit, in any split and order, if pieces are given back
 * in reverse order, or all at once; another order can leave gaps in a pool.
 * asl_store_give frees a piece; NULL is allowed.
 */
int asl_store_take(struct asl_store *store, double **at, uint64_t words);
void asl_store_give(struct asl_store *store, double *at);

/* Copy rows x cols words, `ld` from row to row; a null store does nothing. */
void asl_store_read(struct asl_store *store, double *dst, uint64_t dst_ld,
		    const double *src, uint64_t src_ld, uint64_t rows,
		    uint64_t cols);
void asl_store_write(struct asl_store *store, double *dst, uint64_t dst_ld,
		     const double *src, uint64_t src_ld, uint64_t rows,
		     uint64_t cols);

/* Rows of bytes, `step` bytes apart: for numbers that are no doubles. */
struct asl_store_rows {
	uint64_t dst_step, src_step, rows, bytes;
};

void asl_store_read_bytes(struct asl_store *store, void *dst, const void *src,
			  const struct asl_store_rows *x);
void asl_store_write_bytes(struct asl_store *store, void *dst, const void *src,
			   const struct asl_store_rows *x);

/* Make durable what somebody else (the network) wrote in place. */
void asl_store_settle(struct asl_store *store, double *at, uint64_t words);

/* ---- Pools that outlast their run ---- */

/* Did an earlier run leave it? */
bool asl_store_resumed(const struct asl_store *store);

/* Words in the pool for the run's progress, zero at first; NULL elsewhere. */
enum { ASL_STORE_RECORD = 64 };
void *asl_store_record(struct asl_store *store);

/* The words of asl_store_want.log, which hold no pieces. */
double *asl_store_log(struct asl_store *store);

/*
 * A resumed run takes pieces in the order in which they were first taken, and
 * finds them as they were.  One that has gone since is allocated anew; or, while
 * the store skips, is nowhere and must not be touched.  A piece that is given
 * stays until it is released.
 */
#define ASL_STORE_NOWHERE ((double *)4096)
void asl_store_skip(struct asl_store *store, bool skips);
void asl_store_release(struct asl_store *store);

/* A checksum of bytes, in full words. */
uint64_t asl_store_check(const void *at, size_t bytes, uint64_t from);

/* False for null: there are no words behind the addresses. */
bool asl_store_has_data(const struct asl_store *store);

/* asl_store_traits.plain */
bool asl_store_is_plain(const struct asl_store *store);

/* asl_store_traits.blocks */
bool asl_store_has_blocks(const struct asl_store *store);

/*
 * fsdax, devdax, tmpfs, file; disk; dram; for a node what it is made of; model if there
 * are no words.
 */
const char *asl_store_medium(const struct asl_store *store);

/* A note for the user about the medium, or "". */
const char *asl_store_note(const struct asl_store *store);

/* The first failure of a write or settle, else 0; asl_failure() tells it. */
int asl_store_error(const struct asl_store *store);

/* Make bytes durable if a pool or a file is mapped there; else do nothing. */
int asl_store_persist(const void *at, size_t bytes);

/* What a store can do: ask this, never for a name.  All false for no store. */
struct asl_store_traits {
	bool has_data;	/* there are words behind the addresses */
	bool plain;	/* ordinary memory, near the core: computed with in place */
	bool needs_dir; /* a pool is a file, in asl_store_want.dir */
	bool needs_node; /* memory of a NUMA node, asl_store_want.node */
	bool lasts;	/* a pool may outlast its run (asl_store_want.about) */
	bool blocks; /* of a disk: words used in place pass the page cache */
};

const struct asl_store_traits *asl_store_can(const char *name);

/* The names of all stores, in a NULL-ended array, and a line on each. */
const char *const *asl_store_names(void);
const char *asl_store_summary(const char *name);

/* The version of the library of pools, as a line: "libpmemobj API 2.4\n". */
const char *asl_store_versions(void);

/*
 * Where pools go when the user does not say: $ASLANT_NVM_DIR if it is set
 * (a wrong one is for asl_store_open to refuse, not to be passed over in
 * silence), else the first of /dev/shm, $TMPDIR and /tmp that is there and
 * writable.  *fresh says whether a run that keeps its pools should make a
 * directory of its own for them there (all but the first).
 */
const char *asl_store_default_dir(bool *fresh);

/* Several places for pools, as users list them: "/mnt/pmem0,/mnt/pmem1". */
enum { ASL_STORE_PLACES = 64 };

struct asl_store_places {
	int count;
	char *at[ASL_STORE_PLACES];
	char text[PATH_MAX];
};

/* 0, -EINVAL: an empty name, or too many; -ENAMETOOLONG.  No place is tried. */
int asl_store_split(struct asl_store_places *out, const char *list);

/* A place for pools, as ranks choose among several; 0 or -errno. */
struct asl_store_site {
	int node;    /* that it is next to; -1: not known */
	bool single; /* a DAX device: one pool fills it */
	uint64_t id; /* of the device or the file system */
};

int asl_store_site(struct asl_store_site *out, const char *place);

/*
 * Places for persistent pools that are mounted here; false: there are none, or a
 * list of them is too long.
 */
bool asl_store_find(struct asl_store_places *out);

/* Bytes that the places of a list can hold on this host; 0: not known. */
uint64_t asl_store_capacity(const char *list);

/* What a directory for pools lies on; "": the kernel does not say. */
struct asl_store_place {
	const char *medium;	/* as asl_store_medium */
	char file_system[32];	/* tmpfs, ext4, xfs, ... */
	char source[256];	/* what is mounted: /dev/pmem0 */
	char mounted[PATH_MAX]; /* and where */
	char options[1024];	/* of the mount */
	char device[64], model[64];
	int numa_node; /* of the device; -1: not known */
};

/* 0, or the negative errno of asl_store_open: no pool can be there. */
int asl_store_place(struct asl_store_place *out, const char *dir);

#endif
