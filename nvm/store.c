/*
 * store.c -- the table of stores, and what they have in common
 *
 * A store is found by its name; calls go through its table of functions.  Common
 * to all stores are empty copies, the first error of a write, and the directory
 * of pools.
 */
#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/error.h"
#include "lib/base/parts.h"
#include "lib/base/team.h"
#include "nvm/provider.h"

static const struct asl_store_ops *const table[] = {
	&asl_store_pmem,
	&asl_store_dram,
	&asl_store_node_memory,
	&asl_store_disk,
	&asl_store_null,
};

enum { STORES = sizeof table / sizeof table[0] };

static const struct asl_store_ops *find(const char *name)
{
	for (int i = 0; i < STORES; i++)
		if (name && !strcmp(table[i]->name, name))
			return table[i];
	return NULL;
}

const char *const *asl_store_names(void)
{
	static const char *names[STORES + 1];

	for (int i = 0; i < STORES; i++)
		names[i] = table[i]->name;
	return names;
}

const struct asl_store_traits *asl_store_can(const char *name)
{
	static const struct asl_store_traits nothing;
	const struct asl_store_ops *ops = find(name);

	return ops ? &ops->can : &nothing;
}

const char *asl_store_summary(const char *name)
{
	const struct asl_store_ops *ops = find(name);

	return ops ? ops->summary : "";
}

int asl_store_open(struct asl_store **out, const struct asl_store_want *want)
{
	const struct asl_store_ops *ops = find(want->name);
	int err;

	*out = NULL;
	if (!ops)
		return asl_fail(-ENOENT, "there is no store '%s'",
				want->name ? want->name : "");
	err = ops->open(out, want);
	assert(err <= 0 && !err == !!*out);
	return err;
}

void asl_store_close(struct asl_store *store)
{
	if (!store)
		return;
	free(store->why);
	store->ops->close(store);
}

void asl_store_discard(struct asl_store *store)
{
	if (store)
		store->discarded = true;
	asl_store_close(store);
}

int asl_store_take(struct asl_store *store, double **at, uint64_t words)
{
	*at = NULL;
	return store->ops->take ? store->ops->take(store, at, words) : 0;
}

void asl_store_give(struct asl_store *store, double *at)
{
	if (at && store->ops->give)
		store->ops->give(store, at);
}

/* Threads copy whole pages, where rows adjoin, or whole rows. */
enum { PAGE_BYTES = 4096 };

struct copy {
	char *dst;
	const char *src;
	struct asl_store_rows of;
	int pieces;
	asl_store_mover *move;
	void *arg;
};

static void copy_piece(void *arg, int i)
{
	const struct copy *x = arg;
	uint64_t unit = x->of.rows == 1 ? PAGE_BYTES : 1;
	uint64_t all = x->of.rows == 1 ? x->of.bytes : x->of.rows;
	struct asl_range part = asl_part(asl_ceil_div(all, unit), x->pieces, i);
	uint64_t first = asl_min(part.first * unit, all);
	uint64_t count = asl_min(part.count * unit, all - first);

	if (x->of.rows == 1)
		x->move(x->arg, x->dst + first, x->src + first, count);
	else
		for (uint64_t row = first; row < first + count; row++)
			x->move(x->arg, x->dst + row * x->of.dst_step,
				x->src + row * x->of.src_step, x->of.bytes);
	if (count)
		x->move(x->arg, NULL, NULL, 0);
}

void asl_store_move(void *dst, const void *src, const struct asl_store_rows *of,
		    asl_store_mover *move, void *arg)
{
	struct copy x = {dst, src, *of, 1, move, arg};

	if (of->dst_step == of->bytes && of->src_step == of->bytes) {
		x.of.bytes *= of->rows;
		x.of.rows = 1;
	}
	x.pieces = asl_team_pieces(of->rows * of->bytes / sizeof(double),
				   ASL_TEAM_WORDS);
	asl_team_run(x.pieces, copy_piece, &x);
}

static void move_bytes(void *arg, void *dst, const void *src, uint64_t bytes)
{
	(void)arg;
	if (bytes)
		memcpy(dst, src, bytes);
}

void asl_store_copy(struct asl_store *store, void *dst, const void *src,
		    const struct asl_store_rows *x)
{
	(void)store;
	asl_store_move(dst, src, x, move_bytes, NULL);
}

