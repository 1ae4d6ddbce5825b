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

int asl_exit_code(int err)
{
	switch (-err) {
	case 0:
		return 0;
	case EINVAL:
	case ERANGE:
	case EOVERFLOW:
	case EISDIR:
	case ELOOP:
		return 2;
	case ENOMEM:
	case ENOENT:
	case ENOTDIR:
	case ENOSPC:
	case EACCES:
	case EPERM:
	case EROFS:
	case EFBIG:
	case EIO:
	case EEXIST:
	case EMFILE:
	case ENFILE:
	case ENODEV:
	case ETXTBSY:
	case EDQUOT:
	case ENAMETOOLONG:
	case ENETDOWN:
	case EOPNOTSUPP:
		return 3;
	case ECONNRESET:
	case ECONNABORTED:
	case EPIPE:
		return 5;
	default:
		return 4;
	}
}
