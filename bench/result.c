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
#include <sys/stat.h>
#include <unistd.h>

#include "bench/append.h"
#include "bench/provenance.h"
#include "bench/rows.h"
#include "bench/say.h"
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
		return asl_result_failed(path, "", -errno);
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

int asl_result_open(struct asl_result *r, const char *dir)
{
	int code;

	*r = (struct asl_result){.runs = -1, .ranks = -1, .cases = -1};
	if (!dir)
		return 0;
	code = check_length(dir);
	if (code)
		return code;
	r->made_dir = !mkdir(dir, 0700);
	if (!r->made_dir)
		code = errno == EEXIST ? check_found(dir)
				       : asl_result_failed(dir, "", -errno);
	r->dir = code ? NULL : dir;
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
	char path[PATH_MAX];
	int fd = open(asl_result_path(path, r, which),
		      O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);

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
	asl_complain_alone(0, "note: %s", asl_file_why());
	return unlink(path) ? -errno : 0;
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

void asl_result_close(struct asl_result *r)
{
	char path[PATH_MAX];
	bool kept = has_rows(r->runs);

	if (!r->dir)
		return;
	for (int i = 0; !kept && i < ASL_RESULT_FILES; i++)
		if (r->made[i])
			unlink(asl_result_path(path, r, i));
	if (!kept && r->made_dir)
		rmdir(r->dir);
	if (r->runs >= 0)
		close(r->runs);
	if (r->ranks >= 0)
		close(r->ranks);
	if (r->cases >= 0)
		close(r->cases);
}
