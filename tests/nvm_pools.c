/*
 * nvm_pools.c -- the file of a pool: when it is there, and when it is refused
 *
 * Full and read-only file systems are small tmpfs mounts in a mount namespace
 * of this process, which end with it; without root those tests are skipped.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <linux/magic.h>

#include "lib/base/error.h"
#include "nvm/pmem.h"

static char dir[64], sub[80];

/* libc's, but for what is free. */
static bool plenty;

int fstatvfs(int fd, struct statvfs *fs)
{
	struct statfs is;

	if (fstatfs(fd, &is) != 0)
		return -1;
	*fs = (struct statvfs){
		.f_bsize = (unsigned long)is.f_bsize,
		.f_frsize = (unsigned long)is.f_frsize,
		.f_blocks = is.f_blocks,
		.f_bfree = plenty ? is.f_blocks * 1000 : is.f_bfree,
		.f_bavail = plenty ? is.f_blocks * 1000 : is.f_bavail,
	};
	return 0;
}

static struct asl_store_want pool(const char *where)
{
	return (struct asl_store_want){.name = "pmem",
				       .dir = where,
				       .run_id = "run.7",
				       .rank = 12,
				       .words = 1000,
				       .pieces = 3};
}

static int files_in(const char *where)
{
	DIR *d = opendir(where);
	int n = 0;

	assert_non_null(d);
	for (struct dirent *e = readdir(d); e; e = readdir(d))
		n += e->d_name[0] != '.';
	closedir(d);
	return n;
}

/* libc's, but for what was in `dir` when a directory was last made durable. */
static int durable_files;

int fsync(int fd)
{
	struct stat st;

	if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode))
		durable_files = files_in(dir);
	return (int)syscall(SYS_fsync, fd);
}

static struct asl_store *opened(const struct asl_store_want *want)
{
	struct asl_store *store;

	if (asl_store_open(&store, want) != 0)
		fail_msg("%s", asl_failure());
	assert_non_null(store);
	return store;
}

/* Refused with err, saying `word` and the place, and leaving nothing open. */
static void refused(const struct asl_store_want *want, int err,
		    const char *word)
{
	struct asl_store *store = (struct asl_store *)&dir;
	int fd = open("/dev/null", O_RDONLY), next;
	int got = asl_store_open(&store, want);

	if (got != err)
		fail_msg("%s, expected %s: %s", strerror(-got), strerror(-err),
			 asl_failure());
	assert_null(store);
	if (!strstr(asl_failure(), word))
		fail_msg("'%s' does not say '%s'", asl_failure(), word);
	assert_null(strchr(asl_failure(), '\n'));
	next = open("/dev/null", O_RDONLY);
	assert_int_equal(next, fd + 1);
	close(next);
	close(fd);
}

static void without_keep_there_is_no_file(void **state)
{
	struct asl_store_want want = pool(dir);
	struct asl_store *store = opened(&want), *twin = opened(&want);
	double *at;

	(void)state;
	assert_int_equal(files_in(dir), 0);
	assert_int_equal(asl_store_take(store, &at, 1000), 0);
	asl_store_close(store);
	asl_store_close(twin);
	assert_int_equal(files_in(dir), 0);
}

