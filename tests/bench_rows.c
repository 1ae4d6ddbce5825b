/*
 * bench_rows.c -- tables read back: every cell, and what is refused
 *
 * Cells are random texts with commas, quotes and ends of lines, written by the
 * same functions that write results.
 */
#include "tests/help/files.h"

#include <math.h>

#include "bench/command/html.h"
#include "bench/command/results/results.h"
#include "bench/library/csv.h"
#include "bench/library/say.h"
#include "lib/rank/ledger.h"
#include "tests/help/random.h"

enum { COLUMNS = 5, ROWS = 40, LONGEST = 12 };

static const char *const names[COLUMNS] = {"schema", "a", "b,c", "d\"", "e"};

static void random_text(char *text, struct dice *d)
{
	static const char letters[] = "ab,\"\n \t;1.";
	int length = (int)roll(d, 0, LONGEST);

	for (int i = 0; i < length; i++)
		text[i] = letters[roll(d, 0, sizeof letters - 2)];
	text[length] = '\0';
	/* Blanks around a cell mean nothing, and are lost without quotes. */
	if (!text[strcspn(text, " \t")] || text[strcspn(text, ",\"\n")])
		return;
	text[strcspn(text, " \t")] = '\0';
}

static void put_table(char cells[ROWS][COLUMNS][LONGEST + 1], uint32_t number)
{
	struct dice d = {1, number, 0};
	struct asl_csv csv;

	assert_int_equal(asl_csv_open(&csv), 0);
	for (int i = -1; i < ROWS; i++) {
		csv.naming = i < 0;
		for (int j = 0; j < COLUMNS; j++) {
			char *text = cells[i < 0 ? 0 : i][j];

			strcpy(text, "1");
			if (j > 0)
				random_text(text, &d);
			asl_csv_put(&csv, names[j], text);
		}
		asl_csv_end_row(&csv);
	}
	assert_int_equal(asl_csv_flush(&csv), 0);
	put("runs.csv", csv.text, csv.bytes);
	asl_csv_close(&csv);
}

static void cells_come_back(void **state)
{
	(void)state;
	for (uint32_t number = 0; number < 200; number++) {
		char cells[ROWS][COLUMNS][LONGEST + 1];
		struct asl_table rows;

		put_table(cells, number);
		assert_int_equal(asl_table_read(&rows, dir, "runs.csv"), 0);
		assert_int_equal(rows.count, ROWS);
		assert_int_equal(rows.columns, COLUMNS);
		for (size_t i = 0; i < ROWS; i++)
			for (int j = 0; j < COLUMNS; j++) {
				int column = asl_table_column(&rows, names[j]);

				assert_int_equal(column, j);
				assert_string_equal(
					asl_table_text(&rows, i, column),
					cells[i][j]);
			}
		asl_table_close(&rows);
	}
}

/* In runs.csv, which then is no table; `words` are in the complaint. */
static void refuses(const char *text, const char *words)
{
	struct asl_table rows;

	put("runs.csv", text, strlen(text));
	assert_int_equal(asl_table_read(&rows, dir, "runs.csv"), ASL_BAD_INPUT);
	if (!strstr(asl_last_complaint(), words) ||
	    !strstr(asl_last_complaint(), "runs.csv: line "))
		fail_msg("'%s': '%s' does not say '%s'", text,
			 asl_last_complaint(), words);
	asl_table_close(&rows);
}

static void what_is_no_table_is_refused(void **state)
{
	struct asl_table rows;

	(void)state;
	refuses("", "line 1: found nothing");
	refuses("name,n\n1,2\n", "line 1: found 'name' as the first column");
	refuses("schema,n,n\n", "line 1: found two columns 'n'");
	refuses("schema,n\n1,2\n2,2\n", "line 3: found schema '2', expected 1");
	refuses("schema,n\n1,2\n,2\n", "line 3: found schema ''");
	refuses("schema,n\n1,\"\n\"\n1\n", "line 4: found 1 cells, expected 2");
	refuses("schema,n\n1,2,3\n", "line 2: found 3 cells");
	refuses("schema,n\n1,2\n1,3", "line 3: found a line that is cut off");
	refuses("schema,n\n1,\"2\n", "line 2: found a quote that is not");
	refuses("schema,n\n1,\"2\"3\n", "line 2: found ");
	assert_int_equal(asl_table_read(&rows, dir, "none.csv"), ASL_BAD_INPUT);
	assert_non_null(strstr(asl_last_complaint(), "none.csv: No such"));
	asl_table_close(&rows);
}

