/*
 * machine_topology.c -- what is said of this machine, and of others
 *
 * hwloc is asked once in a process: every machine, real, recorded or invented,
 * gets a process of its own.  The limits of control groups are read from an
 * invented /proc and /sys.
 */
#include <errno.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/base/error.h"
#include "lib/base/system.h"
#include "lib/machine/machine.h"
#include "lib/matrix/file.h"

static char dir[64];

/* ---- Machines ---- */

struct expected {
	const char *machine; /* as HWLOC_SYNTHETIC has it */
	int cores;
	uint64_t cache_bytes;
	int cache_cores;
	bool cache_assumed;
};

static const struct expected invented[] = {
	{"pack:2 l3:1(size=33554432) core:16 pu:1", 32, 33554432, 16, false},
	{"pack:2 l3:1(size=33554432) core:16 pu:2", 32, 33554432, 16, false},
	{"pack:2 l3:4(size=16777216) core:4 pu:2", 32, 16777216, 4, false},
	{"pack:1 l3:1(size=8388608) l2:4(size=1048576) l1:1(size=32768) "
	 "core:1 pu:2",
	 4, 8388608, 4, false},
	{"pack:1 l2:3(size=2097152) core:2 pu:1", 6, 2097152, 2, false},
	{"pack:1 core:5 pu:1", 5, 32768, 1, true},
	{"pu:3", 3, 32768, 1, true},
	{"numa:2(memory=1073741824) l3:1(size=1048576) core:3 pu:1", 6, 1048576,
	 3, false},
};

#define INVENTED (sizeof(invented) / sizeof(invented[0]))

/* fail_msg would run the parent's tests again in the child. */
#define EXPECT(a, b) expect(#a, (long long)(a), (long long)(b), __LINE__)

static void expect(const char *what, long long found, long long expected,
		   int line)
{
	if (found == expected)
		return;
	fprintf(stderr, "line %d: %s is %lld, expected %lld\n", line, what,
		found, expected);
	_exit(1);
}

