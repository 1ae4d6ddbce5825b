/*
 * machine.c -- cores, caches and memories, as hwloc reports them, and binding
 *
 * hwloc omits processors that the machine, or the batch system's cpuset, does not
 * allow the job to use.  Within the rest, this process may be bound to a part,
 * often to a single core that a launcher chose.
 */
#include "lib/machine/machine.h"

#include <ctype.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/atomic_file.h"
#include "lib/base/error.h"
#include "lib/base/system.h"
#include "lib/machine/memories.h"
#include "lib/machine/topology.h"

/*
 * Caches
 *
 * A cache counts as shared by all cores that the job may use, since other ranks
 * run on those that this process does not.  On a machine with different cores the
 * values hold for each of them: a level is one that all cores have, and among
 * different caches the one with the least per core counts.
 */

/* For virtual machines that hide their caches: what fits L1 fits any other. */
#define ASSUMED_CACHE_BYTES (UINT64_C(32) << 10)

hwloc_obj_type_t asl_core_type(hwloc_topology_t t)
{
	return hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_CORE) > 0 ? HWLOC_OBJ_CORE
							       : HWLOC_OBJ_PU;
}

/* Cores, or processors where there are none, that `within` touches. */
static int list_cores(hwloc_obj_t *cores, hwloc_topology_t t,
		      hwloc_const_bitmap_t within)
{
	hwloc_obj_type_t type = asl_core_type(t);
	hwloc_obj_t o = NULL;
	int n = 0;

	while ((o = hwloc_get_next_obj_by_type(t, type, o)))
		if (hwloc_bitmap_intersects(o->cpuset, within)) {
			if (cores)
				cores[n] = o;
			n++;
		}
	return n;
}

/* Above a processor: the cache of a level; 0: the last one. */
static hwloc_obj_t cache_above(hwloc_obj_t o, int level)
{
	hwloc_obj_t found = NULL;

	for (; o; o = o->parent)
		if (hwloc_obj_type_is_dcache(o->type) && o->attr->cache.size &&
		    (!level || (int)o->attr->cache.depth == level))
			found = o;
	return found;
}

static struct asl_cache describe(hwloc_topology_t t, hwloc_obj_t cache)
{
	int cores = list_cores(NULL, t, cache->cpuset);

	return (struct asl_cache){
		.bytes = cache->attr->cache.size,
		/* Its processors need not belong to a core. */
		.cores = cores < 1 ? 1 : cores,
	};
}

static uint64_t share(struct asl_cache x)
{
	return x.bytes / (uint64_t)x.cores;
}

/*
 * The cache with the least per core, found from the processors up, since they
 * need not all have the same levels.  NULL: there is none, or not every processor
 * has this level.
 */
static hwloc_obj_t find_cache(struct asl_cache *out, hwloc_topology_t t,
			      int level)
{
	hwloc_obj_t pu = NULL, found = NULL, before = NULL;

	while ((pu = hwloc_get_next_obj_by_type(t, HWLOC_OBJ_PU, pu))) {
		hwloc_obj_t cache = cache_above(pu, level);
		struct asl_cache x;

		if (!cache && level)
			return NULL;
		if (!cache || cache == before)
			continue;
		before = cache;
		x = describe(t, cache);
		if (found && share(x) >= share(*out))
			continue;
		found = cache;
		*out = x;
	}
	return found;
}

/* t NULL: hwloc failed. */
static void find_caches(struct asl_machine *m, hwloc_topology_t t)
{
	struct asl_cache last = {ASSUMED_CACHE_BYTES, 1};
	hwloc_obj_t found = t ? find_cache(&last, t, 0) : NULL;

	m->cache_bytes = last.bytes;
	m->cache_cores = last.cores;
	m->cache_assumed = !found;
	m->cache_level = found ? (int)found->attr->cache.depth : 0;
	for (int i = 0; t && i < ASL_CACHE_LEVELS; i++)
		if (!find_cache(&m->level[i], t, i + 1))
			m->level[i] = (struct asl_cache){0};
}

