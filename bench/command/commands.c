/*
 * commands.c -- the commands, and their help, manual pages and completions
 *
 * All texts come from this table and the table of options, so that help, manual
 * pages and completions agree.
 */
#include "bench/command/commands.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/command/results/results.h"
#include "bench/library/cli.h"
#include "bench/library/profile.h"
#include "bench/library/say.h"
#include "lib/base/error.h"
#include "lib/multiply/module.h"
#include "lib/rank/blas.h"

/* clang-format off */
const struct asl_command asl_commands[] = {
	{
		.name = "run",
		.usage = "run ALGORITHM [options]",
		.summary = "run one case: count, verify and time it",
		.text =
"Multiply two matrices, in memory or out of core (ooc-...), or a symmetric\n"
"tensor by vectors (sttsv, hopm, cpgrad), or contract tensors (einsum); count\n"
"every word moved, and compare with the prediction and the lower bounds.\n"
"Without --csv and --out a summary goes to stdout.  ALGORITHM auto is the best\n"
"multiplication that aslant plan finds, with any kernel unless --kernel is\n"
"given.",
		.example =
"aslant run em-jomma --n 2048 --ranks 4 --launch\n"
"aslant run auto --n 4096 --ranks 16 --write-cost 4 --store null\n"
"aslant run sttsv --n 1200 --ranks 30 --out results/sttsv\n"
"aslant run einsum --spec 'ijk,kl,jl->il' --dims i=64,j=32,k=16,l=8 --ranks 4\n"
"aslant run ooc-auto --n 1000 --memory-budget 8MiB --csv -",
		.options = ASL_FOR_RUN,
		.run = asl_command_run,
	},
	{
		.name = "trace",
		.usage = "trace ALGORITHM --out DIR [options]",
		.summary = "write one case's flops and messages for SimGrid",
		.text =
"Count one case, as run with --store null does, and write what each rank computes\n"
"and sends, in order, as a time-independent trace.  SimGrid replays it on any\n"
"platform and says how long it takes there, with contention in the network:\n"
"\n"
"  aslant trace cannon --n 4096 --ranks 64 --out here && cd here/trace\n"
"  smpirun -replay ranks -hostfile hosts -platform my-fat-tree.xml\n"
"\n"
"Collectives are the messages that they consist of.  Reading and writing take\n"
"the time that they cost by the profile, whose unit is taken for a nanosecond.\n"
"Messages that overlap with computing cannot be traced.  scripts/simgrid traces\n"
"several algorithms, replays them on a fat tree, a dragonfly and a torus, and\n"
"compares.",
		.example = "aslant trace summa --n 4096 --ranks 64 "
			   "--out results/summa",
		.options = ASL_FOR_TRACE,
		.run = asl_command_trace,
	},
	{
		.name = "plan",
		.usage = "plan [ALGORITHM] [options]",
		.summary =
			"rank algorithms, kernels and grids by predicted cost",
		.text =
"Predict what every algorithm (or the one named), kernel and grid costs, and\n"
"list the cheapest first.  The best ten, or --top of them, by the cost of their\n"
"busiest rank are ranked by the cost along their critical paths.  Algorithms\n"
"without a grid are left out beyond 4096 ranks.  Without a name all\n"
"multiplications are ranked; with sttsv, all ways to multiply a symmetric tensor\n"
"by a vector; with ooc-auto, all methods and orders out of core.  Options of run\n"
"that do not matter here are accepted and ignored.",
		.example =
"aslant plan --n 4096 --ranks 64 --write-cost 8\n"
"aslant plan fused --n 4096 --ranks 64 --top 3 --csv -\n"
"aslant plan sttsv --n 1200 --ranks 30 --profile optane-100-nt",
		.options = ASL_FOR_PLAN,
		.run = asl_command_plan,
	},
	{
		.name = "bounds",
		.usage = "bounds [ALGORITHM] [options]",
		.summary = "print the lower bounds and the theorem behind each",
		.text =
"Print the lower bounds on the words that any algorithm moves for the problem:\n"
"matrix multiplication, or that of sttsv, hopm, cpgrad, einsum or ooc-auto.\n"
"Options of run that do not matter here are accepted and ignored.",
		.example = "aslant bounds --n 4096 --ranks 64 --cache 1MiB",
		.options = ASL_FOR_BOUNDS,
		.run = asl_command_bounds,
	},
	{
		.name = "suite",
		.usage = "suite NAME|FILE [options]",
		.summary = "run many cases from a file",
		.text =
"Run the cases of a suite (aslant list suites), or of a JSON file:\n"
"\n"
"  {\"about\": \"one line on it\",\n"
"   \"options\": {\"ranks\": 8, \"cache\": 4096},\n"
"   \"cases\": [{\"label\": \"a\", \"write-cost\": 4,\n"
"              \"n\": [640, 1024], \"algorithm\": [\"3d\", \"jomma\"]}]}\n"
"\n"
"Keys are options of run, label, and algorithm; those of a case override those\n"
"of the suite, and options on the command line override both.  Lists are\n"
"combined, the first key's changing slowest; a range is a list, too:\n"
"{\"from\": 1, \"to\": 8, \"times\": 2}, or \"by\".\n"
"\n"
"With --out, the same command continues a suite that was interrupted.  SIGTERM\n"
"ends it after the current repetition, with exit code 143.  With --launch there\n"
"is a job for each number of ranks.  In a batch system aslant-submit\n"
"(scripts/submit) makes a job of it.",
		.example =
"aslant suite quick --out results/here\n"
"aslant suite procurement --launch --nvm-dir /mnt/pmem0 --out results/here\n"
"aslant suite mine.json --dry-run",
		.options = ASL_FOR_SUITE,
		.run = asl_command_suite,
	},
	{
		.name = "report",
		.usage = "report DIR... [options]",
		.summary = "write results as one page with figures",
		.text =
"Read results that run or suite wrote with --out, and write one HTML page that\n"
"needs no other file, no network and no script: what failed, which algorithm is\n"
"best and why, costs, bounds, and the data of every figure.  The page of one\n"
"directory is DIR/report.html.  Several are several machines, side by side,\n"
"ranked as by aslant compare.",
		.example =
"aslant report results/here --open\n"
"aslant report results/here results/there --out both.html",
		.options = ASL_FOR_REPORT,
		.run = asl_command_report,
	},
	{
		.name = "calibrate",
		.usage = "calibrate [FILE] [options]",
		.summary = "measure this machine, and write its profile",
		.text =
"Measure what words from and to the pool and DRAM, messages, their words and\n"
"flops cost, on one rank alone and on all ranks of this host at once, and write\n"
"a profile for --profile to FILE (calibrated-HOST.json).  Costs are nanoseconds,\n"
"as a rank sees them while all are busy.  Outside an MPI job a rank is started\n"
"on every core (--ranks N: on N of them); then, on a host with few cores, four on\n"
"each core, for what a message takes of ranks that share cores.",
		.example = "aslant calibrate here.json --quick",
		.options = ASL_FOR_CALIBRATE,
		.run = asl_command_calibrate,
	},
	{
		.name = "sweep",
		.usage = "sweep [options]",
		.summary = "measure raw speeds of memory, network and cores",
		.text =
"Measure what this machine's parts can do, without any algorithm: reads and\n"
"writes of the pool, of DRAM and of each memory node in GB/s, at random places in\n"
"accesses of 64 B to 1 MiB, by one rank and more at once, by share of writes, and\n"
"with non-temporal or flushed stores; the latency of memory by pointer chasing,\n"
"alone and under load; messages of 8 B to 8 MiB; dgemm in GFLOP/s.  Tables go to\n"
"stdout, and with --out to sweep.csv.  A minute, or --time-budget; outside an MPI\n"
"job a rank is started on every core (--ranks N: on N of them).",
		.example =
"aslant sweep --quick\n"
"aslant sweep --nvm-dir /mnt/pmem0 --time-budget 3m --out results/here",
		.options = ASL_FOR_SWEEP,
		.run = asl_command_sweep,
	},
	{
		.name = "compare",
		.usage = "compare DIR DIR... [options]",
		.summary = "compare results of machines or versions",
		.text =
"Compare result directories (--out of run and suite).  All machines are ranked\n"
"at each workload by the cases that all of them have; then each case is listed\n"
"with the median time of the first over that of another, an interval, and a\n"
"verdict: faster, slower, equal within 5%, or not known yet.  Cases that differ\n"
"in size, seed, counts or medium are not compared, and the differences are\n"
"named; nor are cases that failed or were not verified.  If nothing was\n"
"measured, costs of counted words are compared.  Without --csv and --out tables\n"
"go to stdout.",
		.example = "aslant compare results/old results/new "
			   "--fail-below 0.95",
		.options = ASL_FOR_COMPARE,
		.run = asl_command_compare,
	},
	{
		.name = "pack",
		.usage = "pack DIR [options]",
		.summary = "make one file of results, with checksums",
		.text =
"Write the files of a result directory, and SHA256SUMS of them, to DIR.tar.  Report\n"
"and compare take such a file in place of a directory, and refuse it if a file in it\n"
"was changed.",
		.example =
"aslant pack results/here\n"
"aslant report here.tar --out here.html",
		.options = ASL_FOR_PACK,
		.run = asl_command_pack,
	},
	{
		.name = "list",
		.usage = "list [algorithms|kernels|profiles|transports|stores|"
			 "suites|steiner [NAME]|counters|machine]",
		.summary =
			"list what there is to choose from, and this machine",
		.text =
"Print the choices, a line each.  Three lists are printed only on request: the\n"
"machine, with its cores, caches, memories and the medium of pools; hardware\n"
"counters, which are tried; and Steiner systems, which distribute a symmetric\n"
"tensor: their ranks, m row blocks, of which a rank works with s, steps of an\n"
"exchange, words that a rank receives (or sends) of x and y in units of n, and\n"
"the lower bound.  With the NAME of one, or of its file, list steiner prints the\n"
"row blocks and the diagonal blocks of each rank, the ranks of each row block,\n"
"and the steps of an exchange.",
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

/*
 * OpenBLAS takes its kernels as it is loaded: begin again, with its variable set.
 * Ranks that are launched find it set.
 */
static int take_kernels(const char *name, char **argv)
{
	const char *chosen = getenv(ASL_BLAS_CHOICE);

	if (!asl_blas_can_run(name))
		return asl_complain(ASL_NO_MACHINE,
				    "--blas-kernels: this processor cannot run "
				    "those of %s",
				    name);
	if (!chosen || strcmp(chosen, name)) {
		setenv(ASL_BLAS_CHOICE, name, 1);
		execv("/proc/self/exe", argv);
		return asl_complain(ASL_INTERNAL, "cannot begin again: %s",
				    strerror(errno));
	}
	if (strcmp(asl_blas().kernels, name))
		return asl_complain(ASL_NO_MACHINE,
				    "--blas-kernels: %s is not in this "
				    "OpenBLAS, which takes %s",
				    name, asl_blas().kernels);
	return 0;
}

static bool is_taken_name(const char *name)
{
	return asl_is_one_of(name, asl_algorithm_names());
}

/* The algorithms of --load, which every later word on algorithms knows. */
static int load_algorithms(const struct asl_options *o)
{
	int code = 0;

	for (int i = 0; !code && o->load[i]; i++)
		if (asl_module_load(o->load[i], is_taken_name))
			code = asl_refuse("--load: %s", asl_failure());
	return code;
}

int asl_command_obey(const struct asl_command *self, int argc, char **argv)
{
	struct asl_options o = {
		.help = argc == 3 &&
			(!strcmp(argv[2], "-h") || !strcmp(argv[2], "--help"))};
	int code = self->options ? asl_options_parse(&o, argc - 1, argv + 1,
						     self->options)
				 : 0;

	if (!code)
		code = load_algorithms(&o);
	if (!code && o.blas_kernels && !o.help)
		code = take_kernels(o.blas_kernels, argv);
	if (code)
		return code;
	return o.help ? asl_command_help(self, o.algorithm, o.help_all)
		      : self->run(&o, argc, argv);
}

/* ---- Help ---- */
enum { COLUMN = 24, WIDTH = 79 };

void asl_print_wrapped(FILE *f, const char *text, int column)
{
	int at = column;

	while (*text) {
		int length = (int)strcspn(text, " ");

		if (at > column && at + 1 + length > WIDTH) {
			fprintf(f, "\n%*s", column, "");
			at = column;
		}
		at += fprintf(f, "%s%.*s", at > column ? " " : "", length,
			      text);
		text += length;
		text += strspn(text, " ");
	}
	fputc('\n', f);
}

/* The options of a command, and a heading before the first below it. */
static void each_option(unsigned command,
			bool (*is_shown)(const struct asl_option *),
			void (*put_heading)(const char *),
			void (*put_option)(const struct asl_option *))
{
	const char *heading = NULL;

	for (const struct asl_option *x = asl_option_table; x->name; x++) {
		if (!x->commands)
			heading = x->name;
		if (!(x->commands & command) || !is_shown(x))
			continue;
		if (heading)
			put_heading(heading);
		heading = NULL;
		put_option(x);
	}
}

static void print_heading(const char *text)
{
	printf("\n%s\n", text);
}

static void print_option(const struct asl_option *option)
{
	int column =
		printf("  --%s%s%s", option->name, option->argument ? " " : "",
		       option->argument ? option->argument : "");

	if (column < COLUMN - 1)
		printf("%*s", COLUMN - column, "");
	else
		printf("\n%*s", COLUMN, "");
	asl_print_wrapped(stdout, option->help, COLUMN);
}

/* ---- Which options are shown ---- */

static bool is_any(const struct asl_option *option)
{
	(void)option;
	return true;
}

/* Enough for most command lines. */
static bool is_basic(const struct asl_option *option)
{
	static const char *const basic[] = {
		"n",	  "m",	  "k",	     "spec",	"dims",	  "ranks",
		"launch", "grid", "store",   "nvm-dir", "kernel", "cache",
		"reps",	  "top",  "profile", "csv",	"out",	  "write-cost",
		"verify", "part", "dry-run", "help",	NULL};

	return asl_is_one_of(option->name, basic);
}

static const struct asl_algorithm *helped; /* NULL: the best multiplication */

/* Suites may give --overlap to all multiplications; not all have a use for it. */
static bool is_taken(const struct asl_option *option)
{
	const struct asl_matmul *product = helped ? helped->matmul : NULL;

	if (product && !product->chooses && !helped->overlaps &&
	    !strcmp(option->name, "overlap"))
		return false;
	return asl_option_is_for(option, helped);
}

static bool is_basic_and_taken(const struct asl_option *option)
{
	return is_basic(option) && is_taken(option);
}

/* Only those that run cases have so many that some come first. */
#define MANY (ASL_FOR_RUN | ASL_FOR_TRACE | ASL_FOR_PLAN | ASL_FOR_SUITE)

static void print_examples(const char *text)
{
	const char *before =
		strchr(text, '\n') ? "\nExamples: " : "\nExample: ";

	for (; *text; text += strspn(text, "\n")) {
		int length = (int)strcspn(text, "\n");

		printf("%s%.*s\n", before, length, text);
		before = "          ";
		text += length;
	}
}

static const struct asl_family_cli *helped_family(void)
{
	int i = 0;

	while (helped && asl_family_clis[i]->family != helped->family)
		i++;
	return asl_family_clis[i];
}

/* Command lines that work with any algorithm. */
static void print_examples_of(const struct asl_command *self, const char *name)
{
	static const struct {
		const char *command, *rest;
	} lines[] = {
		{"run", ""},
		{"run", " --launch --reps 5"},
		{"run", " --write-cost 4 --store null"},
		{"run", " --profile optane-100-nt --out results"},
		{"run", " --csv -"},
		{"trace", " --out results"},
		{"plan", ""},
		{"plan", " --write-cost 8 --top 3"},
		{"plan", " --profile optane-100-nt --csv -"},
	};
	char text[2048];
	size_t used = 0;

	for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
		if (!strcmp(lines[i].command, self->name))
			used += (size_t)snprintf(
				text + used, sizeof text - used,
				"aslant %s %s %s --ranks 4%s\n", self->name,
				name, helped_family()->small, lines[i].rest);
	text[used - 1] = '\0';
	print_examples(text);
}

/* The first heading is on the problems of all families. */
static void print_heading_of(const char *text)
{
	print_heading(text == asl_option_table->name ? helped_family()->about
						     : text);
}

static void print_options(const struct asl_command *self,
			  bool (*is_shown)(const struct asl_option *),
			  void (*put_head)(const char *))
{
	each_option(self->options, is_shown, put_head, print_option);
	if (self->options && !(self->options & ASL_TAKES_RESULTS))
		puts("\n" ASL_HELP_VALUES);
}

static int help_on(const struct asl_command *self, const char *name, bool all)
{
	int code = asl_algorithm_check(name);

	if (code)
		return code;
	helped = asl_cli_algorithm(name);
	printf("Usage: aslant %s %s [options]\n\n%s: ", self->name, name, name);
	asl_print_wrapped(stdout,
			  helped ? helped->summary
				 : "the algorithm, kernel and grid of least Q",
			  0);
	print_examples_of(self, name);
	print_options(self, all ? is_taken : is_basic_and_taken,
		      print_heading_of);
	if (!all)
		printf("\nThese are the basic options; aslant %s %s --help=all "
		       "lists all that it takes.\n",
		       self->name, name);
	return 0;
}

int asl_command_help(const struct asl_command *self, const char *algorithm,
		     bool all)
{
	bool many = self->options & MANY && !all;

	if (algorithm && self->options & MANY && self->options & ~ASL_FOR_SUITE)
		return help_on(self, algorithm, all);
	printf("Usage: aslant %s\n\n%s\n", self->usage, self->text);
	print_examples(self->example);
	print_options(self, many ? is_basic : is_any, print_heading);
	if (many)
		printf("\nThese are the basic options; aslant %s --help=all "
		       "lists all of them.\n",
		       self->name);
	return 0;
}

void asl_help_all(void)
{
	puts("Usage: aslant COMMAND [arguments]\n\n" ASL_HELP_ABOUT "\n");
	for (const struct asl_command *x = asl_commands; x->name; x++)
		printf("  %-*s%s\n", COLUMN - 2, x->name, x->summary);
	puts("  --version             the versions of aslant and its "
	     "libraries\n"
	     "\n" ASL_HELP_CODES);
}

/* ---- Manual pages, for scdoc ---- */

/* Up to the end of a line, with nothing in it that scdoc would obey. */
static void put(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (strchr("\\*_`#[]|<>~", text[i]))
			putchar('\\');
		putchar(text[i]);
	}
}

static void put_all(const char *text)
{
	put(text, strlen(text));
}

/* Lines that begin with blanks are as they are, others paragraphs. */
static void put_text(const char *text)
{
	bool literal = false;

	while (*text) {
		size_t length = strcspn(text, "\n");
		bool blank = *text == ' ';

		if (blank != literal)
			puts("```");
		literal = blank;
		if (literal)
			printf("%.*s", (int)length, text);
		else
			put(text, length);
		putchar('\n');
		text += length + (text[length] == '\n');
	}
	if (literal)
		puts("```");
}

static void put_heading(const char *text)
{
	fputs("\n## ", stdout);
	for (; *text; text++)
		putchar(*text == '\n' ? ' ' : *text);
	fputs("\n\n", stdout);
}

static void put_option(const struct asl_option *x)
{
	printf("*--%s*", x->name);
	if (x->argument)
		printf(" _%s_", x->argument);
	fputs("\n\t", stdout);
	put_all(x->help);
	fputs("\n\n", stdout);
}

static void put_end(void)
{
	puts("\n\n# EXIT STATUS\n");
	put_all(ASL_HELP_CODES);
	puts("\n\n# ENVIRONMENT\n\n"
	     "*ASLANT_NVM_DIR*\n\twhere pools lie, unless *--nvm-dir* is "
	     "given\n\n"
	     "*ASLANT_LAUNCH*\n\twhat *--launch* starts ranks with, such as "
	     "'srun --mpi=pmi2 -n', instead of mpiexec.mpich -n\n\n"
	     "*TMPDIR*\n\twhere pools lie if there is no /dev/shm\n\n"
	     "*FI_PROVIDER*, *FI_...*\n\tlibfabric's own, see *fabric*(7); "
	     "*--provider* has precedence\n\n"
	     "*HWLOC_XMLFILE*\n\tanother machine's topology.xml, to plan for "
	     "it\n\n"
	     "*OPENBLAS_CORETYPE*\n\tset by *--blas-kernels*\n\n"
	     "*BROWSER*\n\twhat *report --open* starts\n\n"
	     "*NO_COLOR*\n\tset to anything: no colour on a terminal");
	puts("\n\n# SEE ALSO\n");
	fputs("*aslant*(1), ", stdout);
	for (const struct asl_command *x = asl_commands; x->name; x++)
		printf("*aslant-%s*(1), ", x->name);
	puts("*aslant-submit*(1), *aslant-csv*(5), *aslant-suites*(5), "
	     "*aslant-profiles*(5), *libaslant*(3)");
}

static void put_command(const struct asl_command *x)
{
	printf("aslant-%s(1)\n\n# NAME\n\naslant-%s - ", x->name, x->name);
	put_all(x->summary);
	fputs("\n\n# SYNOPSIS\n\naslant ", stdout);
	put_all(x->usage);
	puts("\n\n# DESCRIPTION\n");
	put_text(x->text);
	if (x->options) {
		puts("\n# OPTIONS");
		each_option(x->options, is_any, put_heading, put_option);
		if (!(x->options & ASL_TAKES_RESULTS))
			put_all(ASL_HELP_VALUES);
	}
	printf("\n\n# EXAMPLES\n\n```\n%s\n```", x->example);
	put_end();
}

static void put_aslant(void)
{
	puts("aslant(1)\n\n# NAME\n\naslant - matrix and tensor kernels on "
	     "asymmetric memories, counted exactly\n\n# SYNOPSIS\n\n"
	     "*aslant* COMMAND \\[arguments\\]\n\n# DESCRIPTION\n");
	put_all(ASL_HELP_ABOUT);
	puts("\n\n# COMMANDS\n");
	for (const struct asl_command *x = asl_commands; x->name; x++) {
		printf("*%s*\n\t", x->name);
		put_all(x->summary);
		printf(", see *aslant-%s*(1)\n\n", x->name);
	}
	puts("*aslant-submit*\n\ta program of its own: a suite as a batch job "
	     "of Slurm, PBS, SGE, LSF or Flux, see *aslant-submit*(1)\n");
	puts("*--version*\n\tthe versions of aslant and of its "
	     "libraries\n\n*--help*\n\tthe commands; after one of them, its "
	     "options");
	puts("\n# EXAMPLES\n\n```");
	for (const struct asl_command *x = asl_commands; x->name; x++)
		printf("%.*s\n", (int)strcspn(x->example, "\n"), x->example);
	puts("```");
	put_end();
}

/* command NULL: the page of aslant itself. */
static int describe_man(const char *command)
{
	const struct asl_command *x =
		command ? asl_command_find(command) : NULL;

	if (command && !x)
		return asl_refuse("unknown command '%s'", command);
	if (x)
		put_command(x);
	else
		put_aslant();
	return 0;
}

/* ---- Completions ---- */

static void put_words(const char *const *names)
{
	for (; *names; names++)
		printf(" %s", *names);
}

static void put_suite(const char *name, const char *about)
{
	(void)about;
	printf(" %s", name);
}

static void put_arguments(const struct asl_command *x)
{
	const char *from = strpbrk(x->usage, "[");

	if (x->options & ASL_FOR_SUITE)
		asl_suite_each(put_suite);
	if (strstr(x->usage, "ALGORITHM")) {
		put_words(asl_algorithm_names());
		return;
	}
	for (; from && strchr(from, '|') && *from != ']'; from++)
		putchar(*from == '[' || *from == '|' ? ' ' : *from);
}

static bool takes(const struct asl_option *x, const char *argument)
{
	return x->argument && !strcmp(x->argument, argument);
}

/* Options with such an argument are completed by what `compgen` lists. */
static void put_bash_paths(const char *argument, char compgen)
{
	const char *before = "\t";

	for (const struct asl_option *x = asl_option_table; x->name; x++)
		if (x->commands && takes(x, argument)) {
			printf("%s--%s", before, x->name);
			before = "|";
		}
	printf(")\n\t\tmapfile -t COMPREPLY < <(compgen -%c -- \"$2\")\n"
	       "\t\treturn ;;\n",
	       compgen);
}

static const char *const *names_of(const struct asl_option *x)
{
	return strcmp(x->name, "profile") ? asl_option_names(x)
					  : asl_profile_names();
}

static void put_bash_values(void)
{
	for (const struct asl_option *x = asl_option_table; x->name; x++) {
		if (!x->commands || !names_of(x))
			continue;
		printf("\t--%s)\n\t\twords='", x->name);
		put_words(names_of(x));
		puts("' ;;");
	}
	put_bash_paths("DIR", 'd');
	put_bash_paths("FILE", 'f');
}

static void put_bash_command(const struct asl_command *x)
{
	printf("\t%s)\n\t\twords='", x->name);
	put_arguments(x);
	for (const struct asl_option *o = asl_option_table; o->name; o++)
		if (o->commands & x->options)
			printf(" --%s", o->name);
	printf("'%s ;;\n",
	       x->options & ASL_TAKES_RESULTS ? "\n\t\tdirs=-d" : "");
}

static void describe_bash(void)
{
	fputs("# bash completion of aslant\n\n_aslant()\n{\n\tlocal words= "
	      "dirs=\n"
	      "\n\tcase ${COMP_WORDS[1]} in\n",
	      stdout);
	for (const struct asl_command *x = asl_commands; x->name; x++)
		put_bash_command(x);
	fputs("\tesac\n\tcase $3 in\n\taslant)\n\t\twords='--version --help",
	      stdout);
	for (const struct asl_command *x = asl_commands; x->name; x++)
		printf(" %s", x->name);
	puts("' ;;");
	put_bash_values();
	puts("\tesac\n"
	     "\tmapfile -t COMPREPLY < <(compgen $dirs -W \"$words\" -- "
	     "\"$2\")\n"
	     "}\n\ncomplete -o default -F _aslant aslant");
}

/* In single quotes; what _arguments would obey is escaped. */
static void put_zsh(const char *text)
{
	for (; *text; text++) {
		if (*text == '\'') {
			fputs("'\\''", stdout);
			continue;
		}
		if (strchr("[]:\\", *text))
			putchar('\\');
		putchar(*text);
	}
}

static void put_zsh_option(const struct asl_option *x)
{
	printf(" \\\n\t\t\t'%s--%s%s[", x->value == ASL_FILES ? "*" : "",
	       x->name, x->argument ? "=" : "");
	put_zsh(x->help);
	putchar(']');
	if (x->argument) {
		putchar(':');
		put_zsh(x->argument);
		putchar(':');
	}
	if (x->argument && names_of(x)) {
		putchar('(');
		put_words(names_of(x));
		putchar(')');
	} else if (takes(x, "DIR")) {
		fputs("_files -/", stdout);
	} else if (takes(x, "FILE")) {
		fputs("_files", stdout);
	}
	putchar('\'');
}

static void put_zsh_command(const struct asl_command *x)
{
	bool results = x->options & ASL_TAKES_RESULTS;

	printf("\t%s)\n\t\t_arguments \\\n\t\t\t'%s:", x->name,
	       results ? "*" : "1");
	put_zsh(x->usage);
	fputs(results ? ":_files -/" : ":(", stdout);
	put_arguments(x);
	fputs(results ? "'" : ")'", stdout);
	for (const struct asl_option *o = asl_option_table; o->name; o++)
		if (o->commands & x->options)
			put_zsh_option(o);
	puts(" ;;");
}

static void describe_zsh(void)
{
	fputs("#compdef aslant\n\n_aslant() {\n\tlocal -a commands=(\n",
	      stdout);
	for (const struct asl_command *x = asl_commands; x->name; x++) {
		printf("\t\t'%s:", x->name);
		put_zsh(x->summary);
		puts("'");
	}
	puts("\t)\n\n\tif (( CURRENT == 2 )); then\n"
	     "\t\t_describe command commands\n\t\treturn\n\tfi\n"
	     "\tshift words\n\t(( CURRENT-- ))\n\tcase $words[1] in");
	for (const struct asl_command *x = asl_commands; x->name; x++)
		put_zsh_command(x);
	puts("\tesac\n}\n\n_aslant \"$@\"");
}

/* ---- Columns, for programs ---- */

static void each_column(void (*put_name)(const char *name))
{
	for (int c = 0; c < ASL_COLUMNS; c++)
		if (asl_column_name((enum asl_column)c))
			put_name(asl_column_name((enum asl_column)c));
}

static void put_macro(const char *name)
{
	fputs("#define ASL_COLUMN_", stdout);
	for (const char *c = name; *c; c++)
		putchar(toupper((unsigned char)*c));
	printf(" \"%s\"\n", name);
}

static void put_constant(const char *name)
{
	printf("constexpr const char *%s = \"%s\";\n", name, name);
}

static void describe_columns(void)
{
	puts("/* columns.h -- columns of runs.csv: one that is mistyped does "
	     "not compile */\n#ifndef ASLANT_COLUMNS_H\n"
	     "#define ASLANT_COLUMNS_H\n");
	each_column(put_macro);
	puts("\n#ifdef __cplusplus\nnamespace aslant\n{\nnamespace column\n{");
	each_column(put_constant);
	puts("} // namespace column\n} // namespace aslant\n#endif\n\n#endif");
}

int asl_describe(int argc, char **argv)
{
	const char *what = argc == 3 ? argv[2] : "";

	if (!strcmp(what, "man"))
		return describe_man(NULL);
	if (!strncmp(what, "man-", 4))
		return describe_man(what + 4);
	if (!strcmp(what, "bash"))
		describe_bash();
	else if (!strcmp(what, "zsh"))
		describe_zsh();
	else if (!strcmp(what, "columns"))
		describe_columns();
	else
		return asl_refuse("--describe: found '%s', expected man, "
				  "man-COMMAND, bash, zsh or columns",
				  what);
	return 0;
}
