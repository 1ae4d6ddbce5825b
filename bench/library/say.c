/*
 * say.c -- complaints: one line each on stderr, from one rank of a job
 */
#include "bench/library/say.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lib/base/error.h"
#include "net/net.h"

/* Threads of a program that call the library each have their own. */
static _Thread_local char about[PATH_MAX + 256]; /* "a path: a case: " */
static _Thread_local bool aside;
static _Thread_local char last[2 * PATH_MAX + 1280]; /* with another path */

/* Terminals obey some characters beyond ASCII, too: U+0080 to U+009F. */
int asl_control_bytes(const char *at)
{
	const unsigned char *c = (const unsigned char *)at;

	if (c[0] == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0)
		return 2;
	return (c[0] && c[0] < ' ') || c[0] == 127;
}

/* Users may type anything; a complaint stays one line. */
static void compose(const char *format, va_list args)
{
	size_t used = (size_t)snprintf(last, sizeof last, "%s", about);

	vsnprintf(last + used, sizeof last - used, format, args);
	for (char *c = last; *c; c++)
		memset(c, '?', (size_t)asl_control_bytes(c));
}

/* ---- The terminal ---- */

#define TERMINAL "ASLANT_TERMINAL" /* columns of stdout's, and of stderr's */

static int columns_passed_on(int fd)
{
	const char *text = getenv(TERMINAL);
	int columns[2] = {0, 0};

	if (!text ||
	    sscanf(text, "%d,%d", &columns[0], &columns[1]) != 2)
		return 0;
	return fd == STDOUT_FILENO ? columns[0] : columns[1];
}

int asl_terminal_columns(FILE *f)
{
	enum { USUAL = 80 };
	struct winsize size = {.ws_col = 0};
	int fd = fileno(f);

	if (isatty(fd))
		return !ioctl(fd, TIOCGWINSZ, &size) && size.ws_col
			       ? size.ws_col
			       : USUAL;
	return fd == STDOUT_FILENO || fd == STDERR_FILENO
		       ? columns_passed_on(fd)
		       : 0;
}

void asl_terminal_pass_on(void)
{
	char text[32];

	snprintf(text, sizeof text, "%d,%d", asl_terminal_columns(stdout),
		 asl_terminal_columns(stderr));
	setenv(TERMINAL, text, 1);
}

const char *asl_colour(FILE *f, int good)
{
	const char *none = getenv("NO_COLOR"), *term = getenv("TERM");

	if ((none && *none) || !term || !strcmp(term, "dumb") ||
	    !asl_terminal_columns(f))
		return "";
	return good < 0 ? "\33[0m" : good ? "\33[32m" : "\33[1;31m";
}

/* ---- Names that are nearly right ---- */

enum { LONGEST = 40 };

static int least(int a, int b, int c)
{
	int less = a < b ? a : b;

	return less < c ? less : c;
}

static bool is_same(char a, char b)
{
	return tolower((unsigned char)(a == '_' ? '-' : a)) ==
	       tolower((unsigned char)(b == '_' ? '-' : b));
}

/* Letters to add, drop, replace or exchange; both are at most LONGEST. */
static int distance(const char *a, const char *b)
{
	int row[LONGEST + 1][LONGEST + 1];
	int m = (int)strlen(a), n = (int)strlen(b);

	for (int i = 0; i <= m; i++)
		for (int j = 0; j <= n; j++) {
			int *x = &row[i][j];

			if (!i || !j) {
				*x = i + j;
				continue;
			}
			*x = least(row[i - 1][j] + 1, row[i][j - 1] + 1,
				   row[i - 1][j - 1] +
					   !is_same(a[i - 1], b[j - 1]));
			if (i > 1 && j > 1 && is_same(a[i - 1], b[j - 2]) &&
			    is_same(a[i - 2], b[j - 1]) &&
			    row[i - 2][j - 2] + 1 < *x)
				*x = row[i - 2][j - 2] + 1;
		}
	return row[m][n];
}

const char *asl_meant(const char *found, const char *before,
		      const char *const *names)
{
	static _Thread_local char text[32 + 3 * LONGEST];
	size_t length = strlen(found);
	int nearest = 1 + (int)length / 3;
	const char *meant = NULL;

	for (; length && length <= LONGEST && *names; names++) {
		size_t name = strlen(*names);
		bool begins = length >= 3 && !strncmp(found, *names, length);
		int far = begins	   ? 1
			  : name > LONGEST ? LONGEST
					   : distance(found, *names);

		/* optane: optane-100-nt, rather than a longer one. */
		if (far < nearest ||
		    (far == nearest && begins && meant &&
		     name < strlen(meant)) ||
		    (far == nearest && !meant && far < 3 &&
		     2 * (size_t)far <= length)) {
			nearest = far;
			meant = *names;
		}
	}
	if (!meant)
		return "";
	snprintf(text, sizeof text, ": did you mean %s%s?", before, meant);
	return text;
}

void asl_complain_about(const char *format, ...)
{
	va_list args;

	about[0] = '\0';
	if (!format)
		return;
	va_start(args, format);
	vsnprintf(about, sizeof about, format, args);
	va_end(args);
}

static bool speaks(void)
{
	int rank, size;

	return !asl_net_job(&rank, &size) || rank == 0;
}

static void complain(bool aloud, const char *format, va_list args)
{
	compose(format, args);
	if (!aside && aloud)
		fprintf(stderr, "aslant: %s\n", last);
}

int asl_complain(int code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	complain(speaks(), format, args);
	va_end(args);
	return code;
}

int asl_complain_failure(int err, const char *before)
{
	return asl_complain(err == -ENOMEM ? ASL_NO_MACHINE : ASL_BAD_INPUT,
			    "%s%s", before, asl_failure());
}

int asl_complain_alone(int code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	complain(true, format, args);
	va_end(args);
	return code;
}

int asl_no_memory(void)
{
	return asl_complain(ASL_NO_MACHINE, "out of memory");
}

void asl_complain_aside(void)
{
	aside = true;
}

const char *asl_last_complaint(void)
{
	return last;
}

int asl_flush_stdout(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return 0;
	return asl_complain(ASL_NO_MACHINE, "cannot write to stdout: %s",
			    strerror(errno));
}

int asl_json_reject(const char *key, const json_t *value, const char *expected)
{
	char *found =
		json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
	int code = asl_refuse("%s: found %.60s, expected %s", key,
			      found ? found : "nothing", expected);

	free(found);
	return code;
}

int asl_refuse_json(const char *where, const json_error_t *why)
{
	if (errno == ENOMEM)
		return asl_complain(ASL_NO_MACHINE, "%s: out of memory", where);
	return asl_refuse("%s: line %d: %s", where, why->line, why->text);
}
