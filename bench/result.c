/*
 * result.c -- a directory with runs.csv, ranks.csv, machine.json, topology.xml,
 * and of a suite cases.csv
 */
#include "bench/result.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/append.h"
#include "bench/provenance.h"
#include "bench/rows.h"
#include "bench/say.h"
#include "lib/base/error.h"
#include "lib/base/path.h"
#include "lib/machine/machine.h"
#include "lib/matrix/file.h"

const char *const asl_result_names[ASL_RESULT_FILES] = {
	[ASL_RUNS] = "runs.csv",	[ASL_RANKS_TABLE] = "ranks.csv",
	[ASL_MACHINE] = "machine.json", [ASL_TOPOLOGY] = "topology.xml",
	[ASL_CASES] = "cases.csv",
};

/* What the longest of their names, while it is written aside, adds to dir. */
#define ROOM sizeof "/topology.xml.XXXXXX"

int asl_result_failed(const char *dir, const char *name, int err)
{
	return asl_complain_alone(asl_exit_code(err), "--out: %s%s%s: %s", dir,
				  *name ? "/" : "", name, strerror(-err));
}

/* ---- The directory ---- */

static bool is_empty(int fd)
{
	int copy = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *entry;
	bool empty = dir;

	while (empty && (entry = readdir(dir)))
		empty = !strcmp(entry->d_name, ".") ||
			!strcmp(entry->d_name, "..");
	if (dir)
		closedir(dir);
	return empty;
}

/* Another run may have made it, and be about to fill it. */
static int lock(const struct asl_result *r, const char *dir)
{
	if (!flock(r->fd, LOCK_EX | LOCK_NB) || errno != EWOULDBLOCK)
		return 0; /* not all file systems have locks */
	return asl_complain_alone(ASL_BAD_INPUT,
				  "--out: another run or suite is at work in "
				  "%s",
				  dir);
}

int asl_result_check_found(const struct asl_result *r)
{
	const char *dir = r->dir;

	if (!is_empty(r->fd))
		return asl_complain_alone(ASL_BAD_INPUT,
					  "--out: %s is not "
					  "empty; expected a new directory",
					  dir);
	if (faccessat(r->fd, ".", W_OK | X_OK, 0))
		return asl_result_failed(dir, "", -errno);
	return 0;
}

static int check_length(const char *dir)
{
	if (strlen(dir) + ROOM > PATH_MAX)
		return asl_complain_alone(ASL_BAD_INPUT,
					  "--out: the path '%.40s...' is too "
					  "long",
					  dir);
	return 0;
}

