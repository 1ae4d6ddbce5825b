/*
 * machine_near.c -- how far memories are, and which of them each rank takes
 *
 * Machines are invented, with and without the firmware's table of distances; who
 * takes what is drawn for random hosts and held against what must be true of it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/machine/near.h"
#include "tests/help/random.h"

/* ---- Distances ---- */

enum { NODES = 4, CORES = 4 };

/* Two sockets, each with memory of its own and a node without cores. */
static hwloc_topology_t invent(const char *text)
{
	hwloc_topology_t t;

	assert_int_equal(hwloc_topology_init(&t), 0);
	assert_int_equal(hwloc_topology_set_synthetic(t, text), 0);
	assert_int_equal(hwloc_topology_load(t), 0);
	return t;
}

static void give_table(hwloc_topology_t t,
		       const hwloc_uint64_t value[NODES * NODES])
{
	hwloc_obj_t node[NODES];
	hwloc_distances_add_handle_t to = hwloc_distances_add_create(
		t, "NUMALatency",
		HWLOC_DISTANCES_KIND_FROM_USER |
			HWLOC_DISTANCES_KIND_MEANS_LATENCY,
		0);
	hwloc_uint64_t copy[NODES * NODES];

	memcpy(copy, value, sizeof copy);
	for (unsigned i = 0; i < NODES; i++)
		node[i] = hwloc_get_numanode_obj_by_os_index(t, i);
	assert_non_null(to);
	assert_int_equal(
		hwloc_distances_add_values(t, to, NODES, node, copy, 0), 0);
	assert_int_equal(hwloc_distances_add_commit(t, to, 0), 0);
}

static void expect(hwloc_topology_t t, const char *cores, int to,
		   struct asl_near said)
{
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	struct asl_near x;

	hwloc_bitmap_list_sscanf(set, cores);
	x = asl_near_from(t, set, to);
	hwloc_bitmap_free(set);
	if (x.core_node != said.core_node || x.node != said.node ||
	    x.distance != said.distance || x.far != said.far)
		fail_msg("cores %s to node %d: found core node %d, node %d, "
			 "distance %d, far %d, expected %d, %d, %d, %d",
			 cores, to, x.core_node, x.node, x.distance, x.far,
			 said.core_node, said.node, said.distance, said.far);
}

static void without_a_table(void **state)
{
	/* hwloc numbers its nodes 0, 1 on the first socket, 2, 3 on the other. */
	hwloc_topology_t t = invent("pack:2 [numa(memory=16GB)] "
				    "[numa(memory=64GB)] core:2 pu:1");

	(void)state;
	expect(t, "0", 0, (struct asl_near){0, 0, 10, false});
	expect(t, "0", 1, (struct asl_near){0, 1, 10, false});
	expect(t, "1", 2, (struct asl_near){0, 2, 20, true});
	expect(t, "2-3", 2, (struct asl_near){2, 2, 10, false});
	expect(t, "0-3", 2, (struct asl_near){-1, 2, 10, false});
	expect(t, "0", -1, (struct asl_near){0, -1, 0, false});
	expect(t, "0", 9, (struct asl_near){0, -1, 0, false});
	hwloc_topology_destroy(t);
	t = invent("pu:3");
	expect(t, "1", 0, (struct asl_near){0, 0, 10, false});
	hwloc_topology_destroy(t);
}

static void with_a_table(void **state)
{
	static const hwloc_uint64_t table[NODES * NODES] = {
		10, 17, 21, 28, 17, 10, 28, 30, 21, 28, 10, 19, 28, 30, 19, 10,
	};
	hwloc_topology_t t = invent("pack:2 [numa(memory=16GB)] "
				    "[numa(memory=64GB)] core:2 pu:1");

	(void)state;
	give_table(t, table);
	expect(t, "0", 0, (struct asl_near){0, 0, 10, false});
	expect(t, "0", 1, (struct asl_near){0, 1, 17, false});
	expect(t, "1", 2, (struct asl_near){0, 2, 21, true});
	expect(t, "0", 3, (struct asl_near){0, 3, 28, true});
	expect(t, "2", 3, (struct asl_near){2, 3, 19, false});
	expect(t, "0,3", 3, (struct asl_near){-1, 3, 19, false});
	hwloc_topology_destroy(t);
}

