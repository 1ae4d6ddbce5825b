/*
 * error.c -- the line of the last error, and exit codes
 */
#include "lib/base/error.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

/* Two lines, so that the new one may quote the old one. */
static _Thread_local char lines[2][PATH_MAX + 1024];
static _Thread_local int current;
static _Thread_local bool printed;

int asl_vfail(int err, const char *format, va_list args)
{
	int next = !current;

	vsnprintf(lines[next], sizeof lines[next], format, args);
	/* A path may hold any byte. */
	for (char *c = lines[next]; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '?';
	current = next;
	printed = false;
	return err;
}

int asl_fail(int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	asl_vfail(err, format, args);
	va_end(args);
	return err;
}

const char *asl_failure(void)
{
	return lines[current];
}

void asl_forget_failure(void)
{
	lines[current][0] = '\0';
	printed = false;
}

void asl_failure_printed(void)
{
	printed = true;
}

const char *asl_failure_to_print(void)
{
	return printed ? "" : lines[current];
}

static const int of_input[] = {EINVAL, ERANGE, EOVERFLOW, EISDIR, ELOOP, 0};
static const int of_machine[] = {
	ENOMEM, ENOENT,	      ENOTDIR,	ENOSPC,	    EACCES, EPERM,  EROFS,
	EFBIG,	EIO,	      EEXIST,	EMFILE,	    ENFILE, ENODEV, ETXTBSY,
	EDQUOT, ENAMETOOLONG, ENETDOWN, EOPNOTSUPP, 0};
static const int of_peers[] = {ECONNRESET, ECONNABORTED, EPIPE, 0};

static bool is_one_of(int err, const int *list)
{
	while (*list && *list != -err)
		list++;
	return *list;
}

int asl_exit_code(int err)
{
	if (!err)
		return 0;
	if (err == -EINTR)
		return 130;
	return is_one_of(err, of_input)	    ? 2
	       : is_one_of(err, of_machine) ? 3
	       : is_one_of(err, of_peers)   ? 5
					    : 4;
}
