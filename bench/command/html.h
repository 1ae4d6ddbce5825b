/*
 * html.h -- text in HTML pages
 */
#ifndef ASL_HTML_H
#define ASL_HTML_H

#include <stdio.h>

/* Any text, between tags or in a quoted attribute; it cannot become a tag. */
void asl_html_text(FILE *f, const char *text);

/*
 * As fprintf: the format is HTML, and every %s is text that is escaped.  It
 * knows %s, without a width, and %c, %d, %f and %g.
 */
void asl_html(FILE *f, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
