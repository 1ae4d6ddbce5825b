/*
 * machine_hwc.c -- hardware counters: what is read from recorded machines
 *
 * Machines are invented at random: memory controllers of several kinds, where
 * bits of a request go, scales, sockets, and what every counter counts.  What
 * comes out has to be the sum, exactly.
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "lib/base/error.h"
#include "lib/machine/hwc_backend.h"
#include "lib/machine/hwc_perf.h"
#include "lib/run/rank_case.h"
#include "lib/run/run.h"
#include "tests/help/files.h"
#include "tests/help/random.h"

#define DEVICES "sys/bus/event_source/devices"

/* ---- Writing machines ---- */

static char root[128];
static int machines;

static void new_root(void)
{
	snprintf(root, sizeof(root), "%s/%d", dir, machines++);
	mkdir(root, 0700);
}

/* A line into a file below root, in directories that are made. */
static void __attribute__((format(printf, 1, 3)))
write_line(const char *format, const char *name, ...)
{
	char path[512], line[256];
	va_list args;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	for (char *c = path + strlen(root) + 1; (c = strchr(c, '/')); c++) {
		*c = '\0';
		mkdir(path, 0700);
		*c = '/';
	}
	va_start(args, name);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	f = fopen(path, "a");
	assert_non_null(f);
	fprintf(f, "%s\n", line);
	assert_int_equal(fclose(f), 0);
}

static const char *in(const char *format, ...)
	__attribute__((format(printf, 1, 2)));
static const char *in(const char *format, ...)
{
	static char name[256];
	va_list args;

	va_start(args, format);
	vsnprintf(name, sizeof(name), format, args);
	va_end(args);
	return name;
}

static void write_cpu(int model, int stepping)
{
	write_line("processor\t: 0\nvendor_id\t: %s\ncpu family\t: 6\n"
		   "model\t\t: %d\nmodel name\t: 14 cores\nstepping\t: %d\n",
		   "proc/cpuinfo", "GenuineIntel", model, stepping);
}

/* Where the bits of a term go: "config:3,8-12"; to[i] is the place of bit i. */
static const char *draw_format(struct dice *d, int to[8], int from)
{
	static char text[64];
	int i = 0;

	strcpy(text, "config");
	while (i < 8) {
		int length = (int)roll(d, 1, (uint64_t)(8 - i));

		from += (int)roll(d, 0, 2);
		snprintf(text + strlen(text), 16,
			 length > 1 ? "%c%d-%d" : "%c%d", i ? ',' : ':', from,
			 from + length - 1);
		for (; length; length--)
			to[i++] = from++;
	}
	return text;
}

static uint64_t place(const int to[8], unsigned value)
{
	uint64_t config = 0;

	for (int i = 0; i < 8; i++)
		config |= (uint64_t)(value >> i & 1) << to[i];
	return config;
}

/* ---- Sums over random machines ---- */

static const struct kind {
	const char *device, *read, *write; /* no names: terms are known */
	int model;
	bool pmm;
} kinds[] = {
	{"uncore_imc", "cas_count_read", "cas_count_write", 63, false},
	{"uncore_imc", "cas_count_read", "cas_count_write", 106, true},
	{"uncore_imc", "data_reads", "data_writes", 94, false},
	{"uncore_imc_free_running", "data_read", "data_write", 140, false},
	{"amd_umc", NULL, NULL, 17, false},
};

struct machine {
	struct dice d;
	const struct kind *kind;
	int sockets, cpu[4];
	int event[8], mask[8];
	uint64_t running, enabled; /* of all: the multiple is whole */
	struct asl_hwc_bytes of[ASL_HWC_SOCKETS][ASL_HWC_MEDIA];
};

