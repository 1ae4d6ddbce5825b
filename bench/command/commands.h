/*
 * commands.h -- the commands of aslant
 *
 * A command is a function in a file of its own and an entry in commands.c.  It gets
 * its options, parsed, and the whole command line (argv[1] is its name), and
 * returns the exit code.
 */
#ifndef ASL_COMMANDS_H
#define ASL_COMMANDS_H

#include <stdio.h>

#include "bench/library/options.h"

struct asl_command {
	const char *name, *usage, *summary;
	const char *text;    /* more about it */
	const char *example; /* or several, a line each */
	unsigned options;    /* enum asl_commands; 0: takes none */
	int (*run)(struct asl_options *o, int argc, char **argv);
};

/* All commands, NULL-ended. */
extern const struct asl_command asl_commands[];

int asl_command_run(struct asl_options *o, int argc, char **argv);
int asl_command_trace(struct asl_options *o, int argc, char **argv);
int asl_command_plan(struct asl_options *o, int argc, char **argv);
int asl_command_bounds(struct asl_options *o, int argc, char **argv);
int asl_command_suite(struct asl_options *o, int argc, char **argv);
int asl_command_calibrate(struct asl_options *o, int argc, char **argv);
int asl_command_sweep(struct asl_options *o, int argc, char **argv);
int asl_command_report(struct asl_options *o, int argc, char **argv);
int asl_command_compare(struct asl_options *o, int argc, char **argv);
int asl_command_pack(struct asl_options *o, int argc, char **argv);
int asl_command_list(struct asl_options *o, int argc, char **argv);

/*
 * If it is a file of aslant pack, what was in it, checked, in a directory that is
 * there until the command ends.  0, or the exit code after a complaint.
 */
int asl_unpack(const char **dir);

/* Name and summary of every suite there is, in alphabetic order. */
void asl_suite_each(void (*line)(const char *name, const char *about));

/* NULL: there is none of that name. */
const struct asl_command *asl_command_find(const char *name);

/* Parse the options, then run it, or help if they ask for it. */
int asl_command_obey(const struct asl_command *self, int argc, char **argv);

/*
 * --help after a command: the options that are basic, or, with an algorithm's name, that
 * it takes, or all.  Returns the exit code.
 */
int asl_command_help(const struct asl_command *self, const char *algorithm,
		     bool all);

/*
 * The command as manual pages and as completions of shells
 */

/* Texts of both the help and the manual pages. */
#define ASL_HELP_ABOUT                                                         \
	"Runs matrix and tensor kernels on machines whose memory is cheaper "  \
	"to read than\nto write, counts every word moved, and compares the "   \
	"counts with predictions and\nlower bounds."
#define ASL_HELP_VALUES                                                        \
	"Counts and words may end in k, m or g, which multiply by 1000; "      \
	"words also in\nKiB, MiB, GiB or TiB, which are bytes (a word has "    \
	"8).  If an option is given\ntwice, the last one counts; each "        \
	"--operand adds a file."
#define ASL_HELP_CODES                                                         \
	"Exit codes: 0 success, 1 a check failed, 2 bad usage or input, 3 "    \
	"the machine\nlacks something, 4 internal error, 5 a peer was lost, "  \
	"130 Ctrl-C, 143 SIGTERM."

/* Words of text, broken before column 80; on in lines indented by `column`. */
void asl_print_wrapped(FILE *f, const char *text, int column);

void asl_help_all(void);

/*
 * aslant --describe man, man-COMMAND, bash, zsh or columns (a header): to stdout; for the build, which
 * makes files of it.  The exit code.
 */
int asl_describe(int argc, char **argv);

#endif
