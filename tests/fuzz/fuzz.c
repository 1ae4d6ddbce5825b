/*
 * fuzz.c -- what harnesses have in common
 */
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/library/say.h"

enum { MOST_RANKS = 32, MOST_SIZE = 1 << 16, PATHS = 4 };

static void give_up(const char *what)
{
	perror(what);
	exit(1);
}

/*
 * Libraries of some networks catch signals as they are loaded, and exit; libFuzzer
 * takes only those that nobody catches.
 */
__attribute__((constructor)) static void release_signals(void)
{
	static const int caught[] = {SIGINT, SIGTERM, SIGSEGV, SIGBUS,
				     SIGILL, SIGFPE,  SIGABRT};

	for (size_t i = 0; i < sizeof caught / sizeof caught[0]; i++)
		signal(caught[i], SIG_DFL);
}

char *asl_fuzz_text(const uint8_t *data, size_t bytes)
{
	char *text = malloc(bytes + 1);

	if (!text)
		give_up("malloc");
	if (bytes)
		memcpy(text, data, bytes);
	text[bytes] = '\0';
	return text;
}

/* ---- Files ---- */

static char dir[PATH_MAX];

static void remove_dir(void)
{
	DIR *list = opendir(dir);
	struct dirent *entry;

	while (list && (entry = readdir(list)))
		unlinkat(dirfd(list), entry->d_name, 0);
	if (list)
		closedir(list);
	rmdir(dir);
}

const char *asl_fuzz_dir(void)
{
	const char *where = getenv("TMPDIR");

	if (*dir)
		return dir;
	snprintf(dir, sizeof dir, "%s/aslant-fuzz-XXXXXX",
		 where ? where : "/dev/shm");
	if (!mkdtemp(dir) || atexit(remove_dir))
		give_up(dir);
	return dir;
}

const char *asl_fuzz_file(const char *name, const void *data, size_t bytes)
{
	static char path[PATHS][PATH_MAX + 64];
	static int next;
	int fd;

	next = (next + 1) % PATHS;
	snprintf(path[next], sizeof path[next], "%s/%s", asl_fuzz_dir(), name);
	fd = open(path[next], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, data, bytes) != (ssize_t)bytes || close(fd))
		give_up(path[next]);
	return path[next];
}

/* ---- What is said ---- */

void asl_fuzz_hush(void)
{
	static bool hushed;

	if (hushed)
		return;
	hushed = true;
	if (!freopen("/dev/null", "w", stdout))
		give_up("/dev/null");
	asl_complain_aside();
}

void asl_fuzz_check_said(int err, const char *why)
{
	if (!err)
		return;
	if (err > 0 || !*why)
		abort();
	for (const char *c = why; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			abort();
}

void asl_fuzz_check_code(int code)
{
	const char *why = asl_last_complaint();

	if (code < ASL_FINE || code > ASL_NO_MACHINE || (code && !*why))
		abort();
	for (; code && *why; why++)
		if (asl_control_bytes(why))
			abort();
}

/* ---- How much ---- */

bool asl_fuzz_is_small(const struct asl_options *o)
{
	const int *p = o->grid.p;

	/* So many ranks as a system has blocks; of 64, or half a million. */
	if (o->steiner && !o->ranks)
		return false;
	return o->ranks <= MOST_RANKS && p[0] * p[1] * p[2] <= MOST_RANKS &&
	       o->m <= MOST_SIZE && o->n <= MOST_SIZE && o->k <= MOST_SIZE &&
	       o->cp_rank <= MOST_SIZE;
}
