/*
 * pmem_resume.c -- pools that outlast their run, and are resumed by another
 *
 * Such a pool gets its name when its head is complete, so that a pool with a name
 * is whole, whatever ended the run that made it.  It is locked from before it has
 * a name until it is closed, by a lock of the open file description (PMDK closes
 * its descriptors, which would release any other lock) on byte 0.  A lock of the
 * process on byte 1 tells other processes its id.
 *
 * An existing file is trusted step by step: its layout, which PMDK keeps at a
 * fixed place, says that it is ours, of this version and of this length; then PMDK
 * accepts it; then the checksum of the head matches; then the case does.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <libpmem.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/error.h"
#include "lib/base/path.h"
#include "nvm/pmem.h"

enum { LAYOUT_AT = 4096, LAYOUT_BYTES = 1024, LOCK_HELD = 0, LOCK_WHO = 1 };

/* ---- Locks ---- */

static struct flock byte_lock(off_t at)
{
	return (struct flock){.l_type = F_WRLCK,
			      .l_whence = SEEK_SET,
			      .l_start = at,
			      .l_len = 1};
}

static int lock(int fd, const char *path)
{
	struct flock x = byte_lock(LOCK_HELD), who = byte_lock(LOCK_WHO);

	if (fcntl(fd, F_OFD_SETLK, &x) == 0)
		return 0;
	if (errno != EAGAIN && errno != EACCES)
		return asl_fail(-errno, "pool %s: it can't be locked: %s", path,
				strerror(errno));
	if (fcntl(fd, F_GETLK, &who) == 0 && who.l_type != F_UNLCK &&
	    who.l_pid > 0)
		return asl_fail(-ETXTBSY,
				"pool %s: another run has it open, process %d",
				path, (int)who.l_pid);
	return asl_fail(-ETXTBSY, "pool %s: another run has it open", path);
}

/* Call this after PMDK has closed its descriptors, which ends such locks. */
static void say_who(int fd)
{
	struct flock who = byte_lock(LOCK_WHO);

	fcntl(fd, F_SETLK, &who);
}

/* ---- An existing pool ---- */

static int refuse(const char *path, const char *what, const char *found,
		  const char *expected)
{
	return asl_fail(-EINVAL, "pool %s: %s: found %s, expected %s", path,
			what, found, expected);
}

static int check_layout(int fd, const char *path, const struct stat *st)
{
	char sign[9] = "", layout[LAYOUT_BYTES + 1] = "", is[32], said[32];
	uintmax_t bytes;
	int version;

	if (pread(fd, sign, 8, 0) != 8 || strcmp(sign, "PMEMOBJ") ||
	    pread(fd, layout, LAYOUT_BYTES, LAYOUT_AT) != LAYOUT_BYTES ||
	    sscanf(layout, ASL_POOL_RESUMABLE, &version, &bytes) != 2)
		return refuse(path, "its beginning", "something else",
			      "a pool that aslant can resume");
	snprintf(is, sizeof is, "%d", version);
	snprintf(said, sizeof said, "%d", ASL_POOL_VERSION);
	if (version != ASL_POOL_VERSION)
		return refuse(path, "format version", is, said);
	snprintf(is, sizeof is, "%jd bytes", (intmax_t)st->st_size);
	snprintf(said, sizeof said, "%ju", bytes);
	return (uintmax_t)st->st_size == bytes
		       ? 0
		       : refuse(path, "length", is, said);
}

static int check_file(int fd, const char *path)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return asl_pool_failed(path);
	if (!S_ISREG(st.st_mode))
		return refuse(path, "what it is", "no regular file", "a pool");
	if (st.st_uid != geteuid())
		return refuse(path, "owner", "another user", "who runs this");
	return check_layout(fd, path, &st);
}

/* The value in a line "name value"; all of a line with another name. */
static struct value {
	const char *at;
	int length;
} value_of(const char *line, const char *name, size_t name_length)
{
	size_t length = strcspn(line, "\n");

	if (length > name_length && !memcmp(line, name, name_length) &&
	    line[name_length] == ' ')
		name_length++;
	else
		name_length = 0;
	return (struct value){line + name_length, (int)(length - name_length)};
}

