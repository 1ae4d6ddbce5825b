/*
 * machine.c -- cores, caches and memory, as hwloc sees them
 *
 * hwloc leaves out what the machine, or the batch system's cpuset, does not
 * allow the job to use.  Of the rest, this process may be bound to a part, often
 * to a single core that a launcher chose.
 */
#include "lib/machine/machine.h"

#include <ctype.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/machine/memory.h"
#include "lib/machine/topology.h"
#include "lib/matrix/aside.h"
#include "lib/matrix/format.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static hwloc_topology_t topology;
static struct asl_machine machine;

static hwloc_topology_t load(void)
{
	hwloc_topology_t t;

	if (hwloc_topology_init(&t) != 0)
		return NULL;
	if (hwloc_topology_load(t) == 0)
		return t;
	hwloc_topology_destroy(t);
	return NULL;
}

/* A binding is that of a process here, which says nothing of other machines. */
static void find_cores(struct asl_machine *m, hwloc_topology_t t)
{
	hwloc_bitmap_t bound = hwloc_bitmap_alloc();

	if (!bound)
		return;
	if (!hwloc_topology_is_thissystem(t) ||
	    hwloc_get_cpubind(t, bound, HWLOC_CPUBIND_PROCESS) != 0)
		hwloc_bitmap_fill(bound);
	m->cores = asl_count_cores(t, bound);
	m->bound =
		!hwloc_bitmap_isincluded(hwloc_get_root_obj(t)->cpuset, bound);
	hwloc_bitmap_free(bound);
}

/* What Linux says of its nodes can be less than it has: count it ourselves. */
static uint64_t find_memory(hwloc_topology_t t)
{
	uint64_t recorded = 0;

	if (t && !hwloc_topology_is_thissystem(t))
		recorded = hwloc_get_root_obj(t)->total_memory;
	return recorded ? recorded : asl_memory_limit("");
}

static void find_host(struct asl_machine *m, hwloc_topology_t t)
{
	const char *recorded = NULL;

	if (t && !hwloc_topology_is_thissystem(t))
		recorded = hwloc_obj_get_info_by_name(hwloc_get_root_obj(t),
						      "HostName");
	if (recorded)
		snprintf(m->host, sizeof(m->host), "%s", recorded);
	else if (gethostname(m->host, sizeof(m->host) - 1) != 0)
		strcpy(m->host, "unknown");
}

/* Vendors pad the model's name with blanks. */
static void squeeze(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++)
		if (!isspace((unsigned char)*from))
			*to++ = *from;
		else if (to > text && to[-1] != ' ')
			*to++ = ' ';
	if (to > text && to[-1] == ' ')
		to--;
	*to = '\0';
}

static void find_cpu(struct asl_machine *m, hwloc_topology_t t)
{
	hwloc_obj_t package =
		t ? hwloc_get_obj_by_type(t, HWLOC_OBJ_PACKAGE, 0) : NULL;
	const char *model = NULL;

	if (package)
		model = hwloc_obj_get_info_by_name(package, "CPUModel");
	if (!model && t)
		model = hwloc_obj_get_info_by_name(hwloc_get_root_obj(t),
						   "CPUModel");
	snprintf(m->cpu, sizeof(m->cpu), "%s", model ? model : "unknown");
	squeeze(m->cpu);
}

static void ask(void)
{
	struct asl_machine *m = &machine;

	topology = load();
	if (topology)
		find_cores(m, topology);
	asl_find_caches(m, topology);
	if (m->cores < 1)
		m->cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
	if (m->cores < 1)
		m->cores = 1;
	m->memory_bytes = find_memory(topology);
	find_host(m, topology);
	find_cpu(m, topology);
}

hwloc_topology_t asl_topology(void)
{
	pthread_once(&once, ask);
	return topology;
}

const struct asl_machine *asl_machine(void)
{
	pthread_once(&once, ask);
	return &machine;
}

uint64_t asl_machine_memory_words(int ranks)
{
	return asl_machine()->memory_bytes / 8 /
	       (uint64_t)(ranks < 1 ? 1 : ranks);
}

int asl_machine_write_topology(const char *path)
{
	hwloc_topology_t t = asl_topology();
	int length, err;
	char *xml;

	if (!t || hwloc_topology_export_xmlbuffer(t, &xml, &length, 0) != 0)
		return asl_file_fail(
			-ENODEV, "%s: hwloc can't describe this machine", path);
	/* The length counts the zero at the end. */
	err = asl_aside_put(path, xml, strlen(xml));
	hwloc_free_xmlbuffer(t, xml);
	return err;
}