static void a_zero_byte_is_refused(void **state)
{
	static const char text[] = "schema,n\n1,a\0b\n";
	struct asl_table rows;

	(void)state;
	put("runs.csv", text, sizeof text - 1);
	assert_int_equal(asl_table_read(&rows, dir, "runs.csv"), ASL_BAD_INPUT);
	asl_table_close(&rows);
}

static void numbers_are_strict(void **state)
{
	static const char text[] =
		"schema,x,y,z\r\n1,2.5,,inf\r\n1,2x,-1e3,\r\n";
	struct asl_table rows;

	(void)state;
	put("runs.csv", text, sizeof text - 1);
	assert_int_equal(asl_table_read(&rows, dir, "runs.csv"), 0);
	assert_true(asl_table_number(&rows, 0, 1) == 2.5);
	assert_true(isnan(asl_table_number(&rows, 0, 2)));
	assert_true(isinf(asl_table_number(&rows, 0, 3)));
	assert_true(asl_table_number(&rows, 1, 2) == -1000);
	assert_true(isnan(asl_table_number(&rows, 1, -1)));
	assert_string_equal(asl_table_text(&rows, 1, -1), "");
	assert_int_equal(asl_table_column(&rows, "w"), -1);
	assert_int_equal(rows.code, 0);
	assert_true(isnan(asl_table_number(&rows, 1, 1)));
	assert_int_equal(rows.code, ASL_BAD_INPUT);
	assert_non_null(strstr(asl_last_complaint(), "line 3: x: found '2x'"));
	asl_table_close(&rows);
}

/* What does not fit would be some other number, or undefined. */
static void counts_are_whole_and_fit(void **state)
{
	static const char *const bad[] = {
		"",    "-5",  "1e3", "2.5", "+1",
		"nan", "inf", "8",   "1x",  "9223372036854775808"};
	struct asl_table rows;
	char text[64];

	(void)state;
	put("runs.csv", "schema,x\n1,7\n", 13);
	assert_int_equal(asl_table_read(&rows, dir, "runs.csv"), 0);
	assert_int_equal(asl_table_count(&rows, 0, "x", 7), 7);
	assert_int_equal(rows.code, 0);
	assert_int_equal(asl_table_count(&rows, 0, "y", 7), 0);
	assert_int_equal(rows.code, ASL_BAD_INPUT);
	asl_table_close(&rows);
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
		snprintf(text, sizeof text, "schema,x\n1,%s\n", bad[i]);
		put("runs.csv", text, strlen(text));
		assert_int_equal(asl_table_read(&rows, dir, "runs.csv"), 0);
		assert_int_equal(asl_table_count(&rows, 0, "x", 7), 0);
		assert_int_equal(rows.code, ASL_BAD_INPUT);
		assert_non_null(strstr(asl_last_complaint(), "line 2: x: "));
		asl_table_close(&rows);
	}
}

/* Columns of counters are called as lib/rank calls these, in its order. */
static void every_counter_has_its_columns(void **state)
{
	char name[64];

	(void)state;
	for (int c = 0; c < ASL_COUNTERS; c++) {
		int column = COL_nvm_read_words_max + 2 * c;

		snprintf(name, sizeof name, "%s_max", asl_counter_name(c));
		assert_string_equal(asl_column_name(column), name);
		snprintf(name, sizeof name, "%s_total", asl_counter_name(c));
		assert_string_equal(asl_column_name(column + 1), name);
	}
	assert_int_equal(COL_nvm_read_words_max + 2 * ASL_COUNTERS,
			 COL_read_words_max);
}

static void no_text_is_a_tag(void **state)
{
	char *text;
	size_t bytes;
	FILE *f = open_memstream(&text, &bytes);

	(void)state;
	asl_html_text(f, "<a b='c\x01' & \"d\" \xc2\x9b\xc3\xa4\n>");
	fclose(f);
	assert_string_equal(text, "&lt;a b=&#39;c&#39; &amp; &quot;d&quot; "
				  "\xc3\xa4\n&gt;");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cells_come_back),
		cmocka_unit_test(what_is_no_table_is_refused),
		cmocka_unit_test(a_zero_byte_is_refused),
		cmocka_unit_test(numbers_are_strict),
		cmocka_unit_test(counts_are_whole_and_fit),
		cmocka_unit_test(every_counter_has_its_columns),
		cmocka_unit_test(no_text_is_a_tag),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
