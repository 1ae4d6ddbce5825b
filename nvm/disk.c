/*
 * disk.c -- a store in a file that is read and written past the page cache
 *
 * A rank's words lie in one file, opened with O_DIRECT: reads and writes go to the
 * device below the file system, in whole blocks of 4096 bytes.  A block of rows is
 * cut into spans of such blocks, which pass through slots of memory, many in flight
 * at a time.  Rows that lie near each other share a span, as words between them take
 * less time than another transfer.  Where a span begins or ends within a block, or
 * has words between its rows, a write reads these first.
 *
 * The file is mapped, too, so that anybody may use words in place: the network, and
 * whoever fills or verifies operands.  Those pass through the page cache.  The kernel
 * keeps both views alike: before a direct transfer it writes dirty pages back, and
 * drops those that a direct write makes stale.  asl_store_settle writes them back and
 * drops them at once, so that a run begins without any.
 */
#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/base/error.h"
#include "lib/base/mapped.h"
#include "lib/base/parts.h"
#include "nvm/pmem.h"

enum { SLOTS = 16, BLOCK = 4096, NEAR = 2 * BLOCK };
#define SLOT_BYTES (UINT64_C(256) << 10)

/* Bytes of the file from `low` to `high`, whole blocks, in a slot of memory. */
struct span {
	uint64_t low, high;
	uint64_t row;  /* the first that it has bytes of */
	uint64_t rows; /* that it has bytes of */
	char *at;
	int pending; /* transfers */
	bool writes;
};

struct piece {
	uint64_t first, bytes; /* in the file; 0 bytes: no piece */
};

struct disk {
	struct asl_store base;
	int fd, direct; /* of the mapping; past the page cache */
	aio_context_t
		context; /* 0: the kernel has none, one transfer at a time */
	char *at;	 /* the file, mapped */
	uint64_t bytes;
	char *path;
	char *file; /* what discard removes, or NULL */
	char *memory;
	struct span span[SLOTS];
	int pieces;
	struct piece piece[];
};

/* ---- The file ---- */

static int refuse_cache(const char *dir, const char *what)
{
	return asl_fail(
		-EINVAL,
		"--store disk: found %s in %s, expected a file system "
		"on a disk, whose files can be read past the page cache "
		"(O_DIRECT)",
		what, dir);
}

static uint64_t file_bytes(const struct asl_store_want *want)
{
	return want->words * sizeof(double) +
	       ((uint64_t)want->pieces + 1) * BLOCK;
}

/* A file without a name is opened once more by its descriptor. */
static int open_direct(struct disk *d, const struct asl_store_want *want)
{
	char name[64];

	d->base.medium = asl_pool_medium(d->fd);
	if (!strcmp(d->base.medium, "tmpfs"))
		return refuse_cache(want->dir, "tmpfs");
	if (!strcmp(d->base.medium, "file"))
		d->base.medium = "disk";
	snprintf(name, sizeof name, "/proc/self/fd/%d", d->fd);
	d->direct = open(name, O_RDWR | O_DIRECT | O_CLOEXEC);
	if (d->direct < 0 && errno != EINVAL)
		return asl_pool_failed(d->path);
	/* Some file systems only say so then, or have larger blocks. */
	if (d->direct < 0 || pread(d->direct, d->memory, BLOCK, 0) != BLOCK)
		return refuse_cache(want->dir,
				    "no O_DIRECT in blocks of 4096 bytes");
	return 0;
}

static int map_file(struct disk *d)
{
	d->at = mmap(NULL, d->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, d->fd,
		     0);
	if (d->at == MAP_FAILED) {
		d->at = NULL;
		return asl_pool_failed(d->path);
	}
	asl_mapped_note(d->at, d->bytes, "the pool", d->path);
	return 0;
}

static void disk_close(struct asl_store *store)
{
	struct disk *d = (struct disk *)store;

	if (store->discarded && d->file) {
		unlink(d->file);
		asl_pool_sync_dir(d->file);
	}
	if (d->context)
		syscall(SYS_io_destroy, d->context);
	if (d->at) {
		asl_mapped_forget(d->at);
		munmap(d->at, d->bytes);
	}
	if (d->direct >= 0)
		close(d->direct);
	if (d->fd >= 0)
		close(d->fd);
	free(d->memory);
	free(d->path);
	free(d->file);
	free(d);
}