/* Two readings; what lies between them is a number of bytes that is returned. */
static uint64_t write_counts(struct machine *m, int type, uint64_t config,
			     int cpu, uint64_t bytes)
{
	uint64_t before = UINT64_MAX - roll(&m->d, 0, 1000);
	uint64_t count = roll(&m->d, 0, UINT64_C(1) << 40);
	const char *name = in("counts/%d.%" PRIu64 ".%d", type, config, cpu);

	write_line("%" PRIu64 " 7 5", name, before);
	write_line("%" PRIu64 " %" PRIu64 " %" PRIu64, name, before + count,
		   7 + m->enabled, 5 + m->running);
	return count * bytes * (m->enabled / m->running);
}

static void write_event(struct machine *m, int type, bool writes,
			uint64_t bytes, uint64_t config,
			enum asl_hwc_medium medium)
{
	for (int s = 0; s < m->sockets; s++) {
		struct asl_hwc_bytes *to = &m->of[s][medium];

		to->counted = true;
		*(writes ? &to->written : &to->read) +=
			write_counts(m, type, config, m->cpu[s], bytes);
	}
}

static void write_named(struct machine *m, const char *device, int type,
			bool writes)
{
	static const char *const units[] = {"Bytes", "KiB", "MiB", "GiB"};
	const char *name = writes ? m->kind->write : m->kind->read;
	int unit = (int)roll(&m->d, 0, 3);
	uint64_t bytes = UINT64_C(1) << roll(&m->d, 4, 9);
	unsigned event = (unsigned)roll(&m->d, 0, 127) * 2 + writes;
	unsigned mask = (unsigned)roll(&m->d, 0, 255);

	write_line("event=0x%02x,umask=%u",
		   in(DEVICES "/%s/events/%s", device, name), event, mask);
	write_line("%.17g", in(DEVICES "/%s/events/%s.scale", device, name),
		   (double)bytes / (double)(UINT64_C(1) << 10 * unit));
	write_line("%s", in(DEVICES "/%s/events/%s.unit", device, name),
		   units[unit]);
	write_event(m, type, writes, bytes,
		    place(m->event, event) | place(m->mask, mask),
		    ASL_HWC_DRAM);
}

static void write_known(struct machine *m, int type, const unsigned event[2],
			enum asl_hwc_medium medium)
{
	for (int writes = 0; writes < 2; writes++) {
		uint64_t config = place(m->event, event[writes]);

		if (medium == ASL_HWC_DRAM)
			config |= place(m->mask, writes ? 2 : 1);
		write_event(m, type, writes, 64, config, medium);
	}
}

static void write_device(struct machine *m, int number)
{
	char device[64], cpus[64] = "", format[64];
	int type = 20 + number;

	snprintf(device, sizeof(device), "%s_%d", m->kind->device, number);
	write_line("%d", in(DEVICES "/%s/type", device), type);
	for (int s = 0; s < m->sockets; s++)
		snprintf(cpus + strlen(cpus), 16, "%s%d", s ? "," : "",
			 m->cpu[s]);
	write_line("%s", in(DEVICES "/%s/cpumask", device), cpus);
	snprintf(format, sizeof(format), "%s", draw_format(&m->d, m->event, 0));
	write_line("%s", in(DEVICES "/%s/format/event", device), format);
	snprintf(format, sizeof(format), "%s", draw_format(&m->d, m->mask, 32));
	write_line("%s",
		   in(DEVICES "/%s/format/%s", device,
		      m->kind->read ? "umask" : "rdwrmask"),
		   format);
	if (m->kind->read) {
		write_named(m, device, type, false);
		write_named(m, device, type, true);
	} else {
		write_known(m, type, (const unsigned[]){0x0a, 0x0a},
			    ASL_HWC_DRAM);
	}
	if (m->kind->pmm)
		write_known(m, type, (const unsigned[]){0xe3, 0xe7},
			    ASL_HWC_PMM);
}

