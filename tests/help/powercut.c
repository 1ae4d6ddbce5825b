/*
 * powercut.c -- the durable image of files, and the cut
 *
 * Two images of a file: the live one, which is mapped here once more, and the
 * durable one, which a drain brings what was flushed.  A line is flushed as it is
 * when it is flushed, and if it changes before the drain, it may be as it was at
 * either time.
 */
#include "tests/help/powercut.h"

#include <libpmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LINE 64
#define PAGE 4096
#define SHOWN __attribute__((visibility("default")))

enum { MOST_FILES = 64, MOST_MAPS = 1024 };

struct file {
	dev_t device;
	ino_t inode;
	int fd; /* our own: the program's would keep its lock */
	size_t bytes;
	char *live, *durable;
	bool *waits; /* by line: it is flushed and not drained */
};

struct map {
	char *at;
	size_t bytes;
	struct file *file;
	size_t first; /* of the file */
};

/* A line that was flushed, as it was then. */
struct flushed {
	struct file *file;
	size_t at;
	char line[LINE];
};

static struct file file[MOST_FILES];
static struct map map[MOST_MAPS];
static int files, maps;
static struct flushed *flushed;
static size_t flushes, room;
static bool whole_pages; /* msync is what makes durable here */
static long point;

struct powercut powercut;

static void die(const char *why)
{
	fprintf(stderr, "powercut: %s\n", why);
	_exit(87);
}

/* ---- Files and where they are mapped ---- */

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

static void *map_file(int fd, size_t bytes)
{
	long at = syscall(SYS_mmap, NULL, bytes, PROT_READ, MAP_SHARED, fd, 0L);

	if (at == -1)
		die("no room for another mapping");
	return (void *)at;
}

/* Below the directory, a regular file: opened anew, else -1. */
static int open_again(int fd, struct stat *st)
{
	const char *dir = powercut.dir;
	char link[64], path[4096];
	ssize_t length;

	if (!dir || fstat(fd, st) || !S_ISREG(st->st_mode) || !st->st_size)
		return -1;
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	length = readlink(link, path, sizeof path - 1);
	if (length <= 0)
		return -1;
	path[length] = '\0';
	if (strncmp(path, dir, strlen(dir)) != 0)
		return -1;
	fd = (int)syscall(SYS_openat, -100, link, 02 /* O_RDWR */, 0);
	if (fd < 0)
		die("cannot open a pool again");
	return fd;
}

/* What is no data reads as zeros, and is most of a new pool. */
static void copy_data(struct file *x)
{
	off_t at = 0, end;

	while ((at = lseek(x->fd, at, SEEK_DATA)) >= 0 &&
	       (size_t)at < x->bytes) {
		end = lseek(x->fd, at, SEEK_HOLE);
		memcpy(x->durable + at, x->live + at,
		       least((size_t)end, x->bytes) - (size_t)at);
		at = end;
	}
}

static struct file *find_file(int fd)
{
	struct stat st;
	struct file *x = &file[files];
	int own = open_again(fd, &st);

	if (own < 0)
		return NULL;
	for (int i = 0; i < files; i++)
		if (file[i].device == st.st_dev && file[i].inode == st.st_ino) {
			close(own);
			return &file[i];
		}
	if (files == MOST_FILES)
		die("too many files");
	*x = (struct file){.device = st.st_dev,
			   .inode = st.st_ino,
			   .fd = own,
			   .bytes = (size_t)st.st_size / LINE * LINE};
	x->live = map_file(own, x->bytes);
	x->durable = calloc(1, x->bytes);
	x->waits = calloc(x->bytes / LINE, sizeof *x->waits);
	if (!x->durable || !x->waits)
		die("no memory");
	copy_data(x);
	files++;
	return x;
}

static void forget(char *at, size_t bytes)
{
	int kept = 0;

	for (int i = 0; i < maps; i++)
		if (map[i].at >= at + bytes || at >= map[i].at + map[i].bytes)
			map[kept++] = map[i];
	maps = kept;
}

