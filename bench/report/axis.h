/*
 * axis.h -- ranges of values, and the axes that they are drawn along
 */
#ifndef ASL_AXIS_H
#define ASL_AXIS_H

struct asl_axis {
	const char *title;
	double low, high; /* low < high; above 0 if log */
	int log;	  /* 0: even; else ticks are at 1, 2, 5, 10, or at
			     powers of 2 */
};

enum { ASL_EVEN, ASL_LOG, ASL_LOG2 };

/* A range that begins empty and grows; then an axis, with some air around. */
struct asl_range {
	double low, high;
};

#define ASL_NO_RANGE ((struct asl_range){INFINITY, -INFINITY})

void asl_range_add(struct asl_range *range, double x); /* NAN adds nothing */
struct asl_axis asl_range_axis(const struct asl_range *range, const char *title,
			       int log);

/* Where v is on it: from 0, at its beginning, to 1. */
double asl_axis_part(const struct asl_axis *axis, double v);

enum { ASL_TICKS = 16 };

/* Values to write beside it, all of them on it; how many. */
int asl_axis_ticks(const struct asl_axis *axis, double at[ASL_TICKS]);

#endif