static void write_machine(struct machine *m)
{
	int devices = (int)roll(&m->d, 1, 4), cpu = 0;

	new_root();
	m->kind = &kinds[roll(&m->d, 0, 4)];
	m->sockets = (int)roll(&m->d, 1, 4);
	m->running = roll(&m->d, 1, UINT64_C(1) << 40);
	m->enabled = m->running * roll(&m->d, 1, 3);
	write_cpu(m->kind->model, 5);
	for (int s = 0; s < m->sockets; s++) {
		cpu += (int)roll(&m->d, 1, 20);
		m->cpu[s] = cpu;
		write_line("%d",
			   in("sys/devices/system/cpu/cpu%d/topology/"
			      "physical_package_id",
			      cpu),
			   s);
	}
	for (int i = 0; i < devices; i++)
		write_device(m, i);
	/* Has events of the same name, but is something else. */
	write_line("99", DEVICES "/uncore_imc_clock_x/type");
}

static void check_machine(struct machine *m, const struct asl_hwc_count *count)
{
	assert_true(count->memory);
	assert_false(count->misses);
	for (int s = 0; s < ASL_HWC_SOCKETS; s++)
		for (int i = 0; i < ASL_HWC_MEDIA; i++) {
			assert_int_equal(count->of[s][i].counted,
					 m->of[s][i].counted);
			assert_int_equal(count->of[s][i].read,
					 m->of[s][i].read);
			assert_int_equal(count->of[s][i].written,
					 m->of[s][i].written);
		}
	assert_true(count->share == (double)m->running / (double)m->enabled);
}

static void sums_are_exact(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 60; i++) {
		struct machine m = {.d = {1, i, 0}};
		struct asl_hwc_want want = {.backend = "perf", .memory = true};
		struct asl_hwc_count count;
		struct asl_hwc *h;

		if (leave_out(i))
			continue;
		write_machine(&m);
		setenv("ASLANT_HWC_RECORDED", root, 1);
		if (asl_hwc_open(&h, &want))
			fail_msg("case %u, %s: %s", i, root, asl_failure());
		assert_non_null(strstr(asl_hwc_note(h), "NOT MEASURED"));
		assert_int_equal(!!strstr(asl_hwc_note(h), "dram and pmm"),
				 m.kind->pmm);
		assert_int_equal(asl_hwc_start(h), 0);
		if (asl_hwc_stop(h, &count))
			fail_msg("case %u, %s: %s", i, root, asl_failure());
		check_machine(&m, &count);
		/* There is no third reading, and so no figure. */
		assert_int_equal(asl_hwc_start(h), -ENODATA);
		asl_hwc_close(h);
	}
	unsetenv("ASLANT_HWC_RECORDED");
}

/* Optane is counted only on processors that can have it. */
static void pmm_needs_its_processor(void **state)
{
	static const struct {
		int model, stepping;
		bool pmm;
	} known[] = {{85, 4, false}, {85, 5, true},  {85, 11, true},
		     {106, 6, true}, {143, 8, true}, {79, 1, false}};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
		struct asl_perf_events events;
		size_t pmm = 0;

		new_root();
		write_cpu(known[i].model, known[i].stepping);
		write_line("9", DEVICES "/uncore_imc_0/type");
		write_line("0", DEVICES "/uncore_imc_0/cpumask");
		write_line("config:0-7", DEVICES "/uncore_imc_0/format/event");
		write_line("0", "sys/devices/system/cpu/cpu0/topology/"
				"physical_package_id");
		asl_perf_find(&events, root);
		for (size_t j = 0; j < events.count; j++)
			pmm += events.list[j].medium == ASL_HWC_PMM;
		assert_int_equal(pmm, known[i].pmm ? 2 : 0);
		free(events.list);
	}
}

/* Some machines show the same traffic in two places. */
static void traffic_is_counted_once(void **state)
{
	static const struct {
		const char *device, *read, *write;
	} same[] = {{"uncore_imc_0", "cas_count_read", "cas_count_write"},
		    {"uncore_imc", "data_reads", "data_writes"},
		    {"uncore_imc_free_running_0", "data_read", "data_write"}};
	struct asl_perf_events events;

	(void)state;
	new_root();
	write_line("0", "sys/devices/system/cpu/cpu0/topology/"
			"physical_package_id");
	for (int i = 2; i >= 0; i--) {
		write_line("%d", in(DEVICES "/%s/type", same[i].device), i);
		write_line("0", in(DEVICES "/%s/cpumask", same[i].device));
		for (int j = 0; j < 2; j++) {
			char name[128];

			snprintf(name, sizeof(name), DEVICES "/%s/events/%s",
				 same[i].device,
				 j ? same[i].read : same[i].write);
			write_line("config=%d", name, j);
			write_line("1", in("%s.scale", name));
			write_line("Bytes", in("%s.unit", name));
		}
		assert_int_equal(asl_perf_find(&events, root), 0);
		assert_int_equal(events.count, 2);
		for (int j = 0; j < 2; j++)
			assert_int_equal(events.list[j].type, i);
		free(events.list);
	}
}

