/*
 * machine_bind.c -- ranks get cores of their own, spread evenly, near each other
 *
 * On random machines with random parts allowed: that there are enough cores, or
 * not; that processors belong to cores and sockets, or to none.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lib/machine/machine.h"
#include "tests/help/random.h"

enum { MOST = 80 };

struct host {
	hwloc_topology_t t;
	int sockets, cores; /* cores of each socket */
	char text[96];
};

static struct host draw_host(struct dice *d)
{
	struct host h = {
		.sockets = (int)roll(d, 1, 4),
		.cores = (int)roll(d, 1, 9),
	};
	static const char *const forms[] = {
		"pack:%d l3:1(size=1000000) core:%d pu:1",
		"pack:%d core:%d pu:2",
		"numa:%d core:%d pu:1",
		"group:%d pu:%d",
	};
	size_t form = roll(d, 0, 3);

	snprintf(h.text, sizeof h.text, forms[form], h.sockets, h.cores);
	assert_int_equal(hwloc_topology_init(&h.t), 0);
	assert_int_equal(hwloc_topology_set_synthetic(h.t, h.text), 0);
	assert_int_equal(hwloc_topology_load(h.t), 0);
	/* Without packages all is one socket. */
	if (form > 1) {
		h.cores *= h.sockets;
		h.sockets = 1;
	}
	return h;
}

static hwloc_obj_t core_at(const struct host *h, int i)
{
	hwloc_obj_type_t type = asl_core_type(h->t);

	return hwloc_get_obj_by_type(h->t, type, (unsigned)i);
}

/* All of it, or some cores; at least one.  Returns how many. */
static int draw_part(hwloc_bitmap_t within, const struct host *h,
		     struct dice *d)
{
	int all = h->sockets * h->cores, count = 0;
	bool whole = roll(d, 0, 1);

	hwloc_bitmap_zero(within);
	for (int i = 0; i < all; i++)
		if (whole || roll(d, 0, 1) || (i + 1 == all && !count)) {
			hwloc_bitmap_or(within, within, core_at(h, i)->cpuset);
			count++;
		}
	return count;
}

/* The one core that the set is in; -1: there is no such one. */
static int core_of(const struct host *h, hwloc_const_bitmap_t set)
{
	for (int i = 0; i < h->sockets * h->cores; i++)
		if (hwloc_bitmap_isincluded(set, core_at(h, i)->cpuset))
			return i;
	return -1;
}

#define CHECK(ok)                                                              \
	do {                                                                   \
		if (!(ok))                                                     \
			fail_msg("%s, %d of %d cores, rank %d of %d: not "     \
				 "so: " #ok,                                   \
				 h->text, count, h->sockets * h->cores, i,     \
				 ranks);                                       \
	} while (0)

static void check_cores(const struct host *h, hwloc_const_bitmap_t within,
			int count, int ranks)
{
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	int on[MOST] = {0}, in[MOST] = {0}, before = -1, i;
	bool whole = count == h->sockets * h->cores;

	for (i = 0; i < ranks; i++) {
		int core;

		CHECK(!asl_bind_choose(set, h->t, within, false, i, ranks));
		CHECK(!hwloc_bitmap_iszero(set));
		CHECK(hwloc_bitmap_isincluded(set, within));
		core = core_of(h, set);
		CHECK(core >= 0);
		CHECK(hwloc_bitmap_isequal(set, core_at(h, core)->cpuset));
		CHECK(core >= before && (ranks > count || core > before));
		before = core;
		on[core]++;
		in[core / h->cores]++;
		CHECK(on[core] <= (ranks + count - 1) / count);
		CHECK(!whole || in[core / h->cores] <=
					(ranks + h->sockets - 1) / h->sockets);
	}
	hwloc_bitmap_free(set);
}

/* Of the same socket, and all of it that is allowed. */
static void check_sockets(const struct host *h, hwloc_const_bitmap_t within,
			  int count, int ranks)
{
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	hwloc_bitmap_t core = hwloc_bitmap_alloc();
	int i;

	for (i = 0; i < ranks; i++) {
		int which;

		CHECK(!asl_bind_choose(core, h->t, within, false, i, ranks));
		CHECK(!asl_bind_choose(set, h->t, within, true, i, ranks));
		CHECK(hwloc_bitmap_isincluded(core, set));
		which = core_of(h, core) / h->cores;
		for (int k = 0; k < h->sockets * h->cores; k++) {
			hwloc_obj_t o = core_at(h, k);
			bool due = k / h->cores == which &&
				   hwloc_bitmap_isincluded(o->cpuset, within);

			CHECK(hwloc_bitmap_isincluded(o->cpuset, set) == due);
		}
	}
	hwloc_bitmap_free(core);
	hwloc_bitmap_free(set);
}

/* No core has two ranks' threads, as long as there are enough. */
static void check_own_cores(const struct host *h, hwloc_const_bitmap_t within,
			    int count, int ranks)
{
	int used[MOST] = {0}, all[MOST] = {0}, i = 0, total = 0;
	hwloc_bitmap_t core = hwloc_bitmap_alloc();

	for (int k = 0; k < h->sockets * h->cores; k++)
		all[k / h->cores] +=
			hwloc_bitmap_isincluded(core_at(h, k)->cpuset, within);
	for (i = 0; i < ranks; i++) {
		int own = asl_bind_own_cores(h->t, within, true, i, ranks);

		CHECK(asl_bind_own_cores(h->t, within, false, i, ranks) == 1);
		CHECK(!asl_bind_choose(core, h->t, within, false, i, ranks));
		CHECK(own >= 1);
		used[core_of(h, core) / h->cores] += own;
		total += own;
	}
	for (int k = 0; k < h->sockets && ranks <= count; k++)
		CHECK(used[k] <= all[k]);
	/* One rank a socket has all of it. */
	CHECK(ranks != h->sockets || count != h->sockets * h->cores ||
	      total == count);
	hwloc_bitmap_free(core);
}

static void ranks_are_spread(void **state)
{
	(void)state;
	for (uint32_t k = 0; k < 300; k++) {
		struct dice d = {1, k, 0};
		struct host h = draw_host(&d);
		hwloc_bitmap_t within = hwloc_bitmap_alloc();
		int count = draw_part(within, &h, &d);
		int ranks = (int)roll(&d, 1, MOST);

		check_cores(&h, within, count, ranks);
		check_cores(&h, within, count, (int)roll(&d, 1, count));
		check_sockets(&h, within, count, ranks);
		check_own_cores(&h, within, count, ranks);
		check_own_cores(&h, within, count, (int)roll(&d, 1, count));
		check_own_cores(&h, within, count, h.sockets);
		hwloc_bitmap_free(within);
		hwloc_topology_destroy(h.t);
	}
}

/* Processors that the machine does not have are nobody's. */
static void nothing_to_bind_to(void **state)
{
	struct dice d = {2, 0, 0};
	struct host h = draw_host(&d);
	hwloc_bitmap_t within = hwloc_bitmap_alloc();

	(void)state;
	hwloc_bitmap_set(within, 1000);
	assert_true(asl_bind_choose(within, h.t, within, false, 0, 1) < 0);
	hwloc_bitmap_free(within);
	hwloc_topology_destroy(h.t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranks_are_spread),
		cmocka_unit_test(nothing_to_bind_to),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