static void in_child(void (*check)(const void *), const void *data)
{
	pid_t child = fork();
	int status;

	assert_true(child >= 0);
	if (child == 0) {
		check(data);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void is_described(const struct expected *e)
{
	const struct asl_machine *m = asl_machine();

	EXPECT(m->cores, e->cores);
	EXPECT(m->cache_bytes, e->cache_bytes);
	EXPECT(m->cache_cores, e->cache_cores);
	EXPECT(m->cache_assumed, e->cache_assumed);
}

static void shares_are_fair(const struct expected *e)
{
	uint64_t words = e->cache_bytes / 8,
		 memory = asl_machine()->memory_bytes;

	for (int ranks = 1; ranks < 70; ranks++) {
		int sharing = ranks < e->cache_cores ? ranks : e->cache_cores;

		EXPECT(asl_machine_cache_words(ranks, 1),
		       words / (uint64_t)sharing);
		EXPECT(asl_machine_memory_words(ranks),
		       memory / 8 / (uint64_t)ranks);
	}
}

static void check_invented(const void *data)
{
	const struct expected *e = data;

	setenv("HWLOC_SYNTHETIC", e->machine, 1);
	is_described(e);
	shares_are_fair(e);
}

static void invented_machines(void **state)
{
	(void)state;
	for (size_t i = 0; i < INVENTED; i++)
		in_child(check_invented, &invented[i]);
}

/* ---- Levels of cache ---- */

struct levels {
	const char *machine;
	int cores; /* allowed */
	struct asl_cache level[ASL_CACHE_LEVELS];
	int last;
};

static const struct levels levels[] = {
	{"pack:2 l3:1(size=33554432) l2:8(size=1048576) l1:2(size=32768) "
	 "core:1 pu:2",
	 32,
	 {{32768, 1}, {1048576, 2}, {33554432, 16}},
	 3},
	{"pack:3 l2:2(size=3000000) core:3 pu:1", 18, {{0}, {3000000, 3}}, 2},
	{"l4:1(size=99999999) l3:3(size=5000000) l1:5(size=48000) pu:1",
	 15,
	 {{48000, 1}, {0}, {5000000, 5}, {99999999, 15}},
	 4},
	{"pu:3", 3, {{0}}, 0},
};

/* A rank's threads fill several caches, or several ranks' threads one. */
static void check_threads(const struct asl_cache *x, int level)
{
	int all = asl_machine()->cores, cores = x->cores;

	for (int threads = 1; threads <= all && x->bytes; threads++)
		for (int ranks = 1; ranks * threads <= all; ranks++) {
			uint64_t words =
				asl_machine_level_words(level, ranks, threads);
			int fit = cores / threads ? cores / threads : 1;
			int sharing = ranks < fit ? ranks : fit;
			int whole = threads / cores ? threads / cores : 1;

			EXPECT(words, x->bytes / 8 * (uint64_t)whole /
					      (uint64_t)sharing);
			/* Ranks that fill the cores fill the caches. */
			if (ranks * threads == all &&
			    (cores % threads == 0 || threads % cores == 0))
				EXPECT(words * (uint64_t)ranks / 100,
				       x->bytes / 8 * (uint64_t)(all / cores) /
					       100);
		}
	EXPECT(asl_machine_level_words(level, 1, 1000),
	       asl_machine_level_words(level, 1, all));
}

static void check_levels(const void *data)
{
	const struct levels *e = data;
	const struct asl_machine *m;

	setenv("HWLOC_SYNTHETIC", e->machine, 1);
	m = asl_machine();
	EXPECT(m->cores, e->cores);
	EXPECT(m->cache_level, e->last);
	for (int i = 0; i < ASL_CACHE_LEVELS; i++) {
		const struct asl_cache *x = &e->level[i];

		EXPECT(m->level[i].bytes, x->bytes);
		EXPECT(m->level[i].cores, x->cores);
		for (int ranks = 1; ranks < 40; ranks++) {
			int sharing = ranks < x->cores ? ranks : x->cores;

			EXPECT(asl_machine_level_words(i + 1, ranks, 1),
			       x->bytes ? x->bytes / 8 / (uint64_t)sharing : 0);
			if (i + 1 == e->last)
				EXPECT(asl_machine_cache_words(ranks, 1),
				       asl_machine_level_words(i + 1, ranks,
							       1));
		}
		check_threads(x, i + 1);
	}
	EXPECT(asl_machine_level_words(0, 1, 1), 0);
	EXPECT(asl_machine_level_words(ASL_CACHE_LEVELS + 1, 1, 1), 0);
}

static void shares_of_every_level(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++)
		in_child(check_levels, &levels[i]);
}

/* A binding of this process is no binding on a machine that is not here. */
static void check_bound_elsewhere(const void *data)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	EXPECT(sched_setaffinity(0, sizeof(one), &one), 0);
	check_invented(data);
}

static void bindings_are_local(void **state)
{
	(void)state;
	in_child(check_bound_elsewhere, &invented[0]);
}

static void topology_path(char path[128])
{
	snprintf(path, 128, "%s/topology.xml", dir);
}

static void check_record(const void *data)
{
	char path[128];

	topology_path(path);
	check_invented(data);
	EXPECT(asl_machine_write_topology(path), 0);
}

static void check_recorded(const void *data)
{
	char path[128];

	topology_path(path);
	setenv("HWLOC_XMLFILE", path, 1);
	is_described(data);
}

static void recorded_machines(void **state)
{
	(void)state;
	for (size_t i = 0; i < INVENTED; i++) {
		in_child(check_record, &invented[i]);
		in_child(check_recorded, &invented[i]);
	}
}

