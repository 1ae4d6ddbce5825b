/*
 * machine.c -- this machine as results have it, and for people
 *
 * What is printed is what machine.json would say: there is one description.
 */
#include "bench/machine.h"

#include <stdio.h>
#include <string.h>

#include "bench/number.h"
#include "lib/base/error.h"
#include "lib/machine/machine.h"
#include "nvm/store.h"

/* ---- Where pools go ---- */

static void add_text(json_t *to, const char *key, const char *value)
{
	json_t *text = *value ? json_string(value) : NULL;

	/* Paths may be anything; JSON is UTF-8. */
	if (*value)
		json_object_set_new(to, key,
				    text ? text : json_string("(not UTF-8)"));
}

json_t *asl_pool_json(const char *dir)
{
	static struct asl_store_place x;
	json_t *pool = json_object();
	bool fresh;
	int err;

	if (!dir)
		dir = asl_store_default_dir(&fresh);
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

static void print_pool(const json_t *pool)
{
	static const char *const more[] = {"source", "device", "model"};
	const char *type = text_of(pool, "file_system");

	printf("pools     in %s: ", text_of(pool, "dir"));
	if (*text_of(pool, "error")) {
		puts(text_of(pool, "error"));
		return;
	}
	printf("medium %s\n", text_of(pool, "medium"));
	if (*type)
		printf("          file system %s on %s\n", type,
		       text_of(pool, "mounted_on"));
	for (int i = 0; i < 3; i++)
		if (*text_of(pool, more[i]) &&
		    strcmp(text_of(pool, more[i]), type))
			printf("          %s %s\n", more[i],
			       text_of(pool, more[i]));
}

void asl_list_machine(void)
{
	json_t *all = asl_machine_json(), *pool = asl_pool_json(NULL);

	printf("host      %s\ncpu       %s\n", text_of(all, "host"),
	       text_of(all, "cpu"));
	if (json_is_false(json_object_get(all, "topology_is_of_this_machine")))
		puts("          another machine: HWLOC_XMLFILE or "
		     "HWLOC_SYNTHETIC is set");
	print_cores(all);
	print_caches(all);
	print_memory(all);
	print_pool(pool);
	json_decref(all);
	json_decref(pool);
}
