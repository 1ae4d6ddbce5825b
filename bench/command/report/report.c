/*
 * report.c -- aslant report: results as one page of HTML
 *
 * All that the page needs is in it: no script, no font, no other file.  It is
 * well-formed XML as well, so that other programs can read it.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "bench/command/commands.h"
#include "bench/command/report/page.h"
#include "bench/library/say.h"
#include "lib/base/atomic_file.h"
#include "lib/base/error.h"
#include "lib/rank/rank.h"

extern const struct asl_section asl_section_failures, asl_section_pairs,
	asl_section_contest, asl_section_checks, asl_section_machines,
	asl_section_cost,
	asl_section_bounds, asl_section_hardware, asl_section_prices,
	asl_section_pareto, asl_section_roofline, asl_section_wear,
	asl_section_scaling, asl_section_time, asl_section_network,
	asl_section_all, asl_section_method, asl_section_sweep;

/* In the order of the page: the answer before what it stands on. */
static const struct asl_section *const sections[] = {
	&asl_section_failures, &asl_section_pairs,    &asl_section_contest,
	&asl_section_checks,   &asl_section_machines, &asl_section_sweep,
	&asl_section_cost,     &asl_section_bounds,   &asl_section_hardware,
	&asl_section_prices,   &asl_section_pareto,   &asl_section_roofline,
	&asl_section_wear,     &asl_section_scaling,  &asl_section_time,
	&asl_section_network,  &asl_section_all,      &asl_section_method,
	NULL,
};

static bool is_there(const struct asl_page *p, const struct asl_section *x)
{
	return !x->compares || p->results->places > 1;
}

static void put_contents(struct asl_page *p)
{
	fputs("<details class=\"contents\"><summary>Contents</summary><nav>",
	      p->f);
	for (const struct asl_section *const *x = sections; *x; x++)
		if ((*x)->id && is_there(p, *x))
			fprintf(p->f, "<a href=\"#%s\">%s</a> ", (*x)->id,
				(*x)->name);
	fputs("</nav></details>\n", p->f);
}

static void put_title(struct asl_page *p)
{
	for (int i = 0; i < p->results->places; i++)
		asl_html(p->f, "%s%s", i ? ", " : "", asl_page_place(p, i));
}

enum { MOST_MACHINES = 6 }; /* in the head; the section has all */

static void put_head(struct asl_page *p)
{
	time_t now = time(NULL);
	struct tm utc;
	char stamp[32];

	strftime(stamp, sizeof stamp, "%Y-%m-%d %H:%M UTC",
		 gmtime_r(&now, &utc));
	fputs("<!DOCTYPE html>\n"
	      "<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n"
	      "<head>\n<meta charset=\"utf-8\"/>\n"
	      "<meta name=\"viewport\" content=\"width=device-width, "
	      "initial-scale=1\"/>\n"
	      "<meta name=\"generator\" content=\"aslant " ASLANT_VERSION
	      "\"/>\n<title>aslant: ",
	      p->f);
	put_title(p);
	fprintf(p->f, "</title>\n<style>\n%s</style>\n</head>\n<body><main>\n",
		asl_style);
	fputs("<h1>", p->f);
	put_title(p);
	fprintf(p->f,
		"</h1>\n<p class=\"sub\">Report of aslant " ASLANT_VERSION
		", %s: %d rows. ",
		stamp, p->results->rows);
	for (int i = 0; i < p->results->places && i < MOST_MACHINES; i++) {
		fputs(i ? "; " : "", p->f);
		asl_page_machine(p, i);
	}
	fputc('.', p->f);
	asl_page_shared(p);
	fputs("</p>\n", p->f);
	put_contents(p);
}

static const char *title_of(const struct asl_page *p,
			    const struct asl_section *x)
{
	return x->titles && p->results->places > 1 ? x->titles : x->title;
}

/* A section's own text; NULL: no memory. */
static char *text_of(struct asl_page *p, const struct asl_section *x)
{
	FILE *page = p->f;
	char *text = NULL;
	size_t bytes;

	p->f = open_memstream(&text, &bytes);
	if (p->f) {
		x->write(p);
		p->failed |= ferror(p->f) != 0;
		p->failed |= fclose(p->f) != 0;
	}
	p->f = page;
	return text;
}

/* Notes alone are not worth a heading. */
static bool is_empty(const char *text)
{
	static const char *const content[] = {"<table", "<svg", "<ul", "<dl"};

	for (size_t i = 0; i < sizeof content / sizeof content[0]; i++)
		if (strstr(text, content[i]))
			return false;
	return true;
}

/* Sections that have something in them; the others are a line at the end. */
static void put_sections(struct asl_page *p, char *const *text)
{
	int empty = 0;

	for (int i = 0; sections[i]; i++) {
		if (!text[i] || (sections[i]->id && is_empty(text[i])))
			continue;
		if (sections[i]->id)
			fprintf(p->f, "\n<h2 id=\"%s\">%s</h2>\n",
				sections[i]->id, title_of(p, sections[i]));
		fputs(text[i], p->f);
	}
	for (int i = 0; sections[i]; i++) {
		if (!text[i] || !sections[i]->id || !is_empty(text[i]))
			continue;
		fprintf(p->f, "%s<div id=\"%s\"><h3>%s</h3>\n%s</div>\n",
			empty++ ? ""
				: "\n<details class=\"none\"><summary>Sections "
				  "with nothing in them, and what it would "
				  "take</summary>\n",
			sections[i]->id, title_of(p, sections[i]), text[i]);
	}
	fputs(empty ? "</details>\n" : "", p->f);
}

