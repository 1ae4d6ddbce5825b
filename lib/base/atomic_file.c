/*
 * atomic_file.c -- write a file without a name, then put it in its place
 */
#include "lib/base/atomic_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/error.h"
#include "lib/base/mapped.h"
#include "lib/base/system.h"

static int draw_name(struct asl_atomic_file *a)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmn"
				      "opqrstuvwxyz0123456789-_";
	unsigned char x[6];
	char ending[sizeof x + 1] = {0};

	if (getrandom(x, sizeof x, 0) != sizeof x)
		return -errno;
	for (size_t i = 0; i < sizeof x; i++)
		ending[i] = letters[x[i] % 64];
	snprintf(a->temp, sizeof a->temp, "%.*s.%s",
		 (int)(sizeof a->temp - sizeof ".XXXXXX"), a->spot.name,
		 ending);
	return 0;
}

static int open_named(struct asl_atomic_file *a)
{
	int err;

	do {
		err = draw_name(a);
		if (err)
			return err;
		a->fd = openat(a->spot.dir, a->temp,
			       O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	} while (a->fd < 0 && errno == EEXIST);
	if (a->fd >= 0)
		return 0;
	err = -errno;
	a->temp[0] = '\0';
	return err;
}

/* Without /proc an unnamed file could not be named in the end. */
static bool open_unnamed(struct asl_atomic_file *a)
{
	if (access("/proc/self/fd", X_OK) != 0)
		return false;
	a->fd = openat(a->spot.dir, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC,
		       0600);
	return a->fd >= 0;
}

/* linkat does not replace a file: so it has another name for a moment. */
static int name_file(struct asl_atomic_file *a)
{
	char self[32];
	int err;

	snprintf(self, sizeof self, "/proc/self/fd/%d", a->fd);
	do {
		err = draw_name(a);
		if (!err && linkat(AT_FDCWD, self, a->spot.dir, a->temp,
				   AT_SYMLINK_FOLLOW) != 0)
			err = -errno;
	} while (err == -EEXIST);
	if (err)
		a->temp[0] = '\0';
	return err;
}

/* Sets fd, and temp if it has a name. */
static int open_file(struct asl_atomic_file *a)
{
	int err;

	if (open_unnamed(a))
		return 0;
	err = open_named(a);
	return err ? asl_fail(err, "%s: can't write in its directory: %s",
			      a->path, strerror(-err))
		   : 0;
}

static int check_place(struct asl_atomic_file *a)
{
	struct stat st;

	if (fstatat(a->spot.dir, a->spot.name, &st, AT_SYMLINK_NOFOLLOW) != 0)
		return 0; /* its directory is checked later */
	if (S_ISDIR(st.st_mode))
		return asl_fail(-EISDIR, "%s: is a directory", a->path);
	if (!S_ISREG(st.st_mode))
		return asl_fail(
			-EINVAL,
			"%s: exists and is no regular file; it is not replaced",
			a->path);
	if (faccessat(a->spot.dir, a->spot.name, W_OK, 0) != 0)
		return asl_fail(-errno, "%s: exists and may not be written: %s",
				a->path, strerror(errno));
	a->mode = st.st_mode & 0777;
	return 0;
}

/* Renaming onto a link would replace the link, not the file it names. */
static int find_place(struct asl_atomic_file *a, const char *path)
{
	size_t length = strlen(path);
	int err;

	*a = (struct asl_atomic_file){.fd = -1, .limit = UINT64_MAX};
	if (length >= PATH_MAX)
		return asl_fail(-ENAMETOOLONG, "%.60s...: the path is too long",
				path);
	memcpy(a->path, path, length + 1);
	if (length && path[length - 1] == '/')
		return asl_fail(-EISDIR, "%s: names a directory", path);
	err = asl_path_open(&a->spot, path);
	if (err)
		return err;
	if (strlen(a->spot.name) + sizeof ".XXXXXX" > NAME_MAX + 1)
		return asl_fail(-ENAMETOOLONG, "%s: the name is too long",
				path);
	return check_place(a);
}

static void end(struct asl_atomic_file *a)
{
	if (a->fd >= 0)
		close(a->fd);
	if (*a->temp)
		unlinkat(a->spot.dir, a->temp, 0);
	if (a->spot.dir >= 0)
		close(a->spot.dir);
	a->fd = a->spot.dir = -1;
	a->temp[0] = '\0';
}

static void note_limit(struct asl_atomic_file *a)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_FSIZE, &limit) == 0 &&
	    limit.rlim_cur != RLIM_INFINITY)
		a->limit = limit.rlim_cur;
}

