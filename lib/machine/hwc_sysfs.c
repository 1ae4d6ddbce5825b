/*
 * hwc_sysfs.c -- which performance events count bytes to and from memory
 *
 * The kernel shows a memory controller as a directory in
 * /sys/bus/event_source/devices: `type` and `cpumask` (a processor of each
 * socket) say how to ask it, `format` where in the request a term such as
 * umask=0x03 goes, and `events` names some events by their terms, with a scale
 * and a unit.  Where it names none, the terms are those that the maker of the
 * processor documents.
 *
 * Arm's interconnects are left out: they do not tell reads from writes, or not
 * how many bytes a count is.
 */
#include <dirent.h>
#include <errno.h>
#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/machine/hwc_perf.h"
#include "lib/machine/system.h"

struct cpu {
	char vendor[64];
	int family, model, stepping;
};

struct source {
	const char *device; /* by this name, or this and a number */
	enum asl_hwc_medium medium;
	const char *read, *write; /* files in `events`; or terms, if ... */
	double bytes;		  /* ... this, which a count is, is not 0 */
	bool (*is_on)(const struct cpu *cpu); /* NULL: wherever it is */
};

/* Xeons that can have Optane: Cascade and Cooper Lake, Ice Lake, Sapphire Rapids. */
static bool has_pmm(const struct cpu *cpu)
{
	return !strcmp(cpu->vendor, "GenuineIntel") && cpu->family == 6 &&
	       ((cpu->model == 85 && cpu->stepping >= 5) || cpu->model == 106 ||
		cpu->model == 143);
}

/* For each medium the first that there is; the others count the same again. */
static const struct source sources[] = {
	{"uncore_imc", ASL_HWC_DRAM, "cas_count_read", "cas_count_write", 0,
	 NULL},
	{"uncore_imc", ASL_HWC_DRAM, "data_reads", "data_writes", 0, NULL},
	{"uncore_imc_free_running", ASL_HWC_DRAM, "data_read", "data_write", 0,
	 NULL},
	/* CAS commands of AMD's memory controllers, from Zen 4 on. */
	{"amd_umc", ASL_HWC_DRAM, "event=0x0a,rdwrmask=1",
	 "event=0x0a,rdwrmask=2", 64, NULL},
	/* Inserts into the queues of reads from, and writes to, Optane. */
	{"uncore_imc", ASL_HWC_PMM, "event=0xe3", "event=0xe7", 64, has_pmm},
};

enum { SOURCES = sizeof(sources) / sizeof(sources[0]) };

/* ---- The processor ---- */

static void take_field(struct cpu *cpu, const char *line)
{
	sscanf(line, "vendor_id : %63s", cpu->vendor);
	sscanf(line, "cpu family : %d", &cpu->family);
	sscanf(line, "model : %d", &cpu->model);
	sscanf(line, "stepping : %d", &cpu->stepping);
}

/* The first one's; all fields stay empty where there are none, as on Arm. */
static struct cpu find_cpu(const char *root)
{
	FILE *f = asl_system_open(root, "/proc/cpuinfo");
	struct cpu cpu = {.family = -1};
	char line[4096];

	while (f && fgets(line, sizeof(line), f) && *line != '\n')
		take_field(&cpu, line);
	if (f)
		fclose(f);
	return cpu;
}

/* ---- Devices ---- */

static int add(struct asl_perf_events *to, const struct asl_perf_event *event)
{
	void *more = reallocarray(to->list, to->count + 1, sizeof(*event));

	if (!more)
		return asl_hwc_fail(-ENOMEM, "no memory");
	to->list = more;
	to->list[to->count++] = *event;
	return 0;
}