static const char *const foreign_xml =
	"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	"<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"
	"<topology version=\"2.0\">\n"
	"<object type=\"Machine\" os_index=\"0\" cpuset=\"0xf\" "
	"complete_cpuset=\"0xf\" allowed_cpuset=\"0xf\" nodeset=\"0x3\" "
	"complete_nodeset=\"0x3\" allowed_nodeset=\"0x3\" gp_index=\"1\">\n"
	"<info name=\"HostName\" value=\"far-away\"/>\n"
	"<object type=\"Package\" os_index=\"0\" cpuset=\"0xf\" "
	"complete_cpuset=\"0xf\" nodeset=\"0x3\" complete_nodeset=\"0x3\" "
	"gp_index=\"2\">\n"
	"<info name=\"CPUModel\" value=\"  Great   CPU 9 \"/>\n"
	"<object type=\"NUMANode\" os_index=\"0\" cpuset=\"0xf\" "
	"complete_cpuset=\"0xf\" nodeset=\"0x1\" complete_nodeset=\"0x1\" "
	"gp_index=\"3\" local_memory=\"1000000000\"/>\n"
	"<object type=\"NUMANode\" os_index=\"1\" cpuset=\"0xf\" "
	"complete_cpuset=\"0xf\" nodeset=\"0x2\" complete_nodeset=\"0x2\" "
	"gp_index=\"4\" local_memory=\"4000000000\" subtype=\"NVM\"/>\n"
	"%s"
	"</object></object></topology>\n";

/* Two fast cores with a large cache, two slow ones with a small one. */
static const char *const uneven =
	"<object type=\"L3Cache\" cpuset=\"0x3\" complete_cpuset=\"0x3\" "
	"nodeset=\"0x3\" complete_nodeset=\"0x3\" gp_index=\"5\" "
	"cache_size=\"8000000\" depth=\"3\" cache_linesize=\"64\" "
	"cache_associativity=\"0\" cache_type=\"0\">\n"
	"<object type=\"Core\" os_index=\"0\" cpuset=\"0x1\" "
	"complete_cpuset=\"0x1\" nodeset=\"0x3\" complete_nodeset=\"0x3\" "
	"gp_index=\"6\"><object type=\"PU\" os_index=\"0\" cpuset=\"0x1\" "
	"complete_cpuset=\"0x1\" nodeset=\"0x3\" complete_nodeset=\"0x3\" "
	"gp_index=\"7\"/></object>\n"
	"<object type=\"Core\" os_index=\"1\" cpuset=\"0x2\" "
	"complete_cpuset=\"0x2\" nodeset=\"0x3\" complete_nodeset=\"0x3\" "
	"gp_index=\"8\"><object type=\"PU\" os_index=\"1\" cpuset=\"0x2\" "
	"complete_cpuset=\"0x2\" nodeset=\"0x3\" complete_nodeset=\"0x3\" "
	"gp_index=\"9\"/></object></object>\n"
	"<object type=\"L2Cache\" cpuset=\"0xc\" complete_cpuset=\"0xc\" "
	"nodeset=\"0x3\" complete_nodeset=\"0x3\" gp_index=\"10\" "
	"cache_size=\"2000000\" depth=\"2\" cache_linesize=\"64\" "
	"cache_associativity=\"0\" cache_type=\"0\">\n"
	"<object type=\"Core\" os_index=\"2\" cpuset=\"0x4\" "
	"complete_cpuset=\"0x4\" nodeset=\"0x3\" complete_nodeset=\"0x3\" "
	"gp_index=\"11\"><object type=\"PU\" os_index=\"2\" cpuset=\"0x4\" "
	"complete_cpuset=\"0x4\" nodeset=\"0x3\" complete_nodeset=\"0x3\" "
	"gp_index=\"12\"/></object>\n"
	"<object type=\"Core\" os_index=\"3\" cpuset=\"0x8\" "
	"complete_cpuset=\"0x8\" nodeset=\"0x3\" complete_nodeset=\"0x3\" "
	"gp_index=\"13\"><object type=\"PU\" os_index=\"3\" cpuset=\"0x8\" "
	"complete_cpuset=\"0x8\" nodeset=\"0x3\" complete_nodeset=\"0x3\" "
	"gp_index=\"14\"/></object></object>\n";

static const char *string_in(const json_t *all, const char *key)
{
	const char *s = json_string_value(json_object_get(all, key));

	return s ? s : "(nothing)";
}

