/*
 * main.c -- the aslant command: which of its commands is meant
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "bench/case.h"
#include "bench/commands.h"
#include "bench/say.h"

const struct asl_command asl_commands[] = {
	{
		.name = "run",
		.usage = "run ALGORITHM [options]",
		.summary = "one multiplication, counted, verified and timed",
		.text = "Multiply two matrices, count every word moved, and "
			"compare with the prediction\nand the lower bounds.  "
			"Without --csv and --out a summary goes to stdout.",
		.options = ASL_FOR_RUN,
		.run = asl_command_run,
	},
	{
		.name = "plan",
		.usage = "plan [ALGORITHM] [options]",
		.summary =
			"every algorithm, kernel and grid, by predicted cost",
		.text = "Predict what every algorithm (or the one named), "
			"kernel and grid costs, cheapest\nfirst.  Takes the "
			"options of run; those that change no cost are "
			"ignored.",
		.options = ASL_FOR_PLAN,
		.run = asl_command_plan,
	},
	{
		.name = "bounds",
		.usage = "bounds [options]",
		.summary = "the lower bounds, with the theorem that gives each",
		.text = "Print what no algorithm can better.  Takes the "
			"options of run; those that change\nno bound are "
			"ignored.",
		.options = ASL_FOR_BOUNDS,
		.run = asl_command_bounds,
	},
	{
		.name = "list",
		.usage = "list [algorithms|kernels|profiles|transports|stores]",
		.summary = "what there is to choose from",
		.text = "Print what there is to choose from, a line each.",
		.run = asl_command_list,
	},
	{.name = NULL},
};

static const struct asl_command *find(const char *name)
{
	for (const struct asl_command *x = asl_commands; x->name; x++)
		if (!strcmp(name, x->name))
			return x;
	return NULL;
}

int asl_command_help(const struct asl_command *self)
{
	asl_help_command(stdout, self);
	return 0;
}

static int unknown(const char *name)
{
	return asl_complain(ASL_BAD_INPUT,
			    "unknown command '%s' (aslant "
			    "--help lists them)",
			    name);
}

static int help(int argc, char **argv)
{
	const struct asl_command *command;

	if (argc > 3)
		return asl_complain(ASL_BAD_INPUT,
				    "unexpected argument '%s' after '%s'",
				    argv[3], argv[2]);
	if (argc < 3) {
		asl_help_all(stdout);
		return 0;
	}
	command = find(argv[2]);
	return command ? asl_command_help(command) : unknown(argv[2]);
}

static int obey(int argc, char **argv)
{
	const struct asl_command *command;

	if (argc < 2)
		return asl_complain(ASL_BAD_INPUT, "which command? (aslant "
						   "--help lists them)");
	command = find(argv[1]);
	if (command)
		return command->run(argc, argv, command);
	if (!strcmp(argv[1], "help") || !strcmp(argv[1], "--help") ||
	    !strcmp(argv[1], "-h"))
		return help(argc, argv);
	if (strcmp(argv[1], "--version"))
		return unknown(argv[1]);
	puts("aslant " ASLANT_VERSION);
	return 0;
}

int main(int argc, char **argv)
{
	int code;

	/* In a job every rank would print the same. */
	if (asl_job().rank > 0 && !freopen("/dev/null", "w", stdout))
		return ASL_INTERNAL;
	code = obey(argc, argv);
	if ((fflush(stdout) || ferror(stdout)) && !code)
		code = asl_complain(ASL_NO_MACHINE,
				    "cannot write to stdout: "
				    "%s",
				    strerror(errno));
	return code;
}
