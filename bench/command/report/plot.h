/*
 * plot.h -- curves and points in two axes, and bars, as SVG
 *
 * A plot is drawn in a box 420 wide, which a page may scale; colours and fonts
 * are the page's, by classes (style.css).  What is outside the axes' ranges is
 * cut off.  Labels stand beside what they name; they are kept until the plot is
 * closed, and then drawn so that none covers another.
 *
 * Bars lie so that every one has its name beside it, however narrow the page.
 */
#ifndef ASL_PLOT_H
#define ASL_PLOT_H

#include <stdbool.h>
#include <stdio.h>

/* Ticks are at 1, 2, 5, 10, or at powers of 2. */
enum asl_ticks { ASL_TENS, ASL_TWOS };

/* Axes are logarithmic. */
struct asl_plot_axis {
	const char *title;
	double low, high; /* 0 < low < high */
	enum asl_ticks ticks;
};

/* A range that begins empty and grows; then an axis, with some air around. */
struct asl_plot_range {
	double low, high;
};

#define ASL_NO_RANGE ((struct asl_plot_range){INFINITY, -INFINITY})

void asl_range_add(struct asl_plot_range *range,
		   double x); /* NAN adds nothing */
struct asl_plot_axis asl_axis_around(const struct asl_plot_range *range,
				     const char *title, enum asl_ticks ticks);

enum { ASL_PLOT_LABELS = 64, ASL_PLOT_LABEL = 64 };

struct asl_label {
	double x, y, width; /* where the text begins, and on which line */
	double end;	    /* y of what it names */
	bool ends;	    /* it names a line, beside its end */
	int style;	    /* -1: that of notes */
	char text[ASL_PLOT_LABEL];
};

struct asl_plot {
	FILE *f;
	struct asl_plot_axis x, y;
	struct asl_label label[ASL_PLOT_LABELS];
	int labels;
};

/* `about` describes the plot to readers who cannot see it. */
void asl_plot_open(struct asl_plot *p, FILE *f, const char *about,
		   struct asl_plot_axis x, struct asl_plot_axis y);
void asl_plot_close(struct asl_plot *p);

/*
 * A style from 0 on is a colour, and beyond eight also a dash and a shape.
 * ASL_STYLE_PART less the number of a part is that part's colour in bars.  label
 * NULL: none.
 */
enum { ASL_STYLE_PART = -2 };

void asl_plot_line(struct asl_plot *p, const double *x, const double *y,
		   int count, int style, const char *label);
void asl_plot_dot(struct asl_plot *p, double x, double y, int style,
		  const char *label);
/* A square: around a dot that something else has taken, or of another kind. */
void asl_plot_box(struct asl_plot *p, double x, double y, int style,
		  const char *label);
void asl_plot_span(struct asl_plot *p, double x, double low, double high,
		   int style);

/* A bound: a line over all of the plot, at x or at y. */
void asl_plot_wall(struct asl_plot *p, double x, const char *label);
void asl_plot_floor(struct asl_plot *p, double y, const char *label);
/* A bound on both: a curve, with its label at the end. */
void asl_plot_limit(struct asl_plot *p, const double *x, const double *y,
		    int count, const char *label);

/*
 * Bars, in parts or as a range with a mark
 */

enum { ASL_BAR_PARTS = 7 };

struct asl_bar {
	const char *group; /* a heading, where it is another one */
	const char *name;
	double part[ASL_BAR_PARTS]; /* one after another; 0: not there */
	double mark;		    /* a tick across the bar; NAN: none */
	const char *note;	    /* at its end */
	int style; /* from 1 on: a colour for all parts; from -1 down: of
		      machines, whose colours are apart */
};

/* They begin at 0; `about` describes them to readers who cannot see them. */
void asl_bars_stacked(FILE *f, const char *about, const struct asl_bar *bar,
		      int count);

/*
 * part[0] to part[1] with a mark, on an axis of logarithms that begins at 1, or
 * below, with a line at 1.
 */
void asl_bars_ranges(FILE *f, const char *about, const struct asl_bar *bar,
		     int count);

#endif
