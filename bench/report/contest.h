/*
 * contest.h -- who is best in a case, and by what
 */
#ifndef ASL_CONTEST_H
#define ASL_CONTEST_H

#include "bench/report/page.h"

/* The cheapest of a case, and the cheapest that is another algorithm. */
struct asl_contest {
	struct asl_pack all;
	const struct asl_entry *best, *next, *inside; /* of the APM */
	const struct asl_entry *fastest, *second;
};

/* False: there are no two algorithms, and best or next is NULL. */
bool asl_contest_judge(struct asl_contest *c, const struct asl_pack *g);

/* How many times as much the next best costs. */
double asl_contest_lead(const struct asl_contest *c);

/* The kind of words by which the best saves most. */
const char *asl_contest_why(char text[ASL_SAID], const struct asl_contest *c);

/* A list with a sentence for each family and directory. */
void asl_contests_say(struct asl_page *p, const struct asl_contest *contests,
		      int count);

#endif
