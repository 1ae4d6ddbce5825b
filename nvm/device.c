/*
 * device.c -- pools that fill a DAX device (devdax) instead of a file
 *
 * A device has no name to give when a pool is complete, and cannot be read or
 * truncated: its head is mapped.  The layout is written before libpmemobj makes the
 * pool, which it does in many steps, so that a device on which a power cut found
 * us is known to be ours.  A pool without a complete head holds nothing yet.
 */
#include "nvm/pmem.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <libpmem.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "lib/base/error.h"
#include "lib/base/parts.h"
#include "lib/base/system.h"

/* ---- What the kernel says of a device ---- */

static bool number_of(uint64_t *x, const struct stat *st, const char *name)
{
	char line[64], *end;

	if (!asl_system_line(line, sizeof line, "", "/sys/dev/char/%u:%u/%s",
			     major(st->st_rdev), minor(st->st_rdev), name))
		return false;
	*x = strtoull(line, &end, 0);
	return end > line;
}

bool asl_device_is(const char *place)
{
	struct stat st;

	return stat(place, &st) == 0 && S_ISCHR(st.st_mode);
}

int asl_device_look(struct asl_device *out, const char *place)
{
	uint64_t node;
	struct stat st;

	*out = (struct asl_device){.node = -1};
	if (stat(place, &st) != 0)
		return asl_fail(-errno, "pool device %s: %s", place,
				strerror(errno));
	out->id = st.st_rdev;
	if (!number_of(&out->bytes, &st, "size") ||
	    !number_of(&out->align, &st, "align"))
		return asl_fail(-ENOTDIR,
				"%s is a device, but no DAX device; pools need "
				"a directory, or /dev/dax...",
				place);
	if (access(place, R_OK | W_OK) != 0)
		return asl_fail(-errno, "pool device %s: %s", place,
				strerror(errno));
	/* A device that is near none has -1, which is no small number. */
	if (number_of(&node, &st, "numa_node") && node < 1 << 20)
		out->node = (int)node;
	return 0;
}

/* ---- Its ends ---- */

enum { LAYOUT_AT = 4096, LAYOUT_BYTES = 1024, REST_AT = 5120 };

/* The root object begins in the first 4 MiB: pool.c, ZONE_HEAD_BYTES. */
#define HEAD_BYTES (UINT64_C(4) << 20)
#define TAIL_BYTES (UINT64_C(2) << 20)

