/*
 * trace.c -- a rank's flops and messages as a file that SimGrid replays
 *
 * Work is added up until the next message.  Lines are kept until some pages of
 * them are written at once: a process cannot have a file open for each of a
 * thousand ranks.
 */
#include "lib/rank/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/error.h"
#include "lib/base/system.h"
#include "net/net.h"

enum { ROOM = 16384, LONGEST = 128 }; /* bytes of lines, of one line */

struct asl_trace {
	int rank;
	char *path;
	uint64_t flops;
	double memory; /* cost of words read and written */
	int err;       /* the first; its message is in `why` */
	char why[256];
	size_t used;
	char lines[ROOM];
};

static int failed(const char *path, int err)
{
	return asl_fail(err, "%s: %s", path, strerror(-err));
}

/* ---- The directory ---- */

static int put_list(const char *dir, const char *name, const char *before,
		    int count)
{
	char path[PATH_MAX];
	FILE *f;
	int err = 0;

	snprintf(path, sizeof path, "%s/%s", dir, name);
	f = fopen(path, "wx");
	if (!f)
		return failed(path, -errno);
	for (int i = 0; i < count; i++)
		fprintf(f, "%s%d\n", before, i);
	if (ferror(f))
		err = -EIO;
	if (fclose(f))
		err = -errno;
	return err ? failed(path, err) : 0;
}

int asl_trace_prepare(const char *dir, int ranks)
{
	int err;

	if (mkdir(dir, 0700))
		return failed(dir, -errno);
	err = put_list(dir, "ranks", "", ranks);
	return err ? err : put_list(dir, "hosts", "node-", ranks);
}

/* ---- Lines ---- */

static void note(struct asl_trace *x, int err)
{
	if (!err || x->err)
		return;
	x->err = failed(x->path, err);
	snprintf(x->why, sizeof x->why, "%s", asl_failure());
}

static int append(const char *path, const char *text, size_t bytes)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	int err;

	if (fd < 0)
		return -errno;
	err = asl_write_all(fd, text, bytes);
	if (close(fd) && !err)
		err = -errno;
	return err;
}

static void write_lines(struct asl_trace *x)
{
	if (!x->err)
		note(x, append(x->path, x->lines, x->used));
	x->used = 0;
}

__attribute__((format(printf, 2, 3))) static void put(struct asl_trace *x,
						      const char *format, ...)
{
	va_list args;

	if (x->used + LONGEST > ROOM)
		write_lines(x);
	x->used += (size_t)sprintf(x->lines + x->used, "%d ", x->rank);
	va_start(args, format);
	x->used += (size_t)vsnprintf(x->lines + x->used, LONGEST / 2, format,
				     args);
	va_end(args);
	x->lines[x->used++] = '\n';
}

static void put_work(struct asl_trace *x)
{
	if (x->flops)
		put(x, "compute %" PRIu64, x->flops);
	if (x->memory > 0)
		put(x, "sleep %.12g", 1e-9 * x->memory);
	x->flops = 0;
	x->memory = 0;
}

/* A message's tag and the number of its type, that of doubles, are 0. */
static void put_message(struct asl_trace *x, const char *verb, int peer,
			uint64_t words)
{
	put(x, "%s %d 0 %" PRIu64 " 0", verb, peer, words);
}

/* ---- A rank's ---- */

int asl_trace_open(struct asl_trace **out, const char *dir, int rank)
{
	struct asl_trace *x = calloc(1, sizeof *x);

	*out = x;
	if (!x || asprintf(&x->path, "%s/%d", dir, rank) < 0) {
		free(x);
		*out = NULL;
		return asl_fail(-ENOMEM, "no memory for a rank's trace");
	}
	x->rank = rank;
	put(x, "init");
	return 0;
}

void asl_trace_close(struct asl_trace *x)
{
	if (x)
		free(x->path);
	free(x);
}

void asl_trace_work(struct asl_trace *x, enum asl_counter counter, uint64_t n,
		    double cost)
{
	if (counter == ASL_FLOPS)
		x->flops += n;
	else
		x->memory += cost;
}

void asl_trace_step(struct asl_trace *x, int to, uint64_t out, int from,
		    uint64_t in)
{
	bool both = to != ASL_NET_NONE && from != ASL_NET_NONE;

	put_work(x);
	if (to != ASL_NET_NONE)
		put_message(x, both ? "isend" : "send", to, out);
	if (from != ASL_NET_NONE)
		put_message(x, both ? "irecv" : "recv", from, in);
	if (both)
		put(x, "waitall");
}

int asl_trace_end(struct asl_trace *x)
{
	if (!x)
		return 0;
	put_work(x);
	put(x, "finalize");
	write_lines(x);
	return x->err ? asl_fail(x->err, "%s", x->why) : 0;
}
