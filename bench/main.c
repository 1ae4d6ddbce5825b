/*
 * main.c -- the aslant command: which of its commands is meant
 */
#include <csv.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench/case.h"
#include "bench/commands.h"
#include "bench/describe.h"
#include "bench/say.h"
#include "bench/signals.h"
#include "lib/machine/machine.h"
#include "lib/rank/blas.h"
#include "nvm/store.h"

enum { LEAST_BYTES = 256 << 20 }; /* OpenBLAS takes half of it, at once */

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

/* Of what is loaded, which need not be what it was built with. */
static void print_versions(void)
{
	printf("aslant %s\n%s%sjansson %s\n%slibcsv %d.%d.%d\n", asl_version(),
	       asl_net_versions(), asl_store_versions(), jansson_version_str(),
	       asl_machine_versions(), CSV_MAJOR, CSV_MINOR, CSV_RELEASE);
	puts(asl_blas_version());
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
	if (!strcmp(argv[1], "--describe"))
		return asl_describe(argc, argv);
	if (strcmp(argv[1], "--version"))
		return unknown(argv[1]);
	print_versions();
	return 0;
}

/*
 * A file opened where stdin, stdout or stderr is closed would get its number,
 * and then whatever is printed.  A stdout that cannot be written is noticed.
 */
static bool open_standard(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", fd == 2 ? O_WRONLY : O_RDONLY) != fd)
			return false;
	return true;
}

/*
 * Libraries of some networks catch signals as they are loaded, before main:
 * they would drop a file of addresses and exit with code 1.  SIGHUP, which nohup
 * may have ignored, becomes again what it was before they were.  What ends the
 * command waits for main, and for main's own thread for ever: others, made by
 * libraries, would end it while rows are written.
 */
static struct sigaction hang_up;

static void before_libraries(void)
{
	sigaction(SIGHUP, NULL, &hang_up);
	asl_signals_hold();
}

__attribute__((section(".preinit_array"),
	       used)) static void (*const first)(void) = before_libraries;

static void release_signals(void)
{
	static const int caught[] = {SIGINT, SIGTERM, SIGSEGV, SIGBUS,
				     SIGILL, SIGFPE,  SIGABRT};

	for (size_t i = 0; i < sizeof caught / sizeof caught[0]; i++)
		signal(caught[i], SIG_DFL);
	sigaction(SIGHUP, &hang_up, NULL);
}

/* OpenBLAS tells us that it cannot start its threads, by a SIGINT of its own. */
static void check_blas(void)
{
	const struct timespec at_once = {0};
	siginfo_t info;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	if (sigtimedwait(&set, &info, &at_once) != SIGINT)
		return;
	if (info.si_pid != getpid())
		asl_signals_end(SIGINT);
	_exit(asl_complain(ASL_NO_MACHINE, "OpenBLAS cannot start its threads "
					   "(ulimit -v, -u?)"));
}

/* "run em-jomma", as far as it is told by then. */
static void catch_signals(int argc, char **argv)
{
	char what[64];

	snprintf(what, sizeof what, "%.20s%s%.40s", argc > 1 ? argv[1] : "",
		 argc > 2 && *argv[2] != '-' ? " " : "",
		 argc > 2 && *argv[2] != '-' ? argv[2] : "");
	for (char *c = what; *c; c++)
		memset(c, '?', (size_t)asl_control_bytes(c));
	release_signals();
	asl_signals_catch(what);
	check_blas();
	asl_signals_release();
}

/* No path is longer; a complaint about one has to have room for the reason. */
static int check_lengths(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (strlen(argv[i]) >= PATH_MAX)
			return asl_complain(ASL_BAD_INPUT,
					    "argument %d ('%.40s...') has %zu "
					    "characters, expected %d at most",
					    i, argv[i], strlen(argv[i]),
					    PATH_MAX - 1);
	return 0;
}

/*
 * Libraries that find none as they begin go on without, or crash; OpenBLAS would
 * wait for it for ever, even in exit.
 */
static void check_room(void)
{
	void *room = malloc(LEAST_BYTES);

	free(room);
	if (!room)
		_exit(asl_complain(ASL_NO_MACHINE,
				   "out of memory: there are not even %d MiB "
				   "(ulimit -v, -d?)",
				   LEAST_BYTES >> 20));
}

int main(int argc, char **argv)
{
	int code;

	if (!open_standard())
		return ASL_NO_MACHINE;
	catch_signals(argc, argv);
	/* In a job every rank would print the same. */
	if (asl_job().rank > 0 && !freopen("/dev/null", "w", stdout))
		return ASL_INTERNAL;
	check_room();
	code = check_lengths(argc, argv);
	if (!code)
		code = obey(argc, argv);
	if (code)
		return code;
	return asl_flush_stdout();
}
