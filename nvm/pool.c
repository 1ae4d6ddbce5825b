/*
 * pool.c -- the file of a pool: how large, how it is made, what it lies on
 */
#include "nvm/pmem.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <libpmem.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "lib/base/error.h"
#include "lib/base/parts.h"
#include "lib/base/path.h"
#include "lib/base/system.h"

/* ---- How large a pool must be ---- */

/*
 * A libpmemobj pool is a head with 1024 lanes, then zones of at most 65528
 * chunks of 256 KiB, each zone with 512 KiB in front that describe its chunks.
 * Objects of up to 1.5 chunks share runs of chunks with others of their size
 * class, and what fits depends on the mixture.  Pieces are therefore never
 * smaller than two chunks, and so are always whole chunks, of which 64 bytes
 * at most are libpmemobj's and 48 go to alignment:
 *
 *	chunks(w)	= max(2, ceil((8 w + 112) / 256 Ki))
 *	any split	< 8 words / 256 Ki + 2 pieces + chunks of the root
 *	pool		= 3.06 MiB + 512 KiB zones + 256 KiB chunks,
 *			  in full 2 MiB, at least 8 MiB
 *
 * A piece lies in one zone.  As long as one zone holds all, that is exact.
 * Beyond it, pieces leave gaps at the ends of zones: libpmemobj opens a zone
 * only for a piece that fits in none before, so any two of Z used zones hold
 * more than one zone's worth, C chunks, hence all of them T > C Z / 2, and
 * Z = ceil(2 T / C) - 1 zones are enough for every order and split.
 */

#define CHUNK_BYTES (UINT64_C(256) << 10)
#define ZONE_HEAD_BYTES (UINT64_C(512) << 10)
#define ZONE_CHUNKS UINT64_C(65528)

/* Two pages of descriptions, the lanes, the heap's own head; pages of 64K. */
#define POOL_HEAD_BYTES (UINT64_C(49) << 16)

/* Pools are at least PMEMOBJ_MIN_POOL, 8 MiB. */
#define SMALL_POOL_BYTES (UINT64_C(12) << 20)

/* Files are allocated and mapped fastest in huge pages. */
#define FILE_STEP_BYTES (UINT64_C(2) << 20)

/* No file is larger, and nothing here overflows below it. */
#define MOST_WORDS (UINT64_C(1) << 53)

/* Objects of libpmemobj begin 16 bytes after a multiple of 64. */
enum { ALIGN_BYTES = ASL_POOL_ALIGN - 16, HEAD_BYTES = 64 };

static uint64_t chunks(uint64_t bytes)
{
	uint64_t n = asl_ceil_div(bytes + HEAD_BYTES, CHUNK_BYTES);

	return asl_max(n, 2);
}

static uint64_t object_bytes(uint64_t bytes)
{
	uint64_t n = chunks(bytes);

	return n > ZONE_CHUNKS ? 0 : n * CHUNK_BYTES - HEAD_BYTES;
}

uint64_t asl_pool_root_bytes(int pieces)
{
	return object_bytes(sizeof(struct asl_pool) +
			    (uint64_t)pieces * sizeof(struct asl_pool_piece));
}

uint64_t asl_pool_piece_bytes(uint64_t words)
{
	if (words > MOST_WORDS)
		return 0;
	return object_bytes(words * sizeof(double) + ALIGN_BYTES);
}

uint64_t asl_pool_longest(void)
{
	return (PMEMOBJ_MAX_ALLOC_SIZE - ALIGN_BYTES) / sizeof(double);
}

