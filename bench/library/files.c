/*
 * files.c -- files that are read must be there, and must not be written
 *
 * Whatever is written replaces what had the name: an operand given as --csv, or
 * as --result, would be lost, and of --csv and --result the one written first.
 */
#include "bench/library/files.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bench/library/profile.h"
#include "bench/library/say.h"

int asl_readable(const char *path)
{
	struct stat st;

	if (access(path, R_OK) || stat(path, &st))
		return -errno;
	return S_ISDIR(st.st_mode) ? -EISDIR : 0;
}

static bool same_inode(const struct stat *x, const struct stat *y)
{
	return x->st_dev == y->st_dev && x->st_ino == y->st_ino;
}

static bool stat_parent(struct stat *st, const char *path)
{
	char copy[PATH_MAX];

	snprintf(copy, sizeof copy, "%s", path);
	return !stat(dirname(copy), st);
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

bool asl_same_file(const char *a, const char *b)
{
	struct stat x, y;

	if (!strcmp(a, b))
		return true;
	if (!stat(a, &x))
		return !stat(b, &y) && same_inode(&x, &y);
	return !strcmp(last_part(a), last_part(b)) && stat_parent(&x, a) &&
	       stat_parent(&y, b) && same_inode(&x, &y);
}

struct file {
	const char *option, *path; /* path NULL: not given */
};

static int check_apart(const struct file *written, const struct file *other)
{
	if (!written->path || !other->path ||
	    !asl_same_file(written->path, other->path))
		return 0;
	return asl_complain(ASL_BAD_INPUT,
			    "--%s and --%s are the same file: %s",
			    written->option, other->option, written->path);
}

static int check_operands(const struct file *written,
			  const struct asl_options *o)
{
	int err = 0;

	for (int i = 0; !err && o->operand[i]; i++)
		err = check_apart(written,
				  &(struct file){"operand", o->operand[i]});
	return err;
}

int asl_files_check(const struct asl_options *o)
{
	bool to_stdout = o->csv && !strcmp(o->csv, "-");
	bool built_in = o->profile && asl_profile_built_in(o->profile);
	const char *profile = built_in ? NULL : o->profile;
	const struct file files[] = {
		{"csv", to_stdout ? NULL : o->csv},
		{"result", o->result},
		{"a", o->a},
		{"b", o->b},
		{"tensor", o->tensor},
		{"steiner", o->steiner},
		{"profile", profile},
	};
	const int count = sizeof files / sizeof files[0];
	int err = 0;

	for (int written = 0; !err && written < 2; written++) {
		for (int i = written + 1; !err && i < count; i++)
			err = check_apart(&files[written], &files[i]);
		if (!err)
			err = check_operands(&files[written], o);
	}
	return err;
}
