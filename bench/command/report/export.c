/*
 * export.c -- results for other programs: JUnit XML, JSON, Markdown; figures
 *
 * The end of the file's name chooses.  Every case is a test for JUnit: it fails
 * if a repetition did, and is skipped if its result was not verified.
 */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/command/machine.h"
#include "bench/command/report/page.h"
#include "bench/library/say.h"
#include "lib/base/atomic_file.h"
#include "lib/base/error.h"
#include "lib/base/path.h"

static bool ends_with(const char *path, const char *end)
{
	size_t a = strlen(path), b = strlen(end);

	return a > b && !strcmp(path + a - b, end);
}

static bool is_timed(const struct asl_measured *x)
{
	return x->time.samples > 0;
}

/* ---- JUnit ---- */

static void put_test(FILE *f, const struct asl_measured *x, double *scratch)
{
	char why[ASL_EXPECT_WHY];

	const struct asl_runs_row *row = x->row;
	struct asl_said said = asl_say(row);

	asl_html(f,
		 "    <testcase classname=\"%s\" name=\"%s%s%s, %s, %s\" "
		 "time=\"%g\">",
		 row->family, row->label, *row->label ? ": " : "", said.how,
		 said.size, said.means, is_timed(x) ? x->time.median : 0);
	if (x->trouble <= ASL_MISCOUNTED)
		asl_html(f, "<failure message=\"%s\"/>",
			 asl_trouble_text[x->trouble]);
	else if (!asl_case_expected(scratch, x, why))
		asl_html(f, "<failure message=\"%s\"/>", why);
	else if (x->unverified)
		asl_html(f, "<skipped message=\"%s\"/>",
			 asl_trouble_text[ASL_UNVERIFIED]);
	fputs("</testcase>\n", f);
}

static void put_junit(FILE *f, const struct asl_page *p)
{
	const struct asl_results *r = p->results;
	double *scratch = calloc((size_t)r->rows + 1, sizeof *scratch);
	char why[ASL_EXPECT_WHY];

	if (!scratch)
		return;

	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n", f);
	for (int place = 0; place < r->places; place++) {
		int tests = 0, failed = 0, skipped = 0;

		for (int i = 0; i < r->count; i++) {
			const struct asl_measured *x = &r->cases[i];

			if ((int)x->row->place != place)
				continue;
			tests++;
			failed += x->trouble <= ASL_MISCOUNTED ||
				  !asl_case_expected(scratch, x, why);
			skipped += x->trouble > ASL_MISCOUNTED && x->unverified;
		}
		asl_html(f,
			 "  <testsuite name=\"%s\" tests=\"%d\" "
			 "failures=\"%d\" skipped=\"%d\">\n",
			 asl_page_place(p, place), tests, failed, skipped);
		for (int i = 0; i < r->count; i++)
			if ((int)r->cases[i].row->place == place)
				put_test(f, &r->cases[i], scratch);
		fputs("  </testsuite>\n", f);
	}
	fputs("</testsuites>\n", f);
	free(scratch);
}

/* ---- JSON ---- */

static json_t *number(double x)
{
	return isfinite(x) ? json_real(x) : json_null();
}

static json_t *case_json(const struct asl_page *p, const struct asl_measured *x)
{
	const struct asl_runs_row *row = x->row;
	bool timed = is_timed(x);
	const char *why = asl_trouble_text[x->trouble];

	return json_pack(
		"{s:o, s:o, s:o, s:o, s:o, s:i, s:o, s:i, s:o, s:o, s:o, s:o, "
		"s:o, s:s}",
		"machine", asl_text_json(asl_page_place_of(p, row)), "label",
		asl_text_json(row->label), "family", asl_text_json(row->family),
		"algorithm", asl_text_json(row->algorithm), "problem",
		asl_text_json(asl_say(row).size), "ranks", (int)row->ranks,
		"grid", asl_text_json(row->grid), "repetitions", x->count,
		"median_s", number(timed ? x->time.median : NAN), "low_s",
		number(timed ? x->time.low : NAN), "high_s",
		number(timed ? x->time.high : NAN), "gflops", number(x->gflops),
		"q", number(asl_row_cost(row)), "trouble", why ? why : "");
}