SHOWN void *mmap(void *at, size_t bytes, int prot, int flags, int fd, off_t off)
{
	long got = syscall(SYS_mmap, at, bytes, prot, flags, fd, off);
	struct file *x = NULL;

	if (got == -1)
		return MAP_FAILED;
	forget((char *)got, bytes);
	if (fd >= 0 && (flags & MAP_SHARED) && (prot & PROT_WRITE))
		x = find_file(fd);
	if (!x)
		return (void *)got;
	if (maps == MOST_MAPS)
		die("too many mappings");
	map[maps++] = (struct map){(char *)got, bytes, x, (size_t)off};
	return (void *)got;
}

SHOWN void *mmap64(void *at, size_t bytes, int prot, int flags, int fd,
		   off_t off)
{
	return mmap(at, bytes, prot, flags, fd, off);
}

SHOWN int munmap(void *at, size_t bytes)
{
	forget(at, bytes);
	return (int)syscall(SYS_munmap, at, bytes);
}

/* ---- Becoming durable ---- */

static void flush_line(struct file *x, size_t at)
{
	bool *waits = &x->waits[at / LINE];

	/* It may be back at what is durable, but was something else. */
	if (!*waits && !memcmp(x->live + at, x->durable + at, LINE))
		return;
	*waits = true;
	if (flushes == room) {
		room = room ? 2 * room : 1024;
		flushed = realloc(flushed, room * sizeof *flushed);
		if (!flushed)
			die("no memory");
	}
	flushed[flushes].file = x;
	flushed[flushes].at = at;
	memcpy(flushed[flushes++].line, x->live + at, LINE);
}

/* All lines that these bytes touch; pages, if it is msync's. */
static void flush(const void *from, size_t bytes, size_t grain)
{
	const char *at = from;

	for (int i = 0; i < maps; i++) {
		const struct map *m = &map[i];
		size_t first, end;

		if (m->at >= at + bytes || at >= m->at + m->bytes)
			continue;
		first = m->first + (at > m->at ? (size_t)(at - m->at) : 0);
		end = m->first + least(m->bytes, (size_t)(at + bytes - m->at));
		end = least((end + grain - 1) / grain * grain, m->file->bytes);
		for (first -= first % grain; first < end; first += LINE)
			flush_line(m->file, first);
	}
}

/* ---- The cut ---- */

static uint64_t state;

/* xorshift64*, enough to toss coins. */
static uint64_t next(void)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return state * UINT64_C(2685821657736338717) >> 32;
}

/* Some flushed lines had arrived, in some order. */
static void some_flushed(void)
{
	for (size_t i = 0; i < flushes; i++)
		if (next() % 2)
			memcpy(flushed[i].file->durable + flushed[i].at,
			       flushed[i].line, LINE);
}

static void some_dirty(struct file *x)
{
	size_t grain = whole_pages ? PAGE : LINE;

	for (size_t at = 0; at < x->bytes; at += grain) {
		size_t n = least(grain, x->bytes - at);

		if (memcmp(x->live + at, x->durable + at, n) && next() % 2)
			memcpy(x->durable + at, x->live + at, n);
	}
}

static void write_image(const struct file *x)
{
	for (size_t at = 0; at < x->bytes; at += PAGE) {
		size_t n = least(PAGE, x->bytes - at);

		if (memcmp(x->live + at, x->durable + at, n) &&
		    pwrite(x->fd, x->durable + at, n, (off_t)at) != (ssize_t)n)
			die("cannot write a pool");
	}
}

static void cut(void)
{
	state = powercut.seed;
	if (state) {
		state = (state + (uint64_t)point * 1000003) | UINT64_C(1) << 40;
		some_flushed();
	}
	for (int i = 0; i < files; i++) {
		if (state)
			some_dirty(&file[i]);
		write_image(&file[i]);
	}
	_exit(POWERCUT_EXIT);
}

/* Has any file that is about to change a name by which it would be found? */
static bool matters(void)
{
	const struct file *last = NULL;

	for (size_t i = 0; i < flushes; i++) {
		const struct file *x = flushed[i].file;
		struct stat st;

		if (x != last && !fstat(x->fd, &st) && st.st_nlink)
			return true;
		last = x;
	}
	return false;
}

static void drain(void)
{
	bool is_point = matters();

	point += is_point;
	if (is_point && point == powercut.at)
		cut();
	for (size_t i = 0; i < flushes; i++) {
		struct file *x = flushed[i].file;
		size_t at = flushed[i].at;

		x->waits[at / LINE] = false;
		if (!is_point || point != powercut.lose)
			memcpy(x->durable + at, flushed[i].line, LINE);
	}
	flushes = 0;
}

