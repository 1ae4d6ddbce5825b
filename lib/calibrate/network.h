/*
 * network.h -- what a message and its words cost between two ranks
 *
 * Messages of many sizes go to and fro; the line alpha + beta x that is nearest
 * to their times, relative to these, gives both costs.  Not the absolute
 * distance: the largest messages alone would then decide on alpha, too.
 */
#ifndef ASL_CALIBRATE_NETWORK_H
#define ASL_CALIBRATE_NETWORK_H

#include <stdint.h>

#include "net/net.h"

enum { ASL_SWEEP_SIZES = 14 };

struct asl_sweep {
	int peer;
	bool first; /* of the two: to send */
	char *out, *in;
	double words[ASL_SWEEP_SIZES];
	double ns[ASL_SWEEP_SIZES]; /* one way, of the last sweep */
};

/* 0 or -ENOMEM; asl_sweep_close is due either way. */
int asl_sweep_open(struct asl_sweep *s, int peer, bool first);
void asl_sweep_close(struct asl_sweep *s); /* all zero is allowed */

/* All sizes once, by both ranks; 0 or an error of the net. */
int asl_sweep_run(struct asl_sweep *s, struct asl_net *net);

struct asl_line {
	double alpha, beta; /* 0 or more */
	double worst;	    /* relative distance of a point */
};

/* The line nearest to (x, y), all of which are positive, in least squares. */
struct asl_line asl_line_fit(const double *x, const double *y, int count);

#endif
