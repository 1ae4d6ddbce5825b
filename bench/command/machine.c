/*
 * machine.c -- this machine as results have it, and for people
 *
 * The printed text is made from machine.json: there is one description.
 */
#include "bench/command/machine.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/library/cli.h"
#include "bench/library/number.h"
#include "bench/library/rows.h"
#include "lib/base/atomic_file.h"
#include "lib/base/error.h"
#include "lib/machine/machine.h"
#include "lib/rank/blas.h"
#include "nvm/store.h"

/* ---- Where pools go ---- */

json_t *asl_text_json(const char *bytes)
{
	json_t *text = json_string(bytes);

	return text ? text : json_string("(not UTF-8)");
}

int asl_json_write(const char *path, const json_t *root, int digits)
{
	char *text =
		root ? json_dumps(root,
				  JSON_INDENT(2) | JSON_REAL_PRECISION(digits))
		     : NULL;
	int err = -ENOMEM;

	if (text) {
		size_t length = strlen(text);

		text[length] = '\n'; /* asl_atomic_file_put takes no string */
		err = asl_atomic_file_put(path, text, length + 1);
	}
	free(text);
	return err;
}

static void add_text(json_t *to, const char *key, const char *value)
{
	if (*value)
		json_object_set_new(to, key, asl_text_json(value));
}

static json_t *describe_place(const char *dir)
{
	static struct asl_store_place x;
	json_t *pool = json_object();
	int err;

	add_text(pool, "dir", dir);
	err = asl_store_place(&x, dir);
	if (err) {
		add_text(pool, "error", asl_failure());
		return pool;
	}
	add_text(pool, "medium", x.medium);
	add_text(pool, "file_system", x.file_system);
	add_text(pool, "source", x.source);
	add_text(pool, "mounted_on", x.mounted);
	add_text(pool, "mount_options", x.options);
	add_text(pool, "device", x.device);
	add_text(pool, "model", x.model);
	if (x.numa_node >= 0)
		json_object_set_new(pool, "numa_node",
				    json_integer(x.numa_node));
	return pool;
}

static json_t *list_places(const char *list)
{
	struct asl_store_places p;
	json_t *all = json_array();
	bool fresh;

	if (!list)
		list = asl_store_default_dir(&fresh);
	if (asl_store_split(&p, list)) {
		json_array_append_new(all, json_pack("{s:o, s:s}", "dir",
						     asl_text_json(list),
						     "error", asl_failure()));
		return all;
	}
	for (int i = 0; i < p.count; i++)
		json_array_append_new(all, describe_place(p.at[i]));
	return all;
}

void asl_pools_put(json_t *to, const char *list)
{
	json_t *all = list_places(list);

	json_object_set(to, "pool", json_array_get(all, 0));
	if (json_array_size(all) > 1)
		json_object_set(to, "pools", all);
	json_decref(all);
}

/* ---- The BLAS ---- */

void asl_blas_put(json_t *to)
{
	struct asl_blas x = asl_blas();

	add_text(to, "blas", asl_blas_version());
	add_text(to, "blas_kernels", x.kernels);
	add_text(to, "blas_vectors", x.uses);
	add_text(to, "cpu_vectors", x.has);
}

const char *asl_blas_note(void)
{
	static char text[200];
	struct asl_blas x = asl_blas();

	if (!x.wider || x.chosen)
		return "";
	snprintf(text, sizeof text,
		 "OpenBLAS uses its %s kernels (%s), but the processor has %s: "
		 "--blas-kernels %s may be faster",
		 x.kernels, x.uses, x.has, x.wider);
	return text;
}

/* ---- For people ---- */

static const char *text_of(const json_t *x, const char *key)
{
	const char *text = json_string_value(json_object_get(x, key));

	return text ? text : "";
}

static json_int_t count_of(const json_t *x, const char *key)
{
	return json_integer_value(json_object_get(x, key));
}

static void print_bytes(json_int_t count)
{
	char text[ASL_BYTES];

	fputs(asl_write_bytes(text, (double)count), stdout);
}

static void print_blas(void)
{
	struct asl_blas x = asl_blas();

	printf("blas      OpenBLAS, %s kernels", x.kernels);
	if (*x.uses)
		printf(" (%s)", x.uses);
	if (*x.has)
		printf("; the processor has %s", x.has);
	putchar('\n');
}

