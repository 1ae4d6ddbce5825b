/*
 * bind.c -- ranks to cores, or to sockets
 *
 * What the launcher gave a rank is kept to: it divides its processors with those
 * ranks alone that were given the very same.  Memory needs no binding of its
 * own, as Linux takes a page where the process is that first touches it.
 */
#include "lib/machine/bind.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/error.h"
#include "lib/machine/machine.h"

static const char *const names[] = {"none", "core", "socket", NULL};

const char *const *asl_bind_names(void)
{
	return names;
}

/* The cores, or processors where there are none, that `within` touches. */
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

/* ---- This process ---- */

/* Where it was put when it began; NULL: not yet asked, or hwloc can't say. */
static hwloc_bitmap_t begun;

static int failed(const char *to, int err)
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
	return err ? failed(to, err) : 0;
}

void asl_machine_cpus(char *text, size_t room)
{
	hwloc_topology_t t = asl_topology();
	hwloc_bitmap_t set = hwloc_bitmap_alloc();
	int length = 0;

	*text = '\0';
	if (set && t && hwloc_topology_is_thissystem(t) &&
	    !hwloc_get_cpubind(t, set, HWLOC_CPUBIND_PROCESS))
		length = hwloc_bitmap_list_snprintf(text, room, set);
	hwloc_bitmap_free(set);
	if (length >= (int)room)
		memcpy(text + room - 4, "...", 4);
}
