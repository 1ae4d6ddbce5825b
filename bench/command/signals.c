/*
 * signals.c -- signals that end the command, and its last words
 *
 * Handlers use only what may be used in them: the line is put together from
 * texts that were made before.  Nothing is to be tidied up: pools and files that
 * are being written have no names.
 */
#include "bench/command/signals.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "bench/library/aslant.h"
#include "bench/library/case.h"
#include "lib/base/mapped.h"
#include "net/net.h"

/* mpiexec drops what it has not passed on when a rank ends. */
#define PASS_ON_NS 100000000

static const struct ending {
	int number;
	const char *name;
} endings[] = {
	{SIGTERM, "SIGTERM"},
	{SIGINT, "SIGINT"},
	{SIGHUP, "SIGHUP"},
	{SIGXCPU, "SIGXCPU: all of the processor time that ulimit -t allows "
		  "is used"},
};

#define ENDINGS (sizeof endings / sizeof endings[0])

static char subject[128]; /* "aslant: run em-jomma" */
static const char *volatile more = "";
static char place[64]; /* "rank 3: " */
static bool speaks;    /* in a job rank 0 does */

static void put(const char *text)
{
	if (write(STDERR_FILENO, text, strlen(text)) < 0)
		return;
}

static const char *name_of(int number)
{
	for (size_t i = 0; i < ENDINGS; i++)
		if (endings[i].number == number)
			return endings[i].name;
	return "a signal";
}

void asl_signals_end(int number)
{
	static atomic_flag ends = ATOMIC_FLAG_INIT;
	char line[512];
	sigset_t one;

	/* A second one may come to another thread, of a library. */
	while (atomic_flag_test_and_set(&ends))
		pause();
	/* In one piece: others write there, too. */
	line[0] = '\0';
	strcat(line, subject);
	strcat(line, " was stopped by ");
	strcat(line, name_of(number));
	strncat(line, more, sizeof line - strlen(line) - 2);
	strcat(line, "\n");
	if (speaks)
		put(line);
	signal(number, SIG_DFL);
	sigemptyset(&one);
	sigaddset(&one, number);
	sigprocmask(SIG_UNBLOCK, &one, NULL);
	raise(number);
	_exit(128 + number);
}

static _Noreturn void give_up(const char *who, const char *why)
{
	char line[1024] = "aslant: ";

	strcat(line, place);
	strncat(line, who, 480);
	strncat(line, why, 160);
	put(line);
	nanosleep(&(struct timespec){.tv_nsec = PASS_ON_NS}, NULL);
	_exit(ASL_NO_MACHINE);
}

static void add_number(char *text, uint64_t x)
{
	char digits[21] = "", *at = digits + sizeof digits - 1;

	do
		*--at = (char)('0' + x % 10);
	while (x /= 10);
	strcat(text, at);
}

static void no_page(int number, siginfo_t *info, void *context)
{
	const char *what = asl_mapped_find(info->si_addr);
	char why[160] = " lost a page while it was in use";
	uint64_t offset;

	(void)context;
	if (asl_mapped_offset(&offset, info->si_addr)) {
		strcat(why, ", at offset ");
		add_number(why, offset & ~UINT64_C(4095));
	}
	strcat(why, ": somebody cut it short, or the medium fails (SIGBUS)\n");
	if (what)
		give_up(what, why);
	signal(number, SIG_DFL); /* and it happens again */
}

static bool has_room(void)
{
	void *at = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return at != MAP_FAILED && !munmap(at, 1 << 20);
}

/*
 * Not all of them look at what malloc gives.  A crash at no address, or by an
 * assertion, right after an allocation has failed, is no riddle.  Nor is the end
 * that libpmemobj makes where it cannot write.
 */
static void crashed(int number, siginfo_t *info, void *context)
{
	bool own = number == SIGABRT ||
		   (info->si_code > 0 && (uintptr_t)info->si_addr < 65536);
	int err = errno;

	(void)context;
	if (number == SIGABRT && asl_mapped_blamed())
		give_up(asl_mapped_blamed(), "\n");
	if (number == SIGABRT && err == EIO)
		give_up(asl_mapped_last() ? asl_mapped_last() : "a new pool",
			": Input/output error, after which libpmemobj gave "
			"up\n");
	if (own && (err == ENOMEM || !has_room()))
		give_up("out of memory",
			", for which a library is not prepared\n");
	signal(number, SIG_DFL);
	raise(number);
}

/* Signals that nohup ignores stay ignored. */
static bool is_ignored(int number)
{
	struct sigaction now;

	return !sigaction(number, NULL, &now) && now.sa_handler == SIG_IGN;
}

/* At a hard limit there is no SIGXCPU, only SIGKILL: ask for it a second before. */
static void be_warned(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_CPU, &limit) || limit.rlim_cur < limit.rlim_max ||
	    limit.rlim_max == RLIM_INFINITY || limit.rlim_max < 2)
		return;
	limit.rlim_cur = limit.rlim_max - 1;
	setrlimit(RLIMIT_CPU, &limit);
}

/* The guard of a rank reports that its time is up. */
void asl_signals_catch(const char *what)
{
	struct sigaction on_end = {.sa_handler = asl_signals_end};
	struct sigaction on_page = {.sa_sigaction = no_page,
				    .sa_flags = SA_SIGINFO};
	struct sigaction on_crash = {.sa_sigaction = crashed,
				     .sa_flags = SA_SIGINFO};
	int rank = 0, size = 0;
	bool job = asl_net_job(&rank, &size);

	if (what)
		snprintf(subject, sizeof subject, "aslant: %s", what);
	if (job)
		snprintf(place, sizeof place, "rank %d: ", rank);
	speaks = rank == 0;
	sigfillset(&on_end.sa_mask);
	for (size_t i = 0; i < ENDINGS; i++)
		if (!is_ignored(endings[i].number) &&
		    !(job && endings[i].number == SIGXCPU))
			sigaction(endings[i].number, &on_end, NULL);
	sigaction(SIGBUS, &on_page, NULL);
	sigaction(SIGSEGV, &on_crash, NULL);
	sigaction(SIGABRT, &on_crash, NULL);
	signal(SIGXFSZ, SIG_IGN);
	be_warned();
}

void asl_signals_add(const char *text)
{
	more = text ? text : "";
}

/* The guard has handlers of its own. */
void asl_signals_guard(const struct asl_options *o)
{
	struct asl_net_patience patience = {
		.stopped = o->peer_timeout,
		.cut = o->cut_timeout,
	};

	asl_net_guard(asl_job().rank, &patience);
	asl_signals_catch(NULL);
}

static void mask(int how)
{
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < ENDINGS; i++)
		sigaddset(&set, endings[i].number);
	sigprocmask(how, &set, NULL);
}

void asl_signals_hold(void)
{
	mask(SIG_BLOCK);
}

void asl_signals_release(void)
{
	mask(SIG_UNBLOCK);
}
