/*
 * prices.h -- costs of a problem as lines in w/beta, and their lower envelopes
 *
 * Counts of a grid do not depend on costs, so that Q / beta is a straight line
 * in w / beta: B_h + (r / beta) B_r + (w / beta) B_w.  The lower envelope of all
 * lines of a problem says who is cheapest where, exactly, without another run.
 */
#ifndef ASL_PRICES_H
#define ASL_PRICES_H

#include "bench/report/page.h"

struct asl_line {
	const struct asl_row *row;
	double at0, slope; /* Q / beta */
	bool wins;
};

struct asl_turn {
	double x;
	int from, to; /* lines */
};

/* Who is cheapest where: of all, or of those that keep to the model. */
struct asl_envelope {
	bool inside;
	int first; /* where words cost nothing to write; -1: nobody */
	struct asl_turn *turn;
	int turns;
};

struct asl_prices {
	struct asl_pack all;
	struct asl_line *line;
	int lines;
	double read; /* r / beta */
	struct asl_envelope of_all, of_inside;
};

/* One line for all costs at which the same way was run. */
extern const int asl_by_way[];

/*
 * The ways of a problem, sorted by way, at r / beta = read; false: there is no
 * memory.  Close it either way.
 */
bool asl_prices_open(struct asl_prices *s, const struct asl_pack *g,
		     double read);
void asl_prices_close(struct asl_prices *s);

double asl_line_value(const struct asl_line *l, double x);
double asl_row_read_cost(const struct asl_row *row); /* r / beta */

/* An algorithm and its grid, and what else tells it from others of the problem. */
const char *asl_prices_name(char text[ASL_SAID], const struct asl_prices *s,
			    int line);

/* "below w/beta = 2 choose A; above 2 B; above 8 C" */
const char *asl_prices_verdict(char text[2 * ASL_SAID],
			       const struct asl_prices *s,
			       const struct asl_envelope *e);

/* Is the verdict on those that keep to the model worth a word? */
bool asl_prices_has_outsiders(const struct asl_prices *s);

void asl_prices_figure(struct asl_page *p, const struct asl_prices *s);

#endif
