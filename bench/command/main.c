/*
 * main.c -- the aslant command: which of its commands is meant
 */
#include <csv.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench/command/commands.h"
#include "bench/command/signals.h"
#include "bench/library/case.h"
#include "bench/library/cli.h"
#include "bench/library/say.h"
#include "lib/machine/machine.h"
#include "lib/rank/blas.h"
#include "nvm/store.h"

enum {
	LEAST_BYTES = 256 << 20
}; /* OpenBLAS allocates half of it as it starts */

enum { MOST_COMMANDS = 16 };

static int unknown(const char *name)
{
	const char *names[MOST_COMMANDS + 5] = {"help", "version", "--help",
						"--version"};
	const char *meant;
	int count = 4;

	for (const struct asl_command *x = asl_commands; x->name; x++)
		if (count < MOST_COMMANDS + 4)
			names[count++] = x->name;
	meant = asl_meant(name, "aslant ", names);
	if (!*meant)
		meant = asl_algorithm_meant(name, "aslant run ");
	return asl_refuse("unknown command '%s'%s (aslant --help lists them)",
			  name, meant);
}

static int help(int argc, char **argv)
{
	const struct asl_command *command;

	if (argc > 3)
		return asl_refuse("unexpected argument '%s' after '%s'",
				  argv[3], argv[2]);
	if (argc < 3) {
		asl_help_all();
		return 0;
	}
	command = asl_command_find(argv[2]);
	return command ? asl_command_help(command, NULL, false)
		       : unknown(argv[2]);
}

/* Versions of the libraries that are loaded, not of those at build time. */
static void print_versions(void)
{
	printf("aslant %s\n%s%sjansson %s\n%slibcsv %d.%d.%d\n", asl_version(),
	       asl_net_versions(), asl_store_versions(), jansson_version_str(),
	       asl_machine_versions(), CSV_MAJOR, CSV_MINOR, CSV_RELEASE);
	puts(asl_blas_version());
}

static int obey(int argc, char **argv)
{
	const struct asl_command *command;

	if (argc < 2)
		return asl_refuse("which command? (aslant --help lists them)");
	command = asl_command_find(argv[1]);
	if (command)
		return asl_command_obey(command, argc, argv);
	if (!strcmp(argv[1], "help") || !strcmp(argv[1], "--help") ||
	    !strcmp(argv[1], "-h"))
		return help(argc, argv);
	if (!strcmp(argv[1], "--describe"))
		return asl_describe(argc, argv);
	if (strcmp(argv[1], "--version") && strcmp(argv[1], "-V") &&
	    strcmp(argv[1], "version"))
		return unknown(argv[1]);
	print_versions();
	return 0;
}

/*
 * A file opened where stdin, stdout or stderr is closed would get its number,
 * and then whatever is printed.  A stdout that cannot be written is noticed.
 */
static bool open_standard(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
		    open("/dev/null", fd == 2 ? O_WRONLY : O_RDONLY) != fd)
			return false;
	return true;
}

/*
 * Libraries of some networks catch signals as they are loaded, before main:
 * they would drop a file of addresses and exit with code 1.  SIGHUP, which nohup
 * may have ignored, becomes again what it was before they were.  What ends the
 * command waits for main, and for main's own thread for ever: others, made by
 * libraries, would end it while rows are written.
 */
static struct sigaction hang_up;

static void before_libraries(void)
{
	sigaction(SIGHUP, NULL, &hang_up);
	asl_signals_hold();
}

__attribute__((section(".preinit_array"),
	       used)) static void (*const first)(void) = before_libraries;

static void release_signals(void)
{
	static const int caught[] = {SIGINT, SIGTERM, SIGSEGV, SIGBUS,
				     SIGILL, SIGFPE,  SIGABRT};

	for (size_t i = 0; i < sizeof caught / sizeof caught[0]; i++)
		signal(caught[i], SIG_DFL);
	sigaction(SIGHUP, &hang_up, NULL);
}

/* OpenBLAS tells us that it cannot start its threads, by a SIGINT of its own. */
static void check_blas(void)
{
	const struct timespec at_once = {0};
	siginfo_t info;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	if (sigtimedwait(&set, &info, &at_once) != SIGINT)
		return;
	if (info.si_pid != getpid())
		asl_signals_end(SIGINT);
	_exit(asl_complain(
		ASL_NO_MACHINE,
		"OpenBLAS cannot start its threads (ulimit -v, -u?)"));
}

/* "run em-jomma", as far as it is told by then. */
static void catch_signals(int argc, char **argv)
{
	char what[64];

	snprintf(what, sizeof what, "%.20s%s%.40s", argc > 1 ? argv[1] : "",
		 argc > 2 && *argv[2] != '-' ? " " : "",
		 argc > 2 && *argv[2] != '-' ? argv[2] : "");
	for (char *c = what; *c; c++)
		memset(c, '?', (size_t)asl_control_bytes(c));
	release_signals();
	asl_signals_catch(what);
	check_blas();
	asl_signals_release();
}

/* No path is longer; a complaint about one has to have room for the reason. */
static int check_lengths(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (strlen(argv[i]) >= PATH_MAX)
			return asl_refuse("argument %d ('%.40s...') has %zu "
					  "characters, expected %d at most",
					  i, argv[i], strlen(argv[i]),
					  PATH_MAX - 1);
	return 0;
}

/*
 * Libraries that find none as they begin go on without, or crash; OpenBLAS would
 * wait for it for ever, even in exit.
 */
static void check_room(void)
{
	void *room = malloc(LEAST_BYTES);

	free(room);
	if (!room)
		_exit(asl_complain(ASL_NO_MACHINE,
				   "out of memory: there are not even %d MiB "
				   "(ulimit -v, -d?)",
				   LEAST_BYTES >> 20));
}

int main(int argc, char **argv)
{
	int code;

	if (!open_standard())
		return ASL_NO_MACHINE;
	catch_signals(argc, argv);
	/* In a job every rank would print the same. */
	if (asl_job().rank > 0 && !freopen("/dev/null", "w", stdout))
		return ASL_INTERNAL;
	check_room();
	/* Forked ranks then start none, which would only spin. */
	asl_blas_set_threads(1);
	asl_store_large_pages();
	code = check_lengths(argc, argv);
	if (!code)
		code = obey(argc, argv);
	if (code)
		return code;
	return asl_flush_stdout();
}
