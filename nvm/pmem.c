/*
 * pmem.c -- a store in persistent memory: one libpmemobj pool per rank
 *
 * libpmemobj gives the pool its structure and keeps the table of pieces whole
 * through a crash; the words themselves go past it.  A transaction would log
 * every word before it is written, which costs many times the write that is
 * to be measured.  Words are copied by non-temporal stores, so that they
 * reach the medium without passing through the cache, and one drain (or
 * where the medium is not persistent memory, one msync) ends each write.
 */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <libpmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/error.h"
#include "lib/base/mapped.h"
#include "lib/base/parts.h"
#include "nvm/pmem.h"

/* errno may be left at anything; libpmemobj's own message says more. */
static int pool_failed(const struct asl_store_want *want)
{
	int err = -EIO;

	switch (errno) {
	case ENOSPC:
	case EFBIG:
	case EACCES:
	case EPERM:
	case EROFS:
		err = -errno;
		break;
	case ENOMEM:
	case EFAULT: /* it had no memory for a name */
		err = -ENOMEM;
		break;
	}
	return asl_fail(err, "pool in %s: %s", want->dir, pmemobj_errormsg());
}

/* An object is not longer than libpmemobj has it; ranks share an array. */
static int refuse_long(uint64_t words)
{
	return asl_fail(
		-EFBIG,
		"a rank's array of %ju words (%.4g GiB) does not fit "
		"into a pool, where it is an object of libpmemobj: "
		"that holds at most 15.998 GiB; expected at least %ju "
		"times as many --ranks, which share it, or --store dram",
		words, (double)words / 134217728,
		asl_ceil_div(words, asl_pool_longest()));
}

static int pool_bytes(uint64_t *bytes, const struct asl_store_want *want)
{
	uint64_t mean = asl_ceil_div(want->words, asl_max(want->pieces, 1));

	if (want->pieces < 0 || (want->pieces == 0 && want->words > 0))
		return asl_fail(-EINVAL, "%ju words in %d pieces", want->words,
				want->pieces);
	if (want->longest > asl_pool_longest())
		return refuse_long(want->longest);
	*bytes = asl_pool_bytes(want->words + want->log,
				want->pieces + (want->log > 0));
	return *bytes ? 0 : refuse_long(mean);
}

/* The magic is written last: it makes the pool complete. */
static void write_head(struct asl_pmem *p, const struct asl_store_want *want)
{
	struct asl_pool *root = p->root;

	root->version = ASL_POOL_VERSION;
	root->rank = want->rank;
	root->words = want->words;
	root->pieces = (uint64_t)want->pieces;
	snprintf(root->run_id, sizeof root->run_id, "%s", want->run_id);
	if (want->about)
		snprintf(root->about, sizeof root->about, "%s", want->about);
	root->check = asl_pool_check(root);
	pmemobj_persist(p->pop, root, sizeof *root);
	root->magic = ASL_POOL_MAGIC;
	pmemobj_persist(p->pop, root, sizeof *root);
}

static int make_log(struct asl_pmem *p, const struct asl_store_want *want)
{
	p->root->log_words = want->log;
	if (!want->log ||
	    pmemobj_alloc(p->pop, &p->root->log,
			  asl_pool_piece_bytes(want->log), 1, NULL, NULL) == 0)
		return 0;
	return pool_failed(want);
}

/*
 * /proc/self/fd lets libpmemobj open a file without a name.  PMDK 2.1 and later
 * refuses pools outside of persistent memory unless its shutdown state is off;
 * earlier versions ignore the setting.
 */
int asl_pmem_make(struct asl_pmem *p, int fd, uint64_t bytes,
		  const struct asl_store_want *want)
{
	char path[64], layout[64] = ASL_POOL_LAYOUT;
	int off = 0, err;
	PMEMoid oid;

	if (want->about)
		snprintf(layout, sizeof layout, ASL_POOL_RESUMABLE,
			 ASL_POOL_VERSION, bytes);
	err = p->device < 0 ? 0 : asl_device_clear(fd, p->place, layout);
	if (err)
		return err;
	p->base.medium = asl_pool_medium(fd);
	if (strcmp(p->base.medium, "fsdax") && strcmp(p->base.medium, "devdax"))
		pmemobj_ctl_set(NULL, "sds.at_create", &off);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	p->pop = asl_pmem_create(p->device < 0 ? path : p->place, layout);
	if (!p->pop) {
		err = asl_pool_bad_block(fd,
					 p->device < 0 ? want->dir : p->place,
					 pmemobj_errormsg());
		return err ? err : pool_failed(want);
	}
	oid = pmemobj_root(p->pop, asl_pool_root_bytes(want->pieces));
	err = OID_IS_NULL(oid) ? pool_failed(want) : 0;
	if (!err) {
		p->root = pmemobj_direct(oid);
		p->is_pmem = asl_pool_is_pmem(p->pop, bytes, p->base.medium);
		err = make_log(p, want);
	}
	if (err) {
		pmemobj_close(p->pop);
		return err;
	}
	write_head(p, want);
	return 0;
}

