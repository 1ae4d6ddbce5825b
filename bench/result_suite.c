/*
 * result_suite.c -- a result directory that may have been begun
 *
 * cases.csv says so, and is locked while a suite is at work.  It tells how far
 * the tables are to be kept (suite_log.c); the rest is cut off here.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/result.h"
#include "bench/say.h"

/* An open file that was there; or a negative errno. */
static int reopen(const struct asl_result *r, int which)
{
	int fd = openat(r->fd, asl_result_names[which],
			O_RDWR | O_APPEND | O_NOFOLLOW | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/* That of a suite that was begun, or a new one. */
static int open_cases(struct asl_result *r, const char *dir)
{
	int code;

	r->cases = reopen(r, ASL_CASES);
	if (r->cases >= 0)
		return 0;
	code = r->made_dir ? 0 : asl_result_check_found(r);
	if (code)
		return code;
	r->cases = asl_result_make(r, ASL_CASES);
	return r->cases < 0
		       ? asl_result_failed(dir, asl_result_names[ASL_CASES],
					   r->cases)
		       : 0;
}

int asl_result_open_suite(struct asl_result *r, const char *dir)
{
	int code;

	asl_result_init(r, NULL);
	if (!dir)
		return 0;
	code = asl_result_reach(r, dir);
	return code ? code : open_cases(r, dir);
}

/* ---- Cutting ---- */

/* Is it NAME.XXXXXX, as a file is called while it is written aside? */
static bool is_aside(const char *name, int which)
{
	size_t length = strlen(asl_result_names[which]);

	return !strncmp(name, asl_result_names[which], length) &&
	       name[length] == '.' && strlen(name) == length + 7;
}

static void remove_aside(const struct asl_result *r)
{
	int copy = openat(r->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (is_aside(entry->d_name, ASL_MACHINE) ||
		    is_aside(entry->d_name, ASL_TOPOLOGY))
			unlinkat(dirfd(dir), entry->d_name, 0);
	if (dir)
		closedir(dir);
}

/* All that a suite may leave behind before its first case is finished. */
static int begin_anew(const struct asl_result *r)
{
	for (int i = 0; i < ASL_CASES; i++)
		if (unlinkat(r->fd, asl_result_names[i], 0) && errno != ENOENT)
			return asl_result_failed(r->dir, asl_result_names[i],
						 -errno);
	return 0;
}

static int cut(int *fd, const struct asl_result *r, int which, off_t bytes)
{
	struct stat st;

	*fd = reopen(r, which);
	if (*fd < 0)
		return asl_result_failed(r->dir, asl_result_names[which], *fd);
	if (fstat(*fd, &st) || (st.st_size >= bytes && ftruncate(*fd, bytes)))
		return asl_result_failed(r->dir, asl_result_names[which],
					 -errno);
	if (st.st_size < bytes)
		return asl_complain_alone(
			ASL_BAD_INPUT,
			"--out: %s/%s: found %jd bytes, expected %jd or more, "
			"as cases.csv says",
			r->dir, asl_result_names[which], (intmax_t)st.st_size,
			(intmax_t)bytes);
	return 0;
}

int asl_result_cut(struct asl_result *r, off_t runs_bytes, off_t ranks_bytes)
{
	int code;

	remove_aside(r);
	if (!runs_bytes)
		return begin_anew(r);
	code = cut(&r->runs, r, ASL_RUNS, runs_bytes);
	return code ? code : cut(&r->ranks, r, ASL_RANKS_TABLE, ranks_bytes);
}
