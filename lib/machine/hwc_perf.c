/*
 * hwc_perf.c -- counting with Linux's performance events
 *
 * Events count from the moment they are opened, and are read before and after a
 * repetition: the kernel widens counters to 64 bits, and lets events take turns
 * if there are more than counters.  See perf_event_open(2).
 */
#include "lib/machine/hwc_perf.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <hwloc.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/base/error.h"
#include "lib/base/system.h"
#include "lib/base/text.h"

/* ---- Terms of an event: its configuration, and the bytes of a count ---- */

/* Put the bits of `value`, lowest first, where "config1:0-7,32-37" says. */
static bool scatter(uint64_t config[3], const char *format, uint64_t value)
{
	int which = 0, at = 0, from, to, length;

	if (sscanf(format, "config%n", &at) != 0 || !at)
		return false;
	if (format[at] != ':')
		which = format[at++] - '0';
	if (which < 0 || which > 2 || format[at] != ':')
		return false;
	do {
		at++;
		if (sscanf(format + at, "%d%n-%d%n", &from, &length, &to,
			   &length) < 2)
			to = from;
		at += length;
		if (from < 0 || to < from || to > 63)
			return false;
		for (; from <= to; from++, value >>= 1)
			config[which] |= (value & 1) << from;
	} while (format[at] == ',');
	return !format[at] && !value;
}

static bool put_term(struct asl_perf_event *event, const char *root,
		     const char *device, char *term)
{
	char format[256], *value = strchr(term, '='), *end = "";
	uint64_t x = 1;

	if (value) {
		*value++ = '\0';
		x = strtoull(value, &end, 0);
		if (end == value)
			return false;
	}
	if (*end)
		return false;
	if (!strcmp(term, "config")) {
		event->config[0] |= x;
		return true;
	}
	return asl_system_line(format, sizeof(format), root,
			       ASL_PERF_DEVICES "/%s/format/%s", device,
			       term) &&
	       scatter(event->config, format, x);
}

/* Put terms such as "event=0x04,umask=0x03", as the device's format says. */
static int put_terms(struct asl_perf_event *event, const char *root,
		     const char *device, const char *terms)
{
	char copy[256], *save = NULL;

	snprintf(copy, sizeof(copy), "%s", terms);
	for (char *term = strtok_r(copy, ",", &save); term;
	     term = strtok_r(NULL, ",", &save))
		if (!put_term(event, root, device, term))
			return asl_fail(-EINVAL,
					"%s: found '%s', which is not a list "
					"of terms that its format has",
					device, terms);
	return 0;
}

static double bytes_in(const char *unit)
{
	static const char *const names[] = {"Bytes", "KiB", "MiB", "GiB"};

	for (int i = 0; i < 4; i++)
		if (!strcmp(unit, names[i]))
			return (double)(UINT64_C(1) << 10 * i);
	return 0;
}

/* Scales have a decimal point, whatever the user's language. */
static double number_in(const char *text)
{
	struct asl_lines lines;
	struct asl_text line;
	double x = 0;

	if (asl_lines_open(&lines, "scale", text, strlen(text), '#'))
		return 0;
	if (asl_next_line(&lines, &line) &&
	    asl_take_value(&lines, &line, false, &x))
		x = 0;
	asl_lines_close(&lines);
	return x;
}

static int put_scale(struct asl_perf_event *event, const char *root,
		     const char *device, const char *name)
{
	static const char joules[] = "Joules";
	char scale[64] = "", unit[64] = "";

	asl_system_line(scale, sizeof(scale), root,
			ASL_PERF_DEVICES "/%s/events/%s.scale", device, name);
	asl_system_line(unit, sizeof(unit), root,
			ASL_PERF_DEVICES "/%s/events/%s.unit", device, name);
	event->bytes = number_in(scale) *
		       (strcmp(unit, joules) ? bytes_in(unit) : 1e6);
	if (event->bytes > 0)
		return 0;
	return asl_fail(-EINVAL,
			"%s: %s: found scale '%s' and unit '%s', expected a "
			"number and Bytes, KiB, MiB, GiB or Joules",
			device, name, scale, unit);
}

