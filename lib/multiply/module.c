/*
 * module.c -- algorithms from shared objects join the list
 *
 * A module stays loaded until the process ends: plans point into it.
 */
#include "lib/multiply/module.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/error.h"

/* dlopen searches for names without a slash elsewhere. */
static int open_module(void **out, const char *path)
{
	char absolute[PATH_MAX];

	if (!realpath(path, absolute))
		return asl_fail(-errno, "%s: %s", path, strerror(errno));
	dlerror();
	*out = dlopen(absolute, RTLD_NOW | RTLD_LOCAL);
	if (*out)
		return 0;
	/* It begins with the path. */
	return asl_fail(-EINVAL, "%s", dlerror());
}

static int check_layout(const struct asl_module *m, const char *path)
{
	static const struct asl_module here = {ASL_MODULE_LAYOUT};

	if (m->abi != here.abi)
		return asl_fail(
			-EINVAL,
			"%s: found an algorithm for interface %u of "
			"aslant, expected interface %u: compile it with "
			"this aslant's headers",
			path, m->abi, here.abi);
	if (memcmp(m, &here, offsetof(struct asl_module, algorithms)) == 0)
		return 0;
	return asl_fail(-EINVAL,
			"%s: found structs of other sizes than this aslant's: "
			"compile it with this aslant's headers",
			path);
}

static bool is_name(const char *name)
{
	size_t length = name ? strlen(name) : 0;

	return length && length <= 32 && name[0] != '-' &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-") == length;
}

/* What every caller of a multiplication may count on. */
static const char *lacks(const struct asl_algorithm *x)
{
	if (x->family != &asl_family_multiply)
		return "the family asl_family_multiply";
	if (!x->summary || !x->when)
		return "a summary and a `when`";
	if (!x->predict || !x->run)
		return "predict and run";
	if (!x->matmul || !x->matmul->ideal || !x->matmul->owns)
		return "matmul with ideal and owns";
	if (!x->matmul->grid.axes || strlen(x->matmul->grid.axes) != 3)
		return "the axes of its grid, as \"mnk\"";
	return NULL;
}

static int check_algorithm(const struct asl_algorithm *x, const char *path,
			   bool (*is_taken)(const char *name))
{
	const char *what;

	if (!is_name(x->name))
		return asl_fail(-EINVAL,
				"%s: found an algorithm named '%s', expected "
				"small letters, digits and -, 32 at most",
				path, x->name ? x->name : "");
	if (is_taken(x->name))
		return asl_fail(-EEXIST,
				"%s: found an algorithm named %s, which there "
				"is already; expected another name",
				path, x->name);
	what = lacks(x);
	return what ? asl_fail(-EINVAL, "%s: %s lacks %s", path, x->name, what)
		    : 0;
}

static int add_all(const struct asl_module *m, const char *path,
		   bool (*is_taken)(const char *name))
{
	int count = 0, err = 0;

	while (!err && m->algorithms[count]) {
		err = check_algorithm(m->algorithms[count], path, is_taken);
		if (!err)
			err = asl_algorithm_add(m->algorithms[count]);
		count += !err;
	}
	if (!err && !count)
		err = asl_fail(-EINVAL, "%s: its asl_module has no algorithm",
			       path);
	while (err && count--)
		asl_algorithm_drop();
	return err;
}

int asl_module_load(const char *path, bool (*is_taken)(const char *name))
{
	const struct asl_module *m;
	void *handle;
	int err = open_module(&handle, path);

	if (err)
		return err;
	m = dlsym(handle, "asl_module");
	err = m ? check_layout(m, path)
		: asl_fail(-EINVAL,
			   "%s: found no asl_module, expected "
			   "ASL_MODULE(&algorithm) in it",
			   path);
	if (!err)
		err = add_all(m, path, is_taken);
	if (err)
		dlclose(handle);
	return err;
}
