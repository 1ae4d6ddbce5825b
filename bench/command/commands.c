/*
 * commands.c -- the table of commands: names, help, options
 */
#include "bench/command/commands.h"

#include <stdio.h>
#include <string.h>

#include "bench/command/describe.h"
#include "bench/library/options.h"
#include "bench/library/say.h"

/* clang-format off: texts are as wide as help prints them. */
const struct asl_command asl_commands[] = {
	{
		.name = "run",
		.usage = "run ALGORITHM [options]",
		.summary = "run one case: count, verify and time it",
		.text = "Multiply two matrices, in memory or out of core "
			"(ooc-...), or a symmetric\n"
			"tensor by vectors (sttsv, hopm, cpgrad), or contract "
			"tensors (einsum); count\n"
			"every word moved, and compare with the prediction and "
			"the lower bounds.\n"
			"Without --csv and --out a summary goes to stdout.  "
			"ALGORITHM auto is the best\n"
			"multiplication that aslant plan finds, with any "
			"kernel unless --kernel is\n"
			"given.",
		.example = "aslant run em-jomma --n 2048 --ranks 4 --launch",
		.options = ASL_FOR_RUN,
		.run = asl_command_run,
	},
	{
		.name = "plan",
		.usage = "plan [ALGORITHM] [options]",
		.summary =
			"rank algorithms, kernels and grids by predicted cost",
		.text = "Predict what every algorithm (or the one named), "
			"kernel and grid costs, and\n"
			"list the cheapest first.  Algorithms without a grid "
			"are left out beyond 4096\n"
			"ranks.  Without a name all multiplications are "
			"ranked; with sttsv, all ways to\n"
			"multiply a symmetric tensor by a vector; with "
			"ooc-auto, all methods and orders\n"
			"out of core.  Options of run that do not matter here "
			"are accepted and ignored.",
		.example = "aslant plan --n 4096 --ranks 64 --write-cost 8",
		.options = ASL_FOR_PLAN,
		.run = asl_command_plan,
	},
	{
		.name = "bounds",
		.usage = "bounds [ALGORITHM] [options]",
		.summary = "print the lower bounds and the theorem behind each",
		.text = "Print the lower bounds on the words that any "
			"algorithm moves for the problem:\n"
			"matrix multiplication, or that of sttsv, hopm, "
			"cpgrad, einsum or ooc-auto.\n"
			"Options of run that do not matter here are accepted "
			"and ignored.",
		.example = "aslant bounds --n 4096 --ranks 64 --cache 1MiB",
		.options = ASL_FOR_BOUNDS,
		.run = asl_command_bounds,
	},
	{
		.name = "suite",
		.usage = "suite NAME|FILE [options]",
		.summary = "run many cases from a file",
		.text = "Run the cases of a suite (aslant list suites), or of "
			"a JSON file:\n"
			"\n"
			"  {\"about\": \"one line on it\",\n"
			"   \"options\": {\"ranks\": 8, \"cache\": 4096},\n"
			"   \"cases\": [{\"label\": \"a\", \"write-cost\": 4,\n"
			"              \"n\": [640, 1024], \"algorithm\": "
			"[\"3d\", \"jomma\"]}]}\n"
			"\n"
			"Keys are options of run, label, and algorithm; those "
			"of a case override those\n"
			"of the suite, and options on the command line "
			"override both.  Lists are\n"
			"combined, the first key's changing slowest; a range "
			"is a list, too:\n"
			"{\"from\": 1, \"to\": 8, \"times\": 2}, or \"by\".\n"
			"\n"
			"With --out, the same command continues a suite that "
			"was interrupted.  SIGTERM\n"
			"ends it after the current repetition, with exit code "
			"143.  With --launch there\n"
			"is a job for each number of ranks.  In a batch system "
			"aslant-submit\n"
			"(scripts/submit) makes a job of it.",
		.example = "aslant suite quick --out results/here",
		.options = ASL_FOR_SUITE,
		.run = asl_command_suite,
	},
	{
		.name = "report",
		.usage = "report DIR... [options]",
		.summary = "write results as one page with figures",
		.text = "Read results that run or suite wrote with --out, and "
			"write one HTML page that\n"
			"needs no other file, no network and no script: what "
			"failed, which algorithm is\n"
			"best and why, costs, bounds, and the data of every "
			"figure.  Several directories\n"
			"are several machines, side by side; the others are "
			"compared with the first.\n"
			"\n"
			"  aslant suite quick --out here\n"
			"  aslant report here --out here.html",
		.example = "aslant report results/here results/there",
		.options = ASL_FOR_REPORT,
		.run = asl_command_report,
	},
	{
		.name = "calibrate",
		.usage = "calibrate [FILE] [options]",
		.summary = "measure this machine, and write its profile",
		.text = "Measure what words from and to the pool and DRAM, "
			"messages, their words and\n"
			"flops cost, on one rank alone and on all ranks of "
			"this host at once, and write\n"
			"a profile for --profile to FILE "
			"(calibrated-HOST.json).  Costs are nanoseconds,\n"
			"as a rank sees them while all are busy.  Outside an "
			"MPI job a rank is started\n"
			"on every core (--ranks N: on N of them).",
		.example = "aslant calibrate here.json --quick",
		.options = ASL_FOR_CALIBRATE,
		.run = asl_command_calibrate,
	},
	{
		.name = "compare",
		.usage = "compare DIR DIR... [options]",
		.summary = "compare results of machines or versions",
		.text = "Compare result directories (--out of run and suite) "
			"with the first, A: case by\n"
			"case the median time there over that here, with a "
			"confidence interval, and a\n"
			"verdict only where the interval excludes 1.  Cases "
			"that differ in size, seed,\n"
			"counts or medium are not compared, and the "
			"differences are named; nor are\n"
			"cases that failed or were not verified.  Without "
			"--csv and --out tables go to\n"
			"stdout.",
		.example = "aslant compare results/old results/new "
			   "--fail-below 0.95",
		.options = ASL_FOR_COMPARE,
		.run = asl_command_compare,
	},
	{
		.name = "list",
		.usage = "list [algorithms|kernels|profiles|transports|stores|"
			 "suites|steiner|counters|machine]",
		.summary =
			"list what there is to choose from, and this machine",
		.text = "Print the choices, a line each.  Three lists are "
			"printed only on request: the\n"
			"machine, with its cores, caches, memories and the "
			"medium of pools; hardware\n"
			"counters, which are tried; and Steiner systems, which "
			"distribute a symmetric\n"
			"tensor: their ranks, m row blocks, of which a rank "
			"works with s, steps of an\n"
			"exchange, words that a rank receives (or sends) of x "
			"and y in units of n, and\n"
			"the lower bound.",
		.example = "aslant list profiles",
		.run = asl_command_list,
	},
	{.name = NULL},
};
/* clang-format on */

const struct asl_command *asl_command_find(const char *name)
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
