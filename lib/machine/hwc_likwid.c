/*
 * hwc_likwid.c -- counting with likwid: its groups MEM and PMM
 *
 * likwid knows processors that the kernel does not.  It needs the registers
 * themselves (/dev/cpu/0/msr), or a daemon of its own that may access them.
 * Without either it writes to stderr, waits, or exits; so it is only called when
 * one of them is known to be there.
 *
 * Its tables take 9 ms to load, and its set-up can't be undone: it is loaded
 * once, when it is needed, and stays.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <likwid.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "lib/base/error.h"
#include "lib/machine/hwc_backend.h"

#define MSR "/dev/cpu/0/msr"
#define DAEMON "/usr/sbin/likwid-accessD"

#define CALLS(X)                                                               \
	X(topology_init)                                                       \
	X(get_cpuTopology)                                                     \
	X(get_cpuInfo)                                                         \
	X(numa_init)                                                           \
	X(affinity_init)                                                       \
	X(timer_init)                                                          \
	X(HPMmode)                                                             \
	X(perfmon_setVerbosity)                                                \
	X(perfmon_init)                                                        \
	X(perfmon_addEventSet)                                                 \
	X(perfmon_setupCounters)                                               \
	X(perfmon_startCounters)                                               \
	X(perfmon_stopCounters)                                                \
	X(perfmon_getNumberOfEvents)                                           \
	X(perfmon_getCounterName)                                              \
	X(perfmon_getNumberOfMetrics)                                          \
	X(perfmon_getMetricName)                                               \
	X(perfmon_getLastMetric)

static struct {
	bool asked;
	int err; /* of set_up */
	int sockets, socket[ASL_HWC_SOCKETS];
#define MEMBER(name) __typeof__(name) *name;
	CALLS(MEMBER)
} likwid;

/* In the order of preference. */
static struct group {
	const char *name;
	enum asl_hwc_medium medium;
	bool asked;
	int id;
} groups[] = {
	{.name = "PMM", .medium = ASL_HWC_PMM},
	{.name = "MEM", .medium = ASL_HWC_DRAM},
	{.name = "MEM_FREERUN", .medium = ASL_HWC_DRAM},
};

enum { GROUPS = sizeof(groups) / sizeof(groups[0]) };

/* ---- Access to the registers ---- */

static bool is_x86(void)
{
	struct utsname u;

	return !uname(&u) &&
	       (!strcmp(u.machine, "x86_64") || !strcmp(u.machine, "i686"));
}

/* Is the daemon setuid, or has it a capability? */
static bool may_daemon(void)
{
	struct stat st;

	return !stat(DAEMON, &st) &&
	       ((st.st_mode & S_ISUID) ||
		getxattr(DAEMON, "security.capability", NULL, 0) > 0);
}

/* How likwid accesses registers; or a negative errno. */
static int find_mode(AccessMode *mode)
{
	int fd;

	*mode = ACCESSMODE_PERF;
	if (!is_x86())
		return 0;
	fd = open(MSR, O_RDWR | O_CLOEXEC);
	*mode = ACCESSMODE_DIRECT;
	if (fd >= 0)
		return close(fd);
	if (errno == ENOENT || errno == ENXIO)
		return asl_fail(-ENODEV, "no " MSR
					 ", which the kernel module msr makes");
	*mode = ACCESSMODE_DAEMON;
	if (may_daemon())
		return 0;
	return asl_fail(-ENODEV,
			MSR ": %s, and " DAEMON " has no more rights than we",
			strerror(errno));
}

/* ---- Setting up ---- */

