/*
 * bars.h -- bars that lie, in parts or as a range with a mark, as SVG
 *
 * Bars lie so that every one has its name beside it, however narrow the page.
 */
#ifndef ASL_BARS_H
#define ASL_BARS_H

#include <stdio.h>

enum { ASL_BAR_PARTS = 4 };

struct asl_bar {
	const char *group; /* a heading, where it is another one */
	const char *name;
	double part[ASL_BAR_PARTS]; /* one after another; 0: not there */
	double mark;		    /* a tick across the bar; NAN: none */
	const char *note;	    /* at its end */
};

/* From 0 on; `about` is for those who cannot see it. */
void asl_bars_stacked(FILE *f, const char *about, const struct asl_bar *bar,
		      int count);

/* part[0] to part[1] with a mark, on an axis of logarithms that begins at 1. */
void asl_bars_ranges(FILE *f, const char *about, const struct asl_bar *bar,
		     int count);

#endif
