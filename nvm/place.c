/*
 * place.c -- what a directory for pools lies on
 *
 * The table of mounts says which file system, /sys which device is below it.
 */
#include <limits.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "nvm/pool.h"
#include "nvm/provider.h"

#define COPY(to, from) snprintf(to, sizeof(to), "%s", from)

/* ---- The file system ---- */

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

/* The longest that fits; of those mounted over each other the last. */
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

/* ---- The device ---- */

/* The first line of a file in /sys, without blanks at its end; "": none. */
static void read_line(char *to, size_t room, const char *dir, const char *name)
{
	char path[2 * PATH_MAX];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", dir, name);
	f = fopen(path, "re");
	if (!f || !fgets(to, (int)room, f))
		to[0] = '\0';
	if (f)
		fclose(f);
	for (size_t i = strlen(to); i > 0 && strchr(" \n", to[i - 1]); i--)
		to[i - 1] = '\0';
}

/* Of a partition its disk says what it is. */
static void find_device(struct asl_store_place *out, const char *path)
{
	dev_t device = device_of(path);
	char link[64], dir[PATH_MAX], node[16];

	snprintf(link, sizeof link, "/sys/dev/block/%u:%u", major(device),
		 minor(device));
	if (!realpath(link, dir))
		return;
	COPY(out->device, strrchr(dir, '/') + 1);
	read_line(node, sizeof node, dir, "partition");
	if (*node)
		*strrchr(dir, '/') = '\0';
	read_line(out->model, sizeof out->model, dir, "device/model");
	read_line(node, sizeof node, dir, "device/numa_node");
	out->numa_node = *node ? atoi(node) : -1;
}

int asl_store_place(struct asl_store_place *out, const char *dir)
{
	struct asl_store_want want = {.dir = dir, .run_id = "place"};
	char path[PATH_MAX], real[PATH_MAX];
	int fd, err;

	*out = (struct asl_store_place){.numa_node = -1};
	err = asl_pool_path(path, &want);
	if (!err)
		err = asl_pool_create(&fd, path, 0, false);
	if (err)
		return err;
	out->medium = asl_pool_medium(fd);
	close(fd);
	if (!realpath(dir, real))
		COPY(real, dir);
	find_mount(out, real);
	find_device(out, real);
	return 0;
}
