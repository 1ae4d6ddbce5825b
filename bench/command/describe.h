/*
 * describe.h -- the command as manual pages and as completions of shells
 */
#ifndef ASL_DESCRIBE_H
#define ASL_DESCRIBE_H

#include <stdio.h>

#include "bench/command/commands.h"

/* What the help and the manual pages say alike. */
#define ASL_HELP_ABOUT                                                         \
	"Measures what matrix and tensor kernels cost on machines whose "      \
	"memory is cheaper\nto read than to write: runs them, counts every "   \
	"word moved, compares with prediction\nand lower bounds."
#define ASL_HELP_VALUES                                                        \
	"Counts and words may end in k, m or g, which multiply by 1000; "      \
	"words also in\nKiB, MiB, GiB or TiB, which are bytes (a word is 8). " \
	" "                                                                    \
	"The last of several\nsame options counts; of --operand each is one "  \
	"more."
#define ASL_HELP_CODES                                                         \
	"Exit codes: 0 fine, 1 a check failed, 2 bad usage or input, 3 the "   \
	"machine lacks\nsomething, 4 internal error, 5 a peer was lost, 143 "  \
	"SIGTERM stopped a suite."

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
