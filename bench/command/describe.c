/*
 * describe.c -- the command as manual pages and as completions of shells
 *
 * All of it comes from the tables that the command itself goes by, so that none
 * can say what another does not.
 */
#include "bench/command/describe.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "bench/library/options.h"
#include "bench/library/say.h"

/*
 * How the command is used, from the tables of commands and options
 */

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
	fputs("  --version             the versions of aslant and its "
	      "libraries\n"
	      "\n" ASL_HELP_CODES "\n",
	      f);
}

/*
 * Manual pages of aslant and of its commands, for scdoc
 */

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
	puts("*--version*\n\tthe versions of aslant and of its "
	     "libraries\n\n*--help*\n\tthe commands; after one of them, its "
	     "options");
	put_end();
}

/* command NULL: the page of aslant itself. */
static int describe_man(const char *command)
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

/*
 * Completions of aslant's words for bash and zsh
 */

/* A command takes algorithms, or the words that its usage lists. */
static bool takes_algorithm(const struct asl_command *x)
{
	return strstr(x->usage, "ALGORITHM");
}

static void put_words(const char *const *names)
{
	for (; *names; names++)
		printf(" %s", *names);
}

static void put_arguments(const struct asl_command *x)
{
	const char *from = strpbrk(x->usage, "[");

	if (takes_algorithm(x)) {
		put_words(asl_algorithm_names());
		return;
	}
	for (; from && strchr(from, '|') && *from != ']'; from++)
		putchar(*from == '[' || *from == '|' ? ' ' : *from);
}

static bool is_for(const struct asl_option *x, unsigned command)
{
	return x->commands & command;
}

static bool is_dir(const struct asl_option *x)
{
	return x->argument && !strcmp(x->argument, "DIR");
}

static bool is_file(const struct asl_option *x)
{
	return x->argument && !strcmp(x->argument, "FILE");
}

/* ---- bash ---- */

static void put_bash_names(bool (*is)(const struct asl_option *x))
{
	bool any = false;

	for (const struct asl_option *x = asl_option_table; x->name; x++)
		if (x->commands && is(x)) {
			printf("%s--%s", any ? "|" : "\t", x->name);
			any = true;
		}
	puts(")");
}

static void put_bash_values(void)
{
	for (const struct asl_option *x = asl_option_table; x->name; x++) {
		if (!x->commands || !asl_option_names(x))
			continue;
		printf("\t--%s)\n\t\twords='", x->name);
		put_words(asl_option_names(x));
		puts("' ;;");
	}
	put_bash_names(is_dir);
	puts("\t\tmapfile -t COMPREPLY < <(compgen -d -- \"$2\")\n"
	     "\t\treturn ;;");
	put_bash_names(is_file);
	puts("\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$2\")\n"
	     "\t\treturn ;;");
}

static void put_bash_command(const struct asl_command *x)
{
	printf("\t%s)\n\t\twords='", x->name);
	put_arguments(x);
	for (const struct asl_option *o = asl_option_table; o->name; o++)
		if (o->commands && is_for(o, x->options))
			printf(" --%s", o->name);
	puts("' ;;");
}

static void describe_bash(void)
{
	fputs("# bash completion of aslant\n\n_aslant()\n{\n\tlocal words=\n"
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
	     "\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$2\")\n"
	     "}\n\ncomplete -o default -F _aslant aslant");
}

/* ---- zsh ---- */

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
	if (x->argument && asl_option_names(x)) {
		putchar('(');
		put_words(asl_option_names(x));
		putchar(')');
	} else if (is_dir(x)) {
		fputs("_files -/", stdout);
	} else if (is_file(x)) {
		fputs("_files", stdout);
	}
	putchar('\'');
}

static void put_zsh_command(const struct asl_command *x)
{
	printf("\t%s)\n\t\t_arguments \\\n\t\t\t'1:", x->name);
	put_zsh(x->usage);
	fputs(":(", stdout);
	put_arguments(x);
	fputs(")'", stdout);
	for (const struct asl_option *o = asl_option_table; o->name; o++)
		if (o->commands && is_for(o, x->options))
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
	else
		return asl_complain(ASL_BAD_INPUT,
				    "--describe: found '%s', expected man, "
				    "man-COMMAND, bash or zsh",
				    what);
	return 0;
}