uint64_t asl_pool_bytes(uint64_t words, int pieces)
{
	uint64_t root = asl_pool_root_bytes(pieces);
	uint64_t all, zones = 1, bytes;

	if (!root || words > MOST_WORDS ||
	    asl_ceil_div(words, asl_pool_longest()) > (uint64_t)pieces)
		return 0;
	all = chunks(root) + words * sizeof(double) / CHUNK_BYTES +
	      2 * (uint64_t)pieces;
	if (all > ZONE_CHUNKS) {
		zones = asl_min(asl_ceil_div(2 * all, ZONE_CHUNKS) - 1,
				(uint64_t)pieces + 1);
		all = zones * ZONE_CHUNKS;
	}
	bytes = POOL_HEAD_BYTES + zones * ZONE_HEAD_BYTES + all * CHUNK_BYTES;
	bytes = asl_ceil_div(bytes, FILE_STEP_BYTES) * FILE_STEP_BYTES;
	return asl_max(bytes, PMEMOBJ_MIN_POOL);
}

/* ---- The file ---- */

/*
 * A file that is kept is created exclusively; any other has no name, so that
 * nothing is left behind, whatever ends the process.  All blocks are allocated: a
 * full file system shows here and not as a SIGBUS later.
 */

int asl_pool_path(char path[PATH_MAX], const struct asl_store_want *want)
{
	const char *id = want->run_id;
	int len;

	if (!want->dir || !*want->dir)
		return asl_fail(-EINVAL, "no directory for the pool");
	if (!id || !*id || strchr(id, '/'))
		return asl_fail(-EINVAL,
				"run id '%s' can't be part of a file name",
				id ? id : "");
	if (strlen(id) >= ASL_POOL_RUN_ID)
		return asl_fail(-ENAMETOOLONG, "run id '%s' is longer than %d",
				id, ASL_POOL_RUN_ID - 1);
	if (asl_device_is(want->dir)) {
		snprintf(path, PATH_MAX, "%s", want->dir);
		return asl_pool_check_dir(want->dir);
	}
	len = snprintf(path, PATH_MAX, "%s/aslant-%s-%d.pool", want->dir, id,
		       want->rank);
	if (len < 0 || len >= PATH_MAX)
		return asl_fail(-ENAMETOOLONG, "%.60s...: the path is too long",
				want->dir);
	return asl_pool_check_dir(want->dir);
}

static double mebi(uint64_t bytes)
{
	return (double)bytes / 1048576;
}

/* A full disk would disturb others; blocks reserved for root stay free. */
static int check_room(int fd, const char *path, uint64_t bytes)
{
	struct rlimit limit;
	uint64_t left;

	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && bytes > limit.rlim_cur)
		return asl_fail(
			-EFBIG,
			"the pool %s needs %.0f MiB, ulimit -f allows %.0f",
			path, mebi(bytes), mebi(limit.rlim_cur));
	if (asl_has_space(fd, bytes, &left))
		return 0;
	return asl_fail(
		-ENOSPC,
		"no room for the pool %s: it needs %.0f MiB, %.0f MiB are free",
		path, mebi(bytes), mebi(left));
}

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25 /* since Linux 6.1 */
#endif

/*
 * A tmpfs has small pages unless it was mounted with others: words of a matrix that
 * lie apart would each need an entry of the TLB, and each page a fault.  The kernel
 * makes a large page where there is one small page at least, and has the fewer to
 * copy, the fewer there are.  Where it has no large ones to give, small ones serve.  In
 * a small pool only libpmemobj's head gets them: a rank touches little of the rest, and
 * to clear all of it takes longer.
 */