/* ---- The machine, asked once ---- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct asl_machine machine;

/* Sockets that `within` touches; a machine that reports none is one. */
static int count_sockets(hwloc_topology_t t, hwloc_const_bitmap_t within)
{
	hwloc_obj_t o = NULL;
	int n = 0;

	while ((o = hwloc_get_next_obj_by_type(t, HWLOC_OBJ_PACKAGE, o)))
		n += hwloc_bitmap_intersects(o->cpuset, within);
	return n;
}

static void find_cores(struct asl_machine *m, hwloc_topology_t t)
{
	hwloc_bitmap_t bound = asl_topology_bound(t);

	if (!bound)
		return;
	m->cores = list_cores(NULL, t, bound);
	m->sockets = count_sockets(t, bound);
	m->bound =
		!hwloc_bitmap_isincluded(hwloc_get_root_obj(t)->cpuset, bound);
	hwloc_bitmap_free(bound);
}

/* Linux's nodes can report less memory than there is: ask elsewhere. */
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
	hwloc_topology_t t = asl_topology();

	if (t)
		find_cores(m, t);
	find_caches(m, t);
	if (m->cores < 1)
		m->cores = (int)sysconf(_SC_NPROCESSORS_ONLN);
	if (m->cores < 1)
		m->cores = 1;
	if (m->sockets < 1)
		m->sockets = 1;
	m->memory_bytes = find_memory(t);
	find_host(m, t);
	find_cpu(m, t);
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
		return asl_fail(-ENODEV,
				"%s: hwloc can't describe this machine", path);
	/* The length counts the zero at the end. */
	err = asl_atomic_file_put(path, xml, strlen(xml));
	hwloc_free_xmlbuffer(t, xml);
	return err;
}

static int at_least_1(int x)
{
	return x < 1 ? 1 : x;
}

/* A rank's threads fill several caches, or several ranks' threads one. */
static uint64_t share_words(struct asl_cache x, int ranks, int threads)
{
	int cores = asl_machine()->cores;
	int wide = at_least_1(threads < cores ? threads : cores);
	int fill = at_least_1(x.cores / wide);
	int sharing = at_least_1(ranks < fill ? ranks : fill);
	uint64_t caches = (uint64_t)at_least_1(wide / x.cores);
	uint64_t words = x.bytes / 8 * caches / (uint64_t)sharing;

	return words < 3 ? 3 : words;
}

uint64_t asl_machine_cache_words(int ranks, int threads)
{
	const struct asl_machine *m = asl_machine();
	struct asl_cache last = {m->cache_bytes, m->cache_cores};

	return share_words(last, ranks, threads);
}

uint64_t asl_machine_level_words(int level, int ranks, int threads)
{
	struct asl_cache x = {0};

	if (level > 0 && level <= ASL_CACHE_LEVELS)
		x = asl_machine()->level[level - 1];
	return x.bytes ? share_words(x, ranks, threads) : 0;
}

/*
 * Memories
 *
 * A node with special memory has a subtype (NVM, HBM, ...), or names the DAX
 * device that it was made of.  The speed of memories is in a table of the
 * firmware (HMAT) that most machines lack; it is then left out.
 */

static const struct attribute {
	const char *key;
	hwloc_memattr_id_t id;
} attributes[] = {
	{"bandwidth_mib_s", HWLOC_MEMATTR_ID_BANDWIDTH},
	{"read_bandwidth_mib_s", HWLOC_MEMATTR_ID_READ_BANDWIDTH},
	{"write_bandwidth_mib_s", HWLOC_MEMATTR_ID_WRITE_BANDWIDTH},
	{"latency_ns", HWLOC_MEMATTR_ID_LATENCY},
	{"read_latency_ns", HWLOC_MEMATTR_ID_READ_LATENCY},
	{"write_latency_ns", HWLOC_MEMATTR_ID_WRITE_LATENCY},
};

#define ATTRIBUTES (sizeof attributes / sizeof attributes[0])

json_t *asl_json_text(const char *from)
{
	json_t *json = json_string(from);
	char *plain;

	if (json)
		return json;
	plain = strdup(from);
	if (!plain)
		return NULL;
	for (char *c = plain; *c; c++)
		if ((unsigned char)*c > 0x7e)
			*c = '?';
	json = json_string(plain);
	free(plain);
	return json;
}