static void print_cores(const json_t *all)
{
	int packages = (int)count_of(all, "packages");

	printf("cores     %d may be used", (int)count_of(all, "cores"));
	if (packages)
		printf("; %d threads in %d package%s",
		       (int)count_of(all, "threads"), packages,
		       packages > 1 ? "s" : "");
	putchar('\n');
}

static void print_caches(const json_t *all)
{
	const json_t *list = json_object_get(all, "caches"), *x;
	size_t i = json_array_size(list);

	fputs("caches    ", stdout);
	if (!i)
		fputs("not known; S is assumed to be ", stdout);
	/* From the cores outwards. */
	while (i-- > 0) {
		x = json_array_get(list, i);
		printf("%d x L%d ", (int)count_of(x, "count"),
		       (int)count_of(x, "level"));
		print_bytes(count_of(x, "bytes"));
		fputs(i ? ", " : "", stdout);
	}
	if (!json_array_size(list))
		print_bytes(count_of(all, "cache_bytes"));
	putchar('\n');
}

static void print_values(const json_t *node, const char *key, const char *name,
			 const char *unit)
{
	const json_t *x;
	size_t i;

	json_array_foreach(json_object_get(node, key), i, x)
	{
		printf("          %s %" JSON_INTEGER_FORMAT " %s", name,
		       count_of(x, "value"), unit);
		if (*text_of(x, "from_cpus"))
			printf(", from cpus %s", text_of(x, "from_cpus"));
		putchar('\n');
	}
}

static void print_node(const json_t *node)
{
	static const struct {
		const char *key, *name, *unit;
	} speeds[] = {
		{"bandwidth_mib_s", "moves", "MiB/s"},
		{"read_bandwidth_mib_s", "reads", "MiB/s"},
		{"write_bandwidth_mib_s", "writes", "MiB/s"},
		{"latency_ns", "access", "ns"},
		{"read_latency_ns", "read", "ns"},
		{"write_latency_ns", "write", "ns"},
	};

	printf("node %-4d ", (int)count_of(node, "node"));
	if (json_object_get(node, "bytes"))
		print_bytes(count_of(node, "bytes"));
	else
		fputs("of unknown size", stdout);
	if (*text_of(node, "subtype"))
		printf(" %s", text_of(node, "subtype"));
	if (*text_of(node, "dax_device"))
		printf(" of %s", text_of(node, "dax_device"));
	if (*text_of(node, "dax_device_added"))
		printf(", %s in it", text_of(node, "dax_device_added"));
	if (json_object_get(node, "memory_side_cache_bytes")) {
		fputs(" behind a cache of ", stdout);
		print_bytes(count_of(node, "memory_side_cache_bytes"));
	}
	if (*text_of(node, "local_cpus"))
		printf(", next to cpus %s", text_of(node, "local_cpus"));
	putchar('\n');
	for (size_t i = 0; i < sizeof speeds / sizeof speeds[0]; i++)
		print_values(node, speeds[i].key, speeds[i].name,
			     speeds[i].unit);
}

static void print_memory(const json_t *all)
{
	const json_t *node;
	size_t i;

	fputs("memory    ", stdout);
	print_bytes(count_of(all, "memory_bytes"));
	puts(" may be used");
	json_array_foreach(json_object_get(all, "numa"), i, node)
	{
		print_node(node);
	}
}

/* To the end of the line; false: an error. */
static bool print_medium(const json_t *pool)
{
	if (*text_of(pool, "error")) {
		puts(text_of(pool, "error"));
		return false;
	}
	printf("medium %s", text_of(pool, "medium"));
	if (json_object_get(pool, "numa_node"))
		printf(", next to node %d", (int)count_of(pool, "numa_node"));
	putchar('\n');
	return true;
}

static void print_pool(const json_t *pool, const char *title)
{
	static const char *const more[] = {"source", "device", "model"};
	const char *type = text_of(pool, "file_system");

	printf("%-10sin %s: ", title, text_of(pool, "dir"));
	if (!print_medium(pool))
		return;
	if (*type)
		printf("          file system %s on %s\n", type,
		       text_of(pool, "mounted_on"));
	for (int i = 0; i < 3; i++)
		if (*text_of(pool, more[i]) &&
		    strcmp(text_of(pool, more[i]), type))
			printf("          %s %s\n", more[i],
			       text_of(pool, more[i]));
}