static int open_own(struct asl_pmem *p, const char *path, uint64_t bytes,
		    const struct asl_store_want *want)
{
	int fd, err = asl_pool_create(&fd, path, bytes, want->keep);

	if (err)
		return err;
	p->file = want->keep ? strdup(path) : NULL;
	if (want->keep && !p->file)
		err = asl_fail(-ENOMEM, "no memory for a store");
	else
		err = asl_pmem_make(p, fd, bytes, want);
	close(fd);
	if (err && want->keep)
		unlink(path);
	return err;
}

static int open_device(struct asl_pmem *p, const char *place, uint64_t bytes,
		       const struct asl_store_want *want)
{
	char layout[ASL_DEVICE_LAYOUT];
	enum asl_device_holds holds = ASL_HOLDS_NOTHING;
	int err = asl_device_open(&p->device, place, bytes, &bytes);

	if (err)
		return err;
	snprintf(p->place, sizeof p->place, "%s", place);
	p->stays = want->keep;
	if (!want->erase)
		err = asl_device_holds(&holds, p->device, place, layout);
	if (!err && holds > ASL_HOLDS_POOL)
		err = asl_device_refuse(place, holds);
	if (!err)
		err = asl_pmem_make(p, p->device, bytes, want);
	if (err)
		close(p->device);
	return err;
}

static int open_any(struct asl_pmem *p, const char *path, uint64_t bytes,
		    const struct asl_store_want *want)
{
	p->fd = p->device = -1;
	if (want->about)
		return asl_pmem_resume(p, path, bytes, want);
	return asl_device_is(want->dir) ? open_device(p, path, bytes, want)
					: open_own(p, path, bytes, want);
}

static int pmem_open(struct asl_store **out, const struct asl_store_want *want)
{
	char path[PATH_MAX];
	uint64_t bytes;
	struct asl_pmem *p;
	int err = pool_bytes(&bytes, want);

	if (!err)
		err = asl_pool_path(path, want);
	if (err)
		return err;
	p = calloc(1, sizeof *p + (size_t)want->pieces * sizeof p->slot[0]);
	if (!p)
		return asl_fail(-ENOMEM, "no memory for a store");
	asl_mapped_open(path);
	err = open_any(p, path, bytes, want);
	asl_mapped_open(NULL);
	if (err) {
		free(p->file);
		free(p);
		return err;
	}
	p->base.ops = &asl_store_pmem;
	asl_pool_note(p->base.note, sizeof p->base.note, p->base.medium,
		      want->dir);
	asl_mapped_note(p->pop, bytes, "the pool", path);
	*out = &p->base;
	return 0;
}

/* Pieces that are still taken stay in the pool, which may be kept. */
static void pmem_close(struct asl_store *store)
{
	struct asl_pmem *p = (struct asl_pmem *)store;

	if (store->discarded && p->file) {
		unlink(p->file);
		asl_pool_sync_dir(p->file);
	}
	pmemobj_close(p->pop);
	asl_mapped_forget(p->pop);
	if (p->device >= 0 && (store->discarded || !p->stays)) {
		asl_mapped_open(p->place);
		asl_device_clear(p->device, p->place, "");
		asl_mapped_open(NULL);
	}
	if (p->device >= 0 && p->device != p->fd)
		close(p->device);
	if (p->fd >= 0) /* it holds the locks */
		close(p->fd);
	free(p->file);
	free(p);
}

/* The slot of an address, with NULL a free one; or NULL. */
static struct asl_pmem_slot *find_slot(struct asl_pmem *p, const double *at)
{
	for (uint64_t i = 0; i < p->root->pieces; i++)
		if (p->slot[i].at == at)
			return &p->slot[i];
	return NULL;
}

static int announced(struct asl_pmem *p, uint64_t words)
{
	uint64_t bytes = asl_pool_piece_bytes(words);

	if (!bytes)
		return refuse_long(words);
	if (words > p->root->words - p->taken)
		return asl_fail(-ENOMEM,
				"%ju words more in a pool opened for %ju, with "
				"%ju taken",
				words, p->root->words, p->taken);
	if (!find_slot(p, NULL))
		return asl_fail(-ENOMEM,
				"one more piece in a pool opened for %ju",
				p->root->pieces);
	return 0;
}

/* The oid is written last: it makes the piece exist. */
static int take_new(struct asl_pmem *p, double **at, uint64_t words)
{
	struct asl_pmem_slot *slot = find_slot(p, NULL);
	struct asl_pool_piece *piece = &p->root->piece[slot - p->slot];

	piece->words = words;
	piece->number = p->takes++;
	pmemobj_persist(p->pop, &piece->words,
			sizeof piece->words + sizeof piece->number);
	if (pmemobj_alloc(p->pop, &piece->oid, asl_pool_piece_bytes(words), 1,
			  NULL, NULL) != 0)
		return asl_fail(-ENOMEM, "no gap for %ju words in the pool: %s",
				words, pmemobj_errormsg());
	*at = asl_pool_align(pmemobj_direct(piece->oid));
	*slot = (struct asl_pmem_slot){
		.at = *at,
		.words = words,
		.number = piece->number,
		.taken = true,
	};
	p->taken += words;
	return 0;
}

