/*
 * page.c -- the report as it is being written
 */
#include "bench/command/report/page.h"

#include <csv.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/command/html.h"
#include "bench/library/number.h"

/*
 * Numbers for people: three digits and a unit
 */

/* From 999.5 on, three digits are 1000: the next unit says it better. */
static const char *scaled(char text[ASL_BRIEF], double x, const char *unit)
{
	static const char *const factors[] = {"", "k", "M", "G", "T", "P", "E"};
	int at = 0;

	if (isnan(x))
		return "-";
	for (; fabs(x) >= 999.5 && at < 6; at++)
		x /= 1000;
	snprintf(text, ASL_BRIEF, "%.3g%s%s%s", x,
		 *factors[at] || *unit ? " " : "", factors[at], unit);
	return text;
}

const char *asl_brief(char text[ASL_BRIEF], double x)
{
	return scaled(text, x, "");
}

const char *asl_brief_seconds(char text[ASL_BRIEF], double s)
{
	static const struct unit {
		double seconds;
		const char *name;
	} units[] = {{365.25 * 86400, "years"},
		     {86400, "days"},
		     {3600, "h"},
		     {60, "min"},
		     {1, "s"},
		     {1e-3, "ms"},
		     {1e-6, "us"},
		     {1e-9, "ns"}};
	const int last = sizeof units / sizeof units[0] - 1;
	int at = 0;

	if (isnan(s))
		return "-";
	while (at < last && s < units[at].seconds * 0.9995)
		at++;
	s /= units[at].seconds;
	if (s >= 1e6)
		snprintf(text, ASL_BRIEF, "%.1e %s", s, units[at].name);
	else
		snprintf(text, ASL_BRIEF, s < 100 ? "%.3g %s" : "%.0f %s", s,
			 units[at].name);
	return text;
}

/*
 * A row in words, and what it cost
 */

/* ---- In words ---- */

const char *asl_say_size(char text[ASL_SAID], const struct asl_row *row)
{
	double m = row->number[ASL_COL_M], n = row->number[ASL_COL_N];
	double k = row->number[ASL_COL_K];

	if (*row->text[ASL_COL_SPEC])
		snprintf(text, ASL_SAID, "%.200s, %.200s",
			 row->text[ASL_COL_SPEC], row->text[ASL_COL_DIMS]);
	else if (isnan(m) || (m == n && n == k))
		snprintf(text, ASL_SAID, "n = %.0f", n);
	else
		snprintf(text, ASL_SAID, "%.0f x %.0f x %.0f", m, n, k);
	return text;
}

const char *asl_say_means(char text[ASL_SAID], const struct asl_row *row)
{
	char cache[ASL_BRIEF], memory[ASL_BRIEF];

	snprintf(text, ASL_SAID, "%.0f rank%s, cache %s, memory %s words",
		 row->number[ASL_COL_RANKS],
		 row->number[ASL_COL_RANKS] == 1 ? "" : "s",
		 asl_brief(cache, row->number[ASL_COL_CACHE_WORDS]),
		 asl_brief(memory, row->number[ASL_COL_MEMORY_WORDS]));
	return text;
}

const char *asl_say_costs(char text[ASL_SAID], const struct asl_row *row)
{
	snprintf(text, ASL_SAID, "r %.3g, w %.3g, \xce\xb2 %.3g%s",
		 row->number[ASL_COL_R], row->number[ASL_COL_W],
		 row->number[ASL_COL_BETA], asl_row_timed(row) ? " ns" : "");
	return text;
}

const char *asl_say_how(char text[ASL_SAID], const struct asl_row *row)
{
	snprintf(text, ASL_SAID, "%.60s %.200s", row->text[ASL_COL_ALGORITHM],
		 row->text[ASL_COL_GRID]);
	return text;
}

/* ---- Costs ---- */

static bool is_out_of_core(const struct asl_row *row)
{
	return !strcmp(row->text[ASL_COL_FAMILY], "contraction out of core");
}

bool asl_row_timed(const struct asl_row *row)
{
	return !strcmp(row->text[ASL_COL_COST_UNIT], "ns");
}

double asl_row_cost(const struct asl_row *row)
{
	return row
		->number[is_out_of_core(row) ? ASL_COL_Q_FULL : ASL_COL_Q_APM];
}

double asl_row_predicted(const struct asl_row *row)
{
	return row->number[is_out_of_core(row) ? ASL_COL_PREDICTED_FULL
					       : ASL_COL_PREDICTED_APM];
}

static double known(double x)
{
	return isnan(x) ? 0 : x;
}