/*
 * Events that count bytes to and from memory
 *
 * The kernel shows a memory controller as a directory in
 * /sys/bus/event_source/devices: `type` and `cpumask` (a processor of each
 * socket) say how to open its events, `format` where a term such as umask=0x03
 * goes, and `events` names some events by their terms, with a scale and a unit.
 * Other terms come from the documentation of the processor's maker.
 *
 * Arm's interconnects are left out: they do not tell reads from writes, or do not
 * say how many bytes a count is.
 */

struct cpu {
	char vendor[64];
	int family, model, stepping;
};

struct source {
	const char *device; /* its name, perhaps with a number appended */
	enum asl_hwc_medium medium;
	const char *read, *write; /* files in `events`; terms if bytes > 0 */
	double bytes;		  /* of a count */
	bool (*is_on)(const struct cpu *cpu); /* NULL: any processor */
};

/* Xeons that can have Optane: Cascade and Cooper Lake, Ice Lake, Sapphire Rapids. */
static bool has_pmm(const struct cpu *cpu)
{
	return !strcmp(cpu->vendor, "GenuineIntel") && cpu->family == 6 &&
	       ((cpu->model == 85 && cpu->stepping >= 5) || cpu->model == 106 ||
		cpu->model == 143);
}

/* The first one found for each medium is used; others count the same bytes. */
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

/* The first processor; fields stay empty on Arm, which does not list them. */
static struct cpu find_cpu(const char *root)
{
	FILE *f = asl_system_open(root, "/proc/cpuinfo");
	struct cpu cpu = {.family = -1};
	char line[4096];

	while (f && fgets(line, sizeof(line), f) && *line != '\n') {
		sscanf(line, "vendor_id : %63s", cpu.vendor);
		sscanf(line, "cpu family : %d", &cpu.family);
		sscanf(line, "model : %d", &cpu.model);
		sscanf(line, "stepping : %d", &cpu.stepping);
	}
	if (f)
		fclose(f);
	return cpu;
}

/* ---- Devices ---- */

static int add(struct asl_perf_events *to, const struct asl_perf_event *event)
{
	void *more = reallocarray(to->list, to->count + 1, sizeof(*event));

	if (!more)
		return asl_fail(-ENOMEM, "no memory");
	to->list = more;
	to->list[to->count++] = *event;
	return 0;
}

