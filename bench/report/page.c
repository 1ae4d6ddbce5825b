/*
 * page.c -- the report as it is being written
 */
#include "bench/report/page.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "bench/html.h"

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
