/*
 * section_machines.c -- what machine this was, or these were
 */
#include <string.h>

#include "bench/command/report/page.h"

static const json_t *find(const struct asl_page *p, int place, const char *key)
{
	return json_object_get(p->ranking->machine[place].json, key);
}

static void put_string(struct asl_page *p, int place, const char *key)
{
	const char *text = json_string_value(find(p, place, key));

	if (text)
		asl_html_text(p->f, text);
}

static void put_integer(struct asl_page *p, int place, const char *key)
{
	const json_t *x = find(p, place, key);

	if (json_is_integer(x))
		fprintf(p->f, "%" JSON_INTEGER_FORMAT, json_integer_value(x));
}

static void put_bytes(struct asl_page *p, int place, const char *key)
{
	double bytes = (double)json_integer_value(find(p, place, key));

	if (bytes > 0)
		fprintf(p->f, "%.4g GiB", bytes / (1 << 30));
}

static void put_cache(struct asl_page *p, int place, const char *key)
{
	double bytes = (double)json_integer_value(find(p, place, key));
	double cores =
		(double)json_integer_value(find(p, place, "cache_cores"));

	if (bytes > 0)
		fprintf(p->f, "%.4g MiB, shared by %.0f core%s%s",
			bytes / (1 << 20), cores, cores == 1 ? "" : "s",
			json_is_true(find(p, place, "cache_assumed"))
				? " (assumed)"
				: "");
}

static void put_list(struct asl_page *p, int place, const char *key)
{
	json_t *item;
	size_t i;

	json_array_foreach(find(p, place, key), i, item)
	{
		if (json_is_string(item))
			asl_html(p->f,
				 strcmp(key, "notes") ? "%s " : "<p>%s</p>",
				 json_string_value(item));
	}
}

/* All ranks' at once, by calibrated.json beside the rows. */
static void put_rate(struct asl_page *p, int place, const char *key)
{
	const json_t *all = p->ranking->machine[place].calibrated;
	const json_t *figure =
		json_object_get(json_object_get(all, "figures"), key);
	double ranks = json_number_value(json_object_get(all, "ranks"));
	double ns = json_number_value(json_object_get(figure, "value"));
	bool flop = strstr(key, "flop") != NULL;

	if (ranks > 0 && ns > 0)
		fprintf(p->f, "%.4g %s on %.0f ranks",
			(flop ? 1 : 8) * ranks / ns, flop ? "GFLOP/s" : "GB/s",
			ranks);
}

/* The distinct values of a column in the rows of a place. */
static void put_each(struct asl_page *p, int place, enum asl_column column)
{
	const struct asl_runs_row *seen[8];
	int count = 0;

	for (int i = 0; i < p->results->rows && count < 8; i++) {
		const struct asl_runs_row *x = &p->results->row[i];
		int k = 0;

		if ((int)x->place != place || !*asl_row_cell(x, column))
			continue;
		while (k < count && asl_cells_compare(seen[k], x, column))
			k++;
		if (k < count)
			continue;
		asl_html(p->f, "%s%s", count ? ", " : "",
			 asl_row_cell(x, column));
		seen[count++] = x;
	}
	if (!count)
		fputs("none", p->f);
}

static bool was_measured(const struct asl_page *p, int place)
{
	for (int i = 0; i < p->results->rows; i++)
		if ((int)p->results->row[i].place == place &&
		    asl_row_moved(&p->results->row[i]))
			return true;
	return false;
}

void asl_page_machine(struct asl_page *p, int place)
{
	static const struct {
		const char *key, *after;
		void (*put)(struct asl_page *p, int place, const char *key);
	} parts[] = {{"cores", " cores of ", put_integer},
		     {"cpu", ", ", put_string},
		     {"memory_bytes", ", ", put_bytes}};
	static const char *const rates[][2] = {{"read", "reads"},
					       {"write", "writes"},
					       {"product_flop", "products"}};

	asl_html(p->f, "<b>%s</b>: ", asl_page_place(p, place));
	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
		if (!find(p, place, parts[i].key))
			continue;
		parts[i].put(p, place, parts[i].key);
		fputs(parts[i].after, p->f);
	}
	if (was_measured(p, place)) {
		fputs("pools on ", p->f);
		put_each(p, place, COL_medium);
	} else {
		fputs("nothing was measured, only counted", p->f);
	}
	for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++)
		if (p->ranking->machine[place].calibrated) {
			fprintf(p->f, ", %s ", rates[i][1]);
			put_rate(p, place, rates[i][0]);
		}
}

