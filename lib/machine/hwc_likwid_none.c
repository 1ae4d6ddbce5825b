/*
 * hwc_likwid_none.c -- instead of hwc_likwid.c, where likwid is not installed
 */
#include <errno.h>

#include "lib/base/error.h"
#include "lib/machine/hwc_backend.h"

static int refuse(struct asl_hwc *h, const struct asl_hwc_want *want)
{
	(void)h;
	(void)want;
	return asl_fail(-ENODEV, "aslant was built without it");
}

const struct asl_hwc_backend asl_hwc_likwid = {
	.name = "likwid",
	.summary = "likwid's groups MEM and PMM: memory controllers",
	.open = refuse,
};
