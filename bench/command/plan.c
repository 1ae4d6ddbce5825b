/*
 * plan.c -- aslant plan: every way of solving a problem, cheapest first
 */
#include <math.h>
#include <string.h>

#include "bench/command/commands.h"
#include "bench/library/answer.h"
#include "bench/library/case.h"
#include "bench/library/cli.h"
#include "bench/library/csv.h"
#include "bench/library/say.h"
#include "lib/base/parts.h"
#include "lib/symmetric/symmetric.h"

/*
 * aslant bounds: the lower bounds and their theorems
 */

static int write_csv(const struct asl_bound *bound, int count, const char *path)
{
	struct asl_csv csv;

	if (asl_csv_open(&csv))
		return asl_no_memory();
	asl_put_bounds(&csv, bound, count);
	return asl_table_write(&csv, path);
}

/* Ranks move whole words; costs are what they are. */
static void print_bound(const struct asl_bound *x)
{
	char value[40];

	if (!strcmp(x->unit, "words"))
		snprintf(value, sizeof value, "%.0f", ceil(x->value));
	else
		snprintf(value, sizeof value, "%.10g", x->value);
	printf("\n%-32s%s %s\n    %s\n", x->name, value, x->unit, x->source);
}

static void print(const struct asl_plan *plan, const struct asl_bound *bound,
		  int count)
{
	printf("Lower bounds for the busiest of %d rank%s:\n"
	       "%s,\n"
	       "S = %ju words of cache, M = %ju words of memory\n",
	       plan->ranks, plan->ranks == 1 ? "" : "s", asl_show(plan).problem,
	       plan->cache, plan->memory);
	for (int i = 0; i < count; i++)
		print_bound(&bound[i]);
}

/* A name says which problem is meant; of multiplication nothing has to. */
static int check_argument(const char *name)
{
	static const char *const problems[] = {"sttsv",	 "hopm",     "cpgrad",
					       "einsum", "ooc-auto", NULL};
	const struct asl_algorithm *a = name ? asl_cli_algorithm(name) : NULL;
	const char *meant;

	if (!name || (a && a->family != asl_family_clis[0]->family))
		return 0;
	meant = a ? "" : asl_meant(name, "", problems);
	if (*meant)
		return asl_refuse("bounds: unexpected argument '%s'%s", name,
				  meant);
	return asl_refuse("bounds: unexpected argument '%s': bounds hold for "
			  "every algorithm; expected none, or one of another "
			  "problem: sttsv, hopm, cpgrad, einsum, ooc-auto",
			  name);
}

int asl_command_bounds(struct asl_options *o, int argc, char **argv)
{
	struct asl_case c;
	struct asl_bound bound[ASL_BOUNDS];
	int count, code = check_argument(o->algorithm);

	(void)argc, (void)argv;
	if (code)
		return code;
	code = asl_case_to_plan(&c, o);
	if (!code) {
		count = asl_cli_of(&c.want.plan)->bounds(bound, &c.want.plan);
		if (o->csv)
			code = write_csv(bound, count, o->csv);
		else
			print(&c.want.plan, bound, count);
	}
	asl_case_close(&c);
	return code;
}

static int plan_write_csv(const struct asl_candidates *list, const char *path)
{
	struct asl_csv csv;

	if (asl_csv_open(&csv))
		return asl_no_memory();
	asl_put_plans(&csv, list);
	return asl_table_write(&csv, path);
}

/* Four digits, in units as the options take them: 1.234m. */
static const char *brief(char text[16], uint64_t words)
{
	double x = (double)words;
	int unit = 0;

	for (; x >= 999.95 && unit < 5; unit++)
		x /= 1000;
	snprintf(text, 16, "%.4g%.1s", x, &"\0kmgtp"[unit]);
	return text;
}

enum { WIDTH = 31 };

/* Details that do not fit into the line of a plan follow below it. */
static void print_below(const char *text)
{
	if (*text)
		printf("    %-12s %s\n", "", text);
}

