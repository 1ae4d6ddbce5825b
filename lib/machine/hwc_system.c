/*
 * hwc_system.c -- performance events of the kernel, or recorded in files
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/machine/hwc_perf.h"

/* ---- The kernel ---- */

static int open_event(const struct asl_perf_system *system,
		      struct perf_event_attr *attr, int pid, int cpu)
{
	long fd = syscall(SYS_perf_event_open, attr, pid, cpu, -1,
			  PERF_FLAG_FD_CLOEXEC);

	(void)system;
	return fd < 0 ? -errno : (int)fd;
}

static int read_event(int fd, struct asl_perf_value *value)
{
	ssize_t got = read(fd, value, sizeof(*value));

	/* Nothing is read of an event that could not be scheduled. */
	return got == sizeof(*value) ? 0 : got < 0 ? -errno : -EIO;
}

const struct asl_perf_system asl_perf_kernel = {
	.root = "",
	.open = open_event,
	.read = read_event,
};

/* ---- A recorded machine ---- */

static int open_file(const struct asl_perf_system *system,
		     struct perf_event_attr *attr, int pid, int cpu)
{
	char path[4096];
	int fd;

	(void)pid;
	snprintf(path, sizeof(path), "%s/counts/%" PRIu32 ".%" PRIu64 ".%d",
		 system->root, (uint32_t)attr->type, (uint64_t)attr->config,
		 cpu);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int read_line(int fd, struct asl_perf_value *value)
{
	char line[128];
	size_t used = 0;

	while (used + 1 < sizeof(line) && read(fd, line + used, 1) == 1 &&
	       line[used] != '\n')
		used++;
	line[used] = '\0';
	return sscanf(line, "%" SCNu64 " %" SCNu64 " %" SCNu64, &value->count,
		      &value->enabled, &value->running) == 3
		       ? 0
		       : -ENODATA;
}

struct asl_perf_system asl_perf_recorded(const char *root)
{
	return (struct asl_perf_system){
		.root = root,
		.open = open_file,
		.read = read_line,
	};
}