json_t *asl_json_count(uint64_t value)
{
	return json_integer((json_int_t)value);
}

/* Processors as Linux numbers them: "0-3,8". */
static json_t *processors(hwloc_const_cpuset_t set)
{
	char *list = NULL;
	json_t *json = NULL;

	if (set && hwloc_bitmap_list_asprintf(&list, set) >= 0)
		json = json_string(list);
	free(list);
	return json;
}

/* The processors that read or write, or that are near an object (a GPU). */
static hwloc_const_cpuset_t place_of(const struct hwloc_location *x)
{
	return x->type == HWLOC_LOCATION_TYPE_CPUSET
		       ? x->location.cpuset
		       : x->location.object->cpuset;
}

/* A value for each set of processors; NULL: there is none. */
static json_t *values(hwloc_topology_t t, hwloc_obj_t node,
		      hwloc_memattr_id_t id)
{
	enum { MOST = 64 };
	struct hwloc_location from[MOST];
	hwloc_uint64_t value[MOST];
	unsigned count = MOST;
	json_t *list;

	if (hwloc_memattr_get_initiators(t, id, node, 0, &count, from, value) ||
	    !count)
		return NULL;
	list = json_array();
	for (unsigned i = 0; i < count && i < MOST; i++)
		json_array_append_new(
			list, json_pack("{s:o*, s:o}", "from_cpus",
					processors(place_of(&from[i])), "value",
					asl_json_count(value[i])));
	return list;
}

static void add_text(json_t *node, const char *key, const char *value)
{
	if (value)
		json_object_set_new(node, key, asl_json_text(value));
}

/* NULL, which leaves a key out: hwloc was not told. */
static json_t *known(uint64_t bytes)
{
	return bytes ? asl_json_count(bytes) : NULL;
}

static json_t *describe_node(hwloc_topology_t t, hwloc_obj_t o)
{
	json_t *node = json_pack("{s:i, s:o*, s:o*}", "node", (int)o->os_index,
				 "bytes", known(o->attr->numanode.local_memory),
				 "local_cpus", processors(o->cpuset));
	char kind[ASL_MEMORY_KIND];
	bool mixed = asl_memory_kind(kind, t, o);

	add_text(node, "kind", kind);
	/* hwloc's subtype is that of the device. */
	if (!mixed)
		add_text(node, "subtype", o->subtype);
	add_text(node, mixed ? "dax_device_added" : "dax_device",
		 hwloc_obj_get_info_by_name(o, "DAXDevice"));
	/* Persistent memory in Memory Mode has a cache in front of it. */
	if (o->parent && o->parent->type == HWLOC_OBJ_MEMCACHE)
		json_object_set_new(
			node, "memory_side_cache_bytes",
			asl_json_count(o->parent->attr->cache.size));
	for (size_t i = 0; i < ATTRIBUTES; i++) {
		json_t *list = values(t, o, attributes[i].id);

		if (list)
			json_object_set_new(node, attributes[i].key, list);
	}
	return node;
}

json_t *asl_tiers(hwloc_topology_t t)
{
	json_t *all = json_array();
	hwloc_obj_t o = NULL;

	while ((o = hwloc_get_next_obj_by_type(t, HWLOC_OBJ_NUMANODE, o)))
		json_array_append_new(all, describe_node(t, o));
	return all;
}

/*
 * Binding: ranks to cores, or to sockets
 *
 * A rank stays within the processors that the launcher gave it: it shares them
 * with those ranks that were given exactly the same.  Memory needs no binding of
 * its own: Linux allocates a page near the process that first touches it.
 */

static const char *const bind_names[] = {"none", "core", "socket", NULL};

const char *const *asl_bind_names(void)
{
	return bind_names;
}

static hwloc_obj_t socket_of(hwloc_topology_t t, hwloc_obj_t core)
{
	hwloc_obj_t o =
		hwloc_get_ancestor_obj_by_type(t, HWLOC_OBJ_PACKAGE, core);

	return o ? o : hwloc_get_root_obj(t);
}

