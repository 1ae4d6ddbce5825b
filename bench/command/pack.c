/*
 * pack.c -- aslant pack: a directory of results as one file, and back
 *
 * The file is a tar of the directory's files and of SHA256SUMS, which lists all
 * of them, so that any site can check it without aslant.  tar and sha256sum do
 * the work.  What report and compare are given as a file is unpacked to a
 * directory of its own, checked, and removed at the end; no name from the file
 * is trusted.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/command/commands.h"
#include "bench/library/say.h"
#include "lib/base/error.h"

#define SUMS "SHA256SUMS"

enum { MOST_FILES = 64, HASH = 64 };

struct names {
	char *name[MOST_FILES + 1]; /* NULL-ended */
	int count;
};

static bool is_plain(const char *name)
{
	return isalnum((unsigned char)*name) && !strchr(name, '/') &&
	       strlen(name) < 100;
}

static bool add_name(struct names *n, const char *name)
{
	if (n->count == MOST_FILES || !is_plain(name))
		return false;
	n->name[n->count] = strdup(name);
	return n->name[n->count++] != NULL;
}

static void free_names(struct names *n)
{
	while (n->count)
		free(n->name[--n->count]);
}

/* Run a program in a directory, its output to a file there; its exit code. */
static int run(const char *dir, const char *output, const char *program,
	       const char *const *args, const struct names *names)
{
	char *argv[16 + MOST_FILES] = {(char *)program};
	int count = 1, status = -1, fd;
	pid_t child;

	for (; *args; args++)
		argv[count++] = (char *)*args;
	for (int i = 0; names && i < names->count; i++)
		argv[count++] = names->name[i];
	fflush(NULL);
	child = fork();
	if (!child) {
		fd = chdir(dir)
			     ? -1
			     : open(output, O_WRONLY | O_CREAT | O_TRUNC, 0666);
		if (fd < 0 || dup2(fd, STDOUT_FILENO) < 0 ||
		    !freopen("/dev/null", "w", stderr))
			_exit(126);
		execvp(program, argv);
		_exit(127);
	}
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return child > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

#define ARGS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* ---- Packing ---- */

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int list_files(struct names *n, const char *dir)
{
	DIR *list = opendir(dir);
	struct dirent *entry;
	struct stat at;
	int code = 0;

	if (!list)
		return asl_refuse("pack: found '%s', expected a directory that "
				  "run or suite wrote with --out",
				  dir);
	while (!code && (entry = readdir(list))) {
		if (!is_plain(entry->d_name) || !strcmp(entry->d_name, SUMS) ||
		    fstatat(dirfd(list), entry->d_name, &at,
			    AT_SYMLINK_NOFOLLOW) ||
		    !S_ISREG(at.st_mode))
			continue;
		if (!add_name(n, entry->d_name))
			code = asl_refuse("pack: %s has more than %d files",
					  dir, MOST_FILES);
	}
	closedir(list);
	qsort(n->name, (size_t)n->count, sizeof *n->name, compare_names);
	for (int i = 0; !code && i < n->count; i++)
		if (!strcmp(n->name[i], "runs.csv"))
			return 0;
	return code ? code
		    : asl_refuse("pack: found '%s', expected a directory with "
				 "runs.csv",
				 dir);
}

static int pack(const char *dir, const char *path, const struct names *n)
{
	char absolute[PATH_MAX];

	if (!getcwd(absolute, sizeof absolute) ||
	    strlen(absolute) + strlen(path) + 2 > sizeof absolute)
		return asl_complain(ASL_NO_MACHINE, "pack: %s: %s", path,
				    strerror(ENAMETOOLONG));
	if (*path == '/')
		snprintf(absolute, sizeof absolute, "%s", path);
	else
		snprintf(strchr(absolute, '\0'),
			 sizeof absolute - strlen(absolute), "/%s", path);
	if (run(dir, SUMS, "sha256sum", ARGS("--"), n))
		return asl_complain(ASL_NO_MACHINE,
				    "pack: sha256sum fails in "
				    "%s",
				    dir);
	if (run(dir, "/dev/null", "tar",
		ARGS("--create", "--format=ustar", "--sort=name", "--owner=0",
		     "--group=0", "--numeric-owner", "--file", absolute, "--",
		     SUMS),
		n))
		return asl_complain(ASL_NO_MACHINE, "pack: tar cannot write %s",
				    path);
	printf("%s: %d files of %s; tar xf and sha256sum -c " SUMS
	       " check it\n",
	       path, n->count, dir);
	return asl_flush_stdout();
}

int asl_command_pack(struct asl_options *o, int argc, char **argv)
{
	struct names n = {.count = 0};
	const char *dir = o->dir[0];
	char path[PATH_MAX + sizeof ".tar"], *end;
	int code;

	(void)argc, (void)argv;
	if (!dir || o->dir[1])
		return asl_refuse("pack: expected one directory that run or "
				  "suite wrote with --out");
	snprintf(path, sizeof path, "%s", dir);
	for (end = strchr(path, '\0'); end > path + 1 && end[-1] == '/';)
		*--end = '\0';
	strcat(path, ".tar");
	code = list_files(&n, dir);
	if (!code)
		code = pack(dir, o->out ? o->out : path, &n);
	free_names(&n);
	return code;
}

/* ---- Unpacking ---- */

static struct unpacked {
	char parent[64], dir[PATH_MAX];
	struct names names;
} all[ASL_MOST_RESULTS];
static int unpacked;

static void remove_all(void)
{
	for (int i = 0; i < unpacked; i++) {
		struct unpacked *u = &all[i];
		char path[PATH_MAX + 128];

		for (int k = 0; k < u->names.count; k++) {
			snprintf(path, sizeof path, "%s/%s", u->dir,
				 u->names.name[k]);
			unlink(path);
		}
		snprintf(path, sizeof path, "%s/" SUMS, u->dir);
		unlink(path);
		rmdir(u->dir);
		rmdir(u->parent);
		free_names(&u->names);
	}
	unpacked = 0;
}

/* "HASH  NAME", line by line. */
static bool read_sums(struct unpacked *u)
{
	char path[PATH_MAX + 16], line[256];
	FILE *f;

	snprintf(path, sizeof path, "%s/" SUMS, u->dir);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof line, f)) {
		line[strcspn(line, "\n")] = '\0';
		if (strspn(line, "0123456789abcdef") != HASH ||
		    strncmp(line + HASH, "  ", 2) != 0 ||
		    !add_name(&u->names, line + HASH + 2)) {
			fclose(f);
			return false;
		}
	}
	return f && !fclose(f) && u->names.count;
}

