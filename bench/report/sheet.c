/*
 * sheet.c -- a small table: seen in the page, and taken away as CSV
 */
#include "bench/report/sheet.h"

#include <csv.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "bench/html.h"
#include "bench/number.h"
#include "bench/report/brief.h"

enum { LONG = 26 }; /* characters: goes on in another line */

int asl_sheet_open(struct asl_sheet *s)
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

int asl_sheet_link(struct asl_sheet *s, FILE *f, const char *name)
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
