/*
 * nvm_persists.c -- a write is copies past the cache, then one drain or msync
 *
 * libpmem's functions, and two more, are stood in for by ones that keep a log
 * or fail when told to, and otherwise call the real ones.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <libpmem.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/base/error.h"
#include "nvm/pmem.h"

enum what { COPY = 1, DRAIN, MSYNC, PERSIST };

static struct event {
	enum what what;
	const void *at;
	size_t bytes;
	unsigned flags;
} events[64];
static int logged = 64; /* full: nothing is recorded */

static int msync_error, create_error, fallocate_error, fallocate_after;
static char dir[64], path[128];

static void record(enum what what, const void *at, size_t bytes, unsigned flags)
{
	if (logged < 64)
		events[logged++] = (struct event){what, at, bytes, flags};
}

/* What the linker would have found, as a function of any type. */
static void real(void *function, const char *name)
{
	void *symbol = dlsym(RTLD_NEXT, name);

	memcpy(function, &symbol, sizeof(symbol));
}

void *pmem_memcpy(void *dst, const void *src, size_t len, unsigned flags)
{
	void *(*next)(void *, const void *, size_t, unsigned);

	real(&next, "pmem_memcpy");
	record(COPY, dst, len, flags);
	return next(dst, src, len, flags);
}

void pmem_drain(void)
{
	void (*next)(void);

	real(&next, "pmem_drain");
	record(DRAIN, NULL, 0, 0);
	next();
}

int pmem_msync(const void *at, size_t len)
{
	int (*next)(const void *, size_t);

	real(&next, "pmem_msync");
	record(MSYNC, at, len, 0);
	errno = msync_error;
	return msync_error ? -1 : next(at, len);
}

void pmem_persist(const void *at, size_t len)
{
	void (*next)(const void *, size_t);

	real(&next, "pmem_persist");
	record(PERSIST, at, len, 0);
	logged += 64; /* its own drain is its own business */
	next(at, len);
	logged -= 64;
}

PMEMobjpool *pmemobj_create(const char *name, const char *layout, size_t size,
			    mode_t mode)
{
	PMEMobjpool *(*next)(const char *, const char *, size_t, mode_t);

	real(&next, "pmemobj_create");
	errno = create_error;
	return create_error ? NULL : next(name, layout, size, mode);
}

int posix_fallocate(int fd, off_t at, off_t len)
{
	int (*next)(int, off_t, off_t);
	int err = fallocate_error;

	real(&next, "posix_fallocate");
	if (err && fallocate_after-- == 0) {
		fallocate_error = 0;
		return err;
	}
	return next(fd, at, len);
}

static struct asl_store_want pool(bool keep)
{
	return (struct asl_store_want){.name = "pmem",
				       .dir = dir,
				       .run_id = "persists",
				       .words = 10000000,
				       .pieces = 1,
				       .keep = keep};
}

static struct asl_store *open_pool(double **at)
{
	struct asl_store_want want = pool(false);
	struct asl_store *store;

	if (asl_store_open(&store, &want) != 0 ||
	    asl_store_take(store, at, 10000) != 0)
		fail_msg("%s", asl_failure());
	return store;
}

static bool is_pmem(const void *at)
{
	return pmem_is_pmem(at, 1);
}

static void assert_event(int i, enum what what, const void *at, size_t bytes)
{
	assert_true(i < logged);
	assert_int_equal(events[i].what, what);
	assert_ptr_equal(events[i].at, at);
	assert_int_equal(events[i].bytes, bytes);
}

/* After n copies: a drain; and an msync of all where that is not enough. */
static void assert_copies_end(int n, const double *at, size_t words)
{
	unsigned past = PMEM_F_MEM_NONTEMPORAL;

	past |= is_pmem(at) ? PMEM_F_MEM_NODRAIN : PMEM_F_MEM_NOFLUSH;
	for (int i = 0; i < n; i++)
		assert_int_equal(events[i].flags, past);
	assert_event(n, DRAIN, NULL, 0);
	if (!is_pmem(at))
		assert_event(n + 1, MSYNC, at, words * sizeof(*at));
	assert_int_equal(logged, n + (is_pmem(at) ? 1 : 2));
}

static void a_write_is_drained_once(void **state)
{
	static double src[20 * 7];
	struct asl_store *store;
	double *at;

	(void)state;
	store = open_pool(&at);
	logged = 0;
	asl_store_write(store, at + 5, 33, src, 7, 20, 7);
	for (int i = 0; i < 20; i++)
		assert_event(i, COPY, at + 5 + 33 * i, 7 * sizeof(*at));
	assert_copies_end(20, at + 5, 19 * 33 + 7);

	logged = 0;
	asl_store_write(store, at + 5, 7, src, 7, 20, 7);
	assert_event(0, COPY, at + 5, 140 * sizeof(*at));
	assert_copies_end(1, at + 5, 140);

	logged = 0;
	asl_store_write(store, at, 7, src, 7, 0, 7);
	asl_store_write(store, at, 7, src, 7, 7, 0);
	asl_store_settle(store, at, 0);
	asl_store_read(store, src, 7, at, 9, 20, 7);
	assert_int_equal(logged, 0);

	asl_store_settle(store, at + 3, 1000);
	assert_event(0, is_pmem(at) ? PERSIST : MSYNC, at + 3,
		     1000 * sizeof(*at));
	assert_int_equal(logged, 1);
	logged = 64;
	asl_store_close(store);
}