/* By a processor of each socket; on some machines each has one for a die. */
static int add_cpus(struct asl_perf_events *to, struct asl_perf_event *event,
		    const char *root, const char *device)
{
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
	char line[256] = "";
	int err = 0;

	if (!cpus)
		return asl_hwc_fail(-ENOMEM, "no memory");
	if (!asl_system_line(line, sizeof(line), root,
			     ASL_PERF_DEVICES "/%s/cpumask", device) ||
	    hwloc_bitmap_list_sscanf(cpus, line) ||
	    hwloc_bitmap_weight(cpus) < 1)
		err = asl_hwc_fail(-EINVAL,
				   "%s: found cpumask '%s', expected numbers "
				   "of processors",
				   device, line);
	for (int cpu = hwloc_bitmap_first(cpus); !err && cpu >= 0;
	     cpu = hwloc_bitmap_next(cpus, cpu)) {
		event->cpu = cpu;
		event->socket = -1;
		if (asl_system_line(line, sizeof(line), root,
				    "/sys/devices/system/cpu/cpu%d/topology/"
				    "physical_package_id",
				    cpu))
			event->socket = atoi(line);
		if (event->socket < 0 || event->socket >= ASL_HWC_SOCKETS)
			err = asl_hwc_fail(-EINVAL,
					   "processor %d: its socket is not "
					   "known, or not below %d",
					   cpu, ASL_HWC_SOCKETS);
		else
			err = add(to, event);
	}
	hwloc_bitmap_free(cpus);
	return err;
}

static int add_event(struct asl_perf_events *to, const struct source *from,
		     const char *root, const char *device, bool writes)
{
	const char *name = writes ? from->write : from->read;
	struct asl_perf_event event = {
		.medium = from->medium, .writes = writes, .bytes = from->bytes};
	char terms[256], type[32];
	int err;

	if (!asl_system_line(type, sizeof(type), root,
			     ASL_PERF_DEVICES "/%s/type", device))
		return asl_hwc_fail(-EINVAL, "%s: it has no type", device);
	event.type = (uint32_t)strtoul(type, NULL, 10);
	if (from->bytes > 0)
		return (err = asl_perf_put_terms(&event, root, device, name))
			       ? err
			       : add_cpus(to, &event, root, device);
	if (!asl_system_line(terms, sizeof(terms), root,
			     ASL_PERF_DEVICES "/%s/events/%s", device, name))
		return 0;
	err = asl_perf_put_terms(&event, root, device, terms);
	if (!err)
		err = asl_perf_put_scale(&event, root, device, name);
	return err ? err : add_cpus(to, &event, root, device);
}

static bool is_called(const char *device, const char *prefix)
{
	size_t n = strlen(prefix);

	if (strncmp(device, prefix, n))
		return false;
	return !device[n] ||
	       (device[n] == '_' && device[n + 1] &&
		!device[n + 1 + strspn(device + n + 1, "0123456789")]);
}

static int add_source(struct asl_perf_events *to, const struct source *from,
		      const char *root)
{
	char path[4096];
	struct dirent *entry;
	DIR *dir;
	int err = 0;

	snprintf(path, sizeof(path), "%s" ASL_PERF_DEVICES, root);
	dir = opendir(path);
	while (dir && !err && (entry = readdir(dir))) {
		if (!is_called(entry->d_name, from->device))
			continue;
		err = add_event(to, from, root, entry->d_name, false);
		if (!err)
			err = add_event(to, from, root, entry->d_name, true);
	}
	if (dir)
		closedir(dir);
	return err;
}

int asl_perf_find(struct asl_perf_events *events, const char *root)
{
	struct cpu cpu = find_cpu(root);
	bool found[ASL_HWC_MEDIA] = {false};
	int err = 0;

	*events = (struct asl_perf_events){0};
	for (int i = 0; !err && i < SOURCES; i++) {
		const struct source *from = &sources[i];
		size_t before = events->count;

		if (found[from->medium] || (from->is_on && !from->is_on(&cpu)))
			continue;
		err = add_source(events, from, root);
		found[from->medium] = events->count > before;
	}
	if (!err && !events->count)
		err = asl_hwc_fail(-ENODEV, "no memory controllers that we "
					    "know in " ASL_PERF_DEVICES);
	return err;
}