static const struct known {
	const char *title, *key;
	void (*put)(struct asl_page *p, int place, const char *key);
} known[] = {
	{"host", "host", put_string},
	{"processor", "cpu", put_string},
	{"its vectors", "cpu_vectors", put_string},
	{"kernels of OpenBLAS", "blas_kernels", put_string},
	{"cores", "cores", put_integer},
	{"last-level cache", "cache_bytes", put_cache},
	{"memory", "memory_bytes", put_bytes},
	{"reads of the pool, measured", "read", put_rate},
	{"writes of the pool, measured", "write", put_rate},
	{"network, measured", "net", put_rate},
	{"products, measured", "product_flop", put_rate},
	{"system", "kernel", put_string},
	{"aslant", "aslant", put_string},
	{"its commit", "commit", put_string},
	{"compiler", "compiler", put_string},
	{"when (UTC)", "time_utc", put_string},
	{"command", "command_line", put_list},
	{"notes", "notes", put_list},
};

/* A word that costs t ns is 8/t GB/s. */
static void put_cost(struct asl_page *p, int place, enum asl_column column)
{
	double low = INFINITY, high = -INFINITY;
	bool timed = true;

	for (int i = 0; i < p->results->rows; i++) {
		const struct asl_runs_row *x = &p->results->row[i];
		double cost = column == COL_r	? x->r
			      : column == COL_w ? x->w
						: x->beta;

		if ((int)x->place != place)
			continue;
		low = fmin(low, cost);
		high = fmax(high, cost);
		timed = timed && asl_row_timed(x);
	}
	if (!isfinite(low))
		return;
	fprintf(p->f, "%.3g", low);
	if (high > low)
		fprintf(p->f, " to %.3g", high);
	if (timed && low > 0 && low == high)
		fprintf(p->f, " ns (%.3g GB/s)", 8 / low);
	else if (timed)
		fputs(" ns", p->f);
}

static void put_rows(struct asl_page *p, int place, enum asl_column column)
{
	(void)column;
	fprintf(p->f, "%zu", p->results->table[place].count);
}

static const struct seen {
	const char *title;
	enum asl_column column;
	void (*put)(struct asl_page *p, int place, enum asl_column column);
} seen[] = {
	{"pools lay on", COL_medium, put_each},
	{"network", COL_transport, put_each},
	{"its provider", COL_provider, put_each},
	{"costs from profile", COL_profile, put_each},
	{"r, to read a word", COL_r, put_cost},
	{"w, to write a word", COL_w, put_cost},
	{"&#946;, a word between ranks", COL_beta, put_cost},
	{"emulated", COL_emulated, put_each},
	{"rows", COL_place, put_rows},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void write_section(struct asl_page *p)
{
	fputs("<div class=\"wide\"><table class=\"machines\">\n"
	      "<tr><th></th>",
	      p->f);
	for (int i = 0; i < p->results->places; i++)
		asl_html(p->f, "<th>%s</th>", asl_page_place(p, i));
	fputs("</tr>\n", p->f);
	for (size_t k = 0; k < COUNT(known) + COUNT(seen); k++) {
		const struct known *a = k < COUNT(known) ? &known[k] : NULL;
		const struct seen *b = a ? NULL : &seen[k - COUNT(known)];

		fprintf(p->f, "<tr><th>%s</th>", a ? a->title : b->title);
		for (int i = 0; i < p->results->places; i++) {
			fputs("<td>", p->f);
			if (a)
				a->put(p, i, a->key);
			else
				b->put(p, i, b->column);
			fputs("</td>", p->f);
		}
		fputs("</tr>\n", p->f);
	}
	fputs("</table></div>\n", p->f);
}

const struct asl_section asl_section_machines = {
	.id = "machine",
	.name = "machine",
	.title = "The machine",
	.titles = "The machines",
	.write = write_section,
};