/* ---- Two readings ---- */

static void readings_are_scaled(void **state)
{
	struct dice d = {2, 0, 0};
	struct asl_perf_value a, b;
	uint64_t sum;
	double share;

	(void)state;
	for (int i = 0; i < 100000; i++) {
		uint64_t count = roll_size(&d, 45), running = roll_size(&d, 50);
		uint64_t times = roll(&d, 1, 9);

		a = (struct asl_perf_value){roll(&d, 0, UINT64_MAX - 1),
					    roll(&d, 0, UINT64_C(1) << 60),
					    roll(&d, 0, UINT64_C(1) << 60)};
		b = (struct asl_perf_value){a.count + count,
					    a.enabled + times * running,
					    a.running + running};
		assert_true(asl_perf_between(&sum, &share, &a, &b, 64));
		assert_int_equal(sum, count * 64 * times);
		assert_true(share > 0 && share <= 1);
	}
	/* It never had its turn; or nothing was ever asked of it. */
	b = (struct asl_perf_value){a.count, a.enabled + 1, a.running};
	assert_false(asl_perf_between(&sum, &share, &a, &b, 64));
	assert_false(asl_perf_between(&sum, &share, &a, &a, 64));
}

/* ---- Why not ---- */

/* One memory controller, cache lines, and what guards them. */
static void write_small(void)
{
	new_root();
	write_line("9", DEVICES "/uncore_imc/type");
	write_line("0", DEVICES "/uncore_imc/cpumask");
	write_line("config1:4-11", DEVICES "/uncore_imc/format/event");
	write_line("event=0x11", DEVICES "/uncore_imc/events/data_reads");
	write_line("event=0x12", DEVICES "/uncore_imc/events/data_writes");
	for (int i = 0; i < 2; i++) {
		const char *name = i ? "data_reads" : "data_writes";

		write_line("64",
			   in(DEVICES "/uncore_imc/events/%s.scale", name));
		write_line("Bytes",
			   in(DEVICES "/uncore_imc/events/%s.unit", name));
	}
	write_line("0", "sys/devices/system/cpu/cpu0/topology/"
			"physical_package_id");
	write_line("128", "sys/devices/system/cpu/cpu0/cache/index0/"
			  "coherency_line_size");
	write_line("3", "proc/sys/kernel/perf_event_paranoid");
}

static int refusal, accepted; /* what opening gives from which one on */
static uint64_t asked[2];

static int refusing_open(const struct asl_perf_system *system,
			 struct perf_event_attr *attr, int pid, int cpu)
{
	(void)system;
	(void)pid;
	(void)cpu;
	if (attr->type == 9)
		asked[accepted & 1] = attr->config1;
	return accepted-- > 0 ? dup(0) : refusal;
}

static int read_nothing(int fd, struct asl_perf_value *value)
{
	(void)fd;
	(void)value;
	return -EBADF;
}

static int open_files(void)
{
	DIR *d = opendir("/proc/self/fd");
	int count = 0;

	while (readdir(d))
		count++;
	closedir(d);
	return count;
}

