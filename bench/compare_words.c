/*
 * compare_words.c -- pairs of cases in words
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "bench/compare.h"

const char *const asl_compare_method[] = {
	"Speed is the median wall_s of the first over that of the other: above "
	"1, the other is faster.",
	"Its interval is a percentile bootstrap of 95%: 1999 times both "
	"samples "
	"are drawn again from themselves, by a seeded generator. It knows how "
	"repetitions differ, and nothing of a machine that was busier on one "
	"day than on another.",
	"A case is faster or slower only if the interval leaves 1 out, as "
	"by chance it does for one pair of equals in 20; fewer than 5 "
	"repetitions of either have no interval.",
	"A median's own interval is two of its order statistics, those nearest "
	"to it that hold it in 95% of all samples; fewer than 6 repetitions "
	"reach less, and the least and the largest are given.",
	"Means are geometric, over all cases that are compared, those without "
	"a "
	"difference too; in that of all families weigh the same unless weights "
	"are given.",
	"Compared are cases that are the same in all that was asked and in "
	"every counter, and that were verified; all others are named.",
	NULL};

const char *asl_pair_verdict(const struct asl_pair *pair)
{
	int verdict = asl_ratio_verdict(&pair->speed);

	if (pair->i < 0 || pair->j < 0)
		return "missing";
	if (*pair->why)
		return "not compared";
	if (isnan(pair->speed.low))
		return "too few repetitions";
	return verdict > 0   ? "faster"
	       : verdict < 0 ? "slower"
			     : "no difference";
}

double asl_pair_worth(const struct asl_comparison *c, double speed)
{
	return speed * c->base->price / c->other->price;
}

/* ---- Which case it is ---- */

static const char *cell(const struct asl_comparison *c,
			const struct asl_pair *pair, const char *name)
{
	return pair->i < 0 ? asl_side_cell(c->other, pair->j, name)
			   : asl_side_cell(c->base, pair->i, name);
}

static void put_size(FILE *f, const struct asl_comparison *c,
		     const struct asl_pair *pair)
{
	const char *m = cell(c, pair, "m"), *n = cell(c, pair, "n"),
		   *k = cell(c, pair, "k");

	if (*cell(c, pair, "spec"))
		fprintf(f, " %s %s", cell(c, pair, "spec"),
			cell(c, pair, "dims"));
	else if (!*m || (!strcmp(m, n) && !strcmp(n, k)))
		fprintf(f, " %s", n);
	else
		fprintf(f, " %sx%sx%s", m, n, k);
}

/*
 * What else tells it from the other cases of its directory; a machine shares
 * its memory among the ranks that there are.
 */
static void put_varying(FILE *f, const struct asl_comparison *c,
			const struct asl_pair *pair)
{
	static const char *const said[] = {
		"algorithm",	"kernel", "m",	  "n",		"k",
		"spec",		"dims",	  "grid", "ranks_used", "ranks",
		"memory_words", NULL};
	const struct asl_side *side = pair->i < 0 ? c->other : c->base;
	const struct asl_identity *id = &side->identity;

	for (int x = 0; x < id->end[ASL_PLACED]; x++) {
		const char *name = asl_rows_name(&side->rows, id->column[x]);
		bool counted =
			x >= id->end[ASL_ASKED] && x < id->end[ASL_COUNTED];

		if (id->varies[x] && !counted && !asl_is_one_of(name, said))
			fprintf(f, ", %s %s", name, cell(c, pair, name));
	}
}

void asl_pair_name(char *to, size_t room, const struct asl_comparison *c,
		   const struct asl_pair *pair)
{
	FILE *f = fmemopen(to, room, "w");
	const char *kernel = cell(c, pair, "kernel");

	*to = '\0';
	if (!f)
		return;
	fprintf(f, "%s%s%s", cell(c, pair, "algorithm"), *kernel ? " " : "",
		kernel);
	put_size(f, c, pair);
	fprintf(f, ", %s ranks on %s", cell(c, pair, "ranks"),
		cell(c, pair, "grid"));
	put_varying(f, c, pair);
	fclose(f);
	to[room - 1] = '\0';
}

/* ---- All of it ---- */

const char *asl_compare_answer(char *to, size_t room,
			       const struct asl_comparison *c,
			       const char *weights)
{
	struct asl_mean mean[ASL_MOST_MEANS];
	int count = asl_compare_means(mean, c, weights);
	char how[32] = "as fast as";
	int faster = 0, slower = 0;
	double speed;
	bool won;

	*to = '\0';
	if (!count)
		return to;
	for (int i = 0; i < c->count; i++) {
		int verdict = *c->pairs[i].why
				      ? 0
				      : asl_ratio_verdict(&c->pairs[i].speed);

		faster += verdict > 0;
		slower += verdict < 0;
	}
	speed = mean[count - 1].speed;
	won = speed >= 1;
	speed = won ? speed : 1 / speed;
	if (speed >= 1.005)
		snprintf(how, sizeof how, "%.3g times as fast as", speed);
	snprintf(to, room,
		 "%c is %s %c in the mean of %d case%s; beyond chance it is "
		 "faster in %d and slower in %d.",
		 won ? c->other->letter : c->base->letter, how,
		 won ? c->base->letter : c->other->letter,
		 mean[count - 1].cases, mean[count - 1].cases == 1 ? "" : "s",
		 won ? faster : slower, won ? slower : faster);
	return to;
}
