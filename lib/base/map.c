/*
 * map.c -- mapped files
 */
#include "lib/base/map.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/error.h"
#include "lib/base/mapped.h"
#include "lib/base/memory.h"

const char *asl_quote(char to[ASL_QUOTE], const char *text, size_t length)
{
	size_t n = length < ASL_QUOTE - 4 ? length : ASL_QUOTE - 4;

	for (size_t i = 0; i < n; i++)
		to[i] = text[i] >= ' ' && text[i] < 0x7f ? text[i] : '?';
	strcpy(to + n, n < length ? "..." : "");
	return to;
}

bool asl_file_ends(const char *path, const char *ending)
{
	size_t length = strlen(path), n = strlen(ending);

	return length >= n && strcasecmp(path + length - n, ending) == 0;
}

static int check_kind(const char *path, const struct stat *st)
{
	if (S_ISDIR(st->st_mode))
		return asl_fail(-EISDIR, "%s: is a directory", path);
	if (!S_ISREG(st->st_mode))
		return asl_fail(-EINVAL,
				"%s: is no regular file (pipes and "
				"devices can't be read as matrices)",
				path);
	if (st->st_size == 0)
		return asl_fail(-EINVAL, "%s: is empty", path);
	return 0;
}

static int map_fd(void **map, size_t *map_bytes, const char *path, int fd)
{
	struct stat st;
	int err;

	if (fstat(fd, &st) != 0)
		return asl_fail(-errno, "%s: %s", path, strerror(errno));
	err = check_kind(path, &st);
	if (err)
		return err;
	*map_bytes = (size_t)st.st_size;
	*map = mmap(NULL, *map_bytes, PROT_READ, MAP_PRIVATE, fd, 0);
	if (*map != MAP_FAILED) {
		asl_mapped_note(*map, *map_bytes, "the file", path);
		return 0;
	}
	*map = NULL;
	return asl_fail(-errno, "%s: can't be mapped: %s", path,
			strerror(errno));
}

/* Without O_NONBLOCK, opening a FIFO would wait for somebody to write. */
int asl_file_map(void **map, size_t *map_bytes, const char *path)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	int err;

	if (fd < 0)
		return asl_fail(-errno, "%s: %s", path, strerror(errno));
	err = map_fd(map, map_bytes, path, fd);
	close(fd);
	return err;
}

static void *more(void *map, size_t before, size_t bytes)
{
	if (map)
		return mremap(map, before, bytes, MREMAP_MAYMOVE);
	return mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

int asl_file_make_room(void **map, size_t *map_bytes, const char *path,
		       const char *what, double words)
{
	double limit = (double)asl_memory_limit("");
	size_t bytes;
	void *at;

	if (words * sizeof(double) > limit)
		return asl_fail(-ENOMEM,
				"%s: %s need %.4g GiB of memory, this "
				"machine has %.4g",
				path, what, ldexp(words, -27),
				ldexp(limit, -30));
	bytes = (size_t)words * sizeof(double);
	at = more(*map, *map_bytes, bytes);
	if (at == MAP_FAILED)
		return asl_fail(-ENOMEM, "%s: no memory for %zu bytes", path,
				bytes);
	*map = at;
	*map_bytes = bytes;
	return 0;
}

void asl_file_unmap(void *map, size_t map_bytes)
{
	asl_mapped_forget(map);
	if (map)
		munmap(map, map_bytes);
}