static int differ(const char *path, const char *found, const char *expected)
{
	const char *name = *expected ? expected : found;
	size_t length = strcspn(name, " \n");
	struct value is = value_of(found, name, length);
	struct value said = value_of(expected, name, length);

	return asl_fail(-EINVAL,
			"pool %s is of another case: %.*s: found '%.*s', "
			"expected '%.*s'",
			path, (int)length, name, is.length, is.at, said.length,
			said.at);
}

static int compare(const char *path, const char *found, const char *expected)
{
	while (*found || *expected) {
		size_t a = strcspn(found, "\n"), b = strcspn(expected, "\n");

		if (a != b || memcmp(found, expected, a))
			return differ(path, found, expected);
		found += a + (found[a] == '\n');
		expected += b + (expected[b] == '\n');
	}
	return 0;
}

static int damaged(const char *path, const char *where)
{
	return asl_fail(-EINVAL, "pool %s is damaged: %s", path, where);
}

static int check_head(const struct asl_pmem *p, const char *path,
		      const struct asl_store_want *want)
{
	const struct asl_pool *root = p->root;

	if (root->magic != ASL_POOL_MAGIC ||
	    root->check != asl_pool_check(root) ||
	    root->version != ASL_POOL_VERSION ||
	    memchr(root->about, 0, sizeof root->about) == NULL)
		return damaged(path, "its head is not as it was written");
	if (root->rank != want->rank)
		return damaged(path, "it is another rank's, under this name");
	if (compare(path, root->about, want->about))
		return -EINVAL;
	if (root->words != want->words || root->log_words != want->log ||
	    root->pieces != (uint64_t)want->pieces)
		return damaged(path, "its room is not what the case needs");
	return 0;
}

/* libpmemobj follows any offset, even outside of the pool: look it up first. */
static bool is_object(PMEMobjpool *pop, PMEMoid oid)
{
	PMEMoid x = pmemobj_first(pop);

	while (!OID_IS_NULL(x) && !OID_EQUALS(x, oid))
		x = pmemobj_next(x);
	return !OID_IS_NULL(x);
}

static bool is_inside(const struct asl_pmem *p, PMEMoid oid, uint64_t words)
{
	PMEMoid head = pmemobj_oid(p->root);
	uint64_t bytes = asl_pool_piece_bytes(words);

	return oid.pool_uuid_lo == head.pool_uuid_lo && bytes &&
	       is_object(p->pop, oid) &&
	       pmemobj_alloc_usable_size(oid) >= bytes;
}

static int find_pieces(struct asl_pmem *p, const char *path)
{
	struct asl_pool *root = p->root;

	if (root->log_words && !is_inside(p, root->log, root->log_words))
		return damaged(path, "what it points to is not in it");
	for (uint64_t i = 0; i < root->pieces; i++) {
		const struct asl_pool_piece *x = &root->piece[i];

		if (OID_IS_NULL(x->oid))
			continue;
		if (!is_inside(p, x->oid, x->words))
			return damaged(path, "what it points to is not in it");
		p->slot[i] = (struct asl_pmem_slot){
			.at = asl_pool_align(pmemobj_direct(x->oid)),
			.words = x->words,
			.number = x->number,
		};
		p->taken += x->words;
	}
	return 0;
}

static int open_root(struct asl_pmem *p, const char *path, size_t length,
		     const struct asl_store_want *want)
{
	size_t bytes = pmemobj_root_size(p->pop);
	PMEMoid root;
	int err;

	if (bytes < sizeof(struct asl_pool) || bytes > length)
		return damaged(path, "it has no head");
	/* libpmemobj has no checksum over the root's size and offset. */
	root = pmemobj_root(p->pop, bytes);
	if (OID_IS_NULL(root) || root.off > length - bytes ||
	    root.off % _Alignof(struct asl_pool))
		return damaged(path, "its head is not in it");
	p->root = pmemobj_direct(root);
	err = check_head(p, path, want);
	if (!err && bytes < asl_pool_root_bytes(want->pieces))
		err = damaged(path, "it has no table of pieces");
	return err ? err : find_pieces(p, path);
}

static int open_there(struct asl_pmem *p, int fd, const char *path,
		      const struct asl_store_want *want)
{
	char layout[LAYOUT_BYTES + 1] = "", link[64];
	struct stat st;
	int err = check_file(fd, path);

	if (err)
		return err;
	if (pread(fd, layout, LAYOUT_BYTES, LAYOUT_AT) != LAYOUT_BYTES ||
	    fstat(fd, &st) != 0)
		return asl_fail(-EIO, "pool %s: it can't be read", path);
	p->base.medium = asl_pool_medium(fd);
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	p->pop = pmemobj_open(link, layout);
	if (!p->pop)
		return damaged(path, pmemobj_errormsg());
	p->is_pmem =
		asl_pool_is_pmem(p->pop, (size_t)st.st_size, p->base.medium);
	p->base.resumed = true;
	err = open_root(p, path, (size_t)st.st_size, want);
	if (err)
		pmemobj_close(p->pop);
	return err;
}

