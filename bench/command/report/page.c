/*
 * page.c -- the report as it is being written
 */
#include "bench/command/report/page.h"

#include <csv.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "bench/library/number.h"

/* ---- Numbers for people ---- */

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

/* Behind the size, if it is not a mere product. */
static void say_factors(char text[ASL_SAID], const struct asl_runs_row *row)
{
	size_t used = strlen(text), room = ASL_SAID - used;

	if (!isnan(row->c_factor))
		snprintf(text + used, room, ", %g A B + %g C",
			 isnan(row->ab_factor) ? 1 : row->ab_factor,
			 row->c_factor);
	else if (!isnan(row->ab_factor))
		snprintf(text + used, room, ", %g A B", row->ab_factor);
}

static void say_size(char text[ASL_SAID], const struct asl_runs_row *row)
{
	if (*row->spec)
		snprintf(text, ASL_SAID, "%.200s, %.200s%s%.40s", row->spec,
			 row->dims, *row->type ? ", " : "", row->type);
	else if (isnan(row->m) || (row->m == row->n && row->n == row->k))
		snprintf(text, ASL_SAID, "n = %.0f", row->n);
	else
		snprintf(text, ASL_SAID, "%.0f x %.0f x %.0f", row->m, row->n,
			 row->k);
	say_factors(text, row);
}

static void say_means(char text[ASL_SAID], const struct asl_runs_row *row)
{
	const bool *same = row->results->same;
	char words[ASL_BRIEF];
	int at = snprintf(text, ASL_SAID, "%.0f rank%s%s", row->ranks,
			  row->ranks == 1 ? "" : "s",
			  asl_row_crowded(row) ? " on fewer cores" : "");

	if (!same[COL_cache_words])
		at += snprintf(text + at, (size_t)(ASL_SAID - at),
			       ", cache %s words",
			       asl_brief(words, row->cache_words));
	if (!same[COL_memory_words])
		at += snprintf(text + at, (size_t)(ASL_SAID - at),
			       ", memory %s words",
			       asl_brief(words, row->memory_words));
	snprintf(text + at, (size_t)(ASL_SAID - at), "%s%s",
		 strcmp(row->panels, "nvm") ? "" : ", panels in NVM",
		 strcmp(row->initial, "rank0") ? "" : ", operands on rank 0");
}

/* Costs in which rows differ; or all, if they differ in none. */
static void say_costs(char text[ASL_SAID], const struct asl_runs_row *row,
		      bool shared)
{
	static const struct {
		const char *name;
		enum asl_column column;
	} costs[] = {{"r", COL_r}, {"w", COL_w}, {"\xce\xb2", COL_beta}};
	const double value[] = {row->r, row->w, row->beta};
	int at = 0;

	*text = '\0';
	for (int i = 0; i < 3; i++)
		if (row->results->same[costs[i].column] == shared)
			at += snprintf(text + at, (size_t)(ASL_SAID - at),
				       "%s%s %.3g", at ? ", " : "",
				       costs[i].name, value[i]);
	if (at && asl_row_timed(row))
		snprintf(text + at, (size_t)(ASL_SAID - at), " ns");
}

void asl_page_shared(struct asl_page *p)
{
	const struct asl_runs_row *row = p->results->row;
	char words[ASL_BRIEF], costs[ASL_SAID];
	const bool *same = p->results->same;

	if (p->results->rows < 2)
		return;
	say_costs(costs, row, true);
	if (!same[COL_cache_words] && !same[COL_memory_words] && !*costs)
		return;
	fputs(" In all cases:", p->f);
	if (same[COL_cache_words])
		asl_html(p->f, " cache %s words a rank%s",
			 asl_brief(words, row->cache_words),
			 same[COL_memory_words] || *costs ? "," : "");
	if (same[COL_memory_words])
		asl_html(p->f, " memory %s words a rank%s",
			 asl_brief(words, row->memory_words),
			 *costs ? "," : "");
	asl_html(p->f, "%s%s.", *costs ? " " : "", costs);
}

