/*
 * system.c -- system files, and the limits of control groups
 *
 * A batch system or a container gives a job less memory than the machine has, by
 * a control group: a directory in a mounted hierarchy.  /proc/self/mountinfo says
 * where hierarchies are mounted, /proc/self/cgroup which directory in them is
 * ours; each directory above it may set a limit, too.
 */
#include "lib/base/system.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/parts.h"

FILE *asl_system_open(const char *root, const char *path)
{
	char name[3 * PATH_MAX];

	snprintf(name, sizeof(name), "%s%s", root, path);
	return fopen(name, "re");
}

bool asl_system_line(char *line, size_t capacity, const char *root,
		     const char *format, ...)
{
	char path[2 * PATH_MAX + 32];
	va_list args;
	FILE *f;
	bool got;

	va_start(args, format);
	vsnprintf(path, sizeof(path), format, args);
	va_end(args);
	f = asl_system_open(root, path);
	if (!f)
		return false;
	got = fgets(line, (int)capacity, f) != NULL;
	fclose(f);
	if (got)
		line[strcspn(line, "\n")] = '\0';
	return got;
}

bool asl_has_space(int fd, uint64_t bytes, uint64_t *left)
{
	struct statvfs fs;

	*left = 0;
	if (fstatvfs(fd, &fs) || !fs.f_blocks)
		return true;
	*left = (uint64_t)fs.f_bavail * fs.f_frsize;
	return bytes / fs.f_frsize <= fs.f_bavail;
}

int asl_write_all(int fd, const char *at, size_t bytes)
{
	while (bytes > 0) {
		ssize_t n = write(fd, at, bytes);

		if (n < 0 && errno != EINTR)
			return -errno;
		at += n > 0 ? n : 0;
		bytes -= n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* Small enough that a periodic signal does not interrupt every step. */
#define STEP_BYTES (UINT64_C(32) << 20)

int asl_allocate_blocks(int fd, uint64_t bytes, uint64_t *at)
{
	for (*at = 0; *at < bytes;) {
		uint64_t n = asl_min(bytes - *at, STEP_BYTES);
		int err = posix_fallocate(fd, (off_t)*at, (off_t)n);

		if (!err)
			*at += n;
		else if (err != EINTR)
			return err == EDQUOT ? -ENOSPC : -err;
	}
	return 0;
}

void *asl_take_large(size_t count, size_t bytes)
{
	char *at = calloc(count, bytes);
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE),
		  first = ((uintptr_t)at + page - 1) / page * page,
		  end = ((uintptr_t)at + count * bytes) / page * page;

	if (at && first < end)
		(void)madvise((void *)first, end - first, MADV_HUGEPAGE);
	return at;
}

double asl_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- Memory ---- */

struct hierarchy {
	bool second; /* version */
	char root[PATH_MAX], place[PATH_MAX];
};

/* No limit reads as `max`, or as a number larger than any memory. */
static uint64_t limit_in(const char *root, const char *dir, bool second)
{
	char line[64];
	uint64_t limit;

	if (!asl_system_line(line, sizeof(line), root, "%s/%s", dir,
			     second ? "memory.max" : "memory.limit_in_bytes") ||
	    sscanf(line, "%" SCNu64, &limit) != 1 || limit == 0)
		return UINT64_MAX;
	return limit;
}

/* "ID:CONTROLLERS:PATH", where version 2 has neither ID nor controllers. */
static bool is_path_in(char *line, const struct hierarchy *h, char **path)
{
	char *controllers = strchr(line, ':'), *end;

	if (!controllers)
		return false;
	end = strchr(++controllers, ':');
	if (!end)
		return false;
	*end = '\0';
	*path = end + 1;
	(*path)[strcspn(*path, "\n")] = '\0';
	if (h->second)
		return *controllers == '\0';
	for (char *save, *c = strtok_r(controllers, ",", &save); c;
	     c = strtok_r(NULL, ",", &save))
		if (strcmp(c, "memory") == 0)
			return true;
	return false;
}

/*
 * Our directory below the mount; "" if unknown: in a container the mount may show
 * only a part of the hierarchy, h->root, and we may be outside of it.
 */
static void find_below(char below[PATH_MAX], const char *root,
		       const struct hierarchy *h)
{
	size_t n = strcmp(h->root, "/") == 0 ? 0 : strlen(h->root);
	FILE *f = asl_system_open(root, "/proc/self/cgroup");
	char *line = NULL, *path;
	size_t capacity = 0;

	*below = '\0';
	while (f && getline(&line, &capacity, f) >= 0) {
		if (!is_path_in(line, h, &path))
			continue;
		if (strncmp(path, h->root, n) == 0 && path[n] == '/')
			snprintf(below, PATH_MAX, "%s", path + n);
	}
	free(line);
	if (f)
		fclose(f);
}

static uint64_t least_limit(const char *root, const struct hierarchy *h)
{
	char below[PATH_MAX], dir[2 * PATH_MAX];
	uint64_t least = UINT64_MAX;

	find_below(below, root, h);
	for (;;) {
		char *up;

		snprintf(dir, sizeof(dir), "%s%s", h->place, below);
		least = asl_min(least, limit_in(root, dir, h->second));
		up = strrchr(below, '/');
		if (!up)
			return least;
		*up = '\0';
	}
}

/* "ID PARENT DEV ROOT PLACE OPTIONS... - TYPE SOURCE OPTIONS" */
static bool is_hierarchy(const char *line, struct hierarchy *h)
{
	const char *type = strstr(line, " - ");
	char options[256] = "";

	if (!type ||
	    sscanf(line, "%*s %*s %*s %4095s %4095s", h->root, h->place) != 2)
		return false;
	h->second = strncmp(type, " - cgroup2 ", 11) == 0;
	if (h->second)
		return true;
	return sscanf(type, " - cgroup %*s %255s", options) == 1 &&
	       strstr(options, "memory");
}

uint64_t asl_memory_limit(const char *root)
{
	FILE *f = asl_system_open(root, "/proc/self/mountinfo");
	uint64_t least = (uint64_t)sysconf(_SC_PHYS_PAGES) *
			 (uint64_t)sysconf(_SC_PAGESIZE);
	struct hierarchy h;
	char *line = NULL;
	size_t capacity = 0;

	while (f && getline(&line, &capacity, f) >= 0)
		if (is_hierarchy(line, &h))
			least = asl_min(least, least_limit(root, &h));
	free(line);
	if (f)
		fclose(f);
	return least;
}
