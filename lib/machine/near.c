/*
 * near.c -- how far memories are from the cores of a rank
 */
#include "lib/machine/near.h"

#include <limits.h>

#include "lib/machine/topology.h"

/* ---- Nodes of cores ---- */

/*
 * The node that a processor belongs to.  hwloc lists memory without processors
 * next to the processors that it is near, too: their own node comes first, since
 * firmware numbers nodes with processors first, and has no others.
 */
static hwloc_obj_t node_of(hwloc_topology_t t, unsigned pu)
{
	hwloc_obj_t o = NULL, found = NULL;

	while ((o = hwloc_get_next_obj_by_type(t, HWLOC_OBJ_NUMANODE, o))) {
		int more = found ? hwloc_bitmap_weight(o->cpuset) -
					   hwloc_bitmap_weight(found->cpuset)
				 : 0;

		if (!hwloc_bitmap_isset(o->cpuset, pu))
			continue;
		if (!found || more < 0 ||
		    (!more && o->os_index < found->os_index))
			found = o;
	}
	return found;
}

/* All nodes of the cores; returns how many. */
static int nodes_of(hwloc_bitmap_t nodes, hwloc_topology_t t,
		    hwloc_const_bitmap_t cores)
{
	hwloc_obj_t pu = NULL, node;

	hwloc_bitmap_zero(nodes);
	while ((pu = hwloc_get_next_obj_by_type(t, HWLOC_OBJ_PU, pu))) {
		if (!hwloc_bitmap_isset(cores, pu->os_index))
			continue;
		node = node_of(t, pu->os_index);
		if (node)
			hwloc_bitmap_set(nodes, node->os_index);
	}
	return hwloc_bitmap_weight(nodes);
}

/* ---- Distances ---- */

enum { LOCAL = 10, REMOTE = 20 };

/* On a machine without sockets each node is one. */
static bool on_socket(hwloc_obj_t node, hwloc_const_bitmap_t cores)
{
	hwloc_obj_t o = node;

	while (o && o->type != HWLOC_OBJ_PACKAGE)
		o = o->parent;
	return hwloc_bitmap_intersects((o ? o : node)->cpuset, cores);
}

/* The least in the firmware's table; 0: it has none. */
static int in_table(const struct hwloc_distances_s *x,
		    hwloc_const_bitmap_t from, unsigned node)
{
	hwloc_uint64_t least = 0;

	for (unsigned i = 0; i < x->nbobjs; i++)
		for (unsigned j = 0; j < x->nbobjs; j++) {
			hwloc_uint64_t d = x->values[i * x->nbobjs + j];

			if (x->objs[i] && x->objs[j] &&
			    hwloc_bitmap_isset(from, x->objs[i]->os_index) &&
			    x->objs[j]->os_index == node && d <= INT_MAX &&
			    (!least || d < least))
				least = d;
		}
	return (int)least;
}

static int distance(hwloc_topology_t t, hwloc_const_bitmap_t from,
		    unsigned node)
{
	struct hwloc_distances_s *x;
	unsigned count = 1;
	int least;

	if (hwloc_distances_get_by_type(t, HWLOC_OBJ_NUMANODE, &count, &x,
					HWLOC_DISTANCES_KIND_MEANS_LATENCY,
					0) != 0 ||
	    !count)
		return 0;
	least = in_table(x, from, node);
	hwloc_distances_release(t, x);
	return least;
}

static void measure(struct asl_near *x, hwloc_topology_t t,
		    hwloc_const_bitmap_t cores, hwloc_const_bitmap_t nodes)
{
	hwloc_obj_t node =
		hwloc_get_numanode_obj_by_os_index(t, (unsigned)x->node);

	if (!node) {
		x->node = -1;
		return;
	}
	x->far = !on_socket(node, cores);
	x->distance = distance(t, nodes, (unsigned)x->node);
	if (!x->distance)
		x->distance = x->far ? REMOTE : LOCAL;
}

struct asl_near asl_near_from(hwloc_topology_t t, hwloc_const_bitmap_t cores,
			      int node)
{
	struct asl_near x = {.core_node = -1, .node = node};
	hwloc_bitmap_t nodes = hwloc_bitmap_alloc();

	if (nodes && nodes_of(nodes, t, cores) == 1)
		x.core_node = hwloc_bitmap_first(nodes);
	if (nodes && node >= 0)
		measure(&x, t, cores, nodes);
	hwloc_bitmap_free(nodes);
	return x;
}

struct asl_near asl_machine_near(int node)
{
	struct asl_near x = {.core_node = -1, .node = node};
	hwloc_topology_t t = asl_topology();
	hwloc_bitmap_t cores = t ? asl_topology_bound(t) : NULL;

	if (cores)
		x = asl_near_from(t, cores, node);
	hwloc_bitmap_free(cores);
	return x;
}

/* ---- Which of several memories each rank takes ---- */

/* An unknown distance is longer than any other. */
static bool is_better(const struct asl_reach *r, const int *ranks, int a, int b)
{
	int x = r->distance[a] ? r->distance[a] : INT_MAX;
	int y = r->distance[b] ? r->distance[b] : INT_MAX;

	return x != y ? x < y : ranks[a] < ranks[b];
}

static int choose(const struct asl_reach *r, int *ranks)
{
	int best = -1;

	for (int i = 0; i < r->count; i++)
		if (!(r->single[i] && ranks[i]) &&
		    (best < 0 || is_better(r, ranks, i, best)))
			best = i;
	if (best >= 0)
		ranks[best]++;
	return best;
}

static void spread_host(int *take, const struct asl_reach *of, int ranks,
			int host)
{
	int holds[ASL_NEAR_MOST] = {0};

	for (int i = 0; i < ranks; i++)
		if (of[i].host == host)
			take[i] = choose(&of[i], holds);
}

void asl_near_spread(int *take, const struct asl_reach *of, int ranks)
{
	for (int i = 0; i < ranks; i++)
		take[i] = -2;
	for (int i = 0; i < ranks; i++)
		if (take[i] == -2)
			spread_host(take, of, ranks, of[i].host);
}
