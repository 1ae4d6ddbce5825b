/*
 * calibrate_file.c -- what was measured, as a profile
 */
#include "bench/calibrate_file.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/machine.h"
#include "lib/base/atomic_file.h"
#include "lib/machine/machine.h"
#include "lib/rank/blas.h"

static const struct figure {
	const char *key, *unit;
	enum asl_quantity quantity;
} figures[] = {
	{"read", "ns/word", ASL_READ_NS},
	{"write", "ns/word", ASL_WRITE_NS},
	{"dram_read", "ns/word", ASL_DRAM_READ_NS},
	{"dram_write", "ns/word", ASL_DRAM_WRITE_NS},
	{"net", "ns/word", ASL_NET_NS},
	{"latency", "ns", ASL_LATENCY_NS},
	{"flop", "ns/flop", ASL_FLOP_NS},
};

const char *asl_calibrate_default(void)
{
	static char name[sizeof "calibrated-.json" + 48];

	snprintf(name, sizeof name, "calibrated-%.48s.json",
		 asl_machine()->host);
	return name;
}

/* Those that were measured. */
static json_t *pack(const struct asl_estimate of[ASL_QUANTITIES])
{
	json_t *all = json_object();

	for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++) {
		const struct figure *f = &figures[i];
		const struct asl_estimate *x = &of[f->quantity];

		if (x->samples)
			json_object_set_new(
				all, f->key,
				json_pack("{s:f, s:s, s:f, s:f, s:i}", "value",
					  x->median, "unit", f->unit, "low",
					  x->low, "high", x->high, "samples",
					  x->samples));
	}
	return all;
}

/* How a store makes words durable follows from what it lies on. */
static const char *persist(const struct asl_calibration *x)
{
	if (!strcmp(x->medium, "fsdax") || !strcmp(x->medium, "devdax"))
		return "nt-store";
	return strcmp(x->medium, "dram") ? "msync" : "store";
}

/* Paths may be anything; JSON is UTF-8. */
static json_t *text(const char *from)
{
	json_t *json = json_string(from);

	return json ? json : json_string("(not UTF-8)");
}

static json_t *provenance(const struct asl_calibration *x,
			  const struct asl_calibrate_want *want)
{
	json_t *machine = asl_machine_json();
	json_t *own = json_pack(
		"{s:s, s:o, s:s, s:s, s:s, s:s, s:s, s:s, s:b, s:I, s:I, s:f, "
		"s:o*}",
		"store", want->store, "pool_dir", text(x->dir), "medium",
		x->medium, "note", x->note, "transport", want->transport,
		"provider", x->provider, "bind", want->bind, "blas",
		asl_blas_version(), "quick", want->quick, "pass_words_all",
		(json_int_t)x->words_all, "pass_words_alone",
		(json_int_t)x->words_alone, "worst_message_off_line",
		x->all[ASL_FIT_OFF].median, "pool",
		*x->dir ? asl_pool_json(x->dir) : NULL);

	if (own && machine)
		json_object_update_missing(own, machine);
	json_decref(machine);
	return own;
}

static json_t *profile(const struct asl_calibration *x,
		       const struct asl_calibrate_want *want)
{
	const char *host = asl_machine()->host;
	char name[sizeof "calibrated-" + 48], stamp[32];
	time_t now = time(NULL);
	struct tm utc;

	gmtime_r(&now, &utc);
	strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%SZ", &utc);
	snprintf(name, sizeof name, "calibrated-%.48s", host);
	return json_pack(
		"{s:s, s:o, s:o, s:s, s:s, s:i, s:o, s:o, s:o}", "name", name,
		"about",
		json_sprintf("%.64s, %d ranks at once, %s on %s, %s", host,
			     x->ranks, want->store, x->medium,
			     *x->provider ? x->provider : want->transport),
		"source",
		json_sprintf("aslant calibrate on %.64s, %s: median of "
			     "rounds, with its 95%% confidence interval",
			     host, stamp),
		"access", "tiles of 256 KiB, one after another", "persist",
		persist(x), "ranks", x->ranks, "figures", pack(x->all), "alone",
		pack(x->alone), "provenance", provenance(x, want));
}

int asl_calibrate_write(const char *path, const struct asl_calibration *x,
			const struct asl_calibrate_want *want)
{
	json_t *root = profile(x, want);
	char *lines = NULL;
	int err = -ENOMEM;

	if (root)
		lines = json_dumps(root,
				   JSON_INDENT(2) | JSON_REAL_PRECISION(6));
	if (lines) {
		size_t length = strlen(lines);

		lines[length] = '\n'; /* asl_atomic_file_put takes no string */
		err = asl_atomic_file_put(path, lines, length + 1);
	}
	free(lines);
	json_decref(root);
	return err;
}
