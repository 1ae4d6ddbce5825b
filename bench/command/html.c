/*
 * html.c -- text in HTML pages
 */
#include "bench/command/html.h"

#include <stdarg.h>
#include <string.h>

#include "bench/library/say.h"

static const char *entity(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	}
	return NULL;
}

void asl_html_text(FILE *f, const char *text)
{
	for (; *text; text++) {
		const char *name = entity(*text);

		if (name)
			fputs(name, f);
		else if (*text == '\n' || *text == '\t' ||
			 !asl_control_bytes(text))
			fputc(*text, f);
		else
			text += asl_control_bytes(text) - 1; /* left out */
	}
}

void asl_html(FILE *f, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	for (const char *at = format; *at; at++) {
		char one[16];
		int length = 1 + (int)strcspn(at + 1, "cdfgs%");

		if (*at != '%') {
			fputc(*at, f);
			continue;
		}
		snprintf(one, sizeof one, "%.*s", length + 1, at);
		at += length;
		if (*at == 's')
			asl_html_text(f, va_arg(args, const char *));
		else if (*at == '%')
			fputc('%', f);
		else if (*at == 'c' || *at == 'd')
			/* NOLINTNEXTLINE(bugprone-branch-clone): other types */
			fprintf(f, one, va_arg(args, int));
		else
			fprintf(f, one, va_arg(args, double));
	}
	va_end(args);
}