int asl_atomic_file_create(struct asl_atomic_file *a, const char *path)
{
	int err;

	a->spot.dir = -1;
	err = find_place(a, path);
	if (!err)
		err = open_file(a);
	if (err)
		end(a);
	else
		note_limit(a);
	return err;
}

static int full(const struct asl_atomic_file *a, uint64_t bytes)
{
	uint64_t left;

	asl_has_space(a->fd, bytes, &left);
	return asl_fail(
		-ENOSPC,
		"%s: no room: it needs at least %ju bytes, %ju are free",
		a->path, bytes, left);
}

/* Writing past the limit would not fail but raise SIGXFSZ. */
static int check_limit(const struct asl_atomic_file *a, size_t bytes,
		       uint64_t at)
{
	if (bytes <= a->limit && at <= a->limit - bytes)
		return 0;
	return asl_fail(-EFBIG,
			"%s: larger than the %ju bytes that ulimit -f allows",
			a->path, a->limit);
}

static int failed(const struct asl_atomic_file *a, int err, uint64_t bytes)
{
	if (err == ENOSPC || err == EDQUOT)
		return full(a, bytes);
	return asl_fail(-err, "%s: %s", a->path, strerror(err));
}

int asl_atomic_file_reserve(struct asl_atomic_file *a, uint64_t bytes)
{
	uint64_t at;
	int err = check_limit(a, bytes, 0);

	if (err)
		return err;
	if (!asl_has_space(a->fd, bytes, &at))
		return full(a, bytes);
	err = asl_allocate_blocks(a->fd, bytes, &at);
	return err ? failed(a, -err, bytes) : 0;
}

int asl_atomic_file_write(struct asl_atomic_file *a, const void *from,
			  size_t bytes, uint64_t at)
{
	const char *next = from;
	int err = check_limit(a, bytes, at);

	while (!err && bytes > 0) {
		ssize_t n = pwrite(a->fd, next, bytes, (off_t)at);

		if (n < 0 && errno == EFAULT)
			asl_mapped_touch(next, bytes);
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

/* The mode that open would give.  umask can only be read by setting it. */
static mode_t usual_mode(void)
{
	mode_t mask = umask(077);

	umask(mask);
	return 0666 & ~mask;
}

/* Make the name survive a power cut, if the file system can. */
static void sync_dir(const struct asl_atomic_file *a)
{
	int fd = openat(a->spot.dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return;
	fsync(fd);
	close(fd);
}

static int settle(struct asl_atomic_file *a)
{
	if (fchmod(a->fd, a->mode ? a->mode : usual_mode()) != 0 ||
	    fsync(a->fd) != 0)
		return -errno;
	return *a->temp ? 0 : name_file(a);
}

int asl_atomic_file_commit(struct asl_atomic_file *a)
{
	int err = settle(a);

	if (close(a->fd) != 0 && !err)
		err = -errno;
	a->fd = -1;
	if (!err &&
	    renameat(a->spot.dir, a->temp, a->spot.dir, a->spot.name) != 0)
		err = -errno;
	if (err) {
		failed(a, -err, 0);
	} else {
		a->temp[0] = '\0';
		sync_dir(a);
	}
	end(a);
	return err;
}

void asl_atomic_file_discard(struct asl_atomic_file *a)
{
	if (a->fd >= 0)
		end(a);
}

static int fill(struct asl_atomic_file *a, const char *path, const void *from,
		size_t bytes)
{
	int err = asl_atomic_file_create(a, path);

	if (err)
		return err;
	err = asl_atomic_file_write(a, from, bytes, 0);
	if (err)
		asl_atomic_file_discard(a);
	return err;
}

int asl_atomic_file_put(const char *path, const void *from, size_t bytes)
{
	struct asl_atomic_file a;
	int err = fill(&a, path, from, bytes);

	return err ? err : asl_atomic_file_commit(&a);
}

int asl_atomic_file_begin(int *fd, const char *path, const void *from,
			  size_t bytes)
{
	struct asl_atomic_file a;
	int err = fill(&a, path, from, bytes);

	*fd = -1;
	if (err)
		return err;
	*fd = fcntl(a.fd, F_DUPFD_CLOEXEC, 0);
	if (*fd < 0) {
		err = failed(&a, errno, bytes);
		asl_atomic_file_discard(&a);
		return err;
	}
	err = asl_atomic_file_commit(&a);
	if (err) {
		close(*fd);
		*fd = -1;
	}
	return err;
}