static void same_text(const char *found, const char *expected)
{
	if (strcmp(found, expected) == 0)
		return;
	fprintf(stderr, "'%s', expected '%s'\n", found, expected);
	_exit(1);
}

static void check_uneven(const void *data)
{
	static const struct expected e = {NULL, 4, 2000000, 2, false};
	json_t *all, *numa;
	char path[128];

	(void)data;
	topology_path(path);
	setenv("HWLOC_XMLFILE", path, 1);
	is_described(&e);
	/* Two cores have no third level: it is nobody's to count on. */
	EXPECT(asl_machine_level_words(3, 1, 1), 0);
	EXPECT(asl_machine()->cache_level, 2);
	EXPECT(asl_machine()->memory_bytes, 5000000000);
	same_text(asl_machine()->host, "far-away");
	same_text(asl_machine()->cpu, "Great CPU 9");
	all = asl_machine_json();
	EXPECT(json_array_size(json_object_get(all, "caches")), 2);
	numa = json_object_get(all, "numa");
	EXPECT(json_array_size(numa), 2);
	EXPECT(json_integer_value(
		       json_object_get(json_array_get(numa, 1), "bytes")),
	       4000000000);
	same_text(string_in(json_array_get(numa, 1), "subtype"), "NVM");
	same_text(string_in(json_array_get(numa, 0), "subtype"), "(nothing)");
	EXPECT(json_is_false(
		       json_object_get(all, "topology_is_of_this_machine")),
	       1);
	json_decref(all);
}

static void an_uneven_machine(void **state)
{
	char path[128];
	FILE *f;

	(void)state;
	topology_path(path);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, foreign_xml, uneven);
	assert_int_equal(fclose(f), 0);
	in_child(check_uneven, NULL);
}

/* ---- This machine ---- */

static void check_here(const void *data)
{
	const struct asl_machine *m = asl_machine();
	uint64_t physical = (uint64_t)sysconf(_SC_PHYS_PAGES) *
			    (uint64_t)sysconf(_SC_PAGESIZE);
	cpu_set_t mine;
	char host[128];

	(void)data;
	EXPECT(m == asl_machine(), 1);
	EXPECT(sched_getaffinity(0, sizeof(mine), &mine), 0);
	EXPECT(m->cores >= 1 && m->cores <= CPU_COUNT(&mine), 1);
	EXPECT(m->cache_cores >= 1, 1);
	EXPECT(m->cache_bytes >= 32768, 1);
	EXPECT(m->memory_bytes > 0 && m->memory_bytes <= physical, 1);
	EXPECT(gethostname(host, sizeof(host)), 0);
	same_text(m->host, host);
	EXPECT(m->cpu[0] != '\0', 1);
	EXPECT(asl_machine_cache_words(0, 1), m->cache_bytes / 8);
}

static void check_bound(const void *data)
{
	int all = *(const int *)data;
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(sched_getcpu(), &one);
	EXPECT(sched_setaffinity(0, sizeof(one), &one), 0);
	EXPECT(asl_machine()->cores, 1);
	/* The fellow ranks are on the others. */
	EXPECT(asl_machine()->cache_cores, all);
}

static void write_count(const void *data)
{
	char path[128];
	FILE *f;

	(void)data;
	snprintf(path, sizeof(path), "%s/count", dir);
	f = fopen(path, "w");
	EXPECT(f != NULL, 1);
	fprintf(f, "%d", asl_machine()->cache_cores);
	EXPECT(fclose(f), 0);
}

static void this_machine(void **state)
{
	char path[128];
	int shared = 0;
	FILE *f;

	(void)state;
	in_child(check_here, NULL);
	in_child(write_count, NULL);
	snprintf(path, sizeof(path), "%s/count", dir);
	f = fopen(path, "r");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%d", &shared), 1);
	fclose(f);
	in_child(check_bound, &shared);
}

