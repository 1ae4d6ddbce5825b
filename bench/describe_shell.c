/*
 * describe_shell.c -- completions of aslant's words for bash and zsh
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "bench/describe.h"
#include "bench/help.h"
#include "bench/options.h"

/* What may follow a command: algorithms, or the words that its usage lists. */
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
		if (!x->commands || !x->names)
			continue;
		printf("\t--%s)\n\t\twords='", x->name);
		put_words(x->names());
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

void asl_describe_bash(void)
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
	if (x->argument && x->names) {
		putchar('(');
		put_words(x->names());
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

void asl_describe_zsh(void)
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