static void write_page(struct asl_page *p)
{
	char *text[sizeof sections / sizeof sections[0]] = {NULL};

	put_head(p);
	for (int i = 0; sections[i]; i++)
		if (!p->failed && is_there(p, sections[i])) {
			text[i] = text_of(p, sections[i]);
			p->failed |= !text[i];
		}
	put_sections(p, text);
	for (int i = 0; sections[i]; i++)
		free(text[i]);
	fputs("</main></body>\n</html>\n", p->f);
}

static int put_file(const char *path, const char *text, size_t bytes)
{
	int err;

	if (!strcmp(path, "-")) {
		fwrite(text, 1, bytes, stdout);
		return 0; /* main looks after stdout */
	}
	err = asl_atomic_file_put(path, text, bytes);
	if (err)
		return asl_complain(asl_exit_code(err), "--out: %s",
				    asl_failure());
	fprintf(stderr, "%s\n", path);
	return 0;
}

static int write_file(struct asl_page *p, const char *path, const char *figures)
{
	char *text = NULL;
	size_t bytes = 0;
	int code;

	p->f = open_memstream(&text, &bytes);
	if (!p->f)
		return asl_no_memory();
	write_page(p);
	p->failed |= ferror(p->f) != 0;
	p->failed |= fclose(p->f) != 0;
	code = p->failed ? asl_no_memory() : put_file(path, text, bytes);
	if (!code && figures)
		code = asl_export_figures(text, figures);
	free(text);
	return code;
}

static const char *last_part(const char *dir)
{
	const char *slash = strrchr(dir, '/');

	return slash ? slash + 1 : dir;
}

/* By the last part people know a directory; all of it if another has it, too. */
static void name_places(const char **names, const char *const *dir, int count)
{
	for (int i = 0; i < count; i++) {
		names[i] = last_part(dir[i]);
		for (int k = 0; k < count; k++)
			if (k != i &&
			    !strcmp(last_part(dir[k]), last_part(dir[i])))
				names[i] = dir[i];
	}
}

static int report(const struct asl_options *o, const char **dir, int count)
{
	const char *names[ASL_MOST_RESULTS];
	int cores[ASL_MOST_RESULTS];
	struct asl_results results = {.places = 0};
	struct asl_ranking ranking;
	struct asl_page p = {.results = &results, .ranking = &ranking};
	int code;

	name_places(names, dir, count);
	code = asl_ranking_open(&ranking, o, names);
	if (!code)
		code = asl_export_check(o->export);
	if (!code)
		code = asl_results_read(&results, dir, count);
	if (!code && !results.rows)
		code = asl_refuse("%s: found no rows, expected one or more",
				  results.table[0].path);
	if (!code)
		code = asl_ranking_rank(&ranking, &results, false);
	for (int i = 0; i < count; i++)
		cores[i] = asl_ranking_cores(&ranking, i);
	results.cores = cores;
	if (!code) {
		p.list = calloc((size_t)results.count, sizeof *p.list);
		code = p.list ? write_file(&p, o->out, o->figures)
			      : asl_no_memory();
	}
	if (!code && o->export)
		code = asl_export(&p, o->export);
	free(p.list);
	asl_ranking_close(&ranking);
	asl_results_close(&results);
	return code;
}

/* "results/x/" and "results/x" are the same, and so named. */
static void trim(const char *path)
{
	char *end = path ? strchr(path, '\0') : NULL;

	while (path && end > path + 1 && end[-1] == '/')
		*--end = '\0';
}

/* In a browser, which goes on when the command has ended. */
static int show(char *path)
{
	char *browser = getenv("BROWSER"), other[] = "xdg-open";
	char *args[] = {browser && *browser ? browser : other, path, NULL};

	execvp(args[0], args);
	return asl_complain(ASL_NO_MACHINE, "--open: cannot start %s: %s",
			    args[0], strerror(errno));
}

int asl_command_report(struct asl_options *o, int argc, char **argv)
{
	char path[PATH_MAX + sizeof "/report.html"];
	int count = 0, code;
	bool packed = false;

	(void)argc, (void)argv;
	trim(o->out);
	while (o->dir[count])
		trim(o->dir[count++]);
	if (!count)
		return asl_refuse("report: which results? (a directory that "
				  "run or suite wrote with --out)");
	for (int i = 0; i < count; i++) {
		const char *before = o->dir[i];

		code = asl_unpack(&o->dir[i]);
		if (code)
			return code;
		packed |= o->dir[i] != before;
	}
	if (o->out || count > 1 || packed)
		snprintf(path, sizeof path, "%s",
			 o->out ? o->out : "report.html");
	else
		snprintf(path, sizeof path, "%s/report.html", o->dir[0]);
	o->out = path;
	code = report(o, o->dir, count);
	return !code && o->open && strcmp(path, "-") ? show(path) : code;
}
