/*
 * describe.h -- the command as manual pages and as completions of shells
 */
#ifndef ASL_DESCRIBE_H
#define ASL_DESCRIBE_H

#include <stdio.h>

#include "bench/command/commands.h"

/* Texts of both the help and the manual pages. */
#define ASL_HELP_ABOUT                                                         \
	"Runs matrix and tensor kernels on machines whose memory is cheaper "  \
	"to read than\nto write, counts every word moved, and compares the "   \
	"counts with predictions and\nlower bounds."
#define ASL_HELP_VALUES                                                        \
	"Counts and words may end in k, m or g, which multiply by 1000; "      \
	"words also in\nKiB, MiB, GiB or TiB, which are bytes (a word has "    \
	"8).  An option given twice\ncounts the last time; each --operand "    \
	"adds a file."
#define ASL_HELP_CODES                                                         \
	"Exit codes: 0 success, 1 a check failed, 2 bad usage or input, 3 "    \
	"the machine\nlacks something, 4 internal error, 5 a peer was lost, "  \
	"143 SIGTERM ended a suite."

/* Words of text, broken before column 80; on in lines indented by `column`. */
void asl_print_wrapped(FILE *f, const char *text, int column);

void asl_help_all(FILE *f);
void asl_help_command(FILE *f, const struct asl_command *command);

/*
 * aslant --describe man, man-COMMAND, bash or zsh: to stdout; for the build, which
 * makes files of it.  The exit code.
 */
int asl_describe(int argc, char **argv);

#endif