static void a_failed_write_is_remembered(void **state)
{
	double *at, word = 1;
	struct asl_store *store = open_pool(&at);
	int expected = is_pmem(at) ? 0 : -EIO;

	(void)state;
	asl_store_write(store, at, 1, &word, 1, 1, 1);
	assert_int_equal(asl_store_error(store), 0);
	msync_error = EIO;
	asl_store_write(store, at, 1, &word, 1, 1, 1);
	msync_error = ENOMEM;
	asl_store_settle(store, at, 1);
	msync_error = 0;
	asl_store_write(store, at, 1, &word, 1, 1, 1);
	assert_int_equal(asl_store_error(store), expected);
	if (expected)
		assert_non_null(strstr(asl_failure(), "msync"));
	asl_store_close(store);
}

/* At a caller's address: in a pool, and in ordinary memory. */
static void what_a_caller_has_is_secured(void **state)
{
	double *at, own[10];
	struct asl_store *store = open_pool(&at);
	int expected = is_pmem(at) ? 0 : -ENOSPC;

	(void)state;
	logged = 0;
	assert_int_equal(asl_store_persist(at + 3, 80), 0);
	assert_event(0, is_pmem(at) ? PERSIST : MSYNC, at + 3, 80);
	assert_int_equal(asl_store_persist(own, 0), 0);
	assert_int_equal(logged, 1);
	logged = 64;
	assert_int_equal(asl_store_persist(own, sizeof own), 0);
	msync_error = ENOSPC;
	assert_int_equal(asl_store_persist(at, 8), expected);
	msync_error = 0;
	asl_store_close(store);
}

static void refused_clean(int err, const char *word)
{
	struct asl_store *store = (struct asl_store *)dir;

	for (int keep = 0; keep < 2; keep++) {
		struct asl_store_want want = pool(keep);

		fallocate_error = err == -ENOSPC ? ENOSPC : 0;
		fallocate_after = 1;
		assert_int_equal(asl_store_open(&store, &want), err);
		assert_null(store);
		assert_non_null(strstr(asl_failure(), word));
		assert_int_equal(access(path, F_OK), -1);
	}
}

/* Somebody else was faster, after room was found for us. */
static void room_lost_half_way(void **state)
{
	(void)state;
	refused_clean(-ENOSPC, "no room");
}

/* What can't fit is not tried: that would fill the disk for a while. */
static void room_is_looked_for(void **state)
{
	struct asl_store_want want = pool(true);
	struct asl_store *store;

	(void)state;
	want.words = UINT64_C(1) << 45;
	want.pieces = 1 << 15;
	fallocate_error = EIO;
	fallocate_after = 0;
	assert_int_equal(asl_store_open(&store, &want), -ENOSPC);
	assert_int_equal(fallocate_error, EIO);
	fallocate_error = 0;
	assert_int_equal(access(path, F_OK), -1);
}

/* It was asked for what it can do, so that it is the machine that cannot. */
static void libpmemobj_refuses(void **state)
{
	(void)state;
	create_error = EINVAL;
	refused_clean(-EIO, dir);
	create_error = 0;
}

static void a_signal_while_it_allocates(void **state)
{
	struct asl_store_want want = pool(true);
	struct asl_store *store;
	struct stat st;

	(void)state;
	fallocate_error = EINTR;
	fallocate_after = 1;
	assert_int_equal(asl_store_open(&store, &want), 0);
	assert_int_equal(fallocate_error, 0);
	assert_int_equal(stat(path, &st), 0);
	assert_true(st.st_blocks * 512 >= st.st_size);
	asl_store_close(store);
	unlink(path);
}

static int make_dir(void **state)
{
	bool fresh;

	(void)state;
	snprintf(dir, sizeof(dir), "%.40s/asl-persists-XXXXXX",
		 asl_store_default_dir(&fresh));
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/aslant-persists-0.pool", dir);
	return 0;
}

static int remove_dir(void **state)
{
	(void)state;
	return rmdir(dir);
}

/* libpmem looks at its environment when it is loaded. */
static int again_forced(const char *self)
{
	int status;
	pid_t pid;

	if (getenv("PMEM_IS_PMEM_FORCE"))
		return 0;
	setenv("PMEM_IS_PMEM_FORCE", "1", 1);
	pid = fork();
	if (pid == 0) {
		execl("/proc/self/exe", self, (char *)NULL);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return 1;
	return !WIFEXITED(status) || WEXITSTATUS(status) != 0;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_write_is_drained_once),
		cmocka_unit_test(a_failed_write_is_remembered),
		cmocka_unit_test(what_a_caller_has_is_secured),
		cmocka_unit_test(room_lost_half_way),
		cmocka_unit_test(room_is_looked_for),
		cmocka_unit_test(libpmemobj_refuses),
		cmocka_unit_test(a_signal_while_it_allocates),
	};
	int failed = cmocka_run_group_tests(tests, make_dir, remove_dir);

	(void)argc;
	return failed || again_forced(argv[0]);
}
