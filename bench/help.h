/*
 * help.h -- how the command is used, on stdout
 */
#ifndef ASL_HELP_H
#define ASL_HELP_H

#include <stdio.h>

struct asl_command {
	const char *name, *usage, *summary;
	const char *text; /* more about it */
	unsigned options; /* enum asl_commands; 0: takes none */
	int (*run)(int argc, char **argv, const struct asl_command *self);
};

/* All commands, NULL-ended. */
extern const struct asl_command asl_commands[];

void asl_help_all(FILE *f);
void asl_help_command(FILE *f, const struct asl_command *command);

#endif
