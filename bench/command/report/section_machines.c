/*
 * section_machines.c -- what machine this was, or these were
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/command/html.h"
#include "bench/command/report/page.h"

/* ---- From machine.json ---- */

static const json_t *find(const struct asl_page *p, int place, const char *key)
{
	return json_object_get(p->machine[place], key);
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
	const json_t *list = find(p, place, key);
	json_t *item;
	size_t i;

	json_array_foreach(list, i, item) if (json_string_value(item))
	{
		fputs(i ? " " : "", p->f);
		asl_html_text(p->f, json_string_value(item));
	}
}

static void put_notes(struct asl_page *p, int place, const char *key)
{
	const json_t *list = find(p, place, key);
	json_t *item;
	size_t i;

	json_array_foreach(list, i, item) if (json_string_value(item))
	{
		fputs("<p>", p->f);
		asl_html_text(p->f, json_string_value(item));
		fputs("</p>", p->f);
	}
}

static const struct known {
	const char *title, *key;
	void (*put)(struct asl_page *p, int place, const char *key);
} known[] = {
	{"host", "host", put_string},
	{"processor", "cpu", put_string},
	{"cores", "cores", put_integer},
	{"last-level cache", "cache_bytes", put_cache},
	{"memory", "memory_bytes", put_bytes},
	{"system", "kernel", put_string},
	{"aslant", "aslant", put_string},
	{"compiler", "compiler", put_string},
	{"when (UTC)", "time_utc", put_string},
	{"command", "command_line", put_list},
	{"notes", "notes", put_notes},
};

/* ---- From rows ---- */

/* What a column has in the rows of a place, each once. */
static void put_each(struct asl_page *p, int place, enum asl_column column)
{
	const char *seen[8];
	int count = 0;

	for (int i = 0; i < p->results->rows && count < 8; i++) {
		const struct asl_row *x = p->results->sorted[i];
		int k = 0;

		if ((int)x->number[ASL_COL_PLACE] != place || !*x->text[column])
			continue;
		while (k < count && strcmp(seen[k], x->text[column]) != 0)
			k++;
		if (k < count)
			continue;
		asl_page_say(p, "%s%s", count ? ", " : "", x->text[column]);
		seen[count++] = x->text[column];
	}
	if (!count)
		fputs("none", p->f);
}

/* A word that costs t ns is 8/t GB/s. */
static void put_cost(struct asl_page *p, int place, enum asl_column column)
{
	double low = INFINITY, high = -INFINITY;
	bool timed = true;

	for (int i = 0; i < p->results->rows; i++) {
		const struct asl_row *x = p->results->sorted[i];

		if ((int)x->number[ASL_COL_PLACE] != place)
			continue;
		low = fmin(low, x->number[column]);
		high = fmax(high, x->number[column]);
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
	int rows = 0;

	for (int i = 0; i < p->results->rows; i++)
		rows += (int)p->results->sorted[i]->number[column] == place;
	fprintf(p->f, "%d", rows);
}

static const struct seen {
	const char *title;
	enum asl_column column;
	void (*put)(struct asl_page *p, int place, enum asl_column column);
} seen[] = {
	{"pools lay on", ASL_COL_MEDIUM, put_each},
	{"network", ASL_COL_TRANSPORT, put_each},
	{"its provider", ASL_COL_PROVIDER, put_each},
	{"costs from profile", ASL_COL_PROFILE, put_each},
	{"r, to read a word", ASL_COL_R, put_cost},
	{"w, to write a word", ASL_COL_W, put_cost},
	{"&#946;, a word between ranks", ASL_COL_BETA, put_cost},
	{"emulated", ASL_COL_EMULATED, put_each},
	{"rows", ASL_COL_PLACE, put_rows},
};

/* ---- The table ---- */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void head(struct asl_page *p)
{
	fputs("<div class=\"wide\"><table class=\"machines\">\n"
	      "<tr><th></th>",
	      p->f);
	for (int i = 0; i < p->results->places; i++) {
		fputs("<th>", p->f);
		asl_page_say(p, "%s", asl_page_place(p, i));
		fputs("</th>", p->f);
	}
	fputs("</tr>\n", p->f);
}

void asl_section_machines(struct asl_page *p)
{
	asl_page_section(p, "machine",
			 p->results->places > 1 ? "The machines"
						: "The machine");
	head(p);
	for (size_t k = 0; k < COUNT(known); k++) {
		fprintf(p->f, "<tr><th>%s</th>", known[k].title);
		for (int i = 0; i < p->results->places; i++) {
			fputs("<td>", p->f);
			known[k].put(p, i, known[k].key);
			fputs("</td>", p->f);
		}
		fputs("</tr>\n", p->f);
	}
	for (size_t k = 0; k < COUNT(seen); k++) {
		fprintf(p->f, "<tr><th>%s</th>", seen[k].title);
		for (int i = 0; i < p->results->places; i++) {
			fputs("<td>", p->f);
			seen[k].put(p, i, seen[k].column);
			fputs("</td>", p->f);
		}
		fputs("</tr>\n", p->f);
	}
	fputs("</table></div>\n", p->f);
}