static bool all_regular(const struct unpacked *u)
{
	struct stat at;
	char path[PATH_MAX + 128];

	for (int i = 0; i < u->names.count; i++) {
		snprintf(path, sizeof path, "%s/%s", u->dir, u->names.name[i]);
		if (lstat(path, &at) || !S_ISREG(at.st_mode))
			return false;
	}
	return true;
}

static int extract(struct unpacked *u, const char *path)
{
	const struct names sums = {{(char *)SUMS}, 1};

	if (run(u->dir, "/dev/null", "tar",
		ARGS("--extract", "--no-same-owner", "--file", path, "--"),
		&sums) ||
	    !read_sums(u))
		return asl_refuse("found '%s', which is neither a directory "
				  "nor a file of aslant pack",
				  path);
	if (run(u->dir, "/dev/null", "tar",
		ARGS("--extract", "--no-same-owner", "--file", path, "--"),
		&u->names) ||
	    !all_regular(u) ||
	    run(u->dir, "/dev/null", "sha256sum",
		ARGS("--strict", "--status", "--check", SUMS), NULL))
		return asl_refuse("%s: its files are not those of its " SUMS,
				  path);
	return 0;
}

int asl_unpack(const char **dir)
{
	const char *temporary = getenv("TMPDIR"), *name = strrchr(*dir, '/');
	struct unpacked *u = &all[unpacked];
	char path[PATH_MAX], parent[sizeof u->parent];
	struct stat at;

	if (stat(*dir, &at) || !S_ISREG(at.st_mode))
		return 0;
	if (!unpacked)
		atexit(remove_all);
	*u = (struct unpacked){.names.count = 0};
	snprintf(parent, sizeof parent, "%.40s/aslant-XXXXXX",
		 temporary && *temporary ? temporary : "/tmp");
	if (!realpath(*dir, path) || !mkdtemp(parent))
		return asl_complain(ASL_NO_MACHINE, "%s: %s", *dir,
				    strerror(errno));
	name = name ? name + 1 : *dir;
	snprintf(u->dir, sizeof u->dir, "%s/%.*s", parent,
		 (int)strcspn(name, "."), name);
	strcpy(u->parent, parent);
	unpacked++;
	if (mkdir(u->dir, 0700))
		return asl_complain(ASL_NO_MACHINE, "%s: %s", u->dir,
				    strerror(errno));
	*dir = u->dir;
	return extract(u, path);
}