void asl_row_parts(double part[4], const struct asl_row *row)
{
	const double *x = row->number;

	part[ASL_PART_NET] = known(x[ASL_COL_BETA] * x[ASL_COL_BH_WORDS]);
	part[ASL_PART_READ] = known(x[ASL_COL_R] * x[ASL_COL_READ]);
	part[ASL_PART_WRITE] = known(x[ASL_COL_W] * x[ASL_COL_WRITTEN]);
	part[ASL_PART_OTHER] = known(x[ASL_COL_ALPHA] * x[ASL_COL_MSGS]) +
			       known(x[ASL_COL_GAMMA] * x[ASL_COL_FLOPS_MOST]);
	if (!is_out_of_core(row))
		return;
	part[ASL_PART_READ] = known(
		x[ASL_COL_R] * (x[ASL_COL_POOL_READ] + x[ASL_COL_POOL_LIFTED]));
	part[ASL_PART_WRITE] = known(x[ASL_COL_W] * (x[ASL_COL_POOL_WRITTEN] +
						     x[ASL_COL_POOL_LANDED]));
	part[ASL_PART_OTHER] =
		fmax(0, known(x[ASL_COL_Q_FULL]) - part[ASL_PART_NET] -
				part[ASL_PART_READ] - part[ASL_PART_WRITE]);
}

/* ---- What has to be written ---- */

/* Of "i=64,j=32". */
static double size_of(char index, const char *dims)
{
	for (; dims && *dims;
	     dims = strchr(dims, ',') ? strchr(dims, ',') + 1 : NULL)
		if (dims[0] == index && dims[1] == '=')
			return strtod(dims + 2, NULL);
	return NAN;
}

static double words_of_result(const struct asl_row *row)
{
	const char *arrow = strstr(row->text[ASL_COL_SPEC], "->");
	double words = 1;

	if (!strcmp(row->text[ASL_COL_ALGORITHM], "sttsv"))
		return row->number[ASL_COL_N];
	if (!arrow)
		return row->number[ASL_COL_M] * row->number[ASL_COL_N];
	for (arrow += 2; *arrow; arrow++)
		words *= size_of(*arrow, row->text[ASL_COL_DIMS]);
	return words;
}

double asl_row_write_bound(const struct asl_row *row)
{
	return ceil(words_of_result(row) / row->number[ASL_COL_RANKS]);
}

/*
 * A small table: seen in the page, and taken away as CSV
 */

enum { LONG = 26 }; /* characters: goes on in another line */

/* 0 or -ENOMEM; close it either way. */
static int asl_sheet_open(struct asl_sheet *s)
{
	*s = (struct asl_sheet){0};
	s->page = open_memstream(&s->page_text, &s->page_bytes);
	s->csv = open_memstream(&s->csv_text, &s->csv_bytes);
	return s->page && s->csv ? 0 : -ENOMEM;
}

void asl_sheet_close(struct asl_sheet *s)
{
	if (s->page)
		fclose(s->page);
	if (s->csv)
		fclose(s->csv);
	free(s->page_text);
	free(s->csv_text);
	*s = (struct asl_sheet){0};
}

static void begin_cell(struct asl_sheet *s)
{
	if (!s->column)
		fputs("<tr>", s->page);
	else
		fputc(',', s->csv);
	s->column++;
}

void asl_sheet_text(struct asl_sheet *s, const char *text)
{
	begin_cell(s);
	fputs(!s->row		    ? "<th>"
	      : strlen(text) > LONG ? "<td class=\"t\">"
				    : "<td>",
	      s->page);
	asl_html_text(s->page, text);
	fputs(s->row ? "</td>" : "</th>", s->page);
	if (text[strcspn(text, ",\"\r\n")])
		csv_fwrite(s->csv, text, strlen(text));
	else
		fputs(text, s->csv);
}

/* Whole numbers are exact as long as people can read them. */
static const char *shown(char text[32], double x)
{
	if (fabs(x) < 1e7 && x == floor(x))
		snprintf(text, 32, "%.0f", x);
	else if (fabs(x) >= 1000)
		asl_brief(text, x);
	else
		snprintf(text, 32, "%.4g", x);
	return text;
}

void asl_sheet_number(struct asl_sheet *s, double x)
{
	char text[32];

	begin_cell(s);
	if (isnan(x)) {
		fputs("<td></td>", s->page);
		return;
	}
	fprintf(s->page, "<td class=\"n\">%s</td>", shown(text, x));
	fputs(asl_write_number(text, x), s->csv);
}

void asl_sheet_end_row(struct asl_sheet *s)
{
	fputs("</tr>\n", s->page);
	fputc('\n', s->csv);
	s->column = 0;
	s->row++;
}

