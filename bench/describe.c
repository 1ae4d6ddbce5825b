/*
 * describe.c -- the command as manual pages and as completions of shells
 *
 * All of it comes from the tables that the command itself goes by, so that none
 * can say what another does not.
 */
#include "bench/describe.h"

#include <string.h>

#include "bench/say.h"

int asl_describe(int argc, char **argv)
{
	const char *what = argc == 3 ? argv[2] : "";

	if (!strcmp(what, "man"))
		return asl_describe_man(NULL);
	if (!strncmp(what, "man-", 4))
		return asl_describe_man(what + 4);
	if (!strcmp(what, "bash"))
		asl_describe_bash();
	else if (!strcmp(what, "zsh"))
		asl_describe_zsh();
	else
		return asl_complain(ASL_BAD_INPUT,
				    "--describe: found '%s', expected man, "
				    "man-COMMAND, bash or zsh",
				    what);
	return 0;
}
