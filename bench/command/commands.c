/*
 * commands.c -- the table of commands: names, help, options
 */
#include "bench/command/commands.h"

#include <stdio.h>
#include <string.h>

#include "bench/command/describe.h"
#include "bench/library/options.h"
#include "bench/library/say.h"

const struct asl_command asl_commands[] = {
	{
		.name = "run",
		.usage = "run ALGORITHM [options]",
		.summary = "one case, counted, verified and timed",
		.text = "Multiply two matrices, in memory or out of core "
			"(ooc-...), or a symmetric\n"
			"tensor by vectors (sttsv, hopm, cpgrad), or contract "
			"tensors (einsum); count\n"
			"every word moved, and compare with the prediction and "
			"the lower bounds.\n"
			"Without --csv and --out a summary goes to stdout.  "
			"ALGORITHM auto is the best\n"
			"multiplication that aslant plan finds, of any kernel "
			"unless --kernel is given.",
		.example = "aslant run em-jomma --n 2048 --ranks 4 --launch",
		.options = ASL_FOR_RUN,
		.run = asl_command_run,
	},
	{
		.name = "plan",
		.usage = "plan [ALGORITHM] [options]",
		.summary =
			"every algorithm, kernel and grid, by predicted cost",
		.text = "Predict what every algorithm (or the one named), "
			"kernel and grid costs, cheapest\n"
			"first.  Algorithms without a grid are left out beyond "
			"4096 ranks.  Other options\n"
			"of run that leave nothing behind are taken, too, and "
			"ignored.  Without a name:\n"
			"of multiplication; sttsv: of all ways to multiply a "
			"symmetric tensor by a vector;\n"
			"ooc-auto: of all methods and orders out of core.",
		.example = "aslant plan --n 4096 --ranks 64 --write-cost 8",
		.options = ASL_FOR_PLAN,
		.run = asl_command_plan,
	},
	{
		.name = "bounds",
		.usage = "bounds [ALGORITHM] [options]",
		.summary = "the lower bounds, with the theorem that gives each",
		.text = "Print what no algorithm can better: none that "
			"multiplies matrices, or that does\n"
			"what sttsv, hopm, cpgrad, einsum or ooc-auto does.  "
			"Other options of run that\n"
			"leave nothing behind are taken, too, and ignored.",
		.example = "aslant bounds --n 4096 --ranks 64 --cache 1MiB",
		.options = ASL_FOR_BOUNDS,
		.run = asl_command_bounds,
	},
	{
		.name = "suite",
		.usage = "suite NAME|FILE [options]",
		.summary = "many cases from a file",
		.text = "Run the cases of a suite (aslant list suites), or of "
			"a JSON file:\n\n  {\"about\": \"one line on it\",\n"
			"   \"options\": {\"ranks\": 8, \"cache\": 4096},\n"
			"   \"cases\": [{\"label\": \"a\", \"write-cost\": 4,\n"
			"              \"n\": [640, 1024], \"algorithm\": "
			"[\"3d\", \"jomma\"]}]}\n\n"
			"Keys are options of run, label, and algorithm; those "
			"of a case have precedence.\nLists are combined, the "
			"first key's changing slowest; a range is a list, "
			"too:\n"
			"{\"from\": 1, \"to\": 8, \"times\": 2}, or "
			"\"by\".  Options on the command line have\n"
			"precedence over all, in every case.\n\n"
			"With --out, the same command continues a suite that "
			"was interrupted.  SIGTERM ends\nit after the "
			"repetition that runs, with exit code 143.  With "
			"--launch there is a\njob for each number of ranks.  "
			"In a batch system aslant-submit (scripts/submit)\n"
			"makes a job of it.",
		.example = "aslant suite quick --out results/here",
		.options = ASL_FOR_SUITE,
		.run = asl_command_suite,
	},
	{
		.name = "report",
		.usage = "report DIR... [options]",
		.summary = "results as one page, with figures, to be read and "
			   "printed",
		.text = "Read results that run or suite wrote with --out, and "
			"write one page of HTML\nthat needs no other file, no "
			"network and no script: what failed, which algorithm\n"
			"is best and why, costs, bounds, and every figure's "
			"data.  Several directories are\nseveral machines, "
			"side "
			"by side; the first is what the others are compared "
			"with.\n\n"
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
			"messages, their words and flops\ncost, by one rank "
			"alone and by all ranks of this host at once, and "
			"write a profile\nfor --profile to FILE "
			"(calibrated-HOST.json).  Costs are nanoseconds: those "
			"that a\nrank sees while all are busy.  Outside an MPI "
			"job a rank is started on every core\n(--ranks N: N of "
			"them).",
		.example = "aslant calibrate here.json --quick",
		.options = ASL_FOR_CALIBRATE,
		.run = asl_command_calibrate,
	},
	{
		.name = "compare",
		.usage = "compare DIR DIR... [options]",
		.summary = "results of machines or versions, side by side",
		.text = "Compare result directories (--out of run and suite) "
			"with the first, A: case by\ncase the median time "
			"there over that here, with a confidence interval, and "
			"a\nverdict only where that leaves 1 out.  Cases that "
			"differ in size, seed, counts or\nmedium are not "
			"compared, and their differences named; nor are those "
			"that failed or\nwere not verified.  Without --csv and "
			"--out tables go to stdout.",
		.example = "aslant compare results/old results/new "
			   "--fail-below 0.95",
		.options = ASL_FOR_COMPARE,
		.run = asl_command_compare,
	},
	{
		.name = "list",
		.usage = "list [algorithms|kernels|profiles|transports|stores|"
			 "suites|steiner|counters|machine]",
		.summary = "what there is to choose from, and this machine",
		.text = "Print what there is to choose from, a line each.  "
			"Some are listed only if they\nare asked for: the "
			"machine, its cores, caches, memories and what pools "
			"lie on;\nhardware counters, which are tried; and "
			"Steiner systems, which say who has what\nof a "
			"symmetric tensor: their ranks, m row blocks, of which "
			"a rank works with s,\nsteps of an exchange, words "
			"that a rank receives of x and y (or sends) in units"
			"\nof n, and the lower bound.",
		.example = "aslant list profiles",
		.run = asl_command_list,
	},
	{.name = NULL},
};

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