long powercut_points(void)
{
	return point;
}

/* ---- What libpmem and the kernel offer ---- */

SHOWN void pmem_flush(const void *at, size_t bytes)
{
	flush(at, bytes, LINE);
}

SHOWN void pmem_deep_flush(const void *at, size_t bytes)
{
	flush(at, bytes, LINE);
}

SHOWN void pmem_drain(void)
{
	drain();
}

SHOWN int pmem_deep_drain(const void *at, size_t bytes)
{
	(void)at;
	(void)bytes;
	pmem_drain();
	return 0;
}

SHOWN void pmem_persist(const void *at, size_t bytes)
{
	flush(at, bytes, LINE);
	pmem_drain();
}

SHOWN int pmem_deep_persist(const void *at, size_t bytes)
{
	pmem_persist(at, bytes);
	return 0;
}

/* Nothing is ever only flushed where this is what makes durable. */
SHOWN int msync(void *at, size_t bytes, int flags)
{
	whole_pages = true;
	flush(at, bytes, PAGE);
	drain();
	return (int)syscall(SYS_msync, at, bytes, flags);
}

/* Of any bytes; the kernel wants whole pages. */
SHOWN int pmem_msync(const void *at, size_t bytes)
{
	size_t beyond = (uintptr_t)at % PAGE;

	return msync((char *)(uintptr_t)at - beyond, bytes + beyond, MS_SYNC);
}

static void sync_file(int fd)
{
	struct stat st;

	if (fstat(fd, &st))
		return;
	for (int i = 0; i < files; i++) {
		struct file *x = &file[i];

		if (x->device != st.st_dev || x->inode != st.st_ino)
			continue;
		for (size_t at = 0; at < x->bytes; at += LINE)
			flush_line(x, at);
		drain();
	}
}

SHOWN int fsync(int fd)
{
	sync_file(fd);
	return (int)syscall(SYS_fsync, fd);
}

SHOWN int fdatasync(int fd)
{
	sync_file(fd);
	return (int)syscall(SYS_fdatasync, fd);
}

/* ---- Copies ---- */

/* Durable as the flags say, after the real one has copied. */
static void copied(const void *at, size_t bytes, unsigned flags)
{
	if (flags & PMEM_F_MEM_NOFLUSH)
		return;
	flush(at, bytes, LINE);
	if (!(flags & PMEM_F_MEM_NODRAIN))
		pmem_drain();
}

SHOWN void *pmem_memcpy(void *to, const void *from, size_t bytes,
			unsigned flags)
{
	memcpy(to, from, bytes);
	copied(to, bytes, flags);
	return to;
}

SHOWN void *pmem_memmove(void *to, const void *from, size_t bytes,
			 unsigned flags)
{
	memmove(to, from, bytes);
	copied(to, bytes, flags);
	return to;
}

SHOWN void *pmem_memset(void *to, int what, size_t bytes, unsigned flags)
{
	memset(to, what, bytes);
	copied(to, bytes, flags);
	return to;
}

SHOWN void *pmem_memcpy_persist(void *to, const void *from, size_t bytes)
{
	return pmem_memcpy(to, from, bytes, 0);
}

SHOWN void *pmem_memmove_persist(void *to, const void *from, size_t bytes)
{
	return pmem_memmove(to, from, bytes, 0);
}

SHOWN void *pmem_memset_persist(void *to, int what, size_t bytes)
{
	return pmem_memset(to, what, bytes, 0);
}

SHOWN void *pmem_memcpy_nodrain(void *to, const void *from, size_t bytes)
{
	return pmem_memcpy(to, from, bytes, PMEM_F_MEM_NODRAIN);
}

SHOWN void *pmem_memmove_nodrain(void *to, const void *from, size_t bytes)
{
	return pmem_memmove(to, from, bytes, PMEM_F_MEM_NODRAIN);
}

SHOWN void *pmem_memset_nodrain(void *to, int what, size_t bytes)
{
	return pmem_memset(to, what, bytes, PMEM_F_MEM_NODRAIN);
}