static void add_standings(json_t *to, const struct asl_ranking *r,
			  const struct asl_workload *w)
{
	int order[ASL_MOST_RESULTS] = {0};
	int count = asl_ranking_order(order, r, w);

	for (int i = 0; i + 1 < count; i++)
		for (int k = i + 1; k < count; k++) {
			struct asl_ratio x =
				asl_ranking_ratio(w, order[i], order[k]);

			json_array_append_new(
				to,
				json_pack("{s:o, s:i, s:o, s:o, s:o, s:o, s:o, "
					  "s:s}",
					  "workload", asl_text_json(w->name),
					  "cases", w->cases, "machine",
					  asl_text_json(
						  r->machine[order[i]].name),
					  "over",
					  asl_text_json(
						  r->machine[order[k]].name),
					  "speed", number(x.ratio), "low",
					  number(x.low), "high", number(x.high),
					  "verdict", asl_ratio_say(&x)));
		}
}

static void put_json(FILE *f, const struct asl_page *p)
{
	const struct asl_ranking *r = p->ranking;
	json_t *cases = json_array(), *ranking = json_array(), *root;

	for (int i = 0; i < p->results->count; i++)
		json_array_append_new(cases,
				      case_json(p, &p->results->cases[i]));
	for (int i = 0; i < r->works; i++)
		add_standings(ranking, r, &r->work[i]);
	root = json_pack("{s:i, s:o, s:o}", "schema", 1, "cases", cases,
			 "ranking", ranking);
	json_dumpf(root, f, JSON_INDENT(1));
	fputc('\n', f);
	json_decref(root);
}

/* ---- Markdown ---- */

/* A bar or a line feed would end the cell, and a tag be obeyed. */
static void put_cell(FILE *f, const char *text)
{
	fputc(' ', f);
	for (; *text; text++)
		if (*text == '|')
			fputs("\\|", f);
		else if (*text == '<')
			fputs("&lt;", f);
		else
			fputc((unsigned char)*text < ' ' ? ' ' : *text, f);
	fputs(" |", f);
}

static void put_markdown(FILE *f, const struct asl_page *p)
{
	const struct asl_results *r = p->results;
	char text[ASL_ANSWER];

	if (p->ranking->works)
		fprintf(f, "%s\n\n",
			asl_ranking_answer(text, p->ranking, p->ranking->work));
	fputs("| machine | label | problem | ranks | algorithm | median | "
	      "GFLOP/s | Q | |\n|---|---|---|---|---|---|---|---|---|\n",
	      f);
	for (int i = 0; i < r->count; i++) {
		const struct asl_measured *x = &r->cases[i];
		const char *why = asl_trouble_text[x->trouble];
		struct asl_said said = asl_say(x->row);
		char time[ASL_BRIEF] = "";

		if (is_timed(x))
			asl_brief_seconds(time, x->time.median);
		fputs("|", f);
		put_cell(f, asl_page_place_of(p, x->row));
		put_cell(f, x->row->label);
		put_cell(f, said.size);
		fprintf(f, " %g |", x->row->ranks);
		put_cell(f, said.how);
		put_cell(f, time);
		put_cell(f, asl_brief(time, x->gflops));
		put_cell(f, asl_brief(time, asl_row_cost(x->row)));
		put_cell(f, why ? why : "");
		fputc('\n', f);
	}
}

/* ---- The file ---- */

static const struct format {
	const char *end;
	void (*put)(FILE *f, const struct asl_page *p);
} formats[] = {{".xml", put_junit}, {".json", put_json}, {".md", put_markdown}};

static const struct format *format_of(const char *path)
{
	for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
		if (ends_with(path, formats[i].end))
			return &formats[i];
	return NULL;
}

int asl_export_check(const char *path)
{
	return !path || format_of(path)
		       ? 0
		       : asl_refuse("--export: found '%s', expected a file "
				    "whose name ends in .xml (JUnit), .json or "
				    ".md",
				    path);
}

int asl_export(const struct asl_page *p, const char *path)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *f = open_memstream(&text, &bytes);
	int err;

	if (!f)
		return asl_no_memory();
	format_of(path)->put(f, p);
	err = fclose(f) ? asl_no_memory() : 0;
	if (!err && asl_atomic_file_put(path, text, bytes))
		err = asl_complain(ASL_NO_MACHINE, "--export: %s",
				   asl_failure());
	free(text);
	return err;
}