/* Both ends are looked at and cleared: any table or label is at one of them. */
static char *map_all(size_t *bytes, int fd, const char *place)
{
	struct asl_device x;
	char *at;

	if (asl_device_look(&x, place))
		return NULL;
	*bytes = x.bytes;
	at = mmap(NULL, *bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (at != MAP_FAILED)
		return at;
	asl_fail(-EIO, "pool device %s: mmap: %s", place, strerror(errno));
	return NULL;
}

static bool is_zero(const char *at, size_t bytes)
{
	return !*at && !memcmp(at, at + 1, bytes - 1);
}

/* The magic of a head that was complete; clearing removes it. */
bool asl_device_has_head(int fd, const char *place)
{
	const uint64_t magic = ASL_POOL_MAGIC;
	size_t bytes;
	char *at = map_all(&bytes, fd, place);
	bool found = at && memmem(at, HEAD_BYTES, &magic, sizeof magic);

	if (at)
		munmap(at, bytes);
	return found;
}

/* A pool of libpmemobj, or one that we were about to make. */
static enum asl_device_holds classify(const char *at, size_t bytes)
{
	const char *layout = at + LAYOUT_AT;
	bool ours = is_zero(at, 8) || !memcmp(at, "PMEMOBJ", 8);

	if (is_zero(at, HEAD_BYTES) &&
	    is_zero(at + bytes - TAIL_BYTES, TAIL_BYTES))
		return ASL_HOLDS_NOTHING;
	if (ours && !strcmp(layout, ASL_POOL_LAYOUT))
		return ASL_HOLDS_POOL;
	return ours && !strncmp(layout, "aslant resume version ", 22)
		       ? ASL_HOLDS_RUN
		       : ASL_HOLDS_STRANGER;
}

int asl_device_holds(enum asl_device_holds *out, int fd, const char *place,
		     char layout[ASL_DEVICE_LAYOUT])
{
	size_t bytes;
	char *at = map_all(&bytes, fd, place);

	if (!at)
		return -EIO;
	*out = classify(at, bytes);
	snprintf(layout, ASL_DEVICE_LAYOUT, "%.*s", ASL_DEVICE_LAYOUT - 1,
		 at + LAYOUT_AT);
	munmap(at, bytes);
	return 0;
}

/*
 * libpmemobj makes a pool only where its own head would be zero.  The layout comes
 * last, at once, so that at no moment of a power cut the device holds a stranger's.
 */
int asl_device_clear(int fd, const char *place, const char *layout)
{
	char line[LAYOUT_BYTES] = "";
	size_t bytes;
	char *at = map_all(&bytes, fd, place);

	if (!at)
		return -EIO;
	snprintf(line, sizeof line, "%s", layout);
	pmem_memset_persist(at + REST_AT, 0, HEAD_BYTES - REST_AT);
	if (!*layout)
		pmem_memset_persist(at + bytes - TAIL_BYTES, 0, TAIL_BYTES);
	pmem_memset_persist(at, 0, LAYOUT_AT);
	pmem_memcpy_persist(at + LAYOUT_AT, line, LAYOUT_BYTES);
	munmap(at, bytes);
	return 0;
}

/* ---- Opening ---- */

int asl_device_refuse(const char *place, enum asl_device_holds holds)
{
	if (holds == ASL_HOLDS_RUN)
		return asl_fail(-EINVAL,
				"pool %s: found an interrupted run, expected "
				"nothing: --resume continues it, --erase "
				"overwrites it",
				place);
	return asl_fail(-EINVAL,
			"pool %s: found something else than a pool of aslant, "
			"expected nothing: --erase overwrites it",
			place);
}

int asl_device_open(int *fd, const char *place, uint64_t needed,
		    uint64_t *bytes)
{
	struct asl_device x;
	int err = asl_device_look(&x, place);

	if (err)
		return err;
	if (x.bytes < needed)
		return asl_fail(-ENOSPC,
				"no room for the pool %s: it needs %.0f MiB, "
				"the device has %.0f MiB",
				place, (double)needed / 1048576,
				(double)x.bytes / 1048576);
	*bytes = x.bytes;
	*fd = open(place, O_RDWR | O_CLOEXEC);
	if (*fd < 0) /* ENXIO: it has no driver */
		return asl_fail(errno == ENXIO ? -ENODEV : -errno,
				"pool device %s: %s", place, strerror(errno));
	err = asl_pool_lock(*fd, place);
	if (err)
		close(*fd);
	return err;
}

/* ---- Bad blocks ---- */

/* The region that the device is a part of has a list of them, and its address. */
static FILE *open_list(uint64_t *region, const struct stat *st)
{
	char dir[PATH_MAX + 16], line[64], link[64];
	FILE *f = NULL;

	snprintf(link, sizeof link, "/sys/dev/char/%u:%u", major(st->st_rdev),
		 minor(st->st_rdev));
	if (!realpath(link, dir))
		return NULL;
	while (!f && strrchr(dir, '/') > dir) {
		strcpy(strrchr(dir, '/'), "/badblocks");
		f = asl_system_open("", dir);
		*strrchr(dir, '/') = '\0';
	}
	if (f && asl_system_line(line, sizeof line, "", "%s/resource", dir))
		*region = strtoull(line, NULL, 0);
	return f;
}

/* Lines are "SECTOR COUNT", from the region's beginning on. */
bool asl_device_bad_block(uintmax_t *offset, const char *place)
{
	uint64_t region = 0, own, bytes;
	uintmax_t first, count;
	bool found = false;
	struct stat st;
	FILE *f;

	if (stat(place, &st) != 0 || !number_of(&own, &st, "resource") ||
	    !number_of(&bytes, &st, "size"))
		return false;
	f = open_list(&region, &st);
	while (f && !found && fscanf(f, "%ju %ju", &first, &count) == 2) {
		uint64_t begins = asl_max(region + first * 512, own);

		found = begins < region + (first + count) * 512 &&
			begins < own + bytes;
		*offset = begins - own;
	}
	if (f)
		fclose(f);
	return found;
}

/* ---- All of this host ---- */

void asl_device_list(char *list, size_t room)
{
	DIR *d = opendir("/sys/bus/dax/devices");
	const struct dirent *e;
	size_t used = strlen(list);
	char path[300];

	while (d && used < room && (e = readdir(d))) {
		snprintf(path, sizeof path, "/dev/%.250s", e->d_name);
		if (asl_device_is(path))
			used += (size_t)snprintf(list + used, room - used,
						 "%s%s", used ? "," : "", path);
	}
	if (d)
		closedir(d);
}
