/*
 * place.c -- places for pools: lists of them, and what they lie on
 *
 * The table of mounts says which file system a directory lies on, /sys which
 * device is below it, and the NUMA node that the device is next to.
 */
#include "nvm/pmem.h"

#include <dirent.h>
#include <errno.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "lib/base/error.h"
#include "lib/base/parts.h"
#include "lib/base/system.h"

int asl_pool_check_dir(const char *dir)
{
	struct asl_device device;
	struct stat st;

	if (stat(dir, &st) != 0)
		return asl_fail(-errno, "pool directory %s: %s", dir,
				strerror(errno));
	if (S_ISCHR(st.st_mode))
		return asl_device_look(&device, dir);
	if (!S_ISDIR(st.st_mode))
		return asl_fail(-ENOTDIR, "%s is not a directory", dir);
	return 0;
}

/* ---- Several places ---- */

static int too_many(const char *list)
{
	return asl_fail(-EINVAL,
			"%.60s...: found more than %d places for pools", list,
			ASL_STORE_PLACES);
}

/* An existing directory may have a comma in its name. */
int asl_store_split(struct asl_store_places *out, const char *list)
{
	struct stat st;
	char *rest, *one;
	bool whole = stat(list, &st) == 0;

	out->count = 0;
	if (strlen(list) >= sizeof out->text)
		return asl_fail(-ENAMETOOLONG, "%.60s...: name too long", list);
	strcpy(out->text, list);
	for (rest = out->text; rest;) {
		one = whole ? rest : strsep(&rest, ",");
		if (whole)
			rest = NULL;
		if (!*one)
			return asl_fail(-EINVAL,
					"places for pools: found nothing "
					"beside a comma in '%.200s'",
					list);
		if (out->count == ASL_STORE_PLACES)
			return too_many(list);
		out->at[out->count++] = one;
	}
	return 0;
}

/* ---- What one lies on ---- */

#define COPY(to, from) snprintf(to, sizeof(to), "%s", from)

static bool is_below(const char *path, const char *mount)
{
	size_t length = strlen(mount);

	if (!strcmp(mount, "/"))
		return true;
	return !strncmp(path, mount, length) &&
	       (path[length] == '/' || !path[length]);
}

static dev_t device_of(const char *path)
{
	struct stat st;

	return stat(path, &st) ? 0 : st.st_dev;
}

/* The longest mount point that fits; among mounts over each other the last. */
static void find_mount(struct asl_store_place *out, const char *path)
{
	FILE *f = setmntent("/proc/self/mounts", "re");
	dev_t device = device_of(path);
	struct mntent m;
	char text[8192];
	size_t longest = 0;

	while (f && getmntent_r(f, &m, text, sizeof text)) {
		if (!is_below(path, m.mnt_dir) || strlen(m.mnt_dir) < longest ||
		    device_of(m.mnt_dir) != device)
			continue;
		longest = strlen(m.mnt_dir);
		COPY(out->file_system, m.mnt_type);
		COPY(out->source, m.mnt_fsname);
		COPY(out->mounted, m.mnt_dir);
		COPY(out->options, m.mnt_opts);
	}
	if (f)
		endmntent(f);
}

/* The first line of a file in /sys, without trailing blanks; "": none. */
static void read_line(char *to, size_t room, const char *dir, const char *name)
{
	if (!asl_system_line(to, room, "", "%s/%s", dir, name))
		to[0] = '\0';
	for (size_t i = strlen(to); i > 0 && to[i - 1] == ' '; i--)
		to[i - 1] = '\0';
}

/* The model and the node of a partition are those of its disk. */
static void go_to_disk(char *dir)
{
	char line[16];

	read_line(line, sizeof line, dir, "partition");
	if (*line)
		*strrchr(dir, '/') = '\0';
}

/* A mapped device, as of LVM, lies on others: their node if all have one, or -1. */
static int node_of_disk(const char *dir)
{
	char below[PATH_MAX], link[2 * PATH_MAX], line[16];
	struct dirent *e;
	int node = -1, one;
	DIR *d;

	read_line(line, sizeof line, dir, "device/numa_node");
	if (*line)
		return atoi(line);
	snprintf(link, sizeof link, "%s/slaves", dir);
	d = opendir(link);
	for (bool first = true; d && (e = readdir(d));) {
		snprintf(link, sizeof link, "%s/slaves/%s", dir, e->d_name);
		if (*e->d_name == '.' || !realpath(link, below))
			continue;
		go_to_disk(below);
		one = node_of_disk(below);
		node = first || one == node ? one : -1;
		first = false;
	}
	if (d)
		closedir(d);
	return node;
}

static void find_device(struct asl_store_place *out, const char *path)
{
	dev_t device = device_of(path);
	char link[64], dir[PATH_MAX];

	snprintf(link, sizeof link, "/sys/dev/block/%u:%u", major(device),
		 minor(device));
	if (!realpath(link, dir))
		return;
	COPY(out->device, strrchr(dir, '/') + 1);
	go_to_disk(dir);
	read_line(out->model, sizeof out->model, dir, "device/model");
	out->numa_node = node_of_disk(dir);
}

