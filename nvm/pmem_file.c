/*
 * pmem_file.c -- the file below a pool
 *
 * It is created exclusively if it is to be kept, else without a name (so that
 * nothing is left behind, whatever ends the process), and gets its blocks, all
 * of them: a full file system is found here and not by a SIGBUS later.
 * libpmemobj opens it by its descriptor.
 */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "lib/base/error.h"
#include "lib/base/path.h"
#include "nvm/pool.h"
#include "nvm/provider.h"

/* Small enough that a periodic signal does not interrupt each of them. */
#define STEP_BYTES (UINT64_C(32) << 20)

static int check_dir(const char *dir)
{
	struct stat st;

	if (stat(dir, &st) != 0)
		return asl_fail(-errno, "pool directory %s: %s", dir,
				strerror(errno));
	if (S_ISCHR(st.st_mode))
		return asl_fail(-ENOTDIR,
				"%s is a device; pools need a directory "
				"(of a DAX file system)",
				dir);
	if (!S_ISDIR(st.st_mode))
		return asl_fail(-ENOTDIR, "%s is not a directory", dir);
	return 0;
}

int asl_pool_path(char path[PATH_MAX], const struct asl_store_want *want)
{
	const char *id = want->run_id;
	int len;

	if (!want->dir || !*want->dir)
		return asl_fail(-EINVAL, "no directory for the pool");
	if (!id || !*id || strchr(id, '/'))
		return asl_fail(-EINVAL,
				"run id '%s' can't be part of a file "
				"name",
				id ? id : "");
	if (strlen(id) >= ASL_POOL_RUN_ID)
		return asl_fail(-ENAMETOOLONG, "run id '%s' is longer than %d",
				id, ASL_POOL_RUN_ID - 1);
	len = snprintf(path, PATH_MAX, "%s/aslant-%s-%d.pool", want->dir, id,
		       want->rank);
	if (len < 0 || len >= PATH_MAX)
		return asl_fail(-ENAMETOOLONG, "%.60s...: the path is too long",
				want->dir);
	return check_dir(want->dir);
}

static double mebi(uint64_t bytes)
{
	return (double)bytes / 1048576;
}

static int no_room(int fd, const char *path, uint64_t bytes)
{
	struct statvfs fs = {0};

	fstatvfs(fd, &fs);
	return asl_fail(-ENOSPC,
			"no room for the pool %s: it needs %.0f MiB, "
			"%.0f MiB are free",
			path, mebi(bytes), mebi(fs.f_bavail * fs.f_frsize));
}

/*
 * Look before taking: filling a disk to the brim disturbs others.  What the
 * file system reserves for root is not for pools, even root's.
 */
static int check_room(int fd, const char *path, uint64_t bytes)
{
	struct rlimit limit;
	struct statvfs fs;

	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && bytes > limit.rlim_cur)
		return asl_fail(-EFBIG,
				"the pool %s needs %.0f MiB, ulimit -f "
				"allows %.0f",
				path, mebi(bytes), mebi(limit.rlim_cur));
	if (fstatvfs(fd, &fs) != 0 || fs.f_blocks == 0)
		return 0;
	return bytes / fs.f_frsize <= fs.f_bavail ? 0
						  : no_room(fd, path, bytes);
}

/* There was room when this rank looked, but others take it at the same time. */
static int filled(const char *path, uint64_t at, uint64_t bytes)
{
	return asl_fail(-ENOSPC,
			"no room for the pool %s: the file system was "
			"full at %.0f of its %.0f MiB",
			path, mebi(at), mebi(bytes));
}

int asl_pool_preallocate(int fd, const char *path, uint64_t bytes)
{
	int err = check_room(fd, path, bytes);
	uint64_t at = 0;

	if (err)
		return err;
	while (at < bytes) {
		uint64_t n = bytes - at < STEP_BYTES ? bytes - at : STEP_BYTES;

		err = posix_fallocate(fd, (off_t)at, (off_t)n);
		if (err == ENOSPC || err == EDQUOT)
			return filled(path, at, bytes);
		if (err && err != EINTR)
			return asl_fail(-err, "pool %s, %.0f MiB: %s", path,
					mebi(bytes), strerror(err));
		if (!err)
			at += n;
	}
	return 0;
}

/* The name too must outlast a power cut. */
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

/* In a file system without unnamed files the name comes and goes. */
static int open_unnamed(int dir)
{
	char name[64];
	uint64_t salt;
	int fd =
		openat(dir, ".", O_RDWR | O_TMPFILE | O_EXCL | O_CLOEXEC, 0600);

	if (fd >= 0)
		return fd;
	if (getrandom(&salt, sizeof salt, 0) != sizeof salt)
		return -1;
	snprintf(name, sizeof name, "aslant-%016jx.pool", salt);
	fd = openat(dir, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd >= 0)
		unlinkat(dir, name, 0);
	return fd;
}

/* With O_EXCL no link is followed, and none on the way that a stranger laid. */
static int open_file(const char *path, bool keep)
{
	char copy[PATH_MAX];
	int dir, fd, err;

	snprintf(copy, sizeof copy, "%s", path);
	dir = asl_path_open_dir(dirname(copy));
	if (dir < 0)
		return dir;
	fd = keep ? openat(dir, strrchr(path, '/') + 1,
			   O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600)
		  : open_unnamed(dir);
	err = fd < 0 ? -errno : 0;
	close(dir);
	if (err == -EEXIST)
		return asl_fail(-EEXIST,
				"pool %s exists: a run of this id is "
				"there, or has left it",
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