int asl_bind_choose(hwloc_bitmap_t out, hwloc_topology_t t,
		    hwloc_const_bitmap_t within, bool socket, int mate,
		    int mates)
{
	int64_t count = list_cores(NULL, t, within);
	hwloc_obj_t *cores = calloc((size_t)count + 1, sizeof *cores), core;

	if (!cores)
		return -ENOMEM;
	if (!count) {
		free(cores);
		return -ENODEV;
	}
	list_cores(cores, t, within);
	core = cores[mate * count / mates];
	free(cores);
	if (socket)
		core = socket_of(t, core);
	return hwloc_bitmap_and(out, core->cpuset, within) ? -ENOMEM : 0;
}

int asl_bind_own_cores(hwloc_topology_t t, hwloc_const_bitmap_t within,
		       bool socket, int mate, int mates)
{
	hwloc_bitmap_t mine = hwloc_bitmap_alloc(), its = hwloc_bitmap_alloc();
	int sharing = 0, cores = 1;

	if (mine && its &&
	    !asl_bind_choose(mine, t, within, socket, mate, mates)) {
		cores = list_cores(NULL, t, mine);
		for (int i = 0; i < mates; i++)
			sharing += !asl_bind_choose(its, t, within, socket, i,
						    mates) &&
				   hwloc_bitmap_isequal(its, mine);
	}
	hwloc_bitmap_free(mine);
	hwloc_bitmap_free(its);
	return at_least_1(cores / at_least_1(sharing));
}

/* The binding at the start of this process; NULL: not yet asked, or unknown. */
static hwloc_bitmap_t begun;

static int bind_failed(const char *to, int err)
{
	return asl_fail(err, "no rank can be bound to a %s here: %s", to,
			err == -ENODEV ? "hwloc does not see this machine, or "
					 "has been told of another"
				       : strerror(-err));
}

static int remember(hwloc_topology_t t)
{
	if (begun)
		return 0;
	if (!t || !hwloc_topology_is_thissystem(t))
		return -ENODEV;
	begun = hwloc_bitmap_alloc();
	if (!begun)
		return -ENOMEM;
	if (!hwloc_get_cpubind(t, begun, HWLOC_CPUBIND_PROCESS))
		return 0;
	hwloc_bitmap_free(begun);
	begun = NULL;
	return -errno;
}

static int bind_to(hwloc_topology_t t, bool socket, int mate, int mates)
{
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	int err = set ? asl_bind_choose(set, t, begun, socket, mate, mates)
		      : -ENOMEM;

	if (!err && hwloc_set_cpubind(t, set, HWLOC_CPUBIND_PROCESS))
		err = -errno;
	hwloc_bitmap_free(set);
	return err;
}

int asl_machine_bind(const char *to, int mate, int mates)
{
	hwloc_topology_t t = asl_topology();
	bool none = !strcmp(to, "none");
	int err;

	if (none && !begun)
		return 0;
	err = remember(t);
	if (!err && !none)
		err = bind_to(t, !strcmp(to, "socket"), mate, mates);
	else if (!err && hwloc_set_cpubind(t, begun, HWLOC_CPUBIND_PROCESS))
		err = -errno;
	return err ? bind_failed(to, err) : 0;
}

int asl_machine_own_cores(const char *to, int mate, int mates)
{
	if (!strcmp(to, "none") || !begun)
		return at_least_1(asl_machine()->cores / mates);
	return asl_bind_own_cores(asl_topology(), begun, !strcmp(to, "socket"),
				  mate, mates);
}

void asl_machine_cpus(char *text, size_t capacity)
{
	hwloc_topology_t t = asl_topology();
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	int length = 0;

	*text = '\0';
	if (set && t && hwloc_topology_is_thissystem(t) &&
	    !hwloc_get_cpubind(t, set, HWLOC_CPUBIND_PROCESS))
		length = hwloc_bitmap_list_snprintf(text, capacity, set);
	hwloc_bitmap_free(set);
	if (length >= (int)capacity)
		memcpy(text + capacity - 4, "...", 4);
}
