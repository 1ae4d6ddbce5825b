/*
 * list.c -- aslant list: what there is to choose from, one line each
 */
#include <math.h>
#include <string.h>

#include "bench/command/commands.h"
#include "bench/command/machine.h"
#include "bench/command/suite/suite.h"
#include "bench/library/cli.h"
#include "bench/library/profile.h"
#include "bench/library/say.h"
#include "lib/base/error.h"
#include "lib/kernels/kernel.h"
#include "lib/machine/hwc.h"
#include "lib/symmetric/symmetric.h"
#include "net/net.h"
#include "nvm/store.h"

static void line(const char *name, const char *summary)
{
	printf("%-18s %s\n", name, summary);
}

/* As wide as the longest name. */
enum { ALGORITHM = 25 };

static void algorithm(const char *name, const char *summary, const char *when)
{
	printf("%-*s %s\n%-*s use when %s\n", ALGORITHM, name, summary,
	       ALGORITHM, "", when);
}

static void algorithms(void)
{
	for (int i = 0; asl_family_clis[i]; i++) {
		const struct asl_algorithm *const *x =
			asl_family_clis[i]->algorithms;

		printf("%s%s:\n", i ? "\n" : "", (*x)->family->name);
		if (i == 0)
			algorithm(ASL_AUTO,
				  "the algorithm, kernel and grid of least Q, "
				  "of those plan finds",
				  "you do not know which");
		for (; *x; x++)
			algorithm((*x)->name, (*x)->summary, (*x)->when);
	}
}

static void kernels(void)
{
	for (int i = 0; asl_kernels[i]; i++)
		line(asl_kernels[i]->name, asl_kernels[i]->summary);
}

/* Built-in profiles are read without complaints (tests/command_profiles.sh). */
static void profile_line(const char *name)
{
	struct asl_profile x;

	if (asl_profile_find(&x, name))
		return;
	printf("%-20s %7.4g %7.4g %7.4g %-8s %s\n", x.name, x.costs.read,
	       x.costs.write, x.costs.net, x.timed ? "ns/word" : "relative",
	       x.about);
}

static void profiles(void)
{
	printf("%-20s %7s %7s %7s %s\n", "profile", "r", "w", "beta", "unit");
	for (const char *const *x = asl_profile_names(); *x; x++)
		profile_line(*x);
}

static void transports(void)
{
	for (const char *const *x = asl_net_transports(); *x; x++)
		line(*x, asl_net_transport_summary(*x));
}

static void stores(void)
{
	for (const char *const *x = asl_store_names(); *x; x++)
		line(*x, asl_store_summary(*x));
}

/* Does it count here?  If not, why not. */
static void counter_line(const char *name)
{
	struct asl_hwc_want want = {.backend = name, .memory = true};
	struct asl_hwc *h;

	if (asl_hwc_open(&h, &want))
		printf("%-18s %s\n%-18s not here: %s\n", name,
		       asl_hwc_summary(name), "", asl_failure());
	else
		printf("%-18s %s\n%-18s here: %s\n", name,
		       asl_hwc_summary(name), "", asl_hwc_note(h));
	asl_hwc_close(h);
}

static void counters(void)
{
	for (const char *const *x = asl_hwc_names(); strcmp(*x, "auto"); x++)
		counter_line(*x);
}

static void suites(void)
{
	asl_suite_each(line);
}

/* Per rank, in units of n, where all divides: of x and y, what no other does. */
static void steiner_line(const struct asl_steiner_size *x)
{
	double P = x->blocks, words = 2 * ((double)x->s / x->m - 1 / P);
	double bound = 2 * (1 / cbrt(P) - 1 / P);
	char name[ASL_STEINER_NAME];

	snprintf(name, sizeof name, "%s-%d", x->family, x->parameter);
	printf("%-13s %6d %4d %3d %6d %9.5f %9.5f\n", name, x->blocks, x->m,
	       x->s, asl_steiner_steps(x), words, bound);
}

static void steiner(void)
{
	struct asl_steiner_size x = {0};

	printf("%-13s %6s %4s %3s %6s %9s %9s\n", "system", "ranks", "m", "s",
	       "steps", "words/n", "bound/n");
	while (asl_steiner_next(&x, ASL_SYMMETRIC_RANKS))
		steiner_line(&x);
}

/*
 * A Steiner system, as Tables 1 to 3 and Fig. 1 of the paper that sttsv.c names
 * have it: ranks and row blocks count from 1.
 */

enum { LINE = 78 };

/* Items that follow one another, on as many lines as they take. */
struct items {
	int indent, used, count;
};

static void put_item(struct items *x, const char *separator, const char *text)
{
	int length = (int)(strlen(separator) + strlen(text));

	if (x->count && x->used + length > LINE) {
		printf("%s\n%*s", separator[0] == ' ' ? "" : separator,
		       x->indent, "");
		x->used = x->indent;
	} else if (x->count) {
		fputs(separator, stdout);
	}
	fputs(text, stdout);
	x->used += length;
	x->count++;
}

