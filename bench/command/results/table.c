/*
 * table.c -- runs.csv and ranks.csv, read back by the names of columns
 *
 * libcsv gets the file line by line, so that a complaint can name the line;
 * quoted cells may continue in the next.
 */
#include "bench/command/results/table.h"

#include <csv.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/library/rows.h"
#include "bench/library/say.h"

struct reader {
	struct asl_table *to;
	size_t cells, cells_most; /* in to->at, and its capacity */
	size_t bytes, bytes_most; /* in to->text */
	size_t rows, rows_most;	  /* in to->line; with the heading */
	int cells_in_row, begun;  /* the line in which the row began */
	int line;
	int code;
};

static int refuse(struct reader *r, int line, const char *found,
		  const char *expected)
{
	if (!r->code)
		r->code = asl_refuse("%s: line %d: found %s, expected %s",
				     r->to->path, line, found, expected);
	return r->code;
}

/* Make *list hold `more` things after `used`; false after a complaint. */
static bool grow(struct reader *r, void *list, size_t *most, size_t used,
		 size_t more, size_t size)
{
	size_t count = *most ? *most : 1024;
	void *grown;

	if (used + more <= *most)
		return true;
	while (count < used + more)
		count *= 2;
	grown = reallocarray(*(void **)list, count, size);
	if (!grown) {
		r->code = asl_complain(ASL_NO_MACHINE, "%s: out of memory",
				       r->to->path);
		return false;
	}
	*(void **)list = grown;
	*most = count;
	return true;
}

static void take_cell(void *from, size_t bytes, void *arg)
{
	struct reader *r = arg;

	if (r->code)
		return;
	if (memchr(from, '\0', bytes)) {
		refuse(r, r->line, "a zero byte", "text");
		return;
	}
	if (!grow(r, &r->to->text, &r->bytes_most, r->bytes, bytes + 1, 1) ||
	    !grow(r, &r->to->at, &r->cells_most, r->cells, 1,
		  sizeof *r->to->at))
		return;
	memcpy(r->to->text + r->bytes, from, bytes);
	r->to->text[r->bytes + bytes] = '\0';
	r->to->at[r->cells++] = r->bytes;
	r->bytes += bytes + 1;
	r->cells_in_row++;
}

static const char *cell(const struct asl_table *rows, size_t i)
{
	return rows->text + rows->at[i];
}

static int check_heading(struct reader *r)
{
	struct asl_table *to = r->to;
	char found[80];

	to->columns = r->cells_in_row;
	if (strcmp(cell(to, 0), "schema") != 0) {
		snprintf(found, sizeof found, "'%.40s' as the first column",
			 cell(to, 0));
		return refuse(r, r->begun, found, "'schema'");
	}
	for (int i = 0; i < to->columns; i++)
		if (asl_table_column(to, cell(to, (size_t)i)) < i) {
			snprintf(found, sizeof found, "two columns '%.40s'",
				 cell(to, (size_t)i));
			return refuse(r, r->begun, found, "one of a name");
		}
	return 0;
}

static int check_row(struct reader *r)
{
	const char *schema = cell(r->to, r->cells - (size_t)r->cells_in_row);
	char found[80], expected[80], known[16];

	snprintf(known, sizeof known, "%d", ASL_SCHEMA);
	if (r->cells_in_row != r->to->columns) {
		snprintf(found, sizeof found, "%d cells", r->cells_in_row);
		snprintf(expected, sizeof expected,
			 "%d, as there are columns in line %d", r->to->columns,
			 r->to->line[0]);
		return refuse(r, r->begun, found, expected);
	}
	if (strcmp(schema, known) != 0) {
		snprintf(found, sizeof found, "schema '%.40s'", schema);
		return refuse(r, r->begun, found, known);
	}
	return 0;
}

static void take_row(int end, void *arg)
{
	struct reader *r = arg;

	(void)end;
	if (r->code || !grow(r, &r->to->line, &r->rows_most, r->rows, 1,
			     sizeof *r->to->line))
		return;
	r->to->line[r->rows++] = r->begun;
	if (r->rows == 1)
		check_heading(r);
	else
		check_row(r);
	r->cells_in_row = 0;
}