struct asl_said asl_say(const struct asl_runs_row *row)
{
	struct asl_said said;

	say_size(said.size, row);
	say_means(said.means, row);
	snprintf(said.how, sizeof said.how, "%.60s %.200s", row->algorithm,
		 row->grid);
	say_costs(said.costs, row, false);
	if (row->results->same[COL_r] && row->results->same[COL_w] &&
	    row->results->same[COL_beta])
		say_costs(said.costs, row, true);
	return said;
}

const char *asl_say_budget(char text[ASL_SAID], double budget)
{
	char words[ASL_BRIEF];

	if (isnan(budget))
		return "";
	snprintf(text, ASL_SAID, ", budget %s words", asl_brief(words, budget));
	return text;
}

void asl_row_parts(double part[ASL_PARTS], const struct asl_runs_row *x)
{
	part[ASL_PART_WAIT] =
		fmax(0, asl_known(asl_row_cost(x) - asl_row_busiest_cost(x)));
	part[ASL_PART_NET] = asl_known(x->beta * x->bh_words_max);
	part[ASL_PART_READ] = asl_known(x->r * x->read_words_max);
	part[ASL_PART_WRITE] = asl_known(x->w * x->write_words_max);
	part[ASL_PART_OTHER] = asl_known(x->alpha * x->net_msgs_max) +
			       asl_known(x->gamma * x->flops_max);
	if (!asl_row_out_of_core(x))
		return;
	part[ASL_PART_READ] = asl_known(
		x->r * (x->nvm_read_words_max + x->nvm_lift_words_max));
	part[ASL_PART_WRITE] = asl_known(
		x->w * (x->nvm_write_words_max + x->nvm_land_words_max));
	part[ASL_PART_OTHER] =
		fmax(0, asl_known(x->q_full_max) - part[ASL_PART_NET] -
				part[ASL_PART_READ] - part[ASL_PART_WRITE]);
}

/* ---- Names ---- */

const char *asl_page_place(const struct asl_page *p, int place)
{
	return p->ranking->machine[place].name;
}

