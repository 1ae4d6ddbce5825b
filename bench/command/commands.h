/*
 * commands.h -- the commands of aslant
 *
 * A command is a function in a file of its own and an entry in commands.c.  It gets
 * the whole command line (argv[1] is its name) and returns the exit code.
 */
#ifndef ASL_COMMANDS_H
#define ASL_COMMANDS_H

struct asl_command {
	const char *name, *usage, *summary;
	const char *text; /* more about it */
	const char *example;
	unsigned options; /* enum asl_commands; 0: takes none */
	int (*run)(int argc, char **argv, const struct asl_command *self);
};

/* All commands, NULL-ended. */
extern const struct asl_command asl_commands[];

int asl_command_run(int argc, char **argv, const struct asl_command *self);
int asl_command_plan(int argc, char **argv, const struct asl_command *self);
int asl_command_bounds(int argc, char **argv, const struct asl_command *self);
int asl_command_suite(int argc, char **argv, const struct asl_command *self);
int asl_command_calibrate(int argc, char **argv,
			  const struct asl_command *self);
int asl_command_report(int argc, char **argv, const struct asl_command *self);
int asl_command_compare(int argc, char **argv, const struct asl_command *self);
int asl_command_list(int argc, char **argv, const struct asl_command *self);

/* NULL: there is none of that name. */
const struct asl_command *asl_command_find(const char *name);

/* --help after a command; returns the exit code. */
int asl_command_help(const struct asl_command *self);

#endif
