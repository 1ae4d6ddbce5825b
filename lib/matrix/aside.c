/*
 * aside.c -- write a file beside its place, then rename it
 */
#include "lib/matrix/aside.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "lib/matrix/format.h"

/* Small enough that a periodic signal does not interrupt each of them. */
#define STEP_BYTES (UINT64_C(32) << 20)

static int check_place(const char *path)
{
	struct stat st;

	if (stat(path, &st) != 0)
		return 0; /* nothing there; mkstemp will judge the directory */
	if (S_ISDIR(st.st_mode))
		return asl_file_fail(-EISDIR, "%s: is a directory", path);
	if (!S_ISREG(st.st_mode))
		return asl_file_fail(-EINVAL,
				     "%s: exists and is no regular file; it "
				     "is not replaced",
				     path);
	if (access(path, W_OK) != 0)
		return asl_file_fail(-errno,
				     "%s: exists and may not be written: %s",
				     path, strerror(errno));
	return 0;
}

/* Renaming onto a link would replace the link, not the file it names. */
static int name_both(struct asl_aside *a, const char *path)
{
	if (strlen(path) + sizeof(".XXXXXX") > PATH_MAX)
		return asl_file_fail(-ENAMETOOLONG,
				     "%.60s...: the path is too long", path);
	if (!realpath(path, a->path))
		snprintf(a->path, sizeof(a->path), "%s", path);
	if (snprintf(a->temp, sizeof(a->temp), "%s.XXXXXX", a->path) >=
	    (int)sizeof(a->temp))
		return asl_file_fail(-ENAMETOOLONG,
				     "%.60s...: the path is too long", path);
	return 0;
}

int asl_aside_create(struct asl_aside *a, const char *path)
{
	struct rlimit limit;
	int err = check_place(path);

	a->fd = -1;
	if (!err)
		err = name_both(a, path);
	if (err)
		return err;
	a->limit = UINT64_MAX;
	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
	    limit.rlim_cur != RLIM_INFINITY)
		a->limit = limit.rlim_cur;
	a->fd = mkostemp(a->temp, O_CLOEXEC);
	if (a->fd < 0)
		return asl_file_fail(-errno,
				     "%s: can't write in its directory: %s",
				     path, strerror(errno));
	return 0;
}

static int full(const struct asl_aside *a, uint64_t bytes)
{
	struct statvfs fs = {0};

	fstatvfs(a->fd, &fs);
	return asl_file_fail(-ENOSPC,
			     "%s: no room: it needs at least %" PRIu64
			     " bytes, %" PRIu64 " are free",
			     a->path, bytes,
			     (uint64_t)fs.f_bavail * fs.f_frsize);
}

/* Writing past the limit would not fail but kill us, by SIGXFSZ. */
static int check_limit(const struct asl_aside *a, size_t bytes, uint64_t at)
{
	if (bytes <= a->limit && at <= a->limit - bytes)
		return 0;
	return asl_file_fail(-EFBIG,
			     "%s: larger than the %" PRIu64
			     " bytes that ulimit -f allows",
			     a->path, a->limit);
}

static int failed(const struct asl_aside *a, int err, uint64_t bytes)
{
	if (err == ENOSPC || err == EDQUOT)
		return full(a, bytes);
	return asl_file_fail(-err, "%s: %s", a->path, strerror(err));
}

static int check_room(const struct asl_aside *a, uint64_t bytes)
{
	struct statvfs fs;

	if (fstatvfs(a->fd, &fs) != 0 || fs.f_blocks == 0)
		return 0;
	return bytes / fs.f_frsize <= fs.f_bavail ? 0 : full(a, bytes);
}

int asl_aside_reserve(struct asl_aside *a, uint64_t bytes)
{
	uint64_t at = 0;
	int err = check_limit(a, bytes, 0);

	if (!err)
		err = check_room(a, bytes);
	while (!err && at < bytes) {
		uint64_t n = bytes - at < STEP_BYTES ? bytes - at : STEP_BYTES;
		int got = posix_fallocate(a->fd, (off_t)at, (off_t)n);

		if (got == 0)
			at += n;
		else if (got != EINTR)
			err = failed(a, got, bytes);
	}
	return err;
}

int asl_aside_write(struct asl_aside *a, const void *from, size_t bytes,
		    uint64_t at)
{
	const char *next = from;
	int err = check_limit(a, bytes, at);

	while (!err && bytes > 0) {
		ssize_t n = pwrite(a->fd, next, bytes, (off_t)at);

		if (n < 0 && errno != EINTR)
			err = failed(a, errno, at + bytes);
		if (n <= 0)
			continue;
		next += n;
		at += (uint64_t)n;
		bytes -= (size_t)n;
	}
	return err;
}

/*
 * mkstemp made it ours alone; give it the mode that open would have.  umask
 * can only be read by setting it: meanwhile it is the strict one.
 */
static mode_t usual_mode(void)
{
	mode_t mask = umask(077);

	umask(mask);
	return 0666 & ~mask;
}

/* The name is to outlast a power cut where the file system can promise it. */
static void sync_dir(const struct asl_aside *a)
{
	char copy[PATH_MAX];
	int fd;

	snprintf(copy, sizeof(copy), "%s", a->path);
	fd = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	fsync(fd);
	close(fd);
}

int asl_aside_commit(struct asl_aside *a)
{
	int err = 0;

	if (fchmod(a->fd, usual_mode()) != 0 || fsync(a->fd) != 0)
		err = failed(a, errno, 0);
	if (close(a->fd) != 0 && !err)
		err = asl_file_fail(-errno, "%s: %s", a->path, strerror(errno));
	a->fd = -1;
	if (!err && rename(a->temp, a->path) != 0)
		err = asl_file_fail(-errno, "%s: %s", a->path, strerror(errno));
	if (err)
		unlink(a->temp);
	else
		sync_dir(a);
	return err;
}

void asl_aside_discard(struct asl_aside *a)
{
	if (a->fd < 0)
		return;
	close(a->fd);
	a->fd = -1;
	unlink(a->temp);
}

int asl_aside_put(const char *path, const void *from, size_t bytes)
{
	struct asl_aside a;
	int err = asl_aside_create(&a, path);

	if (err)
		return err;
	err = asl_aside_write(&a, from, bytes, 0);
	if (!err)
		return asl_aside_commit(&a);
	asl_aside_discard(&a);
	return err;
}
