/*
 * list.c -- aslant list: what there is to choose from, one line each
 */
#include <stdio.h>
#include <string.h>

#include "bench/commands.h"
#include "bench/face.h"
#include "bench/options.h"
#include "bench/profile.h"
#include "bench/say.h"
#include "bench/suite.h"
#include "lib/kernels/kernel.h"
#include "net/net.h"
#include "nvm/store.h"

static void line(const char *name, const char *summary)
{
	printf("%-13s %s\n", name, summary);
}

static void family(const struct asl_algorithm *const *x)
{
	for (; *x; x++)
		line((*x)->name, (*x)->summary);
}

static void algorithms(void)
{
	for (int i = 0; asl_faces[i]; i++)
		family(asl_faces[i]->algorithms);
	line(ASL_AUTO, "the algorithm, kernel and grid of least predicted Q");
}

static void kernels(void)
{
	for (int i = 0; asl_kernels[i]; i++)
		line(asl_kernels[i]->name, asl_kernels[i]->summary);
}

static void profiles(void)
{
	for (const struct asl_profile *x = asl_profiles; x->name[0]; x++)
		line(x->name, x->source);
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

static void suites(void)
{
	asl_suite_each(line);
}

static const struct topic {
	const char *name;
	void (*list)(void);
} topics[] = {
	{"algorithms", algorithms}, {"kernels", kernels},
	{"profiles", profiles},	    {"transports", transports},
	{"stores", stores},	    {"suites", suites},
};

enum { TOPICS = sizeof topics / sizeof topics[0] };

static void list_all(void)
{
	for (int i = 0; i < TOPICS; i++) {
		printf("%s%s\n", i ? "\n" : "", topics[i].name);
		topics[i].list();
	}
}

int asl_command_list(int argc, char **argv, const struct asl_command *self)
{
	if (argc > 3)
		return asl_complain(ASL_BAD_INPUT,
				    "unexpected argument '%s' after '%s'",
				    argv[3], argv[2]);
	if (argc < 3) {
		list_all();
		return 0;
	}
	if (!strcmp(argv[2], "--help") || !strcmp(argv[2], "-h"))
		return asl_command_help(self);
	for (int i = 0; i < TOPICS; i++)
		if (!strcmp(argv[2], topics[i].name)) {
			topics[i].list();
			return 0;
		}
	return asl_complain(ASL_BAD_INPUT,
			    "list: found '%s', expected "
			    "algorithms, kernels, profiles, transports, stores "
			    "or suites",
			    argv[2]);
}
