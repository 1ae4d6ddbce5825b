/*
 * faults.c -- a machine that fails when it is told to (LD_PRELOAD)
 *
 *	FAULT_CALL	memory, msync, fallocate, fsync, write, pread, library:
 *			what fails
 *	FAULT_AT	the first of its calls that does (0: none)
 *	FAULT_CALLS	how many in a row (1)
 *	FAULT_ERRNO	with what (ENOMEM of memory, else EIO)
 *	FAULT_BUT	a library whose own calls of malloc do not fail
 *	FAULT_TO	a file for the number of calls, at the end
 *	FAULT_CLOCK	the time of day jumps, by this many seconds a call, there
 *			and back
 *
 * Memory is what malloc and its kind give; a large piece is one of a megabyte or
 * more, as FAULT_CALL=large has it fail alone.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *at, size_t bytes);
void *__libc_memalign(size_t align, size_t bytes);

enum { LARGE_BYTES = 1 << 20 };

#define CALLER __builtin_return_address(0)

static struct {
	const char *call;
	long at, calls, seen;
	int err;
	bool ready;
} fault;

/* The code of the library in FAULT_BUT. */
static uintptr_t but_from, but_bytes;

static int find_code(struct dl_phdr_info *x, size_t bytes, void *name)
{
	(void)bytes;
	if (!strstr(x->dlpi_name, name))
		return 0;
	for (int i = 0; i < x->dlpi_phnum; i++)
		if (x->dlpi_phdr[i].p_type == PT_LOAD &&
		    x->dlpi_phdr[i].p_flags & PF_X) {
			but_from = x->dlpi_addr + x->dlpi_phdr[i].p_vaddr;
			but_bytes = x->dlpi_phdr[i].p_memsz;
		}
	return 1;
}

static long number(const char *name, long otherwise)
{
	const char *text = getenv(name);

	return text ? atol(text) : otherwise;
}

__attribute__((constructor)) static void begin(void)
{
	const char *call = getenv("FAULT_CALL");

	fault.call = call ? call : "";
	fault.at = number("FAULT_AT", 0);
	fault.calls = number("FAULT_CALLS", 1);
	fault.err = (int)number("FAULT_ERRNO", 0);
	if (getenv("FAULT_BUT"))
		dl_iterate_phdr(find_code, getenv("FAULT_BUT"));
	fault.ready = true;
}

__attribute__((destructor)) static void end(void)
{
	const char *to = getenv("FAULT_TO");
	char text[32];
	int fd = to ? open(to, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;

	if (fd < 0)
		return;
	snprintf(text, sizeof text, "%ld\n", fault.seen);
	syscall(SYS_write, fd, text, strlen(text));
	close(fd);
}

/* Is this call one that fails?  Then errno says so. */
static bool fails(const char *call, int err)
{
	long now;

	if (!fault.ready || strcmp(fault.call, call) != 0)
		return false;
	now = __atomic_add_fetch(&fault.seen, 1, __ATOMIC_RELAXED);
	if (!fault.at || now < fault.at || now >= fault.at + fault.calls)
		return false;
	errno = fault.err ? fault.err : err;
	return true;
}

static bool no_memory(size_t bytes, const void *caller)
{
	if ((uintptr_t)caller - but_from < but_bytes)
		return false;
	return fails("memory", ENOMEM) ||
	       (bytes >= LARGE_BYTES && fails("large", ENOMEM));
}

/* ---- Libraries ---- */

void *dlopen(const char *name, int flags)
{
	void *(*real)(const char *, int);
	void *at = dlsym(RTLD_NEXT, "dlopen");

	memcpy(&real, &at, sizeof real);
	return real(fails("library", ENOENT) ? "/nowhere/library" : name,
		    flags);
}

/* ---- Memory ---- */

void *malloc(size_t bytes)
{
	return no_memory(bytes, CALLER) ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
	return no_memory(count * bytes, CALLER) ? NULL
						: __libc_calloc(count, bytes);
}

void *realloc(void *at, size_t bytes)
{
	return no_memory(bytes, CALLER) ? NULL : __libc_realloc(at, bytes);
}

void *reallocarray(void *at, size_t count, size_t bytes)
{
	size_t all;

	if (__builtin_mul_overflow(count, bytes, &all)) {
		errno = ENOMEM;
		return NULL;
	}
	return realloc(at, all);
}

void *aligned_alloc(size_t align, size_t bytes)
{
	return no_memory(bytes, CALLER) ? NULL : __libc_memalign(align, bytes);
}

int posix_memalign(void **out, size_t align, size_t bytes)
{
	if (no_memory(bytes, CALLER))
		return ENOMEM;
	*out = __libc_memalign(align, bytes);
	return *out ? 0 : ENOMEM;
}

/* ---- Files ---- */

int msync(void *at, size_t bytes, int flags)
{
	return fails("msync", EIO) ? -1
				   : (int)syscall(SYS_msync, at, bytes, flags);
}

int posix_fallocate(int fd, off_t at, off_t bytes)
{
	if (fails("fallocate", EIO))
		return errno;
	return syscall(SYS_fallocate, fd, 0, at, bytes) ? errno : 0;
}

int fsync(int fd)
{
	return fails("fsync", EIO) ? -1 : (int)syscall(SYS_fsync, fd);
}

ssize_t write(int fd, const void *from, size_t bytes)
{
	return fd > 2 && fails("write", EIO)
		       ? -1
		       : syscall(SYS_write, fd, from, bytes);
}

ssize_t pwrite(int fd, const void *from, size_t bytes, off_t at)
{
	return fails("write", EIO) ? -1
				   : syscall(SYS_pwrite64, fd, from, bytes, at);
}

ssize_t pread(int fd, void *to, size_t bytes, off_t at)
{
	return fails("pread", EIO) ? -1
				   : syscall(SYS_pread64, fd, to, bytes, at);
}

/* ---- The time of day ---- */

static long jump(void)
{
	static long calls;
	long by = number("FAULT_CLOCK", 0);

	calls++;
	return (calls % 2 ? -by : by) * (calls % 7);
}

int clock_gettime(clockid_t clock, struct timespec *t)
{
	int err = (int)syscall(SYS_clock_gettime, clock, t);

	if (!err && clock == CLOCK_REALTIME)
		t->tv_sec += jump();
	return err;
}

time_t time(time_t *t)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (t)
		*t = now.tv_sec;
	return now.tv_sec;
}