static void check_json(const void *data)
{
	static const char *const strings[] = {
		"aslant", "compiler", "build_type", "build_flags",
		"host",	  "kernel",   "cpu",	    "hwloc_api"};
	json_t *all, *environment;
	char *text;

	(void)data;
	setenv("FI_PROVIDER", "shm", 1);
	setenv("PMEM_NO_FLUSH", "1=2", 1);
	setenv("PMEMOBJ_CONF", "", 1);
	setenv("SLURM_JWT", "hush", 1);
	setenv("OMP_ODD", "\xff\xfe!", 1);
	setenv("MY_FI_PROVIDER", "x", 1);
	all = asl_machine_json();
	EXPECT(all != NULL, 1);
	for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++)
		EXPECT(strlen(string_in(all, strings[i])) > 0 &&
			       strcmp(string_in(all, strings[i]),
				      "(nothing)") != 0,
		       1);
	EXPECT(strlen(string_in(all, "time_utc")), 20);
	EXPECT(string_in(all, "time_utc")[19], 'Z');
	EXPECT(json_integer_value(json_object_get(all, "memory_bytes")),
	       asl_machine()->memory_bytes);
	EXPECT(json_array_size(json_object_get(all, "numa")) >= 1, 1);
	environment = json_object_get(all, "environment");
	same_text(string_in(environment, "FI_PROVIDER"), "shm");
	same_text(string_in(environment, "PMEM_NO_FLUSH"), "1=2");
	same_text(string_in(environment, "PMEMOBJ_CONF"), "");
	same_text(string_in(environment, "SLURM_JWT"), "(withheld)");
	same_text(string_in(environment, "OMP_ODD"), "?\?!");
	same_text(string_in(environment, "MY_FI_PROVIDER"), "(nothing)");
	text = json_dumps(all, 0);
	EXPECT(text != NULL, 1);
	EXPECT(strstr(text, "hush") == NULL, 1);
	free(text);
	json_decref(all);
}

static void provenance(void **state)
{
	(void)state;
	in_child(check_json, NULL);
}

static void check_bad_places(const void *data)
{
	char path[128];

	(void)data;
	snprintf(path, sizeof(path), "%s/none/topology.xml", dir);
	EXPECT(asl_machine_write_topology(path), -ENOENT);
	EXPECT(strstr(asl_failure(), path) != NULL, 1);
	EXPECT(asl_machine_write_topology(dir), -EISDIR);
}

static void topologies_in_bad_places(void **state)
{
	(void)state;
	in_child(check_bad_places, NULL);
}

/* ---- Control groups ---- */

static char root[128];

static void make(const char *path, const char *text)
{
	char name[512];
	FILE *f;

	snprintf(name, sizeof(name), "%s%s", root, path);
	for (char *c = name + strlen(root) + 1; *c; c++)
		if (*c == '/') {
			*c = '\0';
			mkdir(name, 0700);
			*c = '/';
		}
	f = fopen(name, "w");
	assert_non_null(f);
	fputs(text, f);
	assert_int_equal(fclose(f), 0);
}

static void new_root(void)
{
	static int n;

	snprintf(root, sizeof(root), "%s/root%d", dir, n++);
	assert_int_equal(mkdir(root, 0700), 0);
}

static uint64_t unlimited(void)
{
	return (uint64_t)sysconf(_SC_PHYS_PAGES) *
	       (uint64_t)sysconf(_SC_PAGESIZE);
}

#define V2 "35 24 0:30 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw\n"
#define V1                                                                     \
	"34 24 0:29 / /cg/cpu rw - cgroup cgroup rw,cpu\n"                     \
	"35 24 0:30 / /cg/memory rw shared:9 - cgroup cgroup rw,memory\n"

static void no_groups_no_limit(void **state)
{
	(void)state;
	new_root();
	assert_int_equal(asl_memory_limit(root), unlimited());
	make("/proc/self/mountinfo", "22 27 0:21 / /proc rw - proc proc rw\n");
	assert_int_equal(asl_memory_limit(root), unlimited());
	make("/proc/self/mountinfo", V2);
	make("/proc/self/cgroup", "0::/a/b\n");
	assert_int_equal(asl_memory_limit(root), unlimited());
}