/* The stores that the large memory may be: persistent memory, or any node. */
static void print_choices(const json_t *all)
{
	static struct asl_store_places p;
	int count = asl_store_find(&p) ? p.count : 0;
	const char *title = "may be";
	const json_t *node;
	size_t i;

	for (int k = 0; k < count; k++) {
		json_t *pool = describe_place(p.at[k]);

		printf("%-10s--nvm-dir %s: ", title, text_of(pool, "dir"));
		print_medium(pool);
		json_decref(pool);
		title = "";
	}
	json_array_foreach(json_object_get(all, "numa"), i, node)
	{
		printf("%-10s--store node --memory-node %d: %s\n", title,
		       (int)count_of(node, "node"), text_of(node, "kind"));
		title = "";
	}
}

void asl_list_machine(void)
{
	json_t *all = asl_machine_json(), *pools = list_places(NULL);
	const json_t *pool;
	size_t i;

	printf("host      %s\ncpu       %s\n", text_of(all, "host"),
	       text_of(all, "cpu"));
	if (json_is_false(json_object_get(all, "topology_is_of_this_machine")))
		puts("          another machine: HWLOC_XMLFILE or "
		     "HWLOC_SYNTHETIC is set");
	print_cores(all);
	print_caches(all);
	print_blas();
	print_memory(all);
	json_array_foreach(pools, i, pool)
	{
		print_pool(pool, i ? "" : "pools");
	}
	print_choices(all);
	json_decref(all);
	json_decref(pools);
}

/*
 * Machine.json: where a result comes from
 */

/* Where the program lies says nothing, and its version is there. */
static json_t *command_line(int argc, char **argv)
{
	const char *slash = strrchr(argv[0], '/');
	json_t *list = json_array();

	json_array_append_new(list, asl_text_json(slash ? slash + 1 : argv[0]));
	for (int i = 1; i < argc; i++)
		json_array_append_new(list, asl_text_json(argv[i]));
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

bool asl_rep_multiplies(const struct asl_rep *rep)
{
	return rep->moved && asl_show(&rep->want->plan).kernel;
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

	if (asl_rep_multiplies(rep))
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
	if (asl_rep_multiplies(rep) && *asl_blas_note())
		json_array_append_new(list, json_string(asl_blas_note()));
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
	const char *spec = *x.spec ? x.spec : NULL;

	return json_pack(
		"{s:s, s:s, s:s*, s:o*, s:o*, s:o*, s:s*, s:s*, s:s, s:s, s:o, "
		"s:s, s:o*, s:s, s:s*, s:o*, s:i}",
		"run_id", rep->run_id, "algorithm", plan->algorithm->name,
		"kernel", x.kernel, "m", length(x.m), "n", length(x.n), "k",
		length(x.k), "spec", spec, "dims", spec ? x.dims : NULL,
		"store", c->want.store, "medium", rep->medium, "costs",
		costs(c), "accounting", asl_accounting_name(plan->accounting),
		"emulation", emulation(rep), "cache_source",
		*c->cache_source ? c->cache_source : "given", "bind",
		*rep->bind ? rep->bind : NULL, "rank_cpus", cpus(rep),
		"threads", rep->threads);
}

int asl_provenance_write(const char *path, const struct asl_case *c,
			 const struct asl_rep *rep, int argc, char **argv)
{
	json_t *root = asl_machine_json(), *run, *one;
	int err = -ENOMEM;

	run = json_pack("{s:i, s:s, s:o, s:s, s:s, s:o}", "schema", ASL_SCHEMA,
			"aslant", ASLANT_VERSION, "command_line",
			command_line(argc, argv), "transport",
			rep->want->transport, "provider", rep->provider,
			"notes", notes(rep));
	if (*ASLANT_COMMIT)
		json_object_set_new(run, "commit", json_string(ASLANT_COMMIT));
	if (asl_store_can(rep->want->store)->needs_dir)
		asl_pools_put(run, rep->want->nvm_dir);
	one = c ? what_ran(c, rep) : json_object();
	if (rep->moved)
		asl_blas_put(run);
	if (root && run && one && !json_object_update_missing(run, one) &&
	    !json_object_update_missing(run, root))
		err = asl_json_write(path, run, 17);
	json_decref(one);
	json_decref(run);
	json_decref(root);
	return err;
}