/* One event for each processor in cpumask: one a socket, or one a die. */
static int add_cpus(struct asl_perf_events *to, struct asl_perf_event *event,
		    const char *root, const char *device)
{
	hwloc_bitmap_t cpus = hwloc_bitmap_alloc();
	char line[256] = "";
	int err = 0;

	if (!cpus)
		return asl_fail(-ENOMEM, "no memory");
	if (!asl_system_line(line, sizeof(line), root,
			     ASL_PERF_DEVICES "/%s/cpumask", device) ||
	    hwloc_bitmap_list_sscanf(cpus, line) ||
	    hwloc_bitmap_weight(cpus) < 1)
		err = asl_fail(-EINVAL,
			       "%s: found cpumask '%s', expected numbers of "
			       "processors",
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
			err = asl_fail(-EINVAL,
				       "processor %d: its socket is not known, "
				       "or not below %d",
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
		return asl_fail(-EINVAL, "%s: it has no type", device);
	event.type = (uint32_t)strtoul(type, NULL, 10);
	if (from->bytes > 0)
		return (err = put_terms(&event, root, device, name))
			       ? err
			       : add_cpus(to, &event, root, device);
	if (!asl_system_line(terms, sizeof(terms), root,
			     ASL_PERF_DEVICES "/%s/events/%s", device, name))
		return 0;
	err = put_terms(&event, root, device, terms);
	if (!err)
		err = put_scale(&event, root, device, name);
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
		err = asl_fail(-ENODEV, "no memory controllers that we know "
					"in " ASL_PERF_DEVICES);
	return err;
}

/* The running average power limits of a processor: a device with a few events. */
static int find_energy(struct asl_perf_events *events, bool *dram,
		       const char *root)
{
	const struct source packages = {
		.device = "power", .read = "energy-pkg", .write = "energy-ram"};
	int err;

	*events = (struct asl_perf_events){0};
	*dram = false;
	err = add_event(events, &packages, root, packages.device, false);
	if (!err && events->count) {
		size_t before = events->count;

		err = add_event(events, &packages, root, packages.device, true);
		*dram = events->count > before;
	}
	return err;
}

/* ---- Events of the kernel ---- */

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

	/* An event that was never scheduled reads as 0 bytes. */
	return got == sizeof(*value) ? 0 : got < 0 ? -errno : -EIO;
}

const struct asl_perf_system asl_perf_kernel = {
	.root = "",
	.open = open_event,
	.read = read_event,
};

/*
 * Events of a recorded machine
 *
 * Below `root` are its /proc and /sys, and for each event a file
 * counts/TYPE.CONFIG.CPU (CPU is -1 for a process), with a line of count, enabled
 * and running for every reading.
 */

static int open_file(const struct asl_perf_system *system,
		     struct perf_event_attr *attr, int pid, int cpu)
{
	char path[4096];
	int fd;

	(void)pid;
	snprintf(path, sizeof(path), "%s/counts/%" PRIu32 ".%ju.%d",
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

struct perf {
	struct asl_perf_system system;
	struct counters {
		struct asl_perf_events events; /* empty: not counted */
		int *fd;		       /* [events.count] */
		struct asl_perf_value *before; /* [events.count] */
	} memory, energy;
	bool energy_dram;
	int missed_fd; /* -1: misses are not counted */
	struct asl_perf_value missed_before;
	double line_bytes;
};

/* ---- Why it can't count ---- */

static int forbidden(int err, const char *root, const char *least)
{
	char level[32] = "unknown";

	asl_system_line(level, sizeof(level), root,
			"/proc/sys/kernel/perf_event_paranoid");
	return asl_fail(-ENODEV,
			"%s: kernel.perf_event_paranoid is %s, expected %s at "
			"most, or CAP_PERFMON; a container may forbid it, too",
			strerror(-err), level, least);
}

static int refused(int err, const char *root, const char *least)
{
	switch (-err) {
	case EACCES:
	case EPERM:
		return forbidden(err, root, least);
	case ENOSYS:
		return asl_fail(-ENODEV, "this kernel has no perf_event_open");
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
		return asl_fail(-ENODEV, "this processor does not have it");
	default:
		return asl_fail(-ENODEV, "%s", strerror(-err));
	}
}

/* ---- Opening ---- */

static struct perf_event_attr attr_of(uint32_t type, const uint64_t config[3])
{
	return (struct perf_event_attr){
		.size = sizeof(struct perf_event_attr),
		.type = type,
		.config = config[0],
		.config1 = config[1],
		.config2 = config[2],
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
}

static void close_counters(struct counters *c, size_t opened)
{
	for (size_t i = 0; i < opened; i++)
		close(c->fd[i]);
	free(c->fd);
	free(c->before);
	free(c->events.list);
	*c = (struct counters){0};
}

/* Those of c->events, unless finding them failed. */
static int open_counters(struct perf *p, struct counters *c, int err)
{
	size_t i = 0, count = c->events.count;

	c->fd = calloc(count + 1, sizeof(*c->fd));
	c->before = calloc(count + 1, sizeof(*c->before));
	if (!err && (!c->fd || !c->before))
		err = asl_fail(-ENOMEM, "no memory");
	for (; !err && i < count; i++) {
		const struct asl_perf_event *x = &c->events.list[i];
		struct perf_event_attr attr = attr_of(x->type, x->config);

		c->fd[i] = p->system.open(&p->system, &attr, -1, x->cpu);
		if (c->fd[i] < 0) {
			err = refused(c->fd[i], p->system.root, "0");
			break;
		}
	}
	if (err)
		close_counters(c, i);
	return err;
}

static int open_memory(struct perf *p)
{
	return open_counters(p, &p->memory,
			     asl_perf_find(&p->memory.events, p->system.root));
}

/* Most machines count no energy, or not for every user: nobody is told. */
static void open_energy(struct perf *p)
{
	int err =
		find_energy(&p->energy.events, &p->energy_dram, p->system.root);

	open_counters(p, &p->energy, err);
	asl_forget_failure();
}

/* Count in user mode only, which more administrators allow. */
static int open_misses(struct perf *p)
{
	struct perf_event_attr attr =
		attr_of(PERF_TYPE_HARDWARE,
			(const uint64_t[]){PERF_COUNT_HW_CACHE_MISSES, 0, 0});
	char line[32] = "";
	int fd;

	asl_system_line(line, sizeof(line), p->system.root,
			"/sys/devices/system/cpu/cpu0/cache/index0/"
			"coherency_line_size");
	p->line_bytes = atoi(line);
	if (p->line_bytes < 1)
		return asl_fail(-ENODEV, "the machine does not say how long "
					 "its cache lines are");
	attr.inherit = 1;
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	fd = p->system.open(&p->system, &attr, 0, -1);
	if (fd < 0)
		return refused(fd, p->system.root, "2");
	p->missed_fd = fd;
	return 0;
}

/* "dram" or "dram and pmm". */
static const char *media_of(const struct perf *p)
{
	for (size_t i = 0; i < p->memory.events.count; i++)
		if (p->memory.events.list[i].medium == ASL_HWC_PMM)
			return "dram and pmm";
	return "dram";
}

/* What is counted, and why the rest is not; "": it is, or is not needed. */
static void put_note(struct asl_hwc *h, const struct perf *p,
		     const char *no_memory, const char *no_misses)
{
	if (!p->memory.events.count)
		snprintf(h->note, sizeof(h->note), "%s only%s%s",
			 !p->energy.events.count ? "cache misses"
			 : *no_misses		 ? "energy"
						 : "cache misses and energy",
			 *no_memory ? "; " : "", no_memory);
	else
		snprintf(h->note, sizeof(h->note), "%s of whole sockets%s%s",
			 media_of(p), *no_misses ? "; " : "", no_misses);
}

int asl_perf_open(struct asl_hwc *h, const struct asl_hwc_want *want,
		  const struct asl_perf_system *system)
{
	char no_memory[sizeof(h->note) / 2] = "", no_misses[160] = "";
	struct perf *p = calloc(1, sizeof(*p));

	if (!p)
		return asl_fail(-ENOMEM, "no memory");
	p->system = *system;
	p->missed_fd = -1;
	if (want->memory && open_memory(p))
		snprintf(no_memory, sizeof(no_memory), "%s", asl_failure());
	if (open_misses(p))
		snprintf(no_misses, sizeof(no_misses), "no cache misses: %s",
			 asl_failure());
	if (want->memory)
		open_energy(p);
	h->state = p;
	put_note(h, p, no_memory, no_misses);
	if (p->memory.events.count || p->energy.events.count || !*no_misses)
		return 0;
	free(p);
	return asl_fail(-ENODEV, "%s%s%s", no_memory, *no_memory ? "; " : "",
			no_misses);
}

static void close_perf(struct asl_hwc *h)
{
	struct perf *p = h->state;

	close_counters(&p->memory, p->memory.events.count);
	close_counters(&p->energy, p->energy.events.count);
	if (p->missed_fd >= 0)
		close(p->missed_fd);
	free(p);
}

/* ---- Counting ---- */

bool asl_perf_between(uint64_t *sum, double *share,
		      const struct asl_perf_value *before,
		      const struct asl_perf_value *after, double bytes)
{
	uint64_t count = after->count - before->count;
	uint64_t enabled = after->enabled - before->enabled;
	uint64_t running = after->running - before->running;

	if (!running || running > enabled)
		return false;
	/* Long, so that sums of whole bytes are exact. */
	*sum = (uint64_t)((long double)count * bytes *
				  ((long double)enabled / running) +
			  0.5L);
	*share = (double)running / (double)enabled;
	return true;
}

static int read_failed(int err)
{
	return asl_fail(err, "counters can't be read: %s", strerror(-err));
}

static int start_counters(struct perf *p, struct counters *c)
{
	int err = 0;

	for (size_t i = 0; !err && i < c->events.count; i++)
		err = p->system.read(c->fd[i], &c->before[i]);
	return err;
}

static int start(struct asl_hwc *h)
{
	struct perf *p = h->state;
	int err = start_counters(p, &p->memory);

	if (!err)
		err = start_counters(p, &p->energy);
	if (!err && p->missed_fd >= 0)
		err = p->system.read(p->missed_fd, &p->missed_before);
	return err ? read_failed(err) : 0;
}

static int stop_one(struct asl_hwc_count *count, struct perf *p,
		    struct counters *c, size_t i)
{
	const struct asl_perf_event *x = &c->events.list[i];
	struct asl_hwc_bytes *to = &count->of[x->socket][x->medium];
	struct asl_perf_value now;
	uint64_t sum;
	double share;
	int err = p->system.read(c->fd[i], &now);

	if (err)
		return read_failed(err);
	if (!asl_perf_between(&sum, &share, &c->before[i], &now, x->bytes))
		return asl_fail(
			-EBUSY,
			"an event never had its turn: the counters are taken");
	count->share = fmin(count->share, share);
	if (c == &p->energy) {
		count->microjoules += sum;
		return 0;
	}
	to->counted = true;
	*(x->writes ? &to->written : &to->read) += sum;
	return 0;
}

static int stop_misses(struct asl_hwc_count *count, struct perf *p)
{
	struct asl_perf_value now;
	double share;
	int err = p->system.read(p->missed_fd, &now);

	if (err)
		return read_failed(err);
	count->misses =
		asl_perf_between(&count->missed_bytes, &share,
				 &p->missed_before, &now, p->line_bytes);
	return 0;
}

static int stop(struct asl_hwc *h, struct asl_hwc_count *count)
{
	struct perf *p = h->state;
	int err = 0;

	for (size_t i = 0; !err && i < p->memory.events.count; i++)
		err = stop_one(count, p, &p->memory, i);
	for (size_t i = 0; !err && i < p->energy.events.count; i++)
		err = stop_one(count, p, &p->energy, i);
	count->memory = p->memory.events.count > 0;
	count->energy = p->energy.events.count > 0;
	count->energy_dram = count->energy && p->energy_dram;
	if (!err && p->missed_fd >= 0)
		err = stop_misses(count, p);
	return err;
}

static int open_perf(struct asl_hwc *h, const struct asl_hwc_want *want)
{
	const char *root = getenv("ASLANT_HWC_RECORDED");
	const struct asl_perf_system recorded = {root, open_file, read_line};
	char note[sizeof(h->note)];
	int err;

	if (!root)
		return asl_perf_open(h, want, &asl_perf_kernel);
	err = asl_perf_open(h, want, &recorded);
	memcpy(note, h->note, sizeof(note));
	snprintf(h->note, sizeof(h->note), "NOT MEASURED, recorded: %.200s",
		 note);
	return err;
}

const struct asl_hwc_backend asl_hwc_perf = {
	.name = "perf",
	.summary = "Linux's performance events: memory controllers, cache "
		   "misses, energy",
	.open = open_perf,
	.close = close_perf,
	.start = start,
	.stop = stop,
};
