/*
 * html.h -- text in HTML pages
 */
#ifndef ASL_HTML_H
#define ASL_HTML_H

#include <stdio.h>

/* Any text, between tags or in a quoted attribute; it cannot become a tag. */
void asl_html_text(FILE *f, const char *text);

#endif