/* ---- Figures ---- */

/* "Best algorithm, n = 2048" is best-algorithm-n-2048. */
static void name_file(char to[80], int number, const char *title, size_t length)
{
	int used = snprintf(to, 80, "%02d-", number);
	bool gap = true;

	for (size_t i = 0; i < length && used < 64; i++) {
		char c = (char)tolower((unsigned char)title[i]);

		if (isalnum((unsigned char)c)) {
			to[used++] = c;
			gap = false;
		} else if (!gap) {
			to[used++] = '-';
			gap = true;
		}
	}
	to[used - (used > 3 && gap)] = '\0';
}

/* The page's colours and fonts go with it. */
static int write_svg(const char *path, const char *svg, size_t length)
{
	const char *inside = memchr(svg, '>', length);
	size_t head = inside ? (size_t)(inside - svg) : 0, bytes;
	char *text = NULL;
	FILE *f = inside ? open_memstream(&text, &bytes) : NULL;
	int err;

	if (!f)
		return -ENOMEM;
	fprintf(f, "%.*s%s><style>%s</style>", (int)head, svg,
		memmem(svg, head, "xmlns=", 6)
			? ""
			: " xmlns=\"http://www.w3.org/2000/svg\"",
		asl_style);
	fwrite(inside + 1, 1, length - head - 1, f);
	err = fclose(f) ? -ENOMEM : asl_atomic_file_put(path, text, bytes);
	free(text);
	return err;
}

/* False: there is no rsvg-convert, or it fails. */
static bool write_pdf(const char *svg)
{
	char program[] = "rsvg-convert", pdf[PATH_MAX];
	char *argv[] = {program, "-f", "pdf",	    "-o",
			pdf,	 "--", (char *)svg, NULL};
	int status, length = (int)strlen(svg) - 4;
	pid_t child;

	if (snprintf(pdf, sizeof pdf, "%.*s.pdf", length, svg) >=
	    (int)sizeof pdf)
		return false;
	fflush(NULL);
	child = fork();
	if (!child) {
		execvp(program, argv);
		_exit(127);
	}
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return child > 0 && WIFEXITED(status) && !WEXITSTATUS(status);
}

/* The next figure with an SVG: its title and its SVG. */
static const char *next_figure(const char *at, const char *part[2],
			       size_t length[2])
{
	static const char *const marks[][2] = {
		{"<figcaption>", "</figcaption>"}, {"<svg", "</svg>"}};

	for (int i = 0; i < 2; i++) {
		const char *begin = strstr(at, marks[i][0]), *end;

		end = begin ? strstr(begin, marks[i][1]) : NULL;
		if (!end)
			return NULL;
		part[i] = i ? begin : begin + strlen(marks[i][0]);
		at = i ? end + strlen(marks[i][1]) : end;
		length[i] = (size_t)(at - part[i]);
	}
	return at;
}

int asl_export_figures(const char *page, const char *dir)
{
	const char *part[2];
	size_t length[2];
	int count = 0, printed = 0, err = asl_path_make_above(dir);

	if (err)
		return asl_complain(asl_exit_code(err), "--figures: %s",
				    asl_failure());
	if (mkdir(dir, 0777) && errno != EEXIST)
		return asl_complain(asl_exit_code(-errno), "--figures: %s: %s",
				    dir, strerror(errno));
	while (!err && (page = next_figure(page, part, length))) {
		char name[80], path[PATH_MAX];

		name_file(name, ++count, part[0], length[0]);
		if (snprintf(path, sizeof path, "%s/%s.svg", dir, name) >=
		    (int)sizeof path)
			err = -ENAMETOOLONG;
		else
			err = write_svg(path, part[1], length[1]);
		if (!err && printed == count - 1)
			printed += write_pdf(path);
	}
	if (err)
		return asl_complain(asl_exit_code(err), "--figures: %s: %s",
				    dir, strerror(-err));
	if (printed < count)
		asl_complain(0,
			     "note: figures are in %s as SVG; for PDF "
			     "rsvg-convert is needed (librsvg2-bin)",
			     dir);
	return 0;
}
