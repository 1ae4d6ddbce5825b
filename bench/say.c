/*
 * say.c -- complaints: one line each on stderr, from one rank of a job
 */
#include "bench/say.h"

#include <stdarg.h>
#include <stdio.h>

#include "net/net.h"

static char last[2048];

/* What users typed may hold anything; a complaint stays one line. */
static void compose(const char *format, va_list args)
{
	vsnprintf(last, sizeof last, format, args);
	for (char *c = last; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 127)
			*c = '?';
}

int asl_complain(int code, const char *format, ...)
{
	int rank, size;
	va_list args;

	va_start(args, format);
	compose(format, args);
	va_end(args);
	if (!asl_net_job(&rank, &size) || rank == 0)
		fprintf(stderr, "aslant: %s\n", last);
	return code;
}

int asl_complain_alone(int code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	compose(format, args);
	va_end(args);
	fprintf(stderr, "aslant: %s\n", last);
	return code;
}

const char *asl_last_complaint(void)
{
	return last;
}