static int take_line(struct reader *r, struct csv_parser *parser,
		     const char *line, size_t bytes)
{
	r->line++;
	if (!r->cells_in_row)
		r->begun = r->line;
	if (line[bytes - 1] != '\n')
		return refuse(r, r->line, "a line that is cut off",
			      "whole lines (if a suite was interrupted, "
			      "continue it)");
	if (csv_parse(parser, line, bytes, take_cell, take_row, r) == bytes ||
	    r->code)
		return r->code;
	if (csv_error(parser) == CSV_ENOMEM)
		r->code = asl_complain(ASL_NO_MACHINE, "%s: out of memory",
				       r->to->path);
	else
		refuse(r, r->line, csv_strerror(csv_error(parser)), "CSV");
	return r->code;
}

static void parse(struct reader *r, struct csv_parser *parser, FILE *f)
{
	char *line = NULL;
	size_t capacity = 0;
	ssize_t bytes;

	while (!r->code && (bytes = getline(&line, &capacity, f)) > 0)
		take_line(r, parser, line, (size_t)bytes);
	if (!r->code && !feof(f))
		r->code = asl_complain(ASL_NO_MACHINE, "%s: %s", r->to->path,
				       strerror(errno));
	if (!r->code && csv_fini(parser, take_cell, take_row, r))
		refuse(r, r->begun, "a quote that is not closed", "CSV");
	if (!r->code && !r->rows)
		refuse(r, 1, "nothing", "names of columns");
	free(line);
}

int asl_table_read(struct asl_table *table, const char *dir, const char *name)
{
	struct reader r = {.to = table};
	struct csv_parser parser;
	FILE *f;

	*table = (struct asl_table){0};
	if (snprintf(table->path, sizeof table->path, "%s/%s", dir, name) >=
	    (int)sizeof table->path)
		return asl_refuse("the path '%.40s...' is too long", dir);
	f = fopen(table->path, "re");
	if (!f)
		return asl_complain(errno == ENOMEM ? ASL_NO_MACHINE
						    : ASL_BAD_INPUT,
				    "%s: %s; expected a result directory "
				    "(--out of run and suite)",
				    table->path, strerror(errno));
	if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI)) {
		fclose(f);
		return asl_no_memory();
	}
	parse(&r, &parser, f);
	csv_free(&parser);
	fclose(f);
	table->count = r.rows ? r.rows - 1 : 0;
	table->code = r.code;
	return r.code;
}

void asl_table_close(struct asl_table *table)
{
	free(table->text);
	free(table->at);
	free(table->line);
	*table = (struct asl_table){0};
}

int asl_table_column(const struct asl_table *table, const char *name)
{
	for (int i = 0; i < table->columns; i++)
		if (!strcmp(cell(table, (size_t)i), name))
			return i;
	return -1;
}

const char *asl_table_text(const struct asl_table *table, size_t row,
			   int column)
{
	if (column < 0)
		return "";
	return cell(table, (row + 1) * (size_t)table->columns + (size_t)column);
}

static void refuse_cell(struct asl_table *table, size_t row, const char *name,
			const char *found, const char *expected)
{
	if (!table->code)
		table->code = asl_refuse(
			"%s: line %d: %s: found '%.40s', expected %s",
			table->path, table->line[row + 1], name, found,
			expected);
}

double asl_table_number(struct asl_table *table, size_t row, int column)
{
	const char *text = asl_table_text(table, row, column);
	char *end;
	double x = strtod(text, &end); /* a residual may be inf or nan */

	if (!*text)
		return NAN;
	if (!*end)
		return x;
	refuse_cell(table, row, cell(table, (size_t)column), text, "a number");
	return NAN;
}

int64_t asl_table_count(struct asl_table *table, size_t row, const char *name,
			int64_t most)
{
	const char *text =
		asl_table_text(table, row, asl_table_column(table, name));
	char *end, expected[64];
	long long x;

	errno = 0;
	x = strtoll(text, &end, 10);
	if (*text >= '0' && *text <= '9' && !*end && !errno && x <= most)
		return x;
	snprintf(expected, sizeof expected, "a whole number from 0 to %" PRId64,
		 most);
	refuse_cell(table, row, name, text, expected);
	return 0;
}
