/*
 * refusals.h -- command lines that the command refuses, as a table
 *
 * Each is given to the command's own main in a child of the test, which starts no
 * program for it.  It must end with its exit code and one line on stderr, and leave
 * stdout and the directory as they were.
 */
#ifndef ASL_TEST_HELP_REFUSALS_H
#define ASL_TEST_HELP_REFUSALS_H

#include <stddef.h>
#include <sys/stat.h>

struct refusal {
	const char *says; /* a basic regular expression, behind "aslant: " */
	const char *line; /* the arguments; '...' is one word */
	const char
		*each; /* a|b|c: one command line for each of these values, */
	/* which is @ in the other texts; its first word is # */
	int code;
	const char *env;  /* NAME=value */
	const char *text; /* of the file bad.json; ' stands for " */
};

#define REFUSE(what, args)                                                     \
	{                                                                      \
		.code = 2, .says = what, .line = args                          \
	}
#define REFUSE_EACH(what, args, values)                                        \
	{                                                                      \
		.code = 2, .says = what, .line = args, .each = values          \
	}
#define REFUSE_TEXT(what, args, json)                                          \
	{                                                                      \
		.code = 2, .says = what, .line = args, .text = json            \
	}
#define REFUSE_TEXTS(what, args, json, values)                                 \
	{                                                                      \
		.code = 2, .says = what, .line = args, .text = json,           \
		.each = values                                                 \
	}
/* The machine's fault, not the user's. */
#define LACK(what, args)                                                       \
	{                                                                      \
		.code = 3, .says = what, .line = args                          \
	}

/* In an empty directory that refusals_end removes. */
void refusals_begin(void);
/* A file there. */
void refusals_put(const char *name, const char *text, size_t bytes);
/* A matrix or tensor of ones, as NumPy writes it. */
void refusals_put_npy(const char *name, const char *type, const char *shape,
		      size_t words);
/* A command line that must succeed. */
void refusals_do(const char *line);
/* Tries all of them; prints those that are taken, or refused otherwise. */
void refusals_try(const struct refusal *table, size_t count);
/* Is this file as it was? */
void refusals_unchanged(const char *name, const struct stat *before);
/* Returns the exit code of the test. */
int refusals_end(void);

#endif
