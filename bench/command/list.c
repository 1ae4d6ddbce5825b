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
	printf("%-14s %s\n", name, summary);
}

static void family(const struct asl_algorithm *const *x)
{
	for (; *x; x++)
		line((*x)->name, (*x)->summary);
}

static void algorithms(void)
{
	for (int i = 0; asl_family_clis[i]; i++)
		family(asl_family_clis[i]->algorithms);
	line(ASL_AUTO, "the algorithm, kernel and grid of least predicted Q");
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
		printf("%-14s %s\n%-14s not here: %s\n", name,
		       asl_hwc_summary(name), "", asl_failure());
	else
		printf("%-14s %s\n%-14s here: %s\n", name,
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
		"transports, stores, suites, steiner, counters or machine",
		argv[2]);
}