static struct disk *new_disk(const struct asl_store_want *want,
			     const char *path)
{
	struct disk *d = calloc(1, sizeof *d + (size_t)want->pieces *
						       sizeof d->piece[0]);

	if (!d)
		return NULL;
	d->fd = d->direct = -1;
	d->pieces = want->pieces;
	d->bytes = file_bytes(want);
	d->bytes = asl_ceil_div(d->bytes, BLOCK) * BLOCK;
	d->memory = aligned_alloc(BLOCK, SLOTS * SLOT_BYTES);
	d->path = strdup(path);
	d->file = want->keep ? strdup(path) : NULL;
	d->base.ops = &asl_store_disk;
	for (int i = 0; d->memory && i < SLOTS; i++)
		d->span[i].at = d->memory + (uint64_t)i * SLOT_BYTES;
	if (d->memory && d->path && (d->file || !want->keep))
		return d;
	disk_close(&d->base);
	return NULL;
}

static int disk_open(struct asl_store **out, const struct asl_store_want *want)
{
	char path[PATH_MAX];
	struct disk *d;
	int err = asl_pool_path(path, want);

	if (err)
		return err;
	if (asl_device_is(want->dir))
		return refuse_cache(want->dir, "a DAX device");
	d = new_disk(want, path);
	if (!d)
		return asl_fail(-ENOMEM, "no memory for a store");
	err = asl_pool_create(&d->fd, path, d->bytes, want->keep);
	if (err) {
		free(d->file); /* not ours */
		d->file = NULL;
	}
	if (!err)
		err = open_direct(d, want);
	if (!err)
		err = map_file(d);
	if (err) {
		asl_store_discard(&d->base);
		return err;
	}
	syscall(SYS_io_setup, 2 * SLOTS, &d->context);
	*out = &d->base;
	return 0;
}

/* ---- Pieces ---- */

static bool is_free(const struct disk *d, uint64_t first, uint64_t bytes)
{
	if (first + bytes > d->bytes)
		return false;
	for (int i = 0; i < d->pieces; i++)
		if (d->piece[i].bytes &&
		    first < d->piece[i].first + d->piece[i].bytes &&
		    d->piece[i].first < first + bytes)
			return false;
	return true;
}

/* A gap begins where the file does, or where a piece ends. */
static bool find_gap(uint64_t *first, const struct disk *d, uint64_t bytes)
{
	*first = 0;
	if (is_free(d, 0, bytes))
		return true;
	for (int i = 0; i < d->pieces; i++) {
		*first = d->piece[i].first + d->piece[i].bytes;
		if (d->piece[i].bytes && is_free(d, *first, bytes))
			return true;
	}
	return false;
}

static int disk_take(struct asl_store *store, double **at, uint64_t words)
{
	struct disk *d = (struct disk *)store;
	uint64_t bytes, first;
	int i = 0;

	if (words > d->bytes / sizeof(double))
		return asl_fail(-ENOMEM, "no room for %ju words in %s", words,
				d->path);
	bytes = (words * sizeof(double) / BLOCK + 1) * BLOCK;
	while (i < d->pieces && d->piece[i].bytes)
		i++;
	if (i == d->pieces)
		return asl_fail(-ENOMEM,
				"one more piece in a pool opened for %d",
				d->pieces);
	if (!find_gap(&first, d, bytes))
		return asl_fail(-ENOMEM, "no gap for %ju words in %s", words,
				d->path);
	d->piece[i] = (struct piece){first, bytes};
	*at = (void *)(d->at + first);
	return 0;
}

static void disk_give(struct asl_store *store, double *at)
{
	struct disk *d = (struct disk *)store;

	for (int i = 0; i < d->pieces; i++)
		if (d->piece[i].bytes &&
		    d->at + d->piece[i].first == (char *)at) {
			d->piece[i] = (struct piece){0};
			return;
		}
	assert(false && "a piece of this store");
}

/* ---- Transfers ---- */