/* Q by one accounting: both would be too wide for a terminal. */
static void print_line(int place, const struct asl_candidate *x)
{
	const struct asl_forecast *f = &x->forecast;
	uint64_t words[] = {f->read, f->written, f->bh, f->memory_high};
	struct asl_shown shown = asl_show(&x->plan);
	char text[16], how[WIDTH + 1];
	int used;

	if (shown.kernel)
		used = snprintf(how, sizeof how, "%-12s %-6s ",
				x->plan.algorithm->name, shown.kernel);
	else
		used = snprintf(how, sizeof how, "%-14s ",
				x->plan.algorithm->name);
	if (used + (int)strlen(shown.grid) <= WIDTH) {
		strcat(how, shown.grid);
		*shown.grid = '\0';
	}
	printf("%3d %-*s%7d%10.4g", place, WIDTH, how, asl_plan_ranks(&x->plan),
	       asl_candidate_cost(x));
	for (int i = 0; i < 4; i++)
		printf("%7s", brief(text, words[i]));
	putchar('\n');
	print_below(shown.grid);
	print_below(shown.blocks);
}

/* Where the search ran out of patience, and could have missed something. */
static void print_lower_bound(const struct asl_candidates *list)
{
	const struct asl_candidate *last = &list->best[list->count - 1];

	if (list->lower_bound < asl_candidate_cost(last))
		printf("\nNot every plan was looked at closely; none of the "
		       "others costs less\nthan %.5g.\n",
		       list->lower_bound);
}

/* On one thread a rank; parts are those of the busiest rank. */
static void print_seconds(const struct asl_candidates *list)
{
	printf("\nPredicted%11s", "seconds");
	for (int part = 0; part < ASL_SPENDINGS; part++)
		printf("%12s", asl_spending_name(part));
	putchar('\n');
	for (int i = 0; i < list->count; i++) {
		const struct asl_candidate *x = &list->best[i];

		printf("%3d %16.4g", i + 1, x->seconds);
		for (int part = 0; part < ASL_SPENDINGS; part++)
			printf("%12.3g", x->part_s[part]);
		putchar('\n');
	}
}

static void print_ranking(const struct asl_candidates *list)
{
	if (list->best->path[ASL_APM] <= 0)
		puts("\nQ is the busiest rank's: critical paths are "
		     "followed on 512 ranks or fewer,\n"
		     "if that does not take long.");
}

/* Out of core: what passes between pool and DRAM, and what ranks receive. */
static void print_moved(const struct asl_plan *base,
			const struct asl_candidates *list)
{
	const struct asl_family *family = asl_cli_of(base)->family;

	if (!family->pool_bound)
		return;
	printf("\nBusiest rank%14s%14s; D of no method is below %.4g\n",
	       "pool (D)", "received (V)", family->pool_bound(base));
	for (int i = 0; i < list->count; i++) {
		const struct asl_plan *plan = &list->best[i].plan;
		uint64_t moved = 0, received = 0;

		for (int rank = 0; rank < asl_plan_ranks(plan); rank++) {
			struct asl_ledger ledger;
			struct asl_counts x;

			asl_plan_predict(&ledger, plan, rank);
			x = asl_ledger_total(&ledger);
			moved = asl_max(moved, asl_words_moved(&x));
			received = asl_max(received, x.of[ASL_NET_RECV]);
		}
		printf("%3d %22ju%14ju\n", i + 1, moved, received);
	}
}

static bool is_among(const struct asl_algorithm *a,
		     const struct asl_candidates *list)
{
	int count = list->count;

	while (count > 0 && list->best[count - 1].plan.algorithm != a)
		count--;
	return count > 0;
}

/* Lemma 5 of Zhu et al. has every rank write the sums that it updates. */
static void print_outsiders(const struct asl_family_cli *cli,
			    const struct asl_candidates *list)
{
	bool any = false;

	for (int i = 0; cli->algorithms[i]; i++) {
		const struct asl_algorithm *a = cli->algorithms[i];

		if (!a->outside_apm || !is_among(a, list))
			continue;
		printf(any ? ", %s"
			   : "\nOutside the APM, as no partial sum is ever "
			     "written: %s",
		       a->name);
		any = true;
	}
	if (any)
		puts(".");
}

