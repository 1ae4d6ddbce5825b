/*
 * sweep.c -- what killed ranks leave in /dev/shm
 *
 * libfabric, MPICH and UCX make files there while they start, and remove their
 * names once all ranks have them; whoever is killed before leaves them.  Such a
 * file is ours to remove if it has one of their names, belongs to this user, and
 * nobody, in whatever container, has it open or mapped: then, and only then, the
 * kernel grants a lease to write it.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "net/net.h"

#define DIR_NAME "/dev/shm"

/* libfabric's are PID:UID:NUMBER. */
static bool is_known(const char *name)
{
	int pid, uid, number, end = 0;

	if (!strncmp(name, "mpich_shar_tmp", 14) ||
	    !strncmp(name, "ucx_shm_posix_", 14))
		return true;
	return sscanf(name, "%d:%d:%d%n", &pid, &uid, &number, &end) == 3 &&
	       end && !name[end];
}

static bool is_left(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;
	bool left;

	if (fd < 0)
		return false;
	left = !fstat(fd, &st) && S_ISREG(st.st_mode) &&
	       st.st_uid == geteuid() && !fcntl(fd, F_SETLEASE, F_WRLCK);
	close(fd);
	return left;
}

void asl_net_sweep(void)
{
	DIR *dir = opendir(DIR_NAME);
	struct dirent *x;

	while (dir && (x = readdir(dir)))
		if (is_known(x->d_name) && is_left(dirfd(dir), x->d_name))
			unlinkat(dirfd(dir), x->d_name, 0);
	if (dir)
		closedir(dir);
}
