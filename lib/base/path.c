/*
 * path.c -- paths without links that a stranger may have laid
 *
 * The path is walked one name at a time, each seen from the directory before it,
 * so that what was checked is what is used.  Links are followed as the kernel
 * would, except in directories that anybody may write to (/tmp, /dev/shm), where
 * fs.protected_symlinks, if set, refuses only some.
 */
#include "lib/base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/error.h"

enum { MOST_LINKS = 40 }; /* the kernel's own limit */

struct walk {
	const char *path;	  /* as it was given, for people */
	char ahead[2 * PATH_MAX]; /* what is left of it */
	int dir;		  /* what it is seen from */
	int links;		  /* followed so far */
};

static int failed(const struct walk *w, int err)
{
	return asl_fail(err, "%s: %s", w->path, strerror(-err));
}

/* The next name of the way, "" at its end; slashes around it are gone. */
static int take_name(struct walk *w, char name[NAME_MAX + 1])
{
	char *at = w->ahead + strspn(w->ahead, "/");
	size_t length = strcspn(at, "/");

	if (length > NAME_MAX)
		return failed(w, -ENAMETOOLONG);
	memcpy(name, at, length);
	name[length] = '\0';
	at += length + strspn(at + length, "/");
	memmove(w->ahead, at, strlen(at) + 1);
	return 0;
}

static int enter(struct walk *w, int dir)
{
	if (dir < 0)
		return failed(w, -errno);
	if (w->dir >= 0)
		close(w->dir);
	w->dir = dir;
	return 0;
}

static int begin(struct walk *w)
{
	return enter(w, open(*w->ahead == '/' ? "/" : ".",
			     O_PATH | O_DIRECTORY | O_CLOEXEC));
}

static int refuse_link(const struct walk *w, const char *name)
{
	return asl_fail(-ELOOP,
			"%s: found a symbolic link '%s' in a directory that "
			"anybody may write to, expected none: who laid it "
			"decides where it leads",
			w->path, name);
}

/* The link's own text takes the place of its name. */
static int follow(struct walk *w, const char *name)
{
	char text[PATH_MAX], rest[sizeof w->ahead];
	struct stat st;
	ssize_t length;

	if (fstat(w->dir, &st))
		return failed(w, -errno);
	if (st.st_mode & S_IWOTH)
		return refuse_link(w, name);
	if (++w->links > MOST_LINKS)
		return failed(w, -ELOOP);
	length = readlinkat(w->dir, name, text, sizeof text - 1);
	if (length <= 0)
		return failed(w, length ? -errno : -ENOENT);
	text[length] = '\0';
	strcpy(rest, w->ahead);
	if (snprintf(w->ahead, sizeof w->ahead, "%s%s%s", text,
		     *rest ? "/" : "", rest) >= (int)sizeof w->ahead)
		return failed(w, -ENAMETOOLONG);
	return *text == '/' ? begin(w) : 0;
}

static bool is_link(const struct walk *w, const char *name)
{
	struct stat st;

	return !fstatat(w->dir, name, &st, AT_SYMLINK_NOFOLLOW) &&
	       S_ISLNK(st.st_mode);
}

/* What is a link now may be none in a moment: nothing here follows one. */
static int step(struct walk *w, const char *name)
{
	int dir = openat(w->dir, name,
			 O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (dir < 0 && (errno == ENOTDIR || errno == ELOOP) && is_link(w, name))
		return follow(w, name);
	return enter(w, dir);
}

static int walk(struct walk *w, char name[NAME_MAX + 1])
{
	int err = begin(w);

	if (!err)
		err = take_name(w, name);
	while (!err && (*w->ahead || is_link(w, name))) {
		err = *w->ahead ? step(w, name) : follow(w, name);
		if (!err)
			err = take_name(w, name);
	}
	return err;
}

int asl_path_open(struct asl_path *found, const char *path)
{
	struct walk w = {.path = path, .dir = -1};
	int err;

	*found = (struct asl_path){.dir = -1};
	if (!*path)
		return failed(&w, -ENOENT);
	if (strlen(path) >= PATH_MAX)
		return asl_fail(-ENAMETOOLONG, "%.60s...: the path is too long",
				path);
	strcpy(w.ahead, path);
	err = walk(&w, found->name);
	if (err) {
		if (w.dir >= 0)
			close(w.dir);
		return err;
	}
	if (!*found->name) /* "/" */
		strcpy(found->name, ".");
	found->dir = w.dir;
	return 0;
}

int asl_path_open_dir(const char *path)
{
	struct asl_path found;
	int fd, err = asl_path_open(&found, path);

	if (err)
		return err;
	fd = openat(found.dir, found.name,
		    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		fd = asl_fail(-errno, "%s: %s", path, strerror(errno));
	close(found.dir);
	return fd;
}

int asl_path_make_above(const char *path)
{
	char above[PATH_MAX];

	if (strlen(path) >= sizeof above)
		return asl_fail(-ENAMETOOLONG, "%.60s...: the path is too long",
				path);
	strcpy(above, path);
	for (char *at = above + 1; *above && (at = strchr(at, '/')); at++) {
		*at = '\0';
		if (mkdir(above, 0777) && errno != EEXIST)
			return asl_fail(-errno, "%s: %s", above,
					strerror(errno));
		*at = '/';
	}
	return 0;
}