static void a_killed_process_leaves_nothing(void **state)
{
	pid_t pid = fork();
	int status;

	(void)state;
	if (pid == 0) {
		struct asl_store_want want = pool(dir);
		struct asl_store *store;

		asl_store_open(&store, &want);
		raise(SIGKILL);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(files_in(dir), 0);
}

static void check_kept(const char *path)
{
	PMEMobjpool *pop = pmemobj_open(path, ASL_POOL_LAYOUT);
	struct asl_pool *head;
	double *at;

	if (!pop)
		fail_msg("%s", pmemobj_errormsg());
	head = pmemobj_direct(pmemobj_root(pop, asl_pool_root_bytes(3)));
	assert_int_equal(head->magic, ASL_POOL_MAGIC);
	assert_memory_equal(&head->magic, "ASLNPOOL", 8);
	assert_int_equal(head->version, ASL_POOL_VERSION);
	assert_int_equal(head->rank, 12);
	assert_int_equal(head->words, 1000);
	assert_int_equal(head->pieces, 3);
	assert_string_equal(head->run_id, "run.7");

	assert_true(OID_IS_NULL(head->piece[0].oid));
	assert_int_equal(head->piece[1].words, 300);
	at = asl_pool_align(pmemobj_direct(head->piece[1].oid));
	for (int i = 0; i < 300; i++)
		if (at[i] != 7.0 * i)
			fail_msg("word %d: %g, expected %g", i, at[i], 7.0 * i);
	assert_true(OID_IS_NULL(head->piece[2].oid));
	pmemobj_close(pop);
}

static void a_kept_pool_reads_back(void **state)
{
	struct asl_store_want want = pool(dir);
	struct asl_store *store;
	double *first, *at, words[300];
	char path[128];
	struct stat st;

	(void)state;
	want.keep = true;
	snprintf(path, sizeof(path), "%s/aslant-run.7-12.pool", dir);
	store = opened(&want);
	refused(&want, -EEXIST, path);
	assert_int_equal(asl_store_take(store, &first, 200), 0);
	assert_int_equal(asl_store_take(store, &at, 300), 0);
	for (int i = 0; i < 300; i++)
		words[i] = 7.0 * i;
	asl_store_write(store, at, 10, words, 10, 30, 10);
	asl_store_give(store, first);
	asl_store_close(store);

	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode, S_IFREG | 0600);
	assert_int_equal(st.st_size, asl_pool_bytes(1000, 3));
	assert_true(st.st_blocks * 512 >= st.st_size);
	refused(&want, -EEXIST, path);
	check_kept(path);
	want.keep = false;
	asl_store_close(opened(&want));
	want.rank = 13;
	asl_store_close(opened(&want));
	assert_int_equal(files_in(dir), 1);
	assert_int_equal(unlink(path), 0);
}

static void what_is_discarded_is_gone(void **state)
{
	struct asl_store_want want = pool(dir);

	(void)state;
	for (int i = 0; i < 4; i++) {
		want.keep = i % 2;
		durable_files = 0;
		asl_store_discard(opened(&want));
		assert_int_equal(files_in(dir), 0);
		assert_int_equal(durable_files, 0);
	}
	want.name = "dram";
	asl_store_discard(opened(&want));
	asl_store_discard(NULL);
}

static void bad_places_are_refused(void **state)
{
	char file[128], missing[160] = "", longest[PATH_MAX + 2];
	struct asl_store_want want = pool(missing);

	(void)state;
	snprintf(missing, sizeof(missing), "%s/missing", dir);
	refused(&want, -ENOENT, missing);
	snprintf(file, sizeof(file), "%s/file", dir);
	close(open(file, O_CREAT | O_WRONLY, 0600));
	want.dir = file;
	refused(&want, -ENOTDIR, file);
	snprintf(missing, sizeof(missing), "%s/file/below", dir);
	want.dir = missing;
	refused(&want, -ENOTDIR, missing);
	unlink(file);
	want.dir = "/dev/null";
	refused(&want, -ENOTDIR, "/dev/null is a device");
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = 0;
	want.dir = longest;
	refused(&want, -ENAMETOOLONG, "too long");
	want.dir = NULL;
	refused(&want, -EINVAL, "directory");
}

static void bad_run_ids_are_refused(void **state)
{
	struct asl_store_want want = pool(dir);
	char id[ASL_POOL_RUN_ID + 1];

	(void)state;
	want.run_id = "../up";
	refused(&want, -EINVAL, "../up");
	want.run_id = "";
	refused(&want, -EINVAL, "run id");
	want.run_id = NULL;
	refused(&want, -EINVAL, "run id");
	memset(id, 'r', sizeof(id) - 1);
	id[sizeof(id) - 1] = 0;
	want.run_id = id;
	refused(&want, -ENAMETOOLONG, "rrr");
	want.run_id = id + 1;
	asl_store_close(opened(&want));
}

static void file_size_limit(void **state)
{
	struct asl_store_want want = pool(dir);
	struct rlimit old, low;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	low = (struct rlimit){.rlim_cur = 4 << 20, .rlim_max = old.rlim_max};
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &low), 0);
	want.keep = true;
	refused(&want, -EFBIG, "ulimit -f");
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(files_in(dir), 0);
}

static bool as_root(void)
{
	if (geteuid() == 0)
		return true;
	print_message("not root: no mounts, so this is skipped\n");
	return false;
}