static void reasons_are_given(void **state)
{
	static const struct {
		int err;
		const char *words;
	} known[] = {
		{-EACCES, "perf_event_paranoid is 3, expected 0"},
		{-EPERM, "a container may forbid it"},
		{-ENOSYS, "this kernel has no perf_event_open"},
		{-ENOENT, "this processor does not have it"},
		{-EOPNOTSUPP, "this processor does not have it"},
		{-EMFILE, "Too many open files"},
	};
	struct asl_hwc_want want = {.backend = "perf", .memory = true};
	struct asl_perf_system system = {.open = refusing_open,
					 .read = read_nothing};
	struct asl_hwc h;

	(void)state;
	write_small();
	system.root = root;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		for (int first = 0; first < 2; first++) {
			int before = open_files();

			refusal = known[i].err;
			accepted = first;
			assert_int_equal(asl_perf_open(&h, &want, &system),
					 -ENODEV);
			if (!strstr(asl_failure(), known[i].words))
				fail_msg("'%s' does not say '%s'",
					 asl_failure(), known[i].words);
			assert_int_equal(open_files(), before);
		}
}

/* What there is counts; and terms go where the format says. */
static void parts_are_enough(void **state)
{
	struct asl_hwc_want want = {.backend = "perf", .memory = true};
	struct asl_perf_system system = {.open = refusing_open,
					 .read = read_nothing};
	struct asl_hwc h = {.backend = &asl_hwc_perf};
	struct asl_hwc_count count;

	(void)state;
	write_small();
	system.root = root;
	refusal = -ENOENT;
	accepted = 2;
	assert_int_equal(asl_perf_open(&h, &want, &system), 0);
	assert_string_equal(h.note, "dram of whole sockets; no cache misses: "
				    "this processor does not have it");
	assert_int_equal(asked[0], 0x110);
	assert_int_equal(asked[1], 0x120);
	assert_int_equal(h.backend->start(&h), -EBADF);
	assert_int_equal(h.backend->stop(&h, &count), -EBADF);
	h.backend->close(&h);

	want.memory = false;
	accepted = 1;
	assert_int_equal(asl_perf_open(&h, &want, &system), 0);
	assert_string_equal(h.note, "cache misses only");
	h.backend->close(&h);
}