/* ---- A new pool ---- */

/* The place of the file, seen from its open directory. */
struct spot {
	int dir;
	const char *path, *name;
};

static int give_name(const char *name, const struct spot *at)
{
	if (linkat(at->dir, name, at->dir, at->name, AT_SYMLINK_FOLLOW) == 0)
		return asl_pool_sync_dir(at->path);
	if (errno == EEXIST)
		return asl_fail(-ETXTBSY,
				"pool %s: another run has just made it",
				at->path);
	return asl_pool_failed(at->path);
}

static int make(struct asl_pmem *p, int *fd, const struct spot *at,
		uint64_t bytes, const struct asl_store_want *want)
{
	char name[64];
	int err;

	*fd = asl_pool_unnamed(at->dir, name);
	if (*fd < 0)
		return asl_pool_failed(at->path);
	err = lock(*fd, at->path);
	if (!err)
		err = asl_pool_preallocate(*fd, at->path, bytes);
	if (!err)
		err = asl_pmem_make(p, *fd, bytes, want);
	if (!err) {
		err = give_name(name, at);
		if (err)
			pmemobj_close(p->pop);
	}
	if (*name != '/')
		unlinkat(at->dir, name, 0);
	return err;
}

/* ---- Either ---- */

static int open_either(struct asl_pmem *p, int *fd, const struct spot *at,
		       uint64_t bytes, const struct asl_store_want *want)
{
	int err;

	*fd = openat(at->dir, at->name,
		     O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (*fd < 0 && errno == ENOENT)
		return make(p, fd, at, bytes, want);
	if (*fd < 0)
		return asl_fail(-errno, "pool %s: %s", at->path,
				errno == ELOOP ? "it is a symbolic link"
					       : strerror(errno));
	err = lock(*fd, at->path);
	return err ? err : open_there(p, *fd, at->path, want);
}

static int open_at(struct asl_pmem *p, int *fd, const char *path,
		   uint64_t bytes, const struct asl_store_want *want)
{
	struct spot at = {.path = path, .name = strrchr(path, '/') + 1};
	char copy[PATH_MAX];
	int err;

	snprintf(copy, sizeof copy, "%s", path);
	at.dir = asl_path_open_dir(dirname(copy));
	if (at.dir < 0)
		return at.dir;
	err = open_either(p, fd, &at, bytes, want);
	close(at.dir);
	return err;
}

int asl_pmem_resume(struct asl_pmem *p, const char *path, uint64_t bytes,
		    const struct asl_store_want *want)
{
	int fd = -1, err;

	if (strlen(want->about) >= ASL_POOL_ABOUT)
		return asl_fail(
			-EINVAL,
			"the case of the pool takes more than %d characters",
			ASL_POOL_ABOUT - 1);
	p->base.file = strdup(path);
	err = p->base.file ? open_at(p, &fd, path, bytes, want)
			   : asl_fail(-ENOMEM, "no memory for a store");
	if (err) {
		if (fd >= 0)
			close(fd);
		return err;
	}
	say_who(fd);
	p->fd = fd;
	p->base.record = p->root->record;
	p->base.log =
		want->log ? asl_pool_align(pmemobj_direct(p->root->log)) : NULL;
	return 0;
}

bool asl_pmem_take_again(int *err, struct asl_pmem *p, double **at,
			 uint64_t words)
{
	if (p->fd < 0)
		return false;
	*err = 0;
	for (uint64_t i = 0; i < p->root->pieces; i++) {
		struct asl_pmem_slot *slot = &p->slot[i];

		if (!slot->at || slot->number != p->takes)
			continue;
		if (slot->words != words || slot->taken) {
			*err = damaged(p->base.file,
				       "a piece is not what it was");
			return true;
		}
		slot->taken = true;
		*at = slot->at;
		p->takes++;
		return true;
	}
	if (!p->skips)
		return false;
	*at = ASL_STORE_NOWHERE;
	p->takes++;
	return true;
}