/* Two nodes of one socket: the other half of the socket is not far. */
static void halves_of_a_socket(void **state)
{
	hwloc_topology_t t = invent("pack:2 numa:2 core:1 pu:1");

	(void)state;
	expect(t, "0", 1, (struct asl_near){0, 1, 10, false});
	expect(t, "0", 2, (struct asl_near){0, 2, 20, true});
	hwloc_topology_destroy(t);
}

/* ---- Who takes what ---- */

enum { RANKS = 40, HOSTS = 3, MEMORIES = 5 };

static void draw_ranks(struct asl_reach *of, int ranks, struct dice *d)
{
	int hosts = (int)roll(d, 1, HOSTS), count = (int)roll(d, 1, MEMORIES);
	bool single[MEMORIES];

	for (int m = 0; m < MEMORIES; m++)
		single[m] = roll(d, 0, 2) == 0;
	for (int i = 0; i < ranks; i++) {
		of[i] = (struct asl_reach){
			.host = (int)roll(d, 0, (uint64_t)hosts - 1),
			.count = count,
		};
		for (int m = 0; m < count; m++) {
			of[i].distance[m] = (int)roll(d, 0, 3) * 10;
			of[i].single[m] = single[m];
		}
	}
}

static int rank_of(int distance)
{
	return distance ? distance : 1000;
}

/* How many ranks before this one, on its host, have taken a memory. */
static int holds(const struct asl_reach *of, const int *take, int rank, int m)
{
	int count = 0;

	for (int i = 0; i < rank; i++)
		count += of[i].host == of[rank].host && take[i] == m;
	return count;
}

static bool is_free(const struct asl_reach *of, const int *take, int rank,
		    int m)
{
	return !of[rank].single[m] || !holds(of, take, rank, m);
}

static void check_rank(const struct asl_reach *of, const int *take, int rank,
		       uint32_t number)
{
	const struct asl_reach *x = &of[rank];
	int mine = take[rank];

	if (mine < -1 || mine >= x->count)
		fail_msg("case %u: rank %d takes %d", number, rank, mine);
	if (mine >= 0 && !is_free(of, take, rank, mine))
		fail_msg("case %u: rank %d takes %d, which is taken", number,
			 rank, mine);
	for (int m = 0; m < x->count; m++) {
		if (!is_free(of, take, rank, m))
			continue;
		if (mine < 0)
			fail_msg("case %u: rank %d has %d left", number, rank,
				 m);
		if (rank_of(x->distance[m]) < rank_of(x->distance[mine]))
			fail_msg("case %u: rank %d: %d is nearer than %d",
				 number, rank, m, mine);
		if (x->distance[m] == x->distance[mine] &&
		    holds(of, take, rank, m) < holds(of, take, rank, mine))
			fail_msg("case %u: rank %d: fewer have %d than %d",
				 number, rank, m, mine);
	}
}

static void the_nearest_evenly(void **state)
{
	(void)state;
	for (uint32_t k = 0; k < 2000; k++) {
		struct dice d = {1, k, 0};
		struct asl_reach of[RANKS];
		int take[RANKS], ranks = (int)roll(&d, 1, RANKS);

		draw_ranks(of, ranks, &d);
		asl_near_spread(take, of, ranks);
		for (int i = 0; i < ranks; i++)
			check_rank(of, take, i, k);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_table),
		cmocka_unit_test(with_a_table),
		cmocka_unit_test(halves_of_a_socket),
		cmocka_unit_test(the_nearest_evenly),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