/* Made or found, and open. */
static int reach(struct asl_result *r, const char *dir)
{
	struct asl_path spot;
	int err = asl_path_open(&spot, dir);

	if (err)
		return asl_complain_alone(asl_exit_code(err), "--out: %s",
					  asl_failure());
	r->made_dir = !mkdirat(spot.dir, spot.name, 0700);
	if (!r->made_dir && errno != EEXIST)
		err = -errno;
	if (!err)
		r->fd = openat(spot.dir, spot.name,
			       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (!err && r->fd < 0)
		err = -errno;
	close(spot.dir);
	if (err == -ENOTDIR)
		return asl_complain_alone(ASL_BAD_INPUT, "--out: %s: %s", dir,
					  strerror(-err));
	return err ? asl_result_failed(dir, "", err) : 0;
}

void asl_result_init(struct asl_result *r, const char *dir)
{
	*r = (struct asl_result){
		.dir = dir, .fd = -1, .runs = -1, .ranks = -1, .cases = -1};
}

int asl_result_reach(struct asl_result *r, const char *dir)
{
	int code = check_length(dir);

	if (!code)
		code = reach(r, dir);
	if (!code)
		code = lock(r, dir);
	if (!code) {
		r->dir = dir;
		return 0;
	}
	if (r->fd >= 0)
		close(r->fd);
	asl_result_init(r, NULL);
	return code;
}

int asl_result_open(struct asl_result *r, const char *dir)
{
	int code;

	asl_result_init(r, NULL);
	if (!dir)
		return 0;
	code = asl_result_reach(r, dir);
	if (!code && !r->made_dir)
		code = asl_result_check_found(r);
	return code;
}

/* ---- Its files ---- */

const char *asl_result_path(char path[PATH_MAX], const struct asl_result *r,
			    int which)
{
	snprintf(path, PATH_MAX, "%s/%s", r->dir, asl_result_names[which]);
	return path;
}

int asl_result_make(struct asl_result *r, int which)
{
	int fd = openat(r->fd, asl_result_names[which],
			O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0)
		return -errno;
	r->made[which] = true;
	return fd;
}

/* The same, for what is then written aside and put in its place. */
static int claim(struct asl_result *r, int which)
{
	int fd = asl_result_make(r, which);

	return fd < 0 ? fd : close(fd) ? -errno : 0;
}

/* What `put` writes of the repetition; with a heading if it is the first. */
static int add_rows(struct asl_result *r, int *fd, int which,
		    void (*put)(struct asl_csv *, const struct asl_rep *),
		    const struct asl_rep *rep)
{
	struct asl_csv csv;
	int err = asl_csv_open(&csv);

	if (err)
		return asl_result_failed(r->dir, asl_result_names[which], err);
	if (*fd < 0) {
		*fd = asl_result_make(r, which);
		err = *fd < 0 ? *fd : 0;
		csv.naming = true;
		put(&csv, rep);
		csv.naming = false;
	}
	put(&csv, rep);
	if (!err)
		err = asl_csv_flush(&csv);
	if (!err)
		err = asl_append(*fd, csv.text, csv.bytes);
	asl_csv_close(&csv);
	return err ? asl_result_failed(r->dir, asl_result_names[which], err)
		   : 0;
}

/* A machine that hides everything is no reason not to run. */
static int add_topology(struct asl_result *r)
{
	char path[PATH_MAX];
	int err = claim(r, ASL_TOPOLOGY);

	if (err)
		return err;
	err = asl_machine_write_topology(
		asl_result_path(path, r, ASL_TOPOLOGY));
	if (err != -ENODEV)
		return err;
	r->made[ASL_TOPOLOGY] = false;
	asl_complain_alone(0, "note: %s", asl_failure());
	return unlinkat(r->fd, asl_result_names[ASL_TOPOLOGY], 0) ? -errno : 0;
}

static int add_provenance(struct asl_result *r, const struct asl_case *c,
			  const struct asl_rep *rep, int argc, char **argv)
{
	char path[PATH_MAX];
	int err = add_topology(r);

	if (err)
		return asl_result_failed(r->dir, asl_result_names[ASL_TOPOLOGY],
					 err);
	err = claim(r, ASL_MACHINE);
	if (!err)
		err = asl_provenance_write(
			asl_result_path(path, r, ASL_MACHINE), c, rep, argc,
			argv);
	return err ? asl_result_failed(r->dir, asl_result_names[ASL_MACHINE],
				       err)
		   : 0;
}

int asl_result_add(struct asl_result *r, const struct asl_case *c,
		   const struct asl_rep *rep, int argc, char **argv)
{
	off_t before = r->ranks < 0 ? 0 : lseek(r->ranks, 0, SEEK_END);
	int err = 0;

	if (!r->dir)
		return 0;
	if (r->runs < 0)
		err = add_provenance(r, c, rep, argc, argv);
	if (!err)
		err = add_rows(r, &r->ranks, ASL_RANKS_TABLE, asl_put_ranks,
			       rep);
	if (err)
		return err;
	err = add_rows(r, &r->runs, ASL_RUNS, asl_put_run, rep);
	/* A repetition is in both tables or in neither. */
	if (err)
		asl_cut_back(r->ranks, before);
	return err;
}

/* ---- The end ---- */

static bool has_rows(int fd)
{
	struct stat st;

	return fd >= 0 && !fstat(fd, &st) && st.st_size > 0;
}

static void close_file(int fd)
{
	if (fd >= 0)
		close(fd);
}

void asl_result_close(struct asl_result *r)
{
	bool kept = has_rows(r->runs);

	if (!r->dir)
		return;
	for (int i = 0; !kept && i < ASL_RESULT_FILES; i++)
		if (r->made[i])
			unlinkat(r->fd, asl_result_names[i], 0);
	if (!kept && r->made_dir)
		rmdir(r->dir);
	close_file(r->runs);
	close_file(r->ranks);
	close_file(r->cases);
	close_file(r->fd);
}
