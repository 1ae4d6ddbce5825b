/*
 * mapped.c -- which pools and files are mapped where, for signal handlers
 *
 * A page that somebody has cut off its file, or that the medium has lost, makes
 * the kernel send SIGBUS with an address.  When the table is full, the handler
 * just says less.
 */
#include "lib/base/mapped.h"

#include <stdint.h>
#include <stdio.h>

enum { MOST = 256 };

static struct mapped {
	const char *volatile at; /* NULL: free */
	size_t bytes;
	char what[256];
} table[MOST];

static const char *volatile last; /* a pool's */
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
	return last;
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
	return NULL;
}