/* Rows in the file and in memory; all in bytes. */
struct move {
	struct disk *d;
	uint64_t first, stride, length, rows; /* in the file */
	char *memory;
	uint64_t memory_stride;
	bool writes;
	uint64_t row, done; /* the next span begins here, within the row */
};

static uint64_t floor_block(uint64_t x)
{
	return x / BLOCK * BLOCK;
}

static uint64_t ceil_block(uint64_t x)
{
	return floor_block(x + BLOCK - 1);
}

static uint64_t row_at(const struct move *m, uint64_t row)
{
	return m->first + row * m->stride;
}

/* A block of the file is in one span only: rows are cut where a span ends. */
static void next_span(struct span *s, struct move *m)
{
	uint64_t begin = row_at(m, m->row) + m->done, limit;

	s->low = s->high = floor_block(begin);
	s->row = m->row;
	s->rows = 0;
	limit = s->low + SLOT_BYTES;
	while (m->row < m->rows) {
		uint64_t end = row_at(m, m->row) + m->length;

		begin = row_at(m, m->row) + m->done;
		if (begin >= limit || floor_block(begin) > s->high + NEAR)
			return;
		s->rows++;
		if (end > limit) {
			m->done += limit - begin;
			s->high = limit;
			return;
		}
		s->high = ceil_block(end);
		m->row++;
		m->done = 0;
	}
}

/* Between a span's slot and memory. */
static void copy_span(const struct move *m, const struct span *s, bool to_slot)
{
	for (uint64_t i = s->row; i < s->row + s->rows; i++) {
		uint64_t row = row_at(m, i);
		uint64_t begin = asl_max(row, s->low);
		uint64_t end = asl_min(row + m->length, s->high);
		char *memory = m->memory + i * m->memory_stride + begin - row;
		char *slot = s->at + (begin - s->low);

		memcpy(to_slot ? slot : memory, to_slot ? memory : slot,
		       end - begin);
	}
}

static void fail_transfer(struct disk *d, bool writes, uint64_t bytes,
			  uint64_t at, int64_t result)
{
	int err = result < 0 ? (int)result : -EIO;

	asl_store_keep_error(&d->base,
			     asl_fail(err, "pool %s: %s %ju bytes at %ju: %s",
				      d->path, writes ? "writing" : "reading",
				      bytes, at, strerror(-err)));
}

/* Begin to transfer a part of a span; without a context, do it. */
static void transfer(struct disk *d, struct span *s, bool writes, uint64_t low,
		     uint64_t high)
{
	struct iocb x = {
		.aio_data = (uint64_t)(s - d->span),
		.aio_lio_opcode = writes ? IOCB_CMD_PWRITE : IOCB_CMD_PREAD,
		.aio_fildes = (uint32_t)d->direct,
		.aio_buf = (uintptr_t)(s->at + (low - s->low)),
		.aio_nbytes = high - low,
		.aio_offset = (int64_t)low,
	};
	struct iocb *list = &x;
	char *at = s->at + (low - s->low);
	ssize_t n;

	s->writes = writes;
	if (d->context && syscall(SYS_io_submit, d->context, 1L, &list) == 1) {
		s->pending++;
		return;
	}
	n = writes ? pwrite(d->direct, at, high - low, (off_t)low)
		   : pread(d->direct, at, high - low, (off_t)low);
	if (n != (ssize_t)(high - low))
		fail_transfer(d, writes, high - low, low, n < 0 ? -errno : n);
}

/* What a write must not change: between rows, and at the ends of one. */
static void read_around(struct move *m, struct span *s)
{
	uint64_t begin = asl_max(row_at(m, s->row), s->low);
	uint64_t end = asl_min(row_at(m, s->row) + m->length, s->high);

	if (s->rows > 1) {
		transfer(m->d, s, false, s->low, s->high);
		return;
	}
	if (begin > s->low)
		transfer(m->d, s, false, s->low, s->low + BLOCK);
	if (end < s->high && (begin == s->low || s->high - s->low > BLOCK))
		transfer(m->d, s, false, s->high - BLOCK, s->high);
}

