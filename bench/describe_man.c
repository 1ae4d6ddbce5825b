/*
 * describe_man.c -- manual pages of aslant and of its commands, for scdoc
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "bench/describe.h"
#include "bench/help.h"
#include "bench/options.h"
#include "bench/say.h"

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

static void put_options(unsigned command)
{
	const char *heading = NULL;

	puts("\n# OPTIONS");
	for (const struct asl_option *x = asl_option_table; x->name; x++) {
		if (!x->commands)
			heading = x->name;
		if (!(x->commands & command))
			continue;
		if (heading)
			put_heading(heading);
		heading = NULL;
		put_option(x);
	}
	if (!(command & ASL_TAKES_RESULTS))
		put_all(ASL_HELP_VALUES);
}

static void put_end(void)
{
	puts("\n\n# EXIT STATUS\n");
	put_all(ASL_HELP_CODES);
	puts("\n\n# SEE ALSO\n");
	fputs("*aslant*(1), ", stdout);
	for (const struct asl_command *x = asl_commands; x->name; x++)
		printf("*aslant-%s*(1), ", x->name);
	puts("*aslant-csv*(5), *libaslant*(3)");
}

static void put_command(const struct asl_command *x)
{
	printf("aslant-%s(1)\n\n# NAME\n\naslant-%s - ", x->name, x->name);
	put_all(x->summary);
	fputs("\n\n# SYNOPSIS\n\naslant ", stdout);
	put_all(x->usage);
	puts("\n\n# DESCRIPTION\n");
	put_text(x->text);
	if (x->options)
		put_options(x->options);
	printf("\n\n# EXAMPLE\n\n```\n%s\n```", x->example);
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
	     "of Slurm, PBS or Flux; *aslant-submit --help* says more\n");
	puts("*--version*\n\tthe versions of aslant and of what it is made "
	     "of\n\n*--help*\n\tthe commands; after one of them, its options");
	put_end();
}

int asl_describe_man(const char *command)
{
	const struct asl_command *x = asl_commands;

	if (!command) {
		put_aslant();
		return 0;
	}
	while (x->name && strcmp(x->name, command))
		x++;
	if (!x->name)
		return asl_complain(ASL_BAD_INPUT, "unknown command '%s'",
				    command);
	put_command(x);
	return 0;
}
