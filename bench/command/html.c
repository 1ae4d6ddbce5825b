/*
 * html.c -- text in HTML pages
 */
#include "bench/command/html.h"

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
