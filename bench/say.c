/*
 * say.c -- complaints: one line each on stderr, from one rank of a job
 */
#include "bench/say.h"

#include <stdarg.h>
#include <stdio.h>

#include "net/net.h"

/* What users typed may hold anything; a complaint stays one line. */
static void print_line(const char *format, va_list args)
{
	char line[2048];

	vsnprintf(line, sizeof line, format, args);
	for (char *c = line; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 127)
			*c = '?';
	fprintf(stderr, "aslant: %s\n", line);
}

int asl_complain(int code, const char *format, ...)
{
	int rank, size;
	va_list args;

	if (asl_net_job(&rank, &size) && rank > 0)
		return code;
	va_start(args, format);
	print_line(format, args);
	va_end(args);
	return code;
}

int asl_complain_alone(int code, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_line(format, args);
	va_end(args);
	return code;
}
