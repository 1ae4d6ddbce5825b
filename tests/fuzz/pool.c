/*
 * pool.c -- a pool that a run wants to go on with, after others wrote into it
 *
 * The pool is a whole one; the bytes say what is changed in it.  libpmemobj has
 * checksums over most that is its own, so what is changed is ours, the layout's
 * name and the root, where it says that the root is, and the length.
 *
 *	1 byte	what: 7 the length, 6 where the root is; odd: the layout, even: it
 *	2 bytes	where, or how much is cut off, in pages
 *	1 byte	to what it is changed
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/error.h"
#include "nvm/pmem.h"
#include "tests/fuzz/fuzz.h"

enum {
	WORDS = 64,
	LAYOUT_AT = 4096,
	ROOT_AT = 6144,
	MOST_CHANGES = 16,
	CHANGE = 4
};

static const struct asl_store_want want = {
	.name = "pmem",
	.run_id = "fuzz",
	.words = WORDS,
	.pieces = 3,
	.about = "case a\nn 3\n",
	.log = 16,
};

static char *whole;
static size_t whole_bytes, root_at;
static char path[256];

static struct asl_store *open_pool(int *err)
{
	struct asl_store_want x = want;
	struct asl_store *store;

	x.dir = asl_fuzz_dir();
	*err = asl_store_open(&store, &x);
	asl_fuzz_check_said(*err, asl_failure());
	return *err ? NULL : store;
}

static void keep(void)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st))
		abort();
	whole_bytes = (size_t)st.st_size;
	whole = malloc(whole_bytes);
	if (!whole || read(fd, whole, whole_bytes) != st.st_size)
		abort();
	close(fd);
}

/* A pool with a piece in it; and where its root is. */
static void make(void)
{
	const uint64_t magic = ASL_POOL_MAGIC;
	struct asl_store *store;
	const char *at;
	double *words;
	int err;

	if (whole)
		return;
	snprintf(path, sizeof path, "%s/aslant-fuzz-0.pool", asl_fuzz_dir());
	store = open_pool(&err);
	if (!store || asl_store_take(store, &words, WORDS / 2))
		abort();
	asl_store_close(store);
	keep();
	at = memmem(whole, whole_bytes, &magic, sizeof magic);
	if (!at)
		abort();
	root_at = (size_t)(at - whole);
}

static size_t change(char *file, const uint8_t *x, size_t length)
{
	size_t where = x[1] | (size_t)x[2] << 8;

	if (x[0] % 8 == 7)
		return length - 4096 * (where % (length / 4096));
	if (x[0] % 8 == 6)
		file[ROOT_AT + where % 32] = (char)x[3];
	else if (x[0] % 2)
		file[LAYOUT_AT + where % 64] = (char)x[3];
	else
		file[root_at + where % (sizeof(struct asl_pool) +
					3 * sizeof(struct asl_pool_piece))] =
			(char)x[3];
	return length;
}

/* The pool anew, changed. */
static void spoil(const uint8_t *data, size_t bytes)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	size_t length = whole_bytes;
	char *file;

	if (fd < 0 || ftruncate(fd, (off_t)whole_bytes))
		abort();
	file = mmap(NULL, whole_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		    0);
	if (file == MAP_FAILED)
		abort();
	/* Most of it is zeros, which take no time as holes. */
	for (size_t at = 0; at < whole_bytes; at += 4096)
		if (whole[at] || memcmp(whole + at, whole + at + 1, 4095))
			memcpy(file + at, whole + at, 4096);
	for (size_t i = 0; i < MOST_CHANGES && (i + 1) * CHANGE <= bytes; i++)
		length = change(file, data + i * CHANGE, length);
	munmap(file, whole_bytes);
	if (ftruncate(fd, (off_t)length))
		abort();
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct asl_store *store;
	int err;

	make();
	spoil(data, bytes);
	store = open_pool(&err);
	asl_store_close(store);
	return 0;
}