const char *asl_page_place_of(const struct asl_page *p,
			      const struct asl_runs_row *row)
{
	return asl_page_place(p, (int)row->place);
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

/* ---- Cases, and groups of them ---- */

int asl_page_list(struct asl_page *p,
		  bool (*fits)(const struct asl_measured *x))
{
	int count = 0;

	for (int i = 0; i < p->results->count; i++) {
		struct asl_measured *x = &p->results->cases[i];

		if (x->trouble > ASL_MISCOUNTED && (!fits || fits(x)))
			p->list[count++] = x;
	}
	return count;
}

struct asl_packs asl_page_packs(struct asl_page *p, int count, const int *order,
				const int *by,
				bool (*keep)(const struct asl_pack *g))
{
	struct asl_packs packs = {calloc((size_t)count + 1, sizeof *packs.at),
				  0};
	struct asl_pack g = {0};

	p->failed |= !packs.at;
	asl_cases_sort(p->list, count, order);
	while (packs.at && asl_pack_next(&g, p->list, count, by))
		if (!keep || keep(&g))
			packs.at[packs.count++] = g;
	return packs;
}

struct asl_packs asl_page_budgets(struct asl_page *p, int count,
				  const int *order, const int *by)
{
	struct asl_packs groups = asl_page_packs(p, count, order, by, NULL);
	struct asl_packs packs = {calloc((size_t)count + 1, sizeof *packs.at),
				  0};

	p->failed |= !packs.at;
	for (int i = 0; !p->failed && i < groups.count; i++) {
		struct asl_pack g = groups.at[i];

		for (int k = 0, before = 0; k < g.count; k++) {
			g.budget = g.at[k]->row->memory_budget_words;
			for (before = 0; before < k; before++)
				if (!asl_budget_compare(g.at[before]->row,
							g.budget))
					break;
			if (before == k)
				packs.at[packs.count++] = g;
		}
	}
	free(groups.at);
	return packs;
}

static int compare_packs(const void *a, const void *b)
{
	const struct asl_pack *x = a, *y = b;

	if (x->count != y->count)
		return y->count - x->count;
	return (x->at > y->at) - (x->at < y->at);
}

void asl_packs_sort(struct asl_packs *packs)
{
	if (packs->at)
		qsort(packs->at, (size_t)packs->count, sizeof *packs->at,
		      compare_packs);
}

void asl_page_figures(struct asl_page *p, const struct asl_packs *packs,
		      int most,
		      void (*figure)(struct asl_page *p,
				     const struct asl_pack *g))
{
	fputs("<div class=\"plots\">\n", p->f);
	for (int i = 0; !p->failed && i < packs->count && i < most; i++)
		figure(p, &packs->at[i]);
	fputs("</div>\n", p->f);
}

/* ---- Tables ---- */

enum { LONG = 16 }; /* characters of a cell that may be broken into lines */

static void end_row(struct asl_sheet *s)
{
	if (!s->page)
		return;
	fputs("</tr>\n", s->page);
	fputc('\n', s->csv);
	s->column = 0;
	s->row++;
}

void asl_sheet_begin(struct asl_page *p, struct asl_sheet *s, const char *names)
{
	char *copy = strdup(names ? names : ""), *rest = copy;

	*s = (struct asl_sheet){0};
	s->page = open_memstream(&s->page_text, &s->page_bytes);
	s->csv = open_memstream(&s->csv_text, &s->csv_bytes);
	if (!s->page || !s->csv || !copy) {
		p->failed = true;
		asl_sheet_close(s);
	}
	while (s->page && names && rest)
		asl_sheet_put(s, "%s", strsep(&rest, "|"));
	if (names)
		asl_sheet_put(s, "\n");
	free(copy);
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

static bool begin_cell(struct asl_sheet *s)
{
	if (!s->page)
		return false;
	if (!s->column)
		fputs("<tr>", s->page);
	else
		fputc(',', s->csv);
	s->column++;
	return true;
}

static void put_text(struct asl_sheet *s, const char *text)
{
	if (!begin_cell(s))
		return;
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

/*
 * Numbers of a column have one format, which only its last row decides: until
 * then they stand between two marks.
 */
enum { MARK = '\x01', MOST_COLUMNS = 40 };

static void put_number(struct asl_sheet *s, double x)
{
	char text[32];

	if (!begin_cell(s))
		return;
	if (isnan(x)) {
		fputs("<td></td>", s->page);
		return;
	}
	fprintf(s->page, "<td class=\"n\">%c%.17g%c</td>", MARK, x, MARK);
	fputs(asl_write_number(text, x), s->csv);
}

void asl_sheet_put(struct asl_sheet *s, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	for (; *format; format++)
		if (*format == 's')
			put_text(s, va_arg(args, const char *));
		else if (*format == 'g')
			put_number(s, va_arg(args, double));
		else if (*format == 'd')
			put_number(s, va_arg(args, int));
		else if (*format == '\n')
			end_row(s);
	va_end(args);
}

static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || (c && strchr("-_.,;:/=", c));
}

static void put_link(FILE *f, const struct asl_sheet *s, const char *name)
{
	asl_html(f,
		 "<p class=\"link\">As CSV: <a download=\"%s\" "
		 "href=\"data:text/csv;charset=utf-8,",
		 name);
	for (size_t i = 0; i < s->csv_bytes; i++)
		if (is_plain(s->csv_text[i]))
			fputc(s->csv_text[i], f);
		else
			fprintf(f, "%%%02X", (unsigned char)s->csv_text[i]);
	asl_html(f, "\">%s</a></p>\n", name);
}

/* The common format of a column's numbers. */
struct format {
	bool whole;
	int decimals;	    /* that the first four digits of one need */
	double least, most; /* absolute values but 0 */
};

/* Whole numbers are exact as long as people can read them. */
static const char *shown(char text[32], double x, const struct format *f)
{
	if (f->whole && f->most < 1e9)
		snprintf(text, 32, "%.0f", x);
	else if (!isfinite(x) || f->most >= 1000)
		asl_brief(text, x);
	else if (f->least < f->most / 1e4)
		snprintf(text, 32, "%.4g", x);
	else
		snprintf(text, 32, "%.*f", f->decimals, x);
	return text;
}

static void learn(struct format *f, double x)
{
	char text[32], *point;

	f->whole &= x == floor(x);
	if (x == 0 || !isfinite(x))
		return;
	f->least = fmin(f->least, fabs(x));
	f->most = fmax(f->most, fabs(x));
	snprintf(text, sizeof text, "%.4g", x);
	point = strchr(text, '.');
	if (point)
		f->decimals = (int)fmax(
			f->decimals, (double)strspn(point + 1, "0123456789"));
}

/* Walk through the cells: learn their formats, or write them to f. */
static void walk(FILE *f, const struct asl_sheet *s, struct format *formats)
{
	const char *end = s->page_text + s->page_bytes;
	char text[32];
	int column = 0;

	for (const char *c = s->page_text; c < end; c++) {
		if (!strncmp(c, "<tr>", 4))
			column = -1;
		column += !strncmp(c, "<td", 3) || !strncmp(c, "<th>", 4);
		if (*c == MARK) {
			struct format *x = &formats[column % MOST_COLUMNS];
			char *behind;
			double value = strtod(c + 1, &behind);

			c = behind;
			if (f)
				fputs(shown(text, value, x), f);
			else
				learn(x, value);
		} else if (f) {
			fputc(*c, f);
		}
	}
}

/* Rows of more columns than a page is wide take several lines. */
enum { WIDE = 15 };

static bool is_wide(const struct asl_sheet *s)
{
	const char *c = s->page_text;
	int columns = 0;

	while ((c = strstr(c, "<th>"))) {
		columns++;
		c++;
	}
	return columns > WIDE;
}

static void put_cells(FILE *f, const struct asl_sheet *s)
{
	struct format formats[MOST_COLUMNS];

	for (int i = 0; i < MOST_COLUMNS; i++)
		formats[i] = (struct format){true, 0, INFINITY, 1e-300};
	walk(NULL, s, formats);
	for (int i = 0; i < MOST_COLUMNS; i++)
		formats[i].least = fmin(formats[i].least, formats[i].most);
	walk(f, s, formats);
}

void asl_page_table(struct asl_page *p, struct asl_sheet *s, const char *name)
{
	if (!s->page)
		return;
	if (fflush(s->page) || ferror(s->page) || fflush(s->csv) ||
	    ferror(s->csv)) {
		p->failed = true;
	} else {
		fprintf(p->f, "<div class=\"wide\"><table%s>\n",
			is_wide(s) ? " class=\"many\"" : "");
		put_cells(p->f, s);
		fputs("</table></div>\n", p->f);
		if (name)
			put_link(p->f, s, name);
	}
	asl_sheet_close(s);
}

void asl_page_details(struct asl_page *p, struct asl_sheet *s,
		      const char *summary, const char *name)
{
	fprintf(p->f, "<details><summary>%s</summary>\n", summary);
	asl_page_table(p, s, name);
	fputs("</details>\n", p->f);
}

/* ---- Figures ---- */

void asl_figure_begin(struct asl_page *p, const char *title, ...)
{
	va_list args;

	va_start(args, title);
	vsnprintf(p->title, sizeof p->title, title, args);
	va_end(args);
	p->figures++;
	asl_html(p->f, "<figure>\n<figcaption>%s</figcaption>\n", p->title);
}

void asl_figure_end(struct asl_page *p, const char *note, struct asl_sheet *s)
{
	char name[32];

	if (note)
		asl_html(p->f, "<p class=\"note\">%s</p>\n", note);
	snprintf(name, sizeof name, "figure-%d.csv", p->figures);
	asl_page_details(p, s, "Data", name);
	fputs("</figure>\n", p->f);
}