static struct asl_store_rows in_words(uint64_t dst_ld, uint64_t src_ld,
				      uint64_t rows, uint64_t cols)
{
	return (struct asl_store_rows){dst_ld * sizeof(double),
				       src_ld * sizeof(double), rows,
				       cols * sizeof(double)};
}

void asl_store_read_bytes(struct asl_store *store, void *dst, const void *src,
			  const struct asl_store_rows *x)
{
	if (x->rows == 0 || x->bytes == 0 || !store->ops->read)
		return;
	assert(x->rows == 1 ||
	       (x->dst_step >= x->bytes && x->src_step >= x->bytes));
	store->ops->read(store, dst, src, x);
}

void asl_store_write_bytes(struct asl_store *store, void *dst, const void *src,
			   const struct asl_store_rows *x)
{
	if (x->rows == 0 || x->bytes == 0 || !store->ops->write)
		return;
	assert(x->rows == 1 ||
	       (x->dst_step >= x->bytes && x->src_step >= x->bytes));
	store->ops->write(store, dst, src, x);
}

void asl_store_read(struct asl_store *store, double *dst, uint64_t dst_ld,
		    const double *src, uint64_t src_ld, uint64_t rows,
		    uint64_t cols)
{
	struct asl_store_rows x = in_words(dst_ld, src_ld, rows, cols);

	asl_store_read_bytes(store, dst, src, &x);
}

void asl_store_write(struct asl_store *store, double *dst, uint64_t dst_ld,
		     const double *src, uint64_t src_ld, uint64_t rows,
		     uint64_t cols)
{
	struct asl_store_rows x = in_words(dst_ld, src_ld, rows, cols);

	asl_store_write_bytes(store, dst, src, &x);
}

void asl_store_settle(struct asl_store *store, double *at, uint64_t words)
{
	if (words > 0 && store->ops->settle)
		store->ops->settle(store, at, words);
}

bool asl_store_has_data(const struct asl_store *store)
{
	return store->ops->can.has_data;
}

bool asl_store_is_plain(const struct asl_store *store)
{
	return store->ops->can.plain;
}

bool asl_store_has_blocks(const struct asl_store *store)
{
	return store->ops->can.blocks;
}

const char *asl_store_medium(const struct asl_store *store)
{
	return store->medium;
}

const char *asl_store_note(const struct asl_store *store)
{
	return store->note;
}

void asl_store_keep_error(struct asl_store *store, int err)
{
	if (store->error)
		return;
	store->error = err;
	store->why = strdup(asl_failure());
}

int asl_store_error(const struct asl_store *store)
{
	if (store->why)
		asl_fail(store->error, "%s", store->why);
	return store->error;
}

bool asl_store_resumed(const struct asl_store *store)
{
	return store->resumed;
}

void *asl_store_record(struct asl_store *store)
{
	return store->record;
}

double *asl_store_log(struct asl_store *store)
{
	return store->log;
}

void asl_store_skip(struct asl_store *store, bool skips)
{
	if (store->ops->skip)
		store->ops->skip(store, skips);
}

void asl_store_release(struct asl_store *store)
{
	if (store->ops->release)
		store->ops->release(store);
}

/* FNV-1a by words, with a final mix: its high bits depend little on the end. */
uint64_t asl_store_check(const void *at, size_t bytes, uint64_t from)
{
	uint64_t x = from ^ UINT64_C(0xcbf29ce484222325), word;

	assert(bytes % sizeof word == 0);
	for (size_t i = 0; i < bytes; i += sizeof word) {
		memcpy(&word, (const char *)at + i, sizeof word);
		x = (x ^ word) * UINT64_C(0x100000001b3);
		x ^= x >> 29;
	}
	x *= UINT64_C(0x9e3779b97f4a7c15);
	return x ^ x >> 32;
}

static bool usable(const char *dir)
{
	struct stat st;

	return dir && stat(dir, &st) == 0 && S_ISDIR(st.st_mode) &&
	       access(dir, W_OK | X_OK) == 0;
}

const char *asl_store_default_dir(bool *fresh)
{
	const char *own = getenv("ASLANT_NVM_DIR");
	const char *tmpdir = getenv("TMPDIR");

	*fresh = false;
	if (own && *own)
		return own;
	*fresh = true;
	if (usable("/dev/shm"))
		return "/dev/shm";
	return usable(tmpdir) ? tmpdir : "/tmp";
}