/* A directory that is only for its owner, and somebody else. */
static void unwritable(void **state)
{
	struct asl_store_want want = pool(dir);
	struct asl_store *store;
	int status;
	pid_t pid;

	(void)state;
	if (!as_root())
		skip();
	assert_int_equal(chmod(dir, 0755), 0);
	pid = fork();
	if (pid == 0) {
		int err = setuid(65534) ? 1 : asl_store_open(&store, &want);

		_exit(err == -EACCES && strstr(asl_failure(), dir) ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void mount_small(const char *options)
{
	if (!as_root())
		skip();
	if (unshare(CLONE_NEWNS) != 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0) {
		print_message("no mount namespace: %s, so this is skipped\n",
			      strerror(errno));
		skip();
	}
	assert_int_equal(mount("asl", sub, "tmpfs", 0, options), 0);
}

static void a_full_file_system(void **state)
{
	struct asl_store_want want = pool(sub);
	struct asl_store *store;

	(void)state;
	mount_small("size=12m");
	for (int i = 0; i < 4; i++) {
		struct asl_store_want other = pool(sub);

		store = opened(&want);
		refused(&other, -ENOSPC, "8 MiB, 4 MiB are free");
		other.keep = true;
		refused(&other, -ENOSPC, sub);
		assert_int_equal(files_in(sub), 0);
		asl_store_close(store);
	}
	want.words = 1 << 22;
	refused(&want, -ENOSPC, "12 MiB are free");
	want.words = UINT64_C(1) << 52;
	want.pieces = 1 << 22;
	refused(&want, -ENOSPC, sub);
	assert_int_equal(umount(sub), 0);
}

static void to_the_last_block(void **state)
{
	struct asl_store_want want = pool(sub);
	struct asl_store *first, *second;

	(void)state;
	mount_small("size=16m");
	first = opened(&want);
	second = opened(&want);
	refused(&want, -ENOSPC, "8 MiB, 0 MiB are free");
	asl_store_close(first);
	asl_store_close(second);
	assert_int_equal(umount(sub), 0);
}

/* As if other ranks had taken the room after this one had looked. */
static void too_late(void **state)
{
	struct asl_store_want want = pool(sub);

	(void)state;
	mount_small("size=36m");
	want.words = 1 << 23;
	plenty = true;
	for (int i = 0; i < 2; i++) {
		want.keep = i;
		refused(&want, -ENOSPC, "full at 32 of its");
		assert_int_equal(files_in(sub), 0);
	}
	plenty = false;
	assert_int_equal(umount(sub), 0);
}

static void no_more_files(void **state)
{
	struct asl_store_want want = pool(sub);

	(void)state;
	mount_small("nr_inodes=1");
	refused(&want, -ENOSPC, sub);
	assert_int_equal(umount(sub), 0);
}

static void a_read_only_file_system(void **state)
{
	struct asl_store_want want = pool(sub);

	(void)state;
	mount_small("size=12m");
	assert_int_equal(mount(NULL, sub, NULL, MS_REMOUNT | MS_RDONLY, NULL),
			 0);
	refused(&want, -EROFS, sub);
	assert_int_equal(umount(sub), 0);
}

static void the_medium_is_told(void **state)
{
	char place[] = "/var/tmp/asl-pools-XXXXXX";
	struct asl_store_want want = pool(mkdtemp(place));
	struct asl_store *store;
	struct statfs fs;
	const char *medium, *note;

	(void)state;
	assert_int_equal(statfs(place, &fs), 0);
	setenv("PMEM_MOVNT_THRESHOLD", "17", 1);
	store = opened(&want);
	rmdir(place);
	medium = asl_store_medium(store);
	note = asl_store_note(store);
	if (strcmp(medium, "fsdax") != 0) {
		assert_string_equal(medium, fs.f_type == TMPFS_MAGIC ? "tmpfs"
								     : "file");
		assert_non_null(strstr(note, "not on persistent memory: "));
	}
	assert_non_null(strstr(note, "PMEM_MOVNT_THRESHOLD=17"));
	unsetenv("PMEM_MOVNT_THRESHOLD");
	asl_store_close(store);
}

/* libpmem may be told to believe so; the medium is still what it is. */
static void tmpfs_is_not_persistent(void **state)
{
	struct asl_store_want want = pool(sub);
	struct asl_store *store;

	(void)state;
	mount_small("size=12m");
	setenv("PMEM_IS_PMEM_FORCE", "1", 1);
	store = opened(&want);
	unsetenv("PMEM_IS_PMEM_FORCE");
	assert_string_equal(asl_store_medium(store), "tmpfs");
	assert_non_null(strstr(asl_store_note(store), "lie on tmpfs"));
	assert_non_null(strstr(asl_store_note(store), "PMEM_IS_PMEM_FORCE=1"));
	asl_store_close(store);
	assert_int_equal(umount(sub), 0);
}

/* Bytes of the mapping that holds `at` which lie in large pages of a tmpfs. */
static size_t in_large_pages(const void *at)
{
	FILE *f = fopen("/proc/self/smaps", "r");
	uintmax_t low, high;
	bool here = false;
	size_t kib = 0;
	char line[512];

	assert_non_null(f);
	while (fgets(line, sizeof line, f)) {
		if (sscanf(line, "%jx-%jx ", &low, &high) == 2)
			here = low <= (uintptr_t)at && (uintptr_t)at < high;
		else if (here)
			(void)sscanf(line, "ShmemPmdMapped: %zu kB", &kib);
	}
	fclose(f);
	return kib << 10;
}

/* Does this kernel give any, if it is asked? */
static bool has_large_pages(void)
{
	size_t large = 2 << 20;
	char *room = mmap(NULL, 2 * large, PROT_NONE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *at = room + (large - (uintptr_t)room % large) % large;
	int fd = open(dir, O_TMPFILE | O_RDWR, 0600);
	bool has;

	assert_ptr_not_equal(room, MAP_FAILED);
	assert_int_equal(posix_fallocate(fd, 0, (off_t)large), 0);
	assert_ptr_equal(mmap(at, large, PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_FIXED, fd, 0),
			 at);
	has = madvise(at, large, 25 /* MADV_COLLAPSE */) == 0 &&
	      in_large_pages(at) == large;
	munmap(room, 2 * large);
	close(fd);
	return has;
}

/* All but the file's ends, which are no large pages. */
static void a_tmpfs_gives_large_pages(void **state)
{
	struct asl_store_want want = pool(dir);
	struct asl_store *store;
	double *at;

	(void)state;
	want.words = 4 << 20;
	if (!has_large_pages()) {
		print_message("no large pages on %s\n", dir);
		skip();
	}
	store = opened(&want);
	assert_int_equal(asl_store_take(store, &at, want.words), 0);
	memset(at, 1, want.words * sizeof *at);
	assert_true(in_large_pages(at) >= want.words * sizeof *at);
	asl_store_give(store, at);
	asl_store_close(store);
}

static int make_dir(void **state)
{
	bool fresh;

	(void)state;
	snprintf(dir, sizeof(dir), "%.40s/asl-pools-XXXXXX",
		 asl_store_default_dir(&fresh));
	if (!mkdtemp(dir))
		return -1;
	return 0;
}

static int make_sub(void **state)
{
	(void)state;
	snprintf(sub, sizeof(sub), "%s/small", dir);
	return mkdir(sub, 0700);
}

static int remove_sub(void **state)
{
	(void)state;
	umount(sub);
	return rmdir(sub);
}

static int remove_dir(void **state)
{
	(void)state;
	return rmdir(dir);
}

#define MOUNTS(test) cmocka_unit_test_setup_teardown(test, make_sub, remove_sub)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_keep_there_is_no_file),
		cmocka_unit_test(a_killed_process_leaves_nothing),
		cmocka_unit_test(a_kept_pool_reads_back),
		cmocka_unit_test(what_is_discarded_is_gone),
		cmocka_unit_test(bad_places_are_refused),
		cmocka_unit_test(bad_run_ids_are_refused),
		cmocka_unit_test(file_size_limit),
		cmocka_unit_test(unwritable),
		cmocka_unit_test(the_medium_is_told),
		cmocka_unit_test(a_tmpfs_gives_large_pages),
		MOUNTS(a_full_file_system),
		MOUNTS(to_the_last_block),
		MOUNTS(too_late),
		MOUNTS(no_more_files),
		MOUNTS(a_read_only_file_system),
		MOUNTS(tmpfs_is_not_persistent),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
