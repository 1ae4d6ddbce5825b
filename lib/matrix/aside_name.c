/*
 * aside_name.c -- files without a name, or with one that nobody can guess
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "lib/matrix/aside.h"
#include "lib/matrix/format.h"

static int draw_name(struct asl_aside *a)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "abcdefghijklmnopqrstuvwxyz"
				      "0123456789-_";
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

static int open_named(struct asl_aside *a)
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

/* /proc is where such a file can be named in the end. */
static bool open_unnamed(struct asl_aside *a)
{
	if (access("/proc/self/fd", X_OK) != 0)
		return false;
	a->fd = openat(a->spot.dir, ".", O_WRONLY | O_TMPFILE | O_CLOEXEC,
		       0600);
	return a->fd >= 0;
}

/* linkat replaces nothing: so there is another name, for a moment. */
int asl_aside_name(struct asl_aside *a)
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

int asl_aside_open(struct asl_aside *a)
{
	int err;

	if (open_unnamed(a))
		return 0;
	err = open_named(a);
	return err ? asl_file_fail(err, "%s: can't write in its directory: %s",
				   a->path, strerror(-err))
		   : 0;
}
