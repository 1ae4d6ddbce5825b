/*
 * commands.h -- what aslant can be told to do
 *
 * A command is a function in a file of its own and a line in main.c.  It gets
 * the whole command line (argv[1] is its name) and returns the exit code.
 */
#ifndef ASL_COMMANDS_H
#define ASL_COMMANDS_H

#include "bench/help.h"

int asl_command_run(int argc, char **argv, const struct asl_command *self);
int asl_command_plan(int argc, char **argv, const struct asl_command *self);
int asl_command_bounds(int argc, char **argv, const struct asl_command *self);
int asl_command_suite(int argc, char **argv, const struct asl_command *self);
int asl_command_calibrate(int argc, char **argv,
			  const struct asl_command *self);
int asl_command_report(int argc, char **argv, const struct asl_command *self);
int asl_command_compare(int argc, char **argv, const struct asl_command *self);
int asl_command_list(int argc, char **argv, const struct asl_command *self);

/* --help after a command; returns the exit code. */
int asl_command_help(const struct asl_command *self);

#endif
