/*
 * provenance.c -- machine.json: where a result comes from
 */
#include "bench/provenance.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/face.h"
#include "bench/machine.h"
#include "bench/rows.h"
#include "lib/base/atomic_file.h"
#include "lib/machine/machine.h"

/* Any bytes may be in an argument, and not all are UTF-8. */
static json_t *word(const char *bytes)
{
	json_t *text = json_string(bytes);

	return text ? text : json_string("(not UTF-8)");
}

/* Where the program lies says nothing, and its version is there. */
static json_t *command_line(int argc, char **argv)
{
	const char *slash = strrchr(argv[0], '/');
	json_t *list = json_array();

	json_array_append_new(list, word(slash ? slash + 1 : argv[0]));
	for (int i = 1; i < argc; i++)
		json_array_append_new(list, word(argv[i]));
	return list;
}

static json_t *costs(const struct asl_case *c)
{
	const struct asl_costs *x = &c->want.plan.costs;

	return json_pack(
		"{s:s, s:s, s:s, s:f, s:f, s:f, s:f, s:f, s:f, s:f}", "profile",
		c->profile.name, "source", c->profile.source, "unit",
		c->profile.timed ? "ns" : "relative", "read_cost", x->read,
		"write_cost", x->write, "net_cost", x->net, "latency",
		x->latency, "flop_cost", x->flop, "dram_read_cost",
		x->dram_read, "dram_write_cost", x->dram_write);
}

/* NULL, which leaves the key out: none. */
static json_t *emulation(const struct asl_rep *rep)
{
	const struct asl_emulation *as = &rep->want->emulate;
	const struct asl_emulator_probe *x = rep->emulated;

	if (!x)
		return NULL;
	return json_pack(
		"{s:s, s:s, s:b, s:f, s:f, s:f, s:f, s:f, s:f, s:i, s:{s:f, "
		"s:f, s:f, s:f, s:o*}, s:f}",
		"profile", as->name, "lies_on", rep->lies_on, "net_too",
		rep->emulated_net, "read_ns", as->word[ASL_READS], "write_ns",
		as->word[ASL_WRITES], "read_latency_ns", as->latency[ASL_READS],
		"write_latency_ns", as->latency[ASL_WRITES], "net_ns", as->net,
		"message_ns", as->message, "line_bytes", as->line_bytes,
		"this_machine", "read_ns", x->shared[ASL_READS], "write_ns",
		x->shared[ASL_WRITES], "read_alone_ns", x->alone[ASL_READS],
		"write_alone_ns", x->alone[ASL_WRITES], "net_ns",
		isnan(x->net) ? NULL : json_real(x->net), "error_before",
		x->error);
}

static json_t *notes(const struct asl_rep *rep)
{
	json_t *list = json_array();

	if (rep->moved && asl_show(&rep->want->plan).kernel)
		json_array_append_new(
			list,
			json_string("tiles: the BLAS reads operands in place "
				    "and packs them itself; they are counted "
				    "once per use, as if they passed through "
				    "the cache in slivers"));
	if (!rep->moved)
		json_array_append_new(
			list, json_string("counts only: no words were moved, "
					  "and nothing was timed"));
	if (rep->moved && !rep->timed)
		json_array_append_new(
			list, json_string("sim: ranks take turns in one "
					  "process; wall_s and gflops are of "
					  "all ranks together, comm_s has no "
					  "meaning and is empty"));
	if (rep->note && *rep->note)
		json_array_append_new(list, json_string(rep->note));
	return list;
}

/* NULL, which leaves the key out: there is none. */
static json_t *length(uint64_t x)
{
	return x ? json_integer((json_int_t)x) : NULL;
}

/* The processors of every rank; NULL: they are all one process. */
static json_t *cpus(const struct asl_rep *rep)
{
	json_t *list = *rep->bind ? json_array() : NULL;

	for (int i = 0; list && i < rep->ranks; i++)
		json_array_append_new(list, json_string(rep->rank[i].cpus));
	return list;
}

static json_t *what_ran(const struct asl_case *c, const struct asl_rep *rep)
{
	const struct asl_plan *plan = &c->want.plan;
	struct asl_shown x = asl_show(plan);

	return json_pack(
		"{s:s, s:s, s:s*, s:o*, s:o*, s:o*, s:s*, s:s*, s:s, s:s, s:o, "
		"s:s, s:o*, s:s, s:s*, s:o*}",
		"run_id", rep->run_id, "algorithm", plan->algorithm->name,
		"kernel", x.kernel, "m", length(x.m), "n", length(x.n), "k",
		length(x.k), "spec", x.spec, "dims", x.dims, "store",
		c->want.store, "medium", rep->medium, "costs", costs(c),
		"accounting", asl_accounting_name(plan->accounting),
		"emulation", emulation(rep), "cache_source",
		*c->cache_source ? c->cache_source : "given", "bind",
		*rep->bind ? rep->bind : NULL, "rank_cpus", cpus(rep));
}

/* Where pools were put; NULL: there were none. */
static json_t *pool(const struct asl_rep *rep)
{
	return strcmp(rep->want->store, "pmem")
		       ? NULL
		       : asl_pool_json(rep->want->nvm_dir);
}

int asl_provenance_write(const char *path, const struct asl_case *c,
			 const struct asl_rep *rep, int argc, char **argv)
{
	json_t *root = asl_machine_json(), *run, *one;
	char *text;
	int err = -ENOMEM;

	run = json_pack("{s:i, s:s, s:o, s:s, s:s, s:o, s:o*}", "schema",
			ASL_SCHEMA, "aslant", ASLANT_VERSION, "command_line",
			command_line(argc, argv), "transport",
			rep->want->transport, "provider", rep->provider,
			"notes", notes(rep), "pool", pool(rep));
	one = c ? what_ran(c, rep) : json_object();
	if (root && run && one && !json_object_update_missing(run, one) &&
	    !json_object_update_missing(run, root)) {
		text = json_dumps(run,
				  JSON_INDENT(2) | JSON_REAL_PRECISION(17));
		if (text) {
			size_t length = strlen(text);

			text[length] =
				'\n'; /* asl_atomic_file_put takes no string */
			err = asl_atomic_file_put(path, text, length + 1);
		}
		free(text);
	}
	json_decref(one);
	json_decref(run);
	json_decref(root);
	return err;
}