/* A grid of the whole cube may send less, and reads six times as much. */
static void print_naive(const struct asl_plan *base,
			const struct asl_candidates *list)
{
	uint64_t words = list->best->forecast.bh;
	struct asl_candidates naive = asl_candidates(1);
	struct asl_plan plan = *base;

	plan.algorithm = &asl_symmetric_naive;
	if (base->algorithm == &asl_symmetric_sttsv &&
	    !asl_symmetric_rank(&naive, &plan) &&
	    naive.best->forecast.bh < words)
		printf("\nsttsv-naive on %s sends less, %ju words instead of "
		       "%ju, but reads %ju\ninstead of %ju.\n",
		       asl_show(&naive.best->plan).grid,
		       naive.best->forecast.bh, words,
		       naive.best->forecast.read, list->best->forecast.read);
	asl_candidates_free(&naive);
}

/* The candidates' own bounds, in the table for scripts, know their balance. */
static void print_joint_bound(const struct asl_plan *base)
{
	double bound = asl_cli_of(base)->family->joint_bound(base);

	if (bound > 0)
		printf("\nThe joint bound on Q apm is %.4g, " ASL_IF_EVEN ".\n",
		       bound);
}

static void plan_print(const struct asl_case *c,
		       const struct asl_candidates *list)
{
	const struct asl_plan *base = &c->want.plan;
	const char *accounting = asl_accounting_name(base->accounting);
	const struct asl_costs *x = &base->costs;
	const char *from = c->cache_source;
	bool by_time = list->best->seconds > 0 && base->by_time;
	char q[16];

	if (list->count == 1)
		fputs("The plan", stdout);
	else
		printf("The %d plans", list->count);
	printf(" of least %s%s%s: %s,\n"
	       "%d rank%s, S = %ju words of cache, M = %ju words of memory,\n"
	       "r %g, w %g, beta %g%s%s%s\n\n",
	       by_time ? "time" : "Q (", by_time ? "" : accounting,
	       by_time ? "" : ")", asl_show(base).problem, base->ranks,
	       base->ranks == 1 ? "" : "s", base->cache, base->memory, x->read,
	       x->write, x->net, *from ? "; S: " : "", from,
	       list->best->plan.panels == ASL_POOL ? "; panels in nvm" : "");
	snprintf(q, sizeof q, by_time ? "seconds" : "Q %s", accounting);
	printf("    %-*s%7s%10s%7s%7s%7s%7s\n", WIDTH,
	       asl_show(&list->best->plan).kernel ? "algorithm    kernel grid"
						  : "algorithm      layout",
	       "used", q, "B_r", "B_w", "B_h", "memory");
	for (int i = 0; i < list->count; i++)
		print_line(i + 1, &list->best[i]);
	if (list->best->seconds > 0 && (base->by_time || c->profile.timed))
		print_seconds(list);
	print_moved(base, list);
	if (asl_cli_of(base)->print_first)
		asl_cli_of(base)->print_first(stdout, &list->best->plan);
	print_ranking(list);
	print_joint_bound(base);
	print_outsiders(asl_cli_of(base), list);
	print_lower_bound(list);
	print_naive(base, list);
}

static int rank_plans(const struct asl_case *c, const struct asl_options *o)
{
	struct asl_candidates list = asl_candidates(o->top);
	int code = asl_plans_find(&list, &c->want.plan);

	if (!code && o->csv)
		code = plan_write_csv(&list, o->csv);
	else if (!code)
		plan_print(c, &list);
	asl_candidates_free(&list);
	return code;
}

int asl_command_plan(struct asl_options *o, int argc, char **argv)
{
	struct asl_case c;
	int code = asl_case_to_plan(&c, o);

	(void)argc, (void)argv;
	if (!code)
		code = o->table ? asl_cli_of(&c.want.plan)
					  ->table(&c.want.plan, o->csv)
				: rank_plans(&c, o);
	asl_case_close(&c);
	return code;
}