static void take_large_pages(int fd, uint64_t bytes)
{
	const uint64_t large = UINT64_C(2) << 20;
	uint64_t whole = bytes <= SMALL_POOL_BYTES
				 ? asl_ceil_div(POOL_HEAD_BYTES, large) * large
				 : bytes - bytes % large;
	char *room, *at;

	if (strcmp(asl_pool_medium(fd), "tmpfs") ||
	    ftruncate(fd, (off_t)bytes) < 0)
		return;
	for (uint64_t first = 0; first < whole; first += large)
		if (fallocate(fd, 0, (off_t)first, 1) < 0)
			return;
	room = mmap(NULL, whole + large, PROT_NONE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (room == MAP_FAILED)
		return;
	at = room + (large - (uintptr_t)room % large) % large;
	if (mmap(at, whole, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0) == at)
		(void)madvise(at, whole, MADV_COLLAPSE);
	munmap(room, whole + large);
}

int asl_pool_preallocate(int fd, const char *path, uint64_t bytes)
{
	int err = check_room(fd, path, bytes);
	uint64_t at;

	if (err)
		return err;
	take_large_pages(fd, bytes);
	err = asl_allocate_blocks(fd, bytes, &at);
	if (err == -ENOSPC) /* others took what check_room found */
		return asl_fail(err,
				"no room for the pool %s: the file system was "
				"full at %.0f of its %.0f MiB",
				path, mebi(at), mebi(bytes));
	return err ? asl_fail(err, "pool %s, %.0f MiB: %s", path, mebi(bytes),
			      strerror(-err))
		   : 0;
}

/* A power cut must not lose the name either. */
int asl_pool_sync_dir(const char *path)
{
	char copy[PATH_MAX];
	int fd, err = 0;

	snprintf(copy, sizeof copy, "%s", path);
	fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || fsync(fd) != 0)
		err = asl_fail(-errno, "%s: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return err;
}

int asl_pool_failed(const char *path)
{
	return asl_fail(-errno, "pool %s: %s", path, strerror(errno));
}

/* A file's shows when it is read. */
static bool find_bad_block(uintmax_t *at, int fd, const char *path)
{
	char page[4096];
	ssize_t n = 1;

	*at = 0;
	if (asl_device_is(path))
		return asl_device_bad_block(at, path);
	while ((n = pread(fd, page, sizeof page, (off_t)*at)) > 0)
		*at += (uintmax_t)n;
	return n < 0;
}

int asl_pool_bad_block(int fd, const char *path, const char *why)
{
	uintmax_t at;

	if (!strstr(why, "bad block"))
		return 0;
	return find_bad_block(&at, fd, path)
		       ? asl_fail(-EIO, "pool %s: offset %ju: %s", path, at,
				  strerror(EIO))
		       : asl_fail(-EIO, "pool %s: %s", path, why);
}

int asl_pool_unnamed(int dir, char name[64])
{
	uint64_t salt;
	int fd = openat(dir, ".", O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);

	snprintf(name, 64, "/proc/self/fd/%d", fd);
	if (fd >= 0)
		return fd;
	if (getrandom(&salt, sizeof salt, 0) != sizeof salt)
		return -1;
	snprintf(name, 64, "aslant-%016jx.pool", salt);
	return openat(dir, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
}

/* O_EXCL follows no link, and asl_path_open_dir none of a stranger. */
static int open_file(const char *path, bool keep)
{
	char copy[PATH_MAX], name[64] = "/";
	int dir, fd, err;

	snprintf(copy, sizeof copy, "%s", path);
	dir = asl_path_open_dir(dirname(copy));
	if (dir < 0)
		return dir;
	fd = keep ? openat(dir, strrchr(path, '/') + 1,
			   O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600)
		  : asl_pool_unnamed(dir, name);
	err = fd < 0 ? -errno : 0;
	if (fd >= 0 && *name != '/')
		unlinkat(dir, name, 0);
	close(dir);
	if (err == -EEXIST)
		return asl_fail(-EEXIST,
				"pool %s exists: a run of this id is there, or "
				"has left it",
				path);
	return err ? asl_fail(err, "pool %s: %s", path, strerror(-err)) : fd;
}

int asl_pool_create(int *fd, const char *path, uint64_t bytes, bool keep)
{
	int err;

	*fd = open_file(path, keep);
	if (*fd < 0)
		return *fd;
	err = keep ? asl_pool_sync_dir(path) : 0;
	if (!err)
		err = asl_pool_preallocate(*fd, path, bytes);
	if (!err)
		return 0;
	close(*fd);
	if (keep)
		unlink(path);
	return err;
}

/* ---- What it lies on ---- */

/*
 * The kernel is asked, not libpmem: PMEM_IS_PMEM_FORCE=1 makes libpmem treat
 * anything as persistent memory, which is useful, but a result must not say so.
 */

/* The kernel promises that what is flushed from the cache is durable. */
static bool is_synchronous(int fd)
{
	void *at =
		mmap(NULL, 1, PROT_READ, MAP_SHARED_VALIDATE | MAP_SYNC, fd, 0);

	return at != MAP_FAILED && munmap(at, 1) == 0;
}

const char *asl_pool_medium(int fd)
{
	struct statfs fs;
	struct statx st;
	struct stat node;

	if (fstat(fd, &node) == 0 && S_ISCHR(node.st_mode))
		return "devdax";
	if (fstatfs(fd, &fs) == 0 &&
	    (fs.f_type == TMPFS_MAGIC || fs.f_type == RAMFS_MAGIC))
		return "tmpfs";
	if (is_synchronous(fd))
		return "fsdax";
	if (statx(fd, "", AT_EMPTY_PATH, 0, &st) == 0 &&
	    (st.stx_attributes & STATX_ATTR_DAX))
		return "fsdax-msync";
	return "file";
}

/*
 * pmem_is_pmem() knows mappings that libpmem made, and any if it is forced to; it
 * denies those of libpmemobj, of which each write would then be an msync.
 */
bool asl_pool_is_pmem(const void *at, size_t bytes, const char *medium)
{
	if (getenv("PMEM_IS_PMEM_FORCE"))
		return pmem_is_pmem(at, bytes);
	return !strcmp(medium, "fsdax") || !strcmp(medium, "devdax") ||
	       pmem_is_pmem(at, bytes);
}

/* The persistent memory below a directory; "": another device. */
static void find_dax(char name[32], const char *dir)
{
	char link[64], path[PATH_MAX], can[8];
	struct stat st;

	*name = '\0';
	if (stat(dir, &st) != 0)
		return;
	snprintf(link, sizeof link, "/sys/dev/block/%u:%u", major(st.st_dev),
		 minor(st.st_dev));
	/* In ndctl's modes sector and raw there is a bus and no DAX. */
	if (realpath(link, path) &&
	    (strstr(path, "/ndbus") ||
	     (asl_system_line(can, sizeof can, "", "%s/queue/dax", path) &&
	      *can == '1')))
		snprintf(name, 32, "%.31s", strrchr(path, '/') + 1);
}

static void about(char *note, size_t room, const char *medium, const char *dir)
{
	const char *what = "";
	char device[32] = "", policy[64];

	if (!strcmp(medium, "file"))
		find_dax(device, dir);
	if (*device) {
		snprintf(note, room,
			 "pools lie in the page cache of a file system without "
			 "DAX: in ndctl's mode fsdax, with blocks of 4096 "
			 "bytes and mount -o dax=always, they would lie on %s",
			 device);
		return;
	}
	if (!strcmp(medium, "tmpfs") &&
	    asl_pool_policy(policy, sizeof policy, dir)) {
		snprintf(
			note, room,
			"pools lie on tmpfs with %s, not on persistent memory: "
			"they cost what the memory of that node costs",
			policy);
		return;
	}
	if (!strcmp(medium, "tmpfs"))
		what = "pools lie on tmpfs, not on persistent memory: they "
		       "cost what DRAM costs";
	if (!strcmp(medium, "file"))
		what = "pools lie in the page cache of a file system, not on "
		       "persistent memory: each write waits for msync; with "
		       "--store disk words go past that cache";
	if (!strcmp(medium, "fsdax-msync"))
		what = "pools lie on a DAX file system without MAP_SYNC: each "
		       "write waits for msync";
	snprintf(note, room, "%s", what);
}

void asl_pool_note(char *note, size_t room, const char *medium, const char *dir)
{
	static const char *const settings[] = {
		"PMEM_IS_PMEM_FORCE", "PMEM_NO_CLWB",	      "PMEM_NO_MOVNT",
		"PMEM_NO_FLUSH",      "PMEM_MOVNT_THRESHOLD",
	};

	about(note, room, medium, dir);
	for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
		const char *value = getenv(settings[i]);
		size_t len = strlen(note);

		if (value)
			snprintf(note + len, room - len, "%s%s=%.8s",
				 len ? "; " : "", settings[i], value);
	}
}
