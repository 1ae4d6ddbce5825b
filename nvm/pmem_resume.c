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

int asl_pool_lock(int fd, const char *path)
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

static int check_layout(const char *path, const char *layout, uintmax_t length)
{
	char is[32], said[32];
	uintmax_t bytes;
	int version;

	if (sscanf(layout, ASL_POOL_RESUMABLE, &version, &bytes) != 2)
		return refuse(path, "its beginning", "something else",
			      "a pool that aslant can resume");
	snprintf(is, sizeof is, "%d", version);
	snprintf(said, sizeof said, "%d", ASL_POOL_VERSION);
	if (version != ASL_POOL_VERSION)
		return refuse(path, "format version", is, said);
	snprintf(is, sizeof is, "%ju bytes", length);
	snprintf(said, sizeof said, "%ju", bytes);
	return length == bytes ? 0 : refuse(path, "length", is, said);
}

/* It may be whole: it is not refused as something else. */
static int unreadable(const char *path, uintmax_t offset)
{
	return asl_fail(-EIO, "pool %s: offset %ju: %s", path, offset,
			strerror(errno));
}

/* Fills the layout that the file has, and its length. */
static int check_file(char layout[LAYOUT_BYTES + 1], uintmax_t *length, int fd,
		      const char *path)
{
	char sign[9] = "";
	struct stat st;
	ssize_t n;

	if (fstat(fd, &st) != 0)
		return asl_pool_failed(path);
	if (!S_ISREG(st.st_mode))
		return refuse(path, "what it is", "no regular file", "a pool");
	if (st.st_uid != geteuid())
		return refuse(path, "owner", "another user", "who runs this");
	*length = (uintmax_t)st.st_size;
	if (pread(fd, sign, 8, 0) < 0)
		return unreadable(path, 0);
	n = pread(fd, layout, LAYOUT_BYTES, LAYOUT_AT);
	if (n < 0)
		return unreadable(path, LAYOUT_AT);
	if (n < LAYOUT_BYTES || strcmp(sign, "PMEMOBJ"))
		layout[0] = '\0';
	layout[LAYOUT_BYTES] = '\0';
	return check_layout(path, layout, *length);
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

static int not_opened(int fd, const char *path)
{
	const char *why = pmemobj_errormsg();
	int err = asl_pool_bad_block(fd, path, why);

	return err ? err : damaged(path, why);
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

static int open_root_or_close(struct asl_pmem *p, const char *path,
			      size_t length, const struct asl_store_want *want)
{
	int err;

	p->is_pmem = asl_pool_is_pmem(p->pop, length, p->base.medium);
	p->base.resumed = true;
	err = open_root(p, path, length, want);
	if (err)
		pmemobj_close(p->pop);
	return err;
}

static int open_there(struct asl_pmem *p, int fd, const char *path,
		      const struct asl_store_want *want)
{
	char layout[LAYOUT_BYTES + 1], link[64];
	uintmax_t length = 0;
	int err = check_file(layout, &length, fd, path);

	if (err)
		return err;
	p->base.medium = asl_pool_medium(fd);
	snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
	p->pop = asl_pmem_open(link, layout);
	if (!p->pop)
		return not_opened(fd, path);
	return open_root_or_close(p, path, (size_t)length, want);
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
	err = asl_pool_lock(*fd, at->path);
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
	err = asl_pool_lock(*fd, at->path);
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

/* ---- On a device ---- */

/* Making it was interrupted: the head's magic is written last. */
static bool is_unfinished(struct asl_pmem *p, uint64_t length)
{
	size_t bytes = pmemobj_root_size(p->pop);
	PMEMoid root;

	if (!bytes)
		return true;
	if (bytes < sizeof(struct asl_pool) || bytes > length)
		return false;
	root = pmemobj_root(p->pop, bytes);
	return root.off <= length - bytes &&
	       !((const struct asl_pool *)pmemobj_direct(root))->magic;
}

/* *there: a complete pool was found.  A device that is cut short has none. */
static int open_on_device(bool *there, struct asl_pmem *p, uint64_t bytes,
			  const struct asl_store_want *want)
{
	char layout[ASL_DEVICE_LAYOUT];
	enum asl_device_holds holds;
	int err = asl_device_holds(&holds, p->device, p->place, layout);

	*there = false;
	if (err)
		return err;
	if (holds == ASL_HOLDS_STRANGER)
		return asl_device_refuse(p->place, holds);
	if (holds != ASL_HOLDS_RUN)
		return 0;
	err = check_layout(p->place, layout, bytes);
	if (err)
		return err;
	p->base.medium = "devdax";
	p->pop = asl_pmem_open(p->place, layout);
	if (!p->pop && asl_device_has_head(p->device, p->place))
		return not_opened(p->device, p->place);
	if (!p->pop)
		return 0;
	if (is_unfinished(p, bytes)) {
		pmemobj_close(p->pop);
		return 0;
	}
	*there = true;
	return open_root_or_close(p, p->place, bytes, want);
}

static int resume_device(struct asl_pmem *p, const char *place, uint64_t bytes,
			 const struct asl_store_want *want)
{
	int err = asl_device_open(&p->device, place, bytes, &bytes);
	bool there;

	if (err)
		return err;
	p->stays = true;
	snprintf(p->place, sizeof p->place, "%s", place);
	err = open_on_device(&there, p, bytes, want);
	if (!err && !there)
		err = asl_pmem_make(p, p->device, bytes, want);
	if (err)
		close(p->device);
	return err;
}

static int resume_file(struct asl_pmem *p, int *fd, const char *path,
		       uint64_t bytes, const struct asl_store_want *want)
{
	p->file = strdup(path);
	return p->file ? open_at(p, fd, path, bytes, want)
		       : asl_fail(-ENOMEM, "no memory for a store");
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
	err = asl_device_is(path) ? resume_device(p, path, bytes, want)
				  : resume_file(p, &fd, path, bytes, want);
	if (p->device >= 0)
		fd = p->device;
	if (err) {
		if (fd >= 0 && p->device < 0)
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
			*err = damaged(p->file ? p->file : p->place,
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