static void write_back(struct move *m, struct span *s)
{
	copy_span(m, s, true);
	transfer(m->d, s, true, s->low, s->high);
}

static void begin_span(struct move *m, struct span *s)
{
	next_span(s, m);
	s->writes = false;
	if (!m->writes)
		transfer(m->d, s, false, s->low, s->high);
	else
		read_around(m, s);
}

/* No transfer of it is pending.  Has it come to its end? */
static bool end_span(struct move *m, struct span *s)
{
	if (m->writes && !s->writes) {
		write_back(m, s);
		return !s->pending;
	}
	if (!m->writes)
		copy_span(m, s, false);
	return true;
}

static void await(struct disk *d)
{
	struct io_event event[2 * SLOTS];
	long n = syscall(SYS_io_getevents, d->context, 1L, 2L * SLOTS, event,
			 NULL);

	for (long i = 0; i < n; i++) {
		struct span *s = &d->span[event[i].data];
		uint64_t whole = s->high - s->low;

		s->pending--;
		if (event[i].res != (int64_t)whole && event[i].res != BLOCK)
			fail_transfer(d, s->writes, whole, s->low,
				      event[i].res);
	}
}

static void move_rows(struct move *m)
{
	bool busy[SLOTS] = {false}, waits;

	do {
		waits = false;
		for (int i = 0; i < SLOTS; i++) {
			struct span *s = &m->d->span[i];

			if (!busy[i] && m->row < m->rows) {
				begin_span(m, s);
				busy[i] = true;
			}
			while (busy[i] && !s->pending) {
				busy[i] = !end_span(m, s);
				if (!busy[i] && m->row < m->rows) {
					begin_span(m, s);
					busy[i] = true;
				}
			}
			waits |= busy[i];
		}
		if (waits)
			await(m->d);
	} while (waits);
}

/* The steps in the file and in memory. */
static void move_block(struct disk *d, const void *file, uint64_t file_step,
		       void *memory, uint64_t memory_step,
		       const struct asl_store_rows *x, bool writes)
{
	struct move m = {
		.d = d,
		.first = (uint64_t)((const char *)file - d->at),
		.stride = file_step,
		.length = x->bytes,
		.rows = x->rows,
		.memory = memory,
		.memory_stride = memory_step,
		.writes = writes,
	};

	assert(m.first < d->bytes);
	if (x->rows > 1 && file_step == x->bytes && memory_step == x->bytes) {
		m.length *= x->rows;
		m.rows = 1;
	}
	move_rows(&m);
}

static void disk_read(struct asl_store *store, void *dst, const void *src,
		      const struct asl_store_rows *x)
{
	move_block((struct disk *)store, src, x->src_step, dst, x->dst_step, x,
		   false);
}

/* Memory is only read here. */
static void disk_write(struct asl_store *store, void *dst, const void *src,
		       const struct asl_store_rows *x)
{
	move_block((struct disk *)store, dst, x->dst_step, (void *)src,
		   x->src_step, x, true);
}

/* Mapped pages are not dropped, so that the mapping lets go of them first. */
static void disk_settle(struct asl_store *store, double *at, uint64_t words)
{
	struct disk *d = (struct disk *)store;
	uint64_t first = (uint64_t)((char *)at - d->at);
	uint64_t low = floor_block(first);
	uint64_t bytes = ceil_block(first + words * sizeof *at) - low;

	if (msync(d->at + low, bytes, MS_SYNC) != 0)
		asl_store_keep_error(store,
				     asl_fail(-errno,
					      "pool %s: msync of %ju words: %s",
					      d->path, words, strerror(errno)));
	madvise(d->at + low, bytes, MADV_DONTNEED);
	posix_fadvise(d->fd, (off_t)low, (off_t)bytes, POSIX_FADV_DONTNEED);
}

const struct asl_store_ops asl_store_disk = {
	.name = "disk",
	.summary = "a file per rank on a disk, read and written past the page "
		   "cache",
	.can = {.has_data = true, .needs_dir = true, .blocks = true},
	.open = disk_open,
	.close = disk_close,
	.take = disk_take,
	.give = disk_give,
	.read = disk_read,
	.write = disk_write,
	.settle = disk_settle,
};