static int load(void)
{
	void *library = dlopen(ASLANT_LIKWID, RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return asl_fail(-ENODEV, "%s", dlerror());
#define LOAD(name)                                                             \
	*(void **)&likwid.name = dlsym(library, #name);                        \
	if (!likwid.name)                                                      \
		return asl_fail(-ENODEV, "%s", dlerror());
	CALLS(LOAD)
	return 0;
}

/* One processor of each socket, one that the job may use if possible. */
static int choose_processors(int processor[ASL_HWC_SOCKETS])
{
	const CpuTopology *t = likwid.get_cpuTopology();

	for (int pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < t->numHWThreads; i++) {
			const HWThread *x = &t->threadPool[i];
			int s = 0;

			if (!pass && !x->inCpuSet)
				continue;
			while (s < likwid.sockets &&
			       likwid.socket[s] != (int)x->packageId)
				s++;
			if (s < likwid.sockets)
				continue;
			if (x->packageId >= ASL_HWC_SOCKETS)
				return asl_fail(-ENODEV, "more than %d sockets",
						ASL_HWC_SOCKETS);
			likwid.socket[likwid.sockets] = (int)x->packageId;
			processor[likwid.sockets++] = (int)x->apicId;
		}
	return 0;
}

static int begin(AccessMode mode)
{
	int processor[ASL_HWC_SOCKETS], err;
	const CpuInfo *cpu;

	likwid.perfmon_setVerbosity(0);
	if (likwid.topology_init())
		return asl_fail(-ENODEV, "it does not find processors");
	cpu = likwid.get_cpuInfo();
	if (!cpu->short_name)
		return asl_fail(
			-ENODEV,
			"it does not know this processor (family %u, model %u)",
			cpu->family, cpu->model);
	err = choose_processors(processor);
	if (err)
		return err;
	likwid.numa_init();
	likwid.affinity_init();
	likwid.timer_init();
	likwid.HPMmode(mode);
	err = likwid.perfmon_init(likwid.sockets, processor);
	return err ? asl_fail(-ENODEV, "perfmon_init returned %d", err) : 0;
}

static int set_up(void)
{
	AccessMode mode;
	int err = find_mode(&mode);

	if (!err)
		err = load();
	return err ? err : begin(mode);
}

static bool tells_both(int id)
{
	bool has[ASL_LIKWID_WRITTEN + 1] = {false};

	for (int i = 0; i < likwid.perfmon_getNumberOfMetrics(id); i++)
		has[asl_likwid_volume(likwid.perfmon_getMetricName(id, i))] =
			true;
	return has[ASL_LIKWID_READ] && has[ASL_LIKWID_WRITTEN];
}

/* A processor's own counters (PMC, FIXC) say nothing of its socket. */
static bool counts_sockets(int id)
{
	for (int i = 0; i < likwid.perfmon_getNumberOfEvents(id); i++) {
		const char *counter = likwid.perfmon_getCounterName(id, i);

		if (strncmp(counter, "PMC", 3) && strncmp(counter, "FIXC", 4))
			return true;
	}
	return false;
}

/* Sets g->id, which is negative if the processor does not have it. */
static void ask(struct group *g)
{
	if (g->asked)
		return;
	g->asked = true;
	g->id = likwid.perfmon_addEventSet(g->name);
	if (g->id >= 0 && !(tells_both(g->id) && counts_sockets(g->id)))
		g->id = -1;
}

static int choose_group(struct group **chosen, bool persistent)
{
	for (int i = persistent ? 0 : 1; i < GROUPS; i++) {
		ask(&groups[i]);
		*chosen = &groups[i];
		if (groups[i].id >= 0 &&
		    !likwid.perfmon_setupCounters(groups[i].id))
			return 0;
	}
	return asl_fail(-ENODEV, "no group for this processor counts what "
				 "sockets read, and what they write");
}

static int set_up_once(struct group **chosen, bool persistent)
{
	static char said[256];

	if (!likwid.asked) {
		likwid.asked = true;
		likwid.err = set_up();
		strncpy(said, asl_failure(), sizeof(said) - 1);
	}
	if (likwid.err)
		return asl_fail(likwid.err, "%s", said);
	return choose_group(chosen, persistent);
}

/* likwid writes to stderr, and moves the process between processors. */
static int set_up_quietly(struct group **chosen, bool persistent)
{
	int shown = dup(STDERR_FILENO), none = open("/dev/null", O_WRONLY), err;
	cpu_set_t where;
	bool known = !sched_getaffinity(0, sizeof(where), &where);

	if (shown >= 0 && none >= 0)
		dup2(none, STDERR_FILENO);
	err = set_up_once(chosen, persistent);
	if (shown >= 0)
		dup2(shown, STDERR_FILENO);
	if (known)
		sched_setaffinity(0, sizeof(where), &where);
	close(none);
	close(shown);
	return err;
}

/* ---- The backend ---- */

static int open_likwid(struct asl_hwc *h, const struct asl_hwc_want *want)
{
	struct group *g = NULL;
	int err;

	if (!want->memory)
		return asl_fail(-ENODEV, "one process of a host counts");
	err = set_up_quietly(&g, want->persistent);
	if (err)
		return err;
	h->state = g;
	snprintf(h->note, sizeof(h->note), "%s of whole sockets, group %s",
		 asl_hwc_medium_name(g->medium), g->name);
	return 0;
}

static void close_likwid(struct asl_hwc *h)
{
	(void)h;
}

static int start(struct asl_hwc *h)
{
	int err = likwid.perfmon_startCounters();

	(void)h;
	return err ? asl_fail(-EIO, "perfmon_startCounters returned %d", err)
		   : 0;
}

static int stop(struct asl_hwc *h, struct asl_hwc_count *count)
{
	const struct group *g = h->state;
	int err = likwid.perfmon_stopCounters();

	if (err)
		return asl_fail(-EIO, "perfmon_stopCounters returned %d", err);
	for (int i = 0; i < likwid.perfmon_getNumberOfMetrics(g->id); i++) {
		enum asl_likwid_volume volume = asl_likwid_volume(
			likwid.perfmon_getMetricName(g->id, i));

		for (int s = 0; volume && s < likwid.sockets; s++) {
			struct asl_hwc_bytes *to =
				&count->of[likwid.socket[s]][g->medium];
			double x = likwid.perfmon_getLastMetric(g->id, i, s);

			if (!(x >= 0))
				return asl_fail(-EIO, "found %g GB", x);
			to->counted = true;
			*(volume == ASL_LIKWID_READ ? &to->read
						    : &to->written) +=
				(uint64_t)(x * 1e9 + 0.5);
		}
	}
	count->memory = true;
	return 0;
}

const struct asl_hwc_backend asl_hwc_likwid = {
	.name = "likwid",
	.summary = "likwid's groups MEM and PMM: memory controllers",
	.open = open_likwid,
	.close = close_likwid,
	.start = start,
	.stop = stop,
};