int asl_sheet_table(struct asl_sheet *s, FILE *f)
{
	if (fflush(s->page) || ferror(s->page))
		return -ENOMEM;
	fputs("<div class=\"wide\"><table>\n", f);
	fwrite(s->page_text, 1, s->page_bytes, f);
	fputs("</table></div>\n", f);
	return 0;
}

static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || (c && strchr("-_.,;:/=", c));
}

static int asl_sheet_link(struct asl_sheet *s, FILE *f, const char *name)
{
	if (fflush(s->csv) || ferror(s->csv))
		return -ENOMEM;
	fprintf(f, "<a download=\"%s\" href=\"data:text/csv;charset=utf-8,",
		name);
	for (size_t i = 0; i < s->csv_bytes; i++)
		if (is_plain(s->csv_text[i]))
			fputc(s->csv_text[i], f);
		else
			fprintf(f, "%%%02X", (unsigned char)s->csv_text[i]);
	fprintf(f, "\">%s</a>", name);
	return 0;
}

void asl_page_say(struct asl_page *p, const char *format, ...)
{
	char *text;
	va_list args;
	int length;

	va_start(args, format);
	length = vasprintf(&text, format, args);
	va_end(args);
	if (length < 0) {
		p->failed = true;
		return;
	}
	asl_html_text(p->f, text);
	free(text);
}

void asl_page_section(struct asl_page *p, const char *id, const char *title)
{
	fprintf(p->f, "\n<h2 id=\"%s\">%s</h2>\n", id, title);
}

/* ---- Figures and tables ---- */

void asl_figure_begin(struct asl_page *p, const char *title)
{
	p->figures++;
	fputs("<figure>\n<figcaption>", p->f);
	asl_html_text(p->f, title);
	fputs("</figcaption>\n", p->f);
}

void asl_figure_end(struct asl_page *p, const char *note, struct asl_sheet *s)
{
	char name[32];

	if (note) {
		fputs("<p class=\"note\">", p->f);
		asl_html_text(p->f, note);
		fputs("</p>\n", p->f);
	}
	snprintf(name, sizeof name, "figure-%d.csv", p->figures);
	asl_page_details(p, s, "Data", name);
	fputs("</figure>\n", p->f);
}

void asl_sheet_begin(struct asl_page *p, struct asl_sheet *s,
		     const char *const *names)
{
	if (asl_sheet_open(s)) {
		p->failed = true;
		return;
	}
	for (; names && *names; names++)
		asl_sheet_text(s, *names);
	if (names)
		asl_sheet_end_row(s);
}

static void end_sheet(struct asl_page *p, struct asl_sheet *s, const char *name)
{
	p->failed |= asl_sheet_table(s, p->f) != 0;
	fputs("<p class=\"link\">As CSV: ", p->f);
	p->failed |= asl_sheet_link(s, p->f, name) != 0;
	fputs("</p>\n", p->f);
	asl_sheet_close(s);
}

void asl_page_table(struct asl_page *p, struct asl_sheet *s, const char *name)
{
	end_sheet(p, s, name);
}

void asl_page_details(struct asl_page *p, struct asl_sheet *s,
		      const char *summary, const char *name)
{
	fprintf(p->f, "<details><summary>%s</summary>\n", summary);
	end_sheet(p, s, name);
	fputs("</details>\n", p->f);
}

/* ---- Entries ---- */

int asl_page_list(struct asl_page *p, bool (*fits)(const struct asl_entry *x))
{
	int count = 0;

	for (int i = 0; i < p->results->entries; i++) {
		struct asl_entry *x = &p->results->entry[i];

		if (!x->of[ASL_BAD] && (!fits || fits(x)))
			p->list[count++] = x;
	}
	return count;
}

int asl_page_style(struct asl_page *p, const char *algorithm)
{
	int i = 0;

	while (i < p->styles && strcmp(p->algorithm[i], algorithm) != 0)
		i++;
	if (i == p->styles && i < ASL_PAGE_STYLES)
		p->algorithm[p->styles++] = algorithm;
	return i;
}

static const char *last_part(const char *dir)
{
	const char *slash = strrchr(dir, '/');

	return slash ? slash + 1 : dir;
}

const char *asl_page_place(const struct asl_page *p, int place)
{
	const char *const *dir = p->results->dir;
	const char *name = last_part(dir[place]);

	for (int i = 0; i < p->results->places; i++)
		if (i != place && !strcmp(last_part(dir[i]), name))
			return dir[place];
	return name;
}
