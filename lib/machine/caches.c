/*
 * caches.c -- what caches there are, and a rank's fair share of them
 *
 * A cache is shared with all cores that the job may use, since fellow ranks sit
 * on what is not ours.  Where the cores of a machine differ, what is said holds
 * for each of them: a level is one that all have, and of unequal caches the one
 * with least per core counts.
 */
#include "lib/machine/machine.h"
#include "lib/machine/topology.h"

/*
 * Where the cache is hidden, as on some virtual machines: the first-level
 * cache that every core has for itself.  Less than there is, but there for
 * sure: a schedule that fits it fits whatever is behind.
 */
#define ASSUMED_CACHE_BYTES (UINT64_C(32) << 10)

hwloc_obj_type_t asl_core_type(hwloc_topology_t t)
{
	return hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_CORE) > 0 ? HWLOC_OBJ_CORE
							       : HWLOC_OBJ_PU;
}

int asl_count_cores(hwloc_topology_t t, hwloc_const_cpuset_t set)
{
	hwloc_obj_type_t type = asl_core_type(t);
	hwloc_obj_t o = NULL;
	int n = 0;

	while ((o = hwloc_get_next_obj_by_type(t, type, o)))
		n += hwloc_bitmap_intersects(o->cpuset, set);
	return n;
}

/* Above a processor: the cache of a level, or (0) the last one. */
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
	int cores = asl_count_cores(t, cache->cpuset);

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
 * From the processors up, for they need not all have the same levels.  Returns
 * the cache found that has least per core; NULL: there is none, or not every
 * processor has one of this level.
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

void asl_find_caches(struct asl_machine *m, hwloc_topology_t t)
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

static uint64_t share_words(struct asl_cache x, int ranks)
{
	int sharing = ranks < x.cores ? ranks : x.cores;
	uint64_t words = x.bytes / 8 / (uint64_t)(sharing < 1 ? 1 : sharing);

	return words < 3 ? 3 : words;
}

uint64_t asl_machine_cache_words(int ranks)
{
	const struct asl_machine *m = asl_machine();
	struct asl_cache last = {m->cache_bytes, m->cache_cores};

	return share_words(last, ranks);
}

uint64_t asl_machine_level_words(int level, int ranks)
{
	struct asl_cache x = {0};

	if (level > 0 && level <= ASL_CACHE_LEVELS)
		x = asl_machine()->level[level - 1];
	return x.bytes ? share_words(x, ranks) : 0;
}