static void put_numbers(const struct asl_lists *l, int i, int indent)
{
	struct items x = {.indent = indent, .used = indent};

	for (int j = 0; j < asl_list_length(l, i); j++) {
		char text[16];

		snprintf(text, sizeof text, "%s%d", j ? "" : "{",
			 asl_list(l, i)[j] + 1);
		put_item(&x, ",", text);
	}
	fputs("}", stdout);
}

/* The blocks of a rank off one diagonal (1) or both (2), which are last. */
static void put_blocks(const struct asl_layout *l, int rank, int equal)
{
	struct items x = {.indent = 13, .used = 13};

	for (size_t i = l->first[rank]; i < l->first[rank + 1]; i++) {
		const struct asl_tensor_block *b = &l->block[i];
		char text[40];

		if ((b->i == b->j) + (b->j == b->k) != equal)
			continue;
		snprintf(text, sizeof text, "%s(%d,%d,%d)", x.count ? "" : "{",
			 b->i + 1, b->j + 1, b->k + 1);
		put_item(&x, ",", text);
	}
	printf(x.count ? "}\n" : "{}\n");
}

static void put_steps(const struct asl_schedule *s)
{
	for (int step = 0; step < s->steps; step++) {
		struct items x = {.indent = 12, .used = 12};

		printf("%-12d", step + 1);
		for (int p = 0; p < s->ranks; p++) {
			char text[40];

			snprintf(text, sizeof text, "%d->%d", p + 1,
				 asl_schedule_to(s, p, step).peer + 1);
			put_item(&x, " ", text);
		}
		putchar('\n');
	}
}

static void put_system(const struct asl_layout *l, const struct asl_schedule *s)
{
	printf("%s: %d ranks, %d row blocks, of which a rank works with %d\n",
	       l->name, l->ranks, l->m, l->s);
	puts("\nrank p has all blocks (i,j,k), i > j > k, of row blocks in "
	     "R_p, "
	     "and the\ndiagonal ones in N_p and D_p\n");
	for (int p = 0; p < l->ranks; p++) {
		printf("%-6d R_p = ", p + 1);
		put_numbers(&l->rows, p, 13);
		printf("\n%-6s N_p = ", "");
		put_blocks(l, p, 1);
		printf("%-6s D_p = ", "");
		put_blocks(l, p, 2);
	}
	puts("\nrow block i of x and y is shared by the ranks in Q_i\n");
	for (int i = 0; i < l->m; i++) {
		printf("%-6d Q_i = ", i + 1);
		put_numbers(&l->sharers, i, 13);
		putchar('\n');
	}
	printf("\n%d steps send x, and backwards sums of y; "
	       "i->j: rank i sends to rank j\n\n",
	       s->steps);
	put_steps(s);
}

/* Shares of one word of each row block are even, as the paper's are. */
static int steiner_system(const char *name)
{
	struct asl_steiner x;
	struct asl_layout l = {0};
	struct asl_schedule s = {0};
	int err = asl_symmetric_system(&x, name);

	if (!err)
		err = asl_layout_steiner(&l, (uint64_t)x.blocks * (uint64_t)x.s,
					 &x, ASL_SPREAD);
	if (!err)
		err = asl_schedule_make(&s, &l);
	if (!err)
		put_system(&l, &s);
	asl_schedule_free(&s);
	asl_layout_free(&l);
	asl_steiner_free(&x);
	return err ? asl_complain_failure(err, "list steiner: ") : 0;
}

static const struct topic {
	const char *name;
	void (*list)(void);
	bool asked; /* not listed with all others: too long, slow, no choice */
} topics[] = {
	{"algorithms", algorithms, false},   {"kernels", kernels, false},
	{"profiles", profiles, false},	     {"transports", transports, false},
	{"stores", stores, false},	     {"suites", suites, false},
	{"steiner", steiner, true},	     {"counters", counters, true},
	{"machine", asl_list_machine, true},
};

enum { TOPICS = sizeof topics / sizeof topics[0] };

static const char *const *topic_names(void)
{
	static const char *names[TOPICS + 1];

	for (int i = 0; i < TOPICS; i++)
		names[i] = topics[i].name;
	return names;
}

static void list_all(void)
{
	for (int i = 0; i < TOPICS; i++) {
		if (topics[i].asked)
			continue;
		printf("%s%s\n", i ? "\n" : "", topics[i].name);
		topics[i].list();
	}
}

int asl_command_list(struct asl_options *o, int argc, char **argv)
{
	(void)o;
	if (argc == 4 && !strcmp(argv[2], "steiner"))
		return steiner_system(argv[3]);
	if (argc > 3)
		return asl_refuse("unexpected argument '%s' after '%s'",
				  argv[3], argv[2]);
	if (argc < 3) {
		list_all();
		return 0;
	}
	for (int i = 0; i < TOPICS; i++)
		if (!strcmp(argv[2], topics[i].name)) {
			topics[i].list();
			return 0;
		}
	return asl_refuse(
		"list: found '%s', expected algorithms, kernels, profiles, "
		"transports, stores, suites, steiner, counters or machine%s",
		argv[2], asl_meant(argv[2], "", topic_names()));
}
