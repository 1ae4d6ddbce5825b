/*
 * result.c -- a directory with runs.csv, ranks.csv, machine.json, topology.xml
 */
#include "bench/result.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/append.h"
#include "bench/provenance.h"
#include "bench/rows.h"
#include "bench/say.h"
#include "lib/machine/machine.h"
#include "lib/matrix/file.h"

enum { RUNS, RANKS, MACHINE, TOPOLOGY };

static const char *const names[ASL_RESULT_FILES] = {
	[RUNS] = "runs.csv",
	[RANKS] = "ranks.csv",
	[MACHINE] = "machine.json",
	[TOPOLOGY] = "topology.xml",
};

/* What the longest of their names, while it is written aside, adds to dir. */
#define ROOM sizeof "/topology.xml.XXXXXX"

static int failed(const char *dir, const char *name, int err)
{
	return asl_complain_alone(asl_exit_code(err), "--out: %s%s%s: %s", dir,
				  *name ? "/" : "", name, strerror(-err));
}

/* ---- The directory ---- */

static bool is_empty(DIR *dir)
{
	struct dirent *entry;

	while ((entry = readdir(dir)))
		if (strcmp(entry->d_name, ".") && strcmp(entry->d_name, ".."))
			return false;
	return true;
}

static int check_found(const char *path)
{
	DIR *dir = opendir(path);
	bool empty;

	if (!dir)
		return asl_complain_alone(
			errno == ENOTDIR ? ASL_BAD_INPUT : ASL_NO_MACHINE,
			"--out: %s: %s", path, strerror(errno));
	empty = is_empty(dir);
	closedir(dir);
	if (!empty)
		return asl_complain_alone(ASL_BAD_INPUT,
					  "--out: %s is not "
					  "empty; expected a new directory",
					  path);
	if (access(path, W_OK | X_OK))
		return failed(path, "", -errno);
	return 0;
}

int asl_result_open(struct asl_result *r, const char *dir)
{
	int code = 0;

	*r = (struct asl_result){.runs = -1, .ranks = -1};
	if (!dir)
		return 0;
	if (strlen(dir) + ROOM > PATH_MAX)
		return asl_complain_alone(ASL_BAD_INPUT,
					  "--out: the path '%.40s...' is too "
					  "long",
					  dir);
	r->made_dir = !mkdir(dir, 0700);
	if (!r->made_dir)
		code = errno == EEXIST ? check_found(dir)
				       : failed(dir, "", -errno);
	r->dir = code ? NULL : dir;
	return code;
}

/* ---- Its files ---- */

static const char *path_of(char path[PATH_MAX], const struct asl_result *r,
			   int which)
{
	snprintf(path, PATH_MAX, "%s/%s", r->dir, names[which]);
	return path;
}

/* A new file, open; or a negative errno: what is there is somebody else's. */
static int make(struct asl_result *r, int which)
{
	char path[PATH_MAX];
	int fd = open(path_of(path, r, which),
		      O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

	if (fd < 0)
		return -errno;
	r->made[which] = true;
	return fd;
}

/* The same, for what is then written aside and put in its place. */
static int claim(struct asl_result *r, int which)
{
	int fd = make(r, which);

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
		return failed(r->dir, names[which], err);
	if (*fd < 0) {
		*fd = make(r, which);
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
	return err ? failed(r->dir, names[which], err) : 0;
}

/* A machine that hides everything is no reason not to run. */
static int add_topology(struct asl_result *r)
{
	char path[PATH_MAX];
	int err = claim(r, TOPOLOGY);

	if (err)
		return err;
	err = asl_machine_write_topology(path_of(path, r, TOPOLOGY));
	if (err != -ENODEV)
		return err;
	r->made[TOPOLOGY] = false;
	asl_complain_alone(0, "note: %s", asl_file_why());
	return unlink(path) ? -errno : 0;
}

static int add_provenance(struct asl_result *r, const struct asl_case *c,
			  const struct asl_rep *rep, int argc, char **argv)
{
	char path[PATH_MAX];
	int err = add_topology(r);

	if (err)
		return failed(r->dir, names[TOPOLOGY], err);
	err = claim(r, MACHINE);
	if (!err)
		err = asl_provenance_write(path_of(path, r, MACHINE), c, rep,
					   argc, argv);
	return err ? failed(r->dir, names[MACHINE], err) : 0;
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
		err = add_rows(r, &r->ranks, RANKS, asl_put_ranks, rep);
	if (err)
		return err;
	err = add_rows(r, &r->runs, RUNS, asl_put_run, rep);
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

void asl_result_close(struct asl_result *r)
{
	char path[PATH_MAX];
	bool kept = has_rows(r->runs);

	if (!r->dir)
		return;
	for (int i = 0; !kept && i < ASL_RESULT_FILES; i++)
		if (r->made[i])
			unlink(path_of(path, r, i));
	if (!kept && r->made_dir)
		rmdir(r->dir);
	if (r->runs >= 0)
		close(r->runs);
	if (r->ranks >= 0)
		close(r->ranks);
}
