/*
 * pmem_medium.c -- what a pool really lies on
 *
 * The kernel is asked, not libpmem: PMEM_IS_PMEM_FORCE=1 makes libpmem treat
 * anything as persistent memory, which is useful, but a result must not say
 * so.
 */
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "nvm/pool.h"

const char *asl_pool_medium(int fd)
{
	struct statfs fs;
	struct statx st;

	if (fstatfs(fd, &fs) == 0 &&
	    (fs.f_type == TMPFS_MAGIC || fs.f_type == RAMFS_MAGIC))
		return "tmpfs";
	if (statx(fd, "", AT_EMPTY_PATH, 0, &st) == 0 &&
	    (st.stx_attributes & STATX_ATTR_DAX))
		return "fsdax";
	return "file";
}

static const char *about(const char *medium)
{
	if (!strcmp(medium, "tmpfs"))
		return "pools lie on tmpfs, not on persistent memory: they "
		       "cost what DRAM costs";
	if (!strcmp(medium, "file"))
		return "pools lie in the page cache of a file system, not on "
		       "persistent memory";
	return "";
}

void asl_pool_note(char *note, size_t room, const char *medium)
{
	static const char *const settings[] = {
		"PMEM_IS_PMEM_FORCE", "PMEM_NO_CLWB",	      "PMEM_NO_MOVNT",
		"PMEM_NO_FLUSH",      "PMEM_MOVNT_THRESHOLD",
	};

	snprintf(note, room, "%s", about(medium));
	for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
		const char *value = getenv(settings[i]);
		size_t len = strlen(note);

		if (value)
			snprintf(note + len, room - len, "%s%s=%.8s",
				 len ? "; " : "", settings[i], value);
	}
}
