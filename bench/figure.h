/*
 * figure.h -- the figures of a machine profile, and their units
 */
#ifndef ASL_FIGURE_H
#define ASL_FIGURE_H

#include "bench/profile.h"

/*
 * Fill costs and latencies of *out from an object of figures, and add their
 * sources to out->source; `source` is that of figures without one of their own,
 * or NULL.  `where` begins complaints.  0, or the exit code.
 */
int asl_figures_read(struct asl_profile *out, json_t *figures,
		     const char *source, const char *where);

/* Are all there that costs need?  DRAM that is not there is as the pool. */
int asl_figures_complete(struct asl_profile *out, json_t *figures,
			 const char *where);

/* A text of 1 to room - 1 characters, none of which controls a terminal. */
int asl_figure_text(char *to, size_t room, const json_t *value,
		    const char *where);

#endif