static void limits_of_version_2(void **state)
{
	(void)state;
	new_root();
	make("/proc/self/mountinfo", V2);
	make("/proc/self/cgroup", "0::/slurm/job_7/step_0\n");
	make("/sys/fs/cgroup/slurm/job_7/step_0/memory.max", "max\n");
	assert_int_equal(asl_memory_limit(root), unlimited());
	make("/sys/fs/cgroup/slurm/job_7/memory.max", "50000000\n");
	assert_int_equal(asl_memory_limit(root), 50000000);
	make("/sys/fs/cgroup/slurm/job_7/step_0/memory.max", "40000000\n");
	assert_int_equal(asl_memory_limit(root), 40000000);
	make("/sys/fs/cgroup/slurm/memory.max", "30000000\n");
	assert_int_equal(asl_memory_limit(root), 30000000);
	/* Where version 1 is mounted as well, its paths are others. */
	make("/sys/fs/cgroup/x/memory.max", "1000\n");
	make("/proc/self/cgroup", "4:memory:/x\n0::/slurm/job_7\n3:cpu:/x\n");
	assert_int_equal(asl_memory_limit(root), 30000000);
	/* A neighbour's limit is not ours. */
	make("/sys/fs/cgroup/slurm/job_8/memory.max", "1000\n");
	assert_int_equal(asl_memory_limit(root), 30000000);
	make("/sys/fs/cgroup/memory.max", "20000000\n");
	assert_int_equal(asl_memory_limit(root), 20000000);
}

static void limits_of_version_1(void **state)
{
	(void)state;
	new_root();
	make("/proc/self/mountinfo", V1);
	make("/proc/self/cgroup",
	     "9:cpu,cpuacct:/x\n4:memory:/job\n0::/elsewhere\n");
	make("/cg/memory/memory.limit_in_bytes", "9223372036854771712\n");
	make("/cg/memory/x/memory.limit_in_bytes", "1000\n");
	assert_int_equal(asl_memory_limit(root), unlimited());
	make("/cg/memory/job/memory.limit_in_bytes", "0\n");
	assert_int_equal(asl_memory_limit(root), unlimited());
	make("/cg/memory/job/memory.limit_in_bytes", "60000000\n");
	assert_int_equal(asl_memory_limit(root), 60000000);
}

/* In a container the mount shows our own group, or less than the path says. */
static void limits_in_containers(void **state)
{
	(void)state;
	new_root();
	make("/proc/self/mountinfo",
	     "35 24 0:30 /docker/123 /cg rw - cgroup cgroup rw,memory\n");
	make("/proc/self/cgroup", "4:memory:/docker/123/inner\n");
	make("/cg/memory.limit_in_bytes", "70000000\n");
	assert_int_equal(asl_memory_limit(root), 70000000);
	make("/cg/inner/memory.limit_in_bytes", "60000000\n");
	assert_int_equal(asl_memory_limit(root), 60000000);
	make("/proc/self/cgroup", "4:memory:/docker/1234/inner\n");
	assert_int_equal(asl_memory_limit(root), 70000000);
	make("/proc/self/cgroup", "nonsense\n4\n:\n");
	assert_int_equal(asl_memory_limit(root), 70000000);
}

static int make_dir(void **state)
{
	(void)state;
	unsetenv("HWLOC_XMLFILE");
	unsetenv("HWLOC_SYNTHETIC");
	strcpy(dir, "/tmp/machine_topology.XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(invented_machines),
		cmocka_unit_test(shares_of_every_level),
		cmocka_unit_test(bindings_are_local),
		cmocka_unit_test(recorded_machines),
		cmocka_unit_test(an_uneven_machine),
		cmocka_unit_test(this_machine),
		cmocka_unit_test(provenance),
		cmocka_unit_test(topologies_in_bad_places),
		cmocka_unit_test(no_groups_no_limit),
		cmocka_unit_test(limits_of_version_2),
		cmocka_unit_test(limits_of_version_1),
		cmocka_unit_test(limits_in_containers),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
