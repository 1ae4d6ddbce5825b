/*
 * mapped.c -- which pools and files are mapped where, for signal handlers
 *
 * A page that somebody has cut off its file, or that the medium has lost, makes
 * the kernel send SIGBUS with an address.  When the table is full, the handler
 * just says less.
 */
#include "lib/base/mapped.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

enum { MOST = 256, PAGE = 4096 };

static struct mapped {
	const char *volatile at; /* NULL: free */
	size_t bytes;
	char what[256];
} table[MOST];

static const char *volatile last; /* a pool's */
static char opened[256];	  /* as `what`; "": none is being opened */
static char blamed[512];

void asl_mapped_note(const void *at, size_t bytes, const char *kind,
		     const char *path)
{
	for (int i = 0; i < MOST; i++)
		if (!table[i].at) {
			table[i].bytes = bytes;
			snprintf(table[i].what, sizeof table[i].what, "%s %s",
				 kind, path);
			table[i].at = at;
			last = table[i].what;
			return;
		}
}

void asl_mapped_open(const char *path)
{
	opened[0] = '\0';
	if (path)
		snprintf(opened, sizeof opened, "the pool %s", path);
}

void asl_mapped_blame(const char *why)
{
	if (!*blamed)
		snprintf(blamed, sizeof blamed, "%s", why);
}

const char *asl_mapped_blamed(void)
{
	return *blamed ? blamed : NULL;
}

const char *asl_mapped_last(void)
{
	return *opened ? opened : last;
}

void asl_mapped_forget(const void *at)
{
	for (int i = 0; at && i < MOST; i++)
		if (table[i].at == at) {
			table[i].at = NULL;
			return;
		}
}

const char *asl_mapped_find(const void *at)
{
	for (int i = 0; i < MOST; i++)
		if (table[i].at &&
		    (uintptr_t)at - (uintptr_t)table[i].at < table[i].bytes)
			return table[i].what;
	return *opened ? opened : NULL;
}

void asl_mapped_touch(const void *at, size_t bytes)
{
	const volatile char *byte = at;

	if (!bytes || !asl_mapped_find(at))
		return;
	for (size_t i = 0; i < bytes; i += PAGE)
		(void)byte[i];
	(void)byte[bytes - 1];
}

/* A line of /proc/self/maps: "FROM-TO RIGHTS OFFSET ..." in hexadecimal digits. */
struct line {
	uint64_t field[4];
	int fields;
};

static uint64_t digit(char c)
{
	return (uint64_t)(c <= '9' ? c - '0' : c - 'a' + 10);
}

/* Is the line complete with this character, and about this address? */
static bool completes(struct line *x, char c, uintptr_t at)
{
	if (c == '\n' && x->field[0] <= at && at < x->field[1])
		return true;
	if (c == '\n')
		*x = (struct line){.fields = 0};
	else if (c == ' ' || (c == '-' && x->fields == 0))
		x->fields++;
	else if (x->fields < 4)
		x->field[x->fields] = x->field[x->fields] * 16 + digit(c);
	return false;
}

bool asl_mapped_offset(uint64_t *offset, const void *at)
{
	int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
	struct line x = {.fields = 0};
	bool found = false;
	char text[512];
	ssize_t n;

	while (fd >= 0 && !found && (n = read(fd, text, sizeof text)) > 0)
		for (ssize_t i = 0; i < n && !found; i++)
			found = completes(&x, text[i], (uintptr_t)at);
	if (found)
		*offset = (uintptr_t)at - x.field[0] + x.field[3];
	if (fd >= 0)
		close(fd);
	return found;
}