/* "mpol=bind:1", "mpol=prefer=static:1": the one node of a tmpfs; -1: any. */
static int node_of_policy(const char *options)
{
	const char *at = strstr(options, "mpol=");
	size_t length = at ? strcspn(at, ",") : 0;
	const char *colon = at ? memchr(at, ':', length) : NULL;
	char *end;
	long node = colon ? strtol(colon + 1, &end, 10) : -1;

	/* A list goes on after a comma, or has a range. */
	if (!colon || end == colon + 1 || (*end && *end != ',') ||
	    (*end && end[1] >= '0' && end[1] <= '9'))
		return -1;
	return (int)node;
}

static void find_all(struct asl_store_place *out, const char *dir)
{
	char real[PATH_MAX];

	if (!realpath(dir, real))
		COPY(real, dir);
	find_mount(out, real);
	find_device(out, real);
	if (!strcmp(out->file_system, "tmpfs"))
		out->numa_node = node_of_policy(out->options);
}

bool asl_pool_policy(char *text, size_t room, const char *dir)
{
	struct asl_store_place x = {.numa_node = -1};
	const char *at;

	find_all(&x, dir);
	at = strcmp(x.file_system, "tmpfs") ? NULL : strstr(x.options, "mpol=");
	if (at)
		snprintf(text, room, "%.*s", (int)strcspn(at, ","), at);
	return at;
}

static int find_dax_device(struct asl_store_place *out, const char *place)
{
	const char *slash = strrchr(place, '/');
	struct asl_device x;
	int err = asl_device_look(&x, place);

	out->medium = "devdax";
	out->numa_node = x.node;
	COPY(out->device, slash ? slash + 1 : place);
	return err;
}

int asl_store_place(struct asl_store_place *out, const char *dir)
{
	struct asl_store_want want = {.dir = dir, .run_id = "place"};
	char path[PATH_MAX];
	int fd, err;

	*out = (struct asl_store_place){.numa_node = -1};
	err = asl_pool_path(path, &want);
	if (!err && asl_device_is(dir))
		return find_dax_device(out, dir);
	if (!err)
		err = asl_pool_create(&fd, path, 0, false);
	if (err)
		return err;
	out->medium = asl_pool_medium(fd);
	close(fd);
	find_all(out, dir);
	return 0;
}

int asl_store_site(struct asl_store_site *out, const char *place)
{
	struct asl_store_place x = {.numa_node = -1};
	struct asl_device device;
	int err = asl_pool_check_dir(place);

	*out = (struct asl_store_site){.node = -1};
	if (err)
		return err;
	if (asl_device_is(place)) {
		err = asl_device_look(&device, place);
		*out = (struct asl_store_site){device.node, true, device.id};
		return err;
	}
	find_all(&x, place);
	*out = (struct asl_store_site){x.numa_node, false, device_of(place)};
	return 0;
}

/* A DAX file system says so among its options, if not by default. */
static bool is_dax(const struct mntent *m)
{
	return hasmntopt(m, "dax") || strstr(m->mnt_fsname, "/pmem");
}

bool asl_store_find(struct asl_store_places *out)
{
	FILE *f = setmntent("/proc/self/mounts", "re");
	char text[8192], list[PATH_MAX] = "";
	struct mntent m;
	size_t used = 0;

	while (f && used < sizeof list && getmntent_r(f, &m, text, sizeof text))
		if (is_dax(&m) && !strchr(m.mnt_dir, ','))
			used += (size_t)snprintf(list + used,
						 sizeof list - used, "%s%s",
						 used ? "," : "", m.mnt_dir);
	if (f)
		endmntent(f);
	if (used < sizeof list)
		asl_device_list(list, sizeof list);
	used = strlen(list);
	return used && used < sizeof list && !asl_store_split(out, list);
}

/* ---- How much there is ---- */

/* Pages of a tmpfs are memory, whatever its limit. */
static uint64_t capacity_of(const char *dir)
{
	uint64_t memory = asl_memory_limit(""), bytes;
	struct asl_store_place x = {.numa_node = -1};
	struct asl_device device;
	struct statvfs fs;

	if (asl_device_is(dir))
		return asl_device_look(&device, dir) ? 0 : device.bytes;
	if (statvfs(dir, &fs) != 0)
		return 0;
	bytes = (uint64_t)fs.f_blocks * fs.f_frsize;
	find_all(&x, dir);
	if (strcmp(x.file_system, "tmpfs") && strcmp(x.file_system, "ramfs"))
		return bytes;
	return bytes ? asl_min(bytes, memory) : memory;
}

static bool is_known(const struct asl_store_places *p, int i)
{
	struct asl_store_site x, y;

	for (int j = 0; j < i; j++)
		if (!asl_store_site(&x, p->at[j]) &&
		    !asl_store_site(&y, p->at[i]) && x.id == y.id &&
		    x.single == y.single)
			return true;
	return false;
}

uint64_t asl_store_capacity(const char *list)
{
	struct asl_store_places p;
	uint64_t bytes = 0;

	if (asl_store_split(&p, list))
		return 0;
	for (int i = 0; i < p.count; i++)
		if (!is_known(&p, i))
			bytes += capacity_of(p.at[i]);
	return bytes;
}
