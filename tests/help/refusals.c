/*
 * refusals.c -- runs the command in children, and judges what they say
 */
#include "tests/help/refusals.h"

#include <dirent.h>
#include <fcntl.h>
#include <regex.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 20, MOST_WORDS = 64, ROOM = 16384 };

int command_main(int argc, char **argv); /* of bench, renamed by CMake */

static char dir[] = "/tmp/aslant-refused-XXXXXX";
static int tried, failed;

static void give_up(const char *what)
{
	perror(what);
	exit(1);
}

void refusals_put(const char *name, const char *text, size_t bytes)
{
	FILE *f = fopen(name, "w");

	if (!f || fwrite(text, 1, bytes, f) != bytes || fclose(f))
		give_up(name);
}

void refusals_put_npy(const char *name, const char *type, const char *shape,
		      size_t words)
{
	const double one = 1;
	FILE *f = fopen(name, "w");

	if (!f)
		give_up(name);
	fwrite("\x93NUMPY\x01\x00\x76\x00", 1, 10, f);
	fprintf(f, "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }",
		type, shape);
	fprintf(f, "%*s", 127 - (int)ftell(f), "");
	fputc('\n', f);
	for (size_t i = 0; i < words; i++)
		fwrite(&one, type[2] == '8' ? 8 : 4, 1, f);
	if (fclose(f))
		give_up(name);
}

/* ---- A command line ---- */

/* Words between blanks; '...' is part of one, whatever is in it. */
static int split(char *argv[MOST_WORDS], char *line)
{
	static char name[] = "aslant";
	char *to = line;
	int argc = 0;

	argv[argc++] = name;
	while (*line) {
		bool quoted = false;

		while (*line == ' ')
			line++;
		if (!*line || argc == MOST_WORDS - 1)
			break;
		argv[argc++] = to;
		for (; *line && (quoted || *line != ' '); line++)
			if (*line == '\'')
				quoted = !quoted;
			else
				*to++ = *line;
		if (*line)
			line++;
		*to++ = '\0';
	}
	argv[argc] = NULL;
	return argc;
}

struct output {
	char out[ROOM], err[ROOM];
	int code; /* 128 and more: a signal */
};

static void read_all(char text[ROOM], int fd)
{
	ssize_t bytes = pread(fd, text, ROOM - 1, 0);

	text[bytes > 0 ? bytes : 0] = '\0';
	close(fd);
}

static void be_command(char *line, const char *env, int out, int err)
{
	char *argv[MOST_WORDS], *equals = env ? strchr(env, '=') : NULL;
	char name[64];

	if (equals) {
		snprintf(name, sizeof name, "%.*s", (int)(equals - env), env);
		setenv(name, equals + 1, 1);
	}
	alarm(SECONDS);
	if (dup2(open("/dev/null", O_RDONLY), 0) || dup2(out, 1) != 1 ||
	    dup2(err, 2) != 2)
		_exit(127);
	exit(command_main(split(argv, line), argv));
}

static void command(struct output *x, const char *line, const char *env)
{
	int out = memfd_create("out", MFD_CLOEXEC),
	    err = memfd_create("err", MFD_CLOEXEC), status;
	char *copy = strdup(line);
	pid_t child = fork();

	if (child == 0)
		be_command(copy, env, out, err);
	if (child < 0 || waitpid(child, &status, 0) != child)
		give_up("fork");
	free(copy);
	x->code = WIFEXITED(status) ? WEXITSTATUS(status)
				    : 128 + WTERMSIG(status);
	read_all(x->out, out);
	read_all(x->err, err);
}

void refusals_do(const char *line)
{
	struct output x;

	command(&x, line, NULL);
	if (!x.code)
		return;
	printf("%s: exit code %d: %s\n", line, x.code, x.err);
	exit(1);
}

/* ---- A refusal ---- */

static int entries(void)
{
	DIR *d = opendir(".");
	int count = 0;

	while (d && readdir(d))
		count++;
	closedir(d);
	return count;
}

static bool one_line(const char *text)
{
	const char *end = strchr(text, '\n');

	return end && !end[1];
}

/* grep's: \| is "or". */
static bool matches(const char *text, const char *pattern)
{
	char whole[ROOM];
	regex_t r;
	bool ok;

	snprintf(whole, sizeof whole, "^aslant: .*\\(%s\\)", pattern);
	if (regcomp(&r, whole, REG_NOSUB | REG_NEWLINE))
		give_up(pattern);
	ok = regexec(&r, text, 0, NULL, 0) == 0;
	regfree(&r);
	return ok;
}

static void judge(const struct output *x, int code, const char *says,
		  const char *line, int left)
{
	const char *wrong = x->code != code	     ? "exit code"
			    : !one_line(x->err)	     ? "not one line"
			    : !matches(x->err, says) ? "another message"
			    : *x->out		     ? "something on stdout"
			    : left		     ? "a file is left"
						     : NULL;

	tried++;
	if (!wrong)
		return;
	failed++;
	printf("%.400s: %s\n  found %d: %.600s%.200s\n  expected %d: %.400s\n",
	       line, wrong, x->code, x->err, x->out, code, says);
}

/* The value for each @ in a template, its first word for each #. */
static char *fill(const char *template, const char *value)
{
	char *text = malloc(ROOM), *to = text;

	for (; template && *template; template ++)
		if (*template == '@')
			to += sprintf(to, "%s", value);
		else if (*template == '#')
			to += sprintf(to, "%.*s", (int)strcspn(value, " "),
				      value);
		else
			*to++ = *template;
	*to = '\0';
	return text;
}

static void put_text(const char *template, const char *value)
{
	char *text = fill(template, value);

	for (char *c = text; *c; c++)
		if (*c == '\'')
			*c = '"';
	refusals_put("bad.json", text, strlen(text));
	free(text);
}

static void try_one(const struct refusal *x, const char *value)
{
	char *line = fill(x->line, value), *says = fill(x->says, value);
	struct output found;
	int before;

	if (x->text)
		put_text(x->text, value);
	before = entries();
	command(&found, line, x->env);
	judge(&found, x->code, says, line, entries() - before);
	free(line);
	free(says);
}

void refusals_try(const struct refusal *table, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		char *values = strdup(table[i].each ? table[i].each : ""),
		     *next = values, *value;

		while ((value = strsep(&next, "|")))
			try_one(&table[i], value);
		free(values);
	}
}

/* ---- Around all of them ---- */

void refusals_begin(void)
{
	if (!mkdtemp(dir) || chdir(dir))
		give_up(dir);
	setvbuf(stdout, NULL, _IONBF, 0);
}

void refusals_unchanged(const char *name, const struct stat *before)
{
	struct stat now;

	if (stat(name, &now) == 0 && now.st_ino == before->st_ino &&
	    now.st_size == before->st_size &&
	    !memcmp(&now.st_mtim, &before->st_mtim, sizeof now.st_mtim))
		return;
	printf("a refused command changed %s\n", name);
	failed++;
}

int refusals_end(void)
{
	char remove[64];

	snprintf(remove, sizeof remove, "rm -rf '%s'", dir);
	if (chdir("/") || system(remove))
		give_up(dir);
	printf("%d command lines, %d failed\n", tried, failed);
	return failed > 0;
}