static void bad_files_are_refused(void **state)
{
	static const struct {
		const char *file, *line, *words;
	} bad[] = {
		{"type", NULL, "uncore_imc: it has no type"},
		{"cpumask", "all", "cpumask 'all'"},
		{"cpumask", NULL, "cpumask ''"},
		{"format/event", "config3:0-7",
		 "uncore_imc: found 'event=0x11'"},
		{"format/event", "config:0-3",
		 "uncore_imc: found 'event=0x11'"},
		{"format/event", "config:60-67", "uncore_imc: found 'event"},
		{"format/event", "config:9-2", "uncore_imc: found 'event"},
		{"format/event", "config", "uncore_imc: found 'event"},
		{"format/event", NULL, "uncore_imc: found 'event"},
		{"events/data_reads", "event=", "found 'event='"},
		{"events/data_reads", "event=12x", "found 'event=12x'"},
		{"events/data_reads", "even=12", "found 'even=12'"},
		{"events/data_reads.scale", "6,5", "found scale '6,5'"},
		{"events/data_reads.scale", "-1", "found scale '-1'"},
		{"events/data_reads.scale", NULL, "found scale ''"},
		{"events/data_reads.unit", "words", "unit 'words'"},
		{"events/data_reads.unit", NULL, "unit ''"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct asl_perf_events events;
		char name[256];

		write_small();
		snprintf(name, sizeof(name), DEVICES "/uncore_imc/%s",
			 bad[i].file);
		unlink(in("%s/%s", root, name));
		if (bad[i].line)
			write_line("%s", name, bad[i].line);
		assert_int_equal(asl_perf_find(&events, root), -EINVAL);
		if (!strstr(asl_failure(), bad[i].words))
			fail_msg("'%s' does not say '%s'", asl_failure(),
				 bad[i].words);
		free(events.list);
	}
}

/* ---- The kernel ---- */

/* Page faults, which every kernel counts, stand in for a memory controller. */
static void kernel_counts(void **state)
{
	enum { PAGES = 1000 };
	struct asl_perf_system system = asl_perf_kernel;
	struct asl_hwc_want want = {.backend = "perf", .memory = true};
	struct asl_hwc h = {.backend = &asl_hwc_perf};
	struct asl_hwc_count count = {.share = 1};
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	int cpus = (int)sysconf(_SC_NPROCESSORS_CONF);
	char *at;

	(void)state;
	write_small();
	unlink(in("%s/" DEVICES "/uncore_imc/type", root));
	unlink(in("%s/" DEVICES "/uncore_imc/cpumask", root));
	unlink(in("%s/" DEVICES "/uncore_imc/events/data_reads", root));
	unlink(in("%s/" DEVICES "/uncore_imc/events/data_writes", root));
	write_line("%d", DEVICES "/uncore_imc/type", PERF_TYPE_SOFTWARE);
	write_line("0-%d", DEVICES "/uncore_imc/cpumask", cpus - 1);
	write_line("config=%d", DEVICES "/uncore_imc/events/data_reads",
		   PERF_COUNT_SW_PAGE_FAULTS);
	write_line("config=%d", DEVICES "/uncore_imc/events/data_writes",
		   PERF_COUNT_SW_DUMMY);
	for (int i = 1; i < cpus; i++)
		write_line("0", in("sys/devices/system/cpu/cpu%d/topology/"
				   "physical_package_id",
				   i));
	system.root = root;
	if (asl_perf_open(&h, &want, &system)) {
		print_message("not checked: %s\n", asl_failure());
		return;
	}
	if (strstr(h.note, "cache misses only")) {
		print_message("not checked: %s\n", h.note);
		h.backend->close(&h);
		return;
	}
	assert_int_equal(h.backend->start(&h), 0);
	at = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE,
		  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(at != MAP_FAILED);
	madvise(at, PAGES * page, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < PAGES; i++)
		at[i * page] = 1;
	assert_int_equal(h.backend->stop(&h, &count), 0);
	munmap(at, PAGES * page);
	assert_true(count.memory);
	assert_true(count.of[0][ASL_HWC_DRAM].read >= 64 * PAGES);
	assert_int_equal(count.of[0][ASL_HWC_DRAM].written, 0);
	h.backend->close(&h);
}

/* ---- All hosts ---- */

static void draw_record(struct asl_hardware_record *x, struct dice *d)
{
	*x = (struct asl_hardware_record){
		.process = true,
		.host = roll(d, 0, 2) == 0,
		.count = {.misses = true,
			  .missed_bytes = roll(d, 0, 1000),
			  .share = 1},
	};
	x->count.memory = x->host;
	for (int s = 0; x->host && s < 3; s++)
		x->count.of[s][roll(d, 0, 1)] = (struct asl_hwc_bytes){
			true, roll(d, 0, 1000), roll(d, 0, 1000)};
}

static uint64_t sum_of(const char *sockets, const char *format)
{
	uint64_t sum = 0, x;

	for (const char *at = sockets; at && *at;
	     at = strchr(at, ';') ? strchr(at, ';') + 1 : NULL)
		if (sscanf(at, format, &x) == 1)
			sum += x;
	return sum;
}

static void hosts_are_added(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < 500; i++) {
		struct dice d = {3, i, 0};
		struct asl_hardware_record all[12];
		struct asl_hardware h = {
			.backend = "perf", .note = "dram", .all = all};
		struct asl_rep rep = {.ranks = (int)roll(&d, 1, 12)};
		const struct asl_rep_hardware *x = &rep.hardware;
		uint64_t read = 0, written = 0, missed = 0;
		int lost = (int)roll(&d, 0, 24);

		for (int r = 0; r < rep.ranks; r++) {
			draw_record(&all[r], &d);
			missed += all[r].count.missed_bytes;
			for (int s = 0; s < 3; s++)
				for (int m = 0; m < ASL_HWC_MEDIA; m++) {
					read += all[r].count.of[s][m].read;
					written +=
						all[r].count.of[s][m].written;
				}
		}
		if (lost < rep.ranks) {
			all[lost].host = true;
			all[lost].count = (struct asl_hwc_count){.share = 1};
			strcpy(all[lost].why, "broken");
		}
		asl_hardware_sum(&rep, &h);
		assert_int_equal(x->memory, lost >= rep.ranks);
		assert_int_equal(x->misses, lost >= rep.ranks);
		if (lost < rep.ranks) {
			assert_string_equal(x->note,
					    in("rank %d: broken", lost));
			assert_null(x->sockets);
		} else {
			assert_string_equal(x->note, "dram");
			assert_int_equal(x->read_bytes, read);
			assert_int_equal(x->write_bytes, written);
			assert_int_equal(x->miss_bytes, missed);
			assert_int_equal(
				sum_of(x->sockets, "%*d/%*d/%*[a-z]:%" SCNu64),
				read);
			assert_int_equal(sum_of(x->sockets,
						"%*d/%*d/%*[a-z]:%*u:%" SCNu64),
					 written);
		}
		free(h.sockets);
	}
}