static int pmem_take(struct asl_store *store, double **at, uint64_t words)
{
	struct asl_pmem *p = (struct asl_pmem *)store;
	int err;

	if (asl_pmem_take_again(&err, p, at, words))
		return err;
	err = announced(p, words);
	return err ? err : take_new(p, at, words);
}

static void free_piece(struct asl_pmem *p, struct asl_pmem_slot *slot)
{
	pmemobj_free(&p->root->piece[slot - p->slot].oid);
	p->taken -= slot->words;
	*slot = (struct asl_pmem_slot){0};
}

static void pmem_give(struct asl_store *store, double *at)
{
	struct asl_pmem *p = (struct asl_pmem *)store;
	struct asl_pmem_slot *slot = find_slot(p, at);

	if (p->fd >= 0) {
		if (slot) /* else it was skipped */
			slot->given = true;
		return;
	}
	assert(slot);
	free_piece(p, slot);
}

static void sync_pages(struct asl_pmem *p, const void *at, uint64_t bytes)
{
	int err;

	if (pmem_msync(at, bytes) == 0)
		return;
	err = asl_fail(-errno, "%s: msync of %ju words: %s",
		       asl_mapped_find(at), bytes / sizeof(double),
		       strerror(errno));
	asl_store_keep_error(&p->base, err);
	asl_mapped_blame(asl_failure());
}

/* A thread's stores are drained by itself, once: rows have no order. */
static void move_bytes(void *arg, void *dst, const void *src, uint64_t bytes)
{
	const struct asl_pmem *p = arg;
	unsigned flags = PMEM_F_MEM_NONTEMPORAL |
			 (p->is_pmem ? PMEM_F_MEM_NODRAIN : PMEM_F_MEM_NOFLUSH);

	if (bytes)
		pmem_memcpy(dst, src, bytes, flags);
	else
		pmem_drain();
}

/* One msync for all rows. */
static void pmem_write(struct asl_store *store, void *dst, const void *src,
		       const struct asl_store_rows *x)
{
	struct asl_pmem *p = (struct asl_pmem *)store;

	asl_store_move(dst, src, x, move_bytes, p);
	if (!p->is_pmem)
		sync_pages(p, dst, (x->rows - 1) * x->dst_step + x->bytes);
}

static void persist_bytes(void *arg, void *dst, const void *src, uint64_t bytes)
{
	(void)arg, (void)src;
	if (bytes)
		pmem_persist(dst, bytes);
}

static void pmem_settle(struct asl_store *store, double *at, uint64_t words)
{
	struct asl_pmem *p = (struct asl_pmem *)store;
	uint64_t bytes = words * sizeof *at;
	struct asl_store_rows all = {bytes, bytes, 1, bytes};

	if (p->is_pmem)
		asl_store_move(at, at, &all, persist_bytes, NULL);
	else
		sync_pages(p, at, bytes);
}

static void pmem_skip(struct asl_store *store, bool skips)
{
	((struct asl_pmem *)store)->skips = skips;
}

static void pmem_release(struct asl_store *store)
{
	struct asl_pmem *p = (struct asl_pmem *)store;

	for (uint64_t i = 0; i < p->root->pieces; i++)
		if (p->slot[i].given)
			free_piece(p, &p->slot[i]);
}

/* PMDK only tells whether it has a version of the interface. */
const char *asl_store_versions(void)
{
	static char text[64];
	unsigned minor = 0;

	while (!pmemobj_check_version(PMEMOBJ_MAJOR_VERSION, minor + 1))
		minor++;
	snprintf(text, sizeof text, "libpmemobj API %d.%u\n",
		 PMEMOBJ_MAJOR_VERSION, minor);
	return text;
}

int asl_store_persist(const void *at, size_t bytes)
{
	if (bytes && pmem_is_pmem(at, bytes))
		pmem_persist(at, bytes);
	else if (bytes && pmem_msync(at, bytes) != 0)
		return asl_fail(-errno, "msync of %zu bytes at %p: %s", bytes,
				at, strerror(errno));
	return 0;
}

const struct asl_store_ops asl_store_pmem = {
	.name = "pmem",
	.summary = "persistent memory: a libpmemobj pool per rank",
	.can = {.has_data = true, .needs_dir = true, .lasts = true},
	.open = pmem_open,
	.close = pmem_close,
	.take = pmem_take,
	.give = pmem_give,
	.read = asl_store_copy,
	.write = pmem_write,
	.settle = pmem_settle,
	.skip = pmem_skip,
	.release = pmem_release,
};
