/*
 * load.c -- MPI and libfabric, loaded when a transport asks for them
 *
 * They are searched for by the name that programs linked with them would have
 * (its SONAME), then where they were when this was compiled.  Their functions are
 * looked up as those of linked libraries are, so that a tool that is preloaded
 * is found first.
 */
#include "net/load.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "lib/base/error.h"
#include "net/net.h"

struct asl_mpi_calls asl_mpi;
struct asl_fabric_calls asl_fabric;

void asl_signal_actions_keep(struct asl_signal_actions *all)
{
	*all = (struct asl_signal_actions){0};
	for (int i = 1; i < _NSIG; i++)
		sigaction(i, NULL, &all->of[i]);
}

void asl_signal_actions_restore(const struct asl_signal_actions *all)
{
	for (int i = 1; i < _NSIG; i++)
		sigaction(i, &all->of[i], NULL);
}

static void *open_global(const char *path)
{
	return dlopen(path, RTLD_NOW | RTLD_GLOBAL);
}

void *(*asl_fabric_open)(const char *path) = open_global;

static int open_library(const char *name, const char *path,
			void *(*open)(const char *path))
{
	struct asl_signal_actions actions;
	void *library;

	asl_signal_actions_keep(&actions);
	library = open(name);
	if (!library)
		library = open(path);
	asl_signal_actions_restore(&actions);
	return library ? 0
		       : asl_fail(-ENODEV, "%s cannot be loaded: %s", name,
				  dlerror());
}

/* `call` is a pointer to a function, whose type only the caller knows. */
static int find_call(void *call, const char *name, const char *library)
{
	void *at = dlsym(RTLD_DEFAULT, name);

	memcpy(call, &at, sizeof at);
	return at ? 0
		  : asl_fail(-ENODEV, "%s has no %s: it is too old", library,
			     name);
}

#define FIND_MPI(name)                                                         \
	if (!err)                                                              \
		err = find_call(&asl_mpi.name, "MPI_" #name, ASLANT_MPI);
#define FIND_FABRIC(name)                                                      \
	if (!err)                                                              \
		err = find_call(&asl_fabric.name, "fi_" #name, ASLANT_FABRIC);

int asl_load_mpi(void)
{
	static bool loaded;
	int err = 0;

	if (loaded)
		return 0;
	err = open_library(ASLANT_MPI, ASLANT_MPI_PATH, open_global);
	ASL_MPI_CALLS(FIND_MPI)
	loaded = !err;
	return err;
}

bool asl_mpi_is_loaded(void)
{
	void *library = dlopen(ASLANT_MPI, RTLD_LAZY | RTLD_NOLOAD);

	if (library)
		dlclose(library);
	return library;
}

int asl_load_fabric(void)
{
	static bool loaded;
	int err = 0;

	if (loaded)
		return 0;
	err = open_library(ASLANT_FABRIC, ASLANT_FABRIC_PATH, asl_fabric_open);
	ASL_FABRIC_CALLS(FIND_FABRIC)
	loaded = !err;
	return err;
}