/* ---- likwid ---- */

/* As likwid's groups for many processors have them. */
static void metrics_are_known(void **state)
{
	static const struct {
		const char *name;
		enum asl_likwid_volume volume;
	} known[] = {
		{"Memory read data volume [GBytes]", ASL_LIKWID_READ},
		{"Memory load data volume [GBytes]", ASL_LIKWID_READ},
		{"PMM read data volume [GBytes]", ASL_LIKWID_READ},
		{"Memory write data volume [GBytes]", ASL_LIKWID_WRITTEN},
		{"Memory evict data volume [GBytes]", ASL_LIKWID_WRITTEN},
		{"Memory writeback data volume [GBytes]", ASL_LIKWID_WRITTEN},
		{"PMM write data volume [GBytes]", ASL_LIKWID_WRITTEN},
		{"Memory data volume [GBytes]", ASL_LIKWID_OTHER},
		{"PMM data volume [GBytes]", ASL_LIKWID_OTHER},
		{"Memory data volume (channels 0-3) [GBytes]",
		 ASL_LIKWID_OTHER},
		{"Remote memory read data volume [GBytes]", ASL_LIKWID_OTHER},
		{"L3 load data volume [GBytes]", ASL_LIKWID_OTHER},
		{"Memory read bandwidth [MBytes/s]", ASL_LIKWID_OTHER},
		{"Runtime (RDTSC) [s]", ASL_LIKWID_OTHER},
		{"CPI", ASL_LIKWID_OTHER},
		{"", ASL_LIKWID_OTHER},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (asl_likwid_volume(known[i].name) != known[i].volume)
			fail_msg("'%s' is %d, expected %d", known[i].name,
				 asl_likwid_volume(known[i].name),
				 known[i].volume);
}

/* Where there is neither msr nor a daemon it is not even loaded. */
static void likwid_is_left_alone(void **state)
{
	struct asl_hwc_want want = {.backend = "likwid", .memory = true};
	struct asl_hwc *h;

	(void)state;
	if (!access("/dev/cpu/0/msr", F_OK)) {
		print_message("not checked: there is /dev/cpu/0/msr\n");
		return;
	}
	for (int i = 0; i < 2; i++) {
		assert_int_equal(asl_hwc_open(&h, &want), -ENODEV);
		assert_null(h);
		if (!strstr(asl_failure(), "no /dev/cpu/0/msr") &&
		    !strstr(asl_failure(), "built without it"))
			fail_msg("found '%s'", asl_failure());
	}
	want.backend = "papi";
	assert_int_equal(asl_hwc_open(&h, &want), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_are_exact),
		cmocka_unit_test(pmm_needs_its_processor),
		cmocka_unit_test(traffic_is_counted_once),
		cmocka_unit_test(readings_are_scaled),
		cmocka_unit_test(reasons_are_given),
		cmocka_unit_test(parts_are_enough),
		cmocka_unit_test(bad_files_are_refused),
		cmocka_unit_test(kernel_counts),
		cmocka_unit_test(hosts_are_added),
		cmocka_unit_test(metrics_are_known),
		cmocka_unit_test(likwid_is_left_alone),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
