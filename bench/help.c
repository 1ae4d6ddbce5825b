/*
 * help.c -- how the command is used, from the tables of commands and options
 */
#include "bench/help.h"

#include <string.h>

#include "bench/options.h"

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

static void print_option(FILE *f, const struct asl_option *option)
{
	int column = fprintf(f, "  --%s%s%s", option->name,
			     option->argument ? " " : "",
			     option->argument ? option->argument : "");

	if (column < COLUMN - 1)
		fprintf(f, "%*s", COLUMN - column, "");
	else
		fprintf(f, "\n%*s", COLUMN, "");
	asl_print_wrapped(f, option->help, COLUMN);
}

static void print_options(FILE *f, unsigned command)
{
	const char *heading = NULL;

	for (const struct asl_option *x = asl_option_table; x->name; x++) {
		if (!x->commands) {
			heading = x->name;
			continue;
		}
		if (!(x->commands & command))
			continue;
		if (heading)
			fprintf(f, "\n%s\n", heading);
		heading = NULL;
		print_option(f, x);
	}
	if (command & ASL_TAKES_RESULTS)
		return;
	fputs("\n" ASL_HELP_VALUES "\n", f);
}

void asl_help_command(FILE *f, const struct asl_command *command)
{
	fprintf(f, "Usage: aslant %s\n\n%s\n", command->usage, command->text);
	if (command->options)
		print_options(f, command->options);
	fprintf(f, "\nExample: %s\n", command->example);
}

void asl_help_all(FILE *f)
{
	fputs("Usage: aslant COMMAND [arguments]\n\n" ASL_HELP_ABOUT "\n\n", f);
	for (const struct asl_command *x = asl_commands; x->name; x++)
		fprintf(f, "  %-*s%s\n", COLUMN - 2, x->name, x->summary);
	fputs("  --version             which version this is, and of what\n"
	      "\n" ASL_HELP_CODES "\n",
	      f);
}
