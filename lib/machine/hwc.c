/*
 * hwc.c -- the table of backends of hardware counters, and their common part
 */
#include "lib/machine/hwc.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/error.h"
#include "lib/machine/hwc_backend.h"

/*
 * likwid's metrics are called "Memory read data volume [GBytes]", in some groups
 * with "load" for reads, "evict" and "writeback" for writes.  Volumes of both
 * together, and of caches, are something else.
 */
enum asl_likwid_volume asl_likwid_volume(const char *metric)
{
	static const struct {
		const char *verb;
		enum asl_likwid_volume volume;
	} known[] = {
		{"read", ASL_LIKWID_READ},
		{"load", ASL_LIKWID_READ},
		{"write", ASL_LIKWID_WRITTEN},
		{"evict", ASL_LIKWID_WRITTEN},
		{"writeback", ASL_LIKWID_WRITTEN},
	};
	const char *verb = strchr(metric, ' ');
	size_t length;

	if (!verb ||
	    (strncmp(metric, "Memory ", 7) && strncmp(metric, "PMM ", 4)))
		return ASL_LIKWID_OTHER;
	length = strcspn(++verb, " ");
	if (strcmp(verb + length, " data volume [GBytes]"))
		return ASL_LIKWID_OTHER;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (strlen(known[i].verb) == length &&
		    !strncmp(verb, known[i].verb, length))
			return known[i].volume;
	return ASL_LIKWID_OTHER;
}

static const struct asl_hwc_backend *const backends[] = {
	&asl_hwc_likwid,
	&asl_hwc_perf,
};

enum { BACKENDS = sizeof(backends) / sizeof(backends[0]) };

static const struct asl_hwc_backend *find(const char *name)
{
	for (int i = 0; i < BACKENDS; i++)
		if (!strcmp(backends[i]->name, name))
			return backends[i];
	return NULL;
}

const char *asl_hwc_summary(const char *name)
{
	const struct asl_hwc_backend *x = find(name);

	return x ? x->summary : "";
}

const char *const *asl_hwc_names(void)
{
	static const char *names[BACKENDS + 3];

	for (int i = 0; i < BACKENDS; i++)
		names[i] = backends[i]->name;
	names[BACKENDS] = "auto";
	names[BACKENDS + 1] = "off";
	return names;
}

const char *asl_hwc_medium_name(enum asl_hwc_medium medium)
{
	return medium == ASL_HWC_DRAM ? "dram" : "pmm";
}

static int open_one(struct asl_hwc *h, const struct asl_hwc_backend *backend,
		    const struct asl_hwc_want *want)
{
	*h = (struct asl_hwc){.backend = backend};
	return backend->open(h, want);
}

/* Open the first that can count; or give the reasons of all. */
static int open_first(struct asl_hwc *h, const struct asl_hwc_want *want)
{
	char reasons[512] = "";
	size_t used = 0;
	int err = -ENODEV;

	for (int i = 0; i < BACKENDS; i++) {
		err = open_one(h, backends[i], want);
		if (!err)
			return 0;
		if (used < sizeof(reasons))
			used += (size_t)snprintf(
				reasons + used, sizeof(reasons) - used,
				"%s%s: %s", i ? "; " : "", backends[i]->name,
				asl_failure());
	}
	return asl_fail(err, "%s", reasons);
}

int asl_hwc_open(struct asl_hwc **out, const struct asl_hwc_want *want)
{
	const struct asl_hwc_backend *backend = find(want->backend);
	bool any = !strcmp(want->backend, "auto");
	struct asl_hwc *h;
	int err;

	*out = NULL;
	if (!backend && !any)
		return asl_fail(-ENOENT, "there is no backend '%s'",
				want->backend);
	h = malloc(sizeof(*h));
	if (!h)
		return asl_fail(-ENOMEM, "no memory");
	err = any ? open_first(h, want) : open_one(h, backend, want);
	if (err) {
		free(h);
		return err;
	}
	asl_forget_failure(); /* of other backends */
	*out = h;
	return 0;
}

void asl_hwc_close(struct asl_hwc *h)
{
	if (!h)
		return;
	h->backend->close(h);
	free(h);
}

const char *asl_hwc_backend(const struct asl_hwc *h)
{
	return h->backend->name;
}

const char *asl_hwc_note(const struct asl_hwc *h)
{
	return h->note;
}

int asl_hwc_start(struct asl_hwc *h)
{
	return h->backend->start(h);
}

int asl_hwc_stop(struct asl_hwc *h, struct asl_hwc_count *count)
{
	int err;

	*count = (struct asl_hwc_count){.share = 1};
	err = h->backend->stop(h, count);
	if (err)
		*count = (struct asl_hwc_count){.share = 1};
	return err;
}
