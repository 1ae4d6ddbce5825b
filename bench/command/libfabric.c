/*
 * libfabric.c -- libfabric in a process that is the command's own
 *
 * Three things that it does would cost each rank more than what it is started for, and
 * are kept from it here.  Other programs that use aslant.h are left as they are.
 */
#include <dlfcn.h>
#include <errno.h>
#include <glob.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "net/net.h"

/*
 * As it starts, libfabric's verbs searches all of /proc/kallsyms, twice, for a way
 * to register memory of GPUs: a sixth of a second in each rank, most of its start.
 * Ours is never that of a GPU.  So libraries find no such file.
 */
__attribute__((visibility("default"))) FILE *
open_or_hide(const char *path, const char *mode) __asm__("fopen");

FILE *open_or_hide(const char *path, const char *mode)
{
	static FILE *(*real)(const char *path, const char *mode);
	void *at;

	if (!strcmp(path, "/proc/kallsyms")) {
		errno = ENOENT;
		return NULL;
	}
	if (!real) {
		at = dlsym(RTLD_NEXT, "fopen");
		memcpy(&real, &at, sizeof real);
	}
	return real ? real(path, mode) : NULL;
}

/*
 * libfabric's shm takes a rank's lock to send it something, and to see what came.  Where
 * ranks share cores its holder may be off its core, and another rank would wait in vain
 * for all of a turn: after some looks it lets others have the core.
 */
#define LOCK_LOOKS 100 /* a few microseconds */

__attribute__((visibility("default"))) int
pthread_spin_lock(pthread_spinlock_t *lock)
{
	for (int looks = 1; pthread_spin_trylock(lock); looks++)
		if (looks % LOCK_LOOKS == 0)
			sched_yield();
	return 0;
}

/*
 * PSM and PSM2 drive adapters of Intel and QLogic.  libfabric is linked with both, and
 * each sleeps for a tenth of a second as it is loaded, to time the processor's clock.
 * On a machine without such an adapter, libraries of the same names, whose calls all
 * fail, are loaded first: libfabric then takes these.
 */
static const char *const absent[] = {ASLANT_ABSENT NULL};

enum { ABSENT = sizeof absent / sizeof absent[0] };

static bool has_psm_adapter(void)
{
	glob_t found = {0};
	bool any = !glob("/sys/class/infiniband/{hfi1,qib,ipath}*", GLOB_BRACE,
			 NULL, &found);

	globfree(&found);
	return any;
}

static void *open_without_psm(const char *path)
{
	bool stand_in = !has_psm_adapter();
	void *library, *opened[ABSENT] = {0};

	for (int i = 0; stand_in && absent[i]; i++)
		opened[i] = dlopen(absent[i], RTLD_NOW | RTLD_LOCAL);
	library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
	if (library)
		return library;

	/* Another libfabric than we were compiled with may call more of PSM. */
	for (int i = 0; i < ABSENT; i++)
		if (opened[i])
			dlclose(opened[i]);
	return dlopen(path, RTLD_NOW | RTLD_GLOBAL);
}

__attribute__((constructor)) static void prepare(void)
{
	asl_fabric_open = open_without_psm;
}
