/*
 * section_sweep.c -- what memory, network and cores can do, by aslant sweep
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/command/report/page.h"
#include "bench/command/report/plot.h"

/* An axis is a column, or what follows from columns. */
enum axis { BYTES, SHARE, LOAD, RANKS };

static const struct chart {
	const char *title, *x_title, *y_title, *note;
	enum axis x;
	bool rate; /* y: GB/s of a message, by its time */
	const char *what[3];
} charts[] = {
	{"Bandwidth by size of access, all ranks",
	 "bytes",
	 "GB/s",
	 "At random places. What a store reads and writes in one access; on a "
	 "pool every write is durable when it is over.",
	 BYTES,
	 false,
	 {"read", "write", "write and flush"}},
	{"Bandwidth by share of writes, all ranks",
	 "share of writes",
	 "GB/s",
	 "In accesses of 4 KiB, at random places.",
	 SHARE,
	 false,
	 {"mix"}},
	{"Latency under load",
	 "GB/s of the other ranks",
	 "ns",
	 "One rank follows pointers from line to line while the others read, "
	 "write, or do both; the leftmost dots are without load.",
	 LOAD,
	 false,
	 {"latency"}},
	{"A message by its size",
	 "bytes",
	 "us",
	 "One way, between the first and the last rank.",
	 BYTES,
	 false,
	 {"message"}},
	{"Network bandwidth by size of message",
	 "bytes",
	 "GB/s",
	 NULL,
	 BYTES,
	 true,
	 {"message"}},
	{"dgemm by ranks", "ranks", "GFLOP/s", NULL, RANKS, false, {"dgemm"}},
};

enum { CHARTS = sizeof charts / sizeof charts[0], MOST_POINTS = 64 };

struct sweeps {
	struct asl_table table[ASL_MOST_RESULTS]; /* empty: not measured */
	int places;
};

static double cell(struct sweeps *s, int place, size_t row, const char *name)
{
	struct asl_table *t = &s->table[place];

	return asl_table_number(t, row, asl_table_column(t, name));
}

static const char *word(struct sweeps *s, int place, size_t row,
			const char *name)
{
	const struct asl_table *t = &s->table[place];

	return asl_table_text(t, row, asl_table_column(t, name));
}

static double x_of(struct sweeps *s, int place, size_t row, enum axis x)
{
	switch (x) {
	case BYTES:
		return cell(s, place, row, "bytes");
	case SHARE:
		return cell(s, place, row, "write_share");
	case RANKS:
		return cell(s, place, row, "ranks");
	case LOAD:
		return cell(s, place, row, "load_gbs");
	}
	return NAN;
}

/* An axis of logarithms has no place for a rank without load. */
static double on_axis(enum axis axis, double x)
{
	return axis == LOAD ? fmax(x, 0.1) : x;
}

static double y_of(struct sweeps *s, int place, size_t row,
		   const struct chart *c)
{
	double value = cell(s, place, row, "value");

	return c->rate ? cell(s, place, row, "bytes") * 1e-3 / value : value;
}

static double most_ranks(struct sweeps *s, int place)
{
	double most = 0;

	for (size_t i = 0; i < s->table[place].count; i++)
		most = fmax(most, asl_known(cell(s, place, i, "ranks")));
	return most;
}

static bool is_in(struct sweeps *s, int place, size_t row,
		  const struct chart *c, const char *what)
{
	bool sized = c->x == BYTES && !strstr(what, "message");

	return !strcmp(word(s, place, row, "what"), what) &&
	       (!sized || cell(s, place, row, "ranks") == most_ranks(s, place));
}

static bool same_curve(struct sweeps *s, int place, size_t a, size_t b)
{
	return !strcmp(word(s, place, a, "what"), word(s, place, b, "what")) &&
	       !strcmp(word(s, place, a, "store"),
		       word(s, place, b, "store")) &&
	       !strcmp(word(s, place, a, "node"), word(s, place, b, "node"));
}

struct drawing {
	struct asl_page *p;
	struct sweeps *s;
	const struct chart *c;
	struct asl_plot plot;
	struct asl_sheet sheet;
	struct asl_plot_range x, y;
	int curves;
};

static void name_curve(char text[ASL_PLOT_LABEL], const struct drawing *d,
		       int place, size_t row)
{
	const char *what = word(d->s, place, row, "what");
	const char *medium = word(d->s, place, row, "medium");
	const char *node = word(d->s, place, row, "node");
	bool kinds = d->c->what[1] != NULL, many = d->s->places > 1;

	snprintf(text, ASL_PLOT_LABEL, "%.16s%s%.20s%s%.4s%s%.20s",
		 many ? asl_page_place(d->p, place) : "", many ? " " : "",
		 medium, *node ? " " : "", node, kinds && *medium ? ", " : "",
		 kinds ? what : "");
}

static bool is_positive(double x)
{
	return x > 0 && isfinite(x);
}

/* One curve, from its first row on, and its data. */
static void draw(struct drawing *d, int place, size_t first, const char *what)
{
	double x[MOST_POINTS], y[MOST_POINTS];
	char name[ASL_PLOT_LABEL];
	int count = 0;

	name_curve(name, d, place, first);
	for (size_t i = first; i < d->s->table[place].count; i++) {
		if (!is_in(d->s, place, i, d->c, what) ||
		    !same_curve(d->s, place, first, i) || count == MOST_POINTS)
			continue;
		x[count] = on_axis(d->c->x, x_of(d->s, place, i, d->c->x));
		y[count] = y_of(d->s, place, i, d->c);
		if (!is_positive(x[count]) || !is_positive(y[count]))
			continue;
		asl_sheet_put(&d->sheet, "%s%g%g\n", name,
			      x_of(d->s, place, i, d->c->x), y[count]);
		if (d->c->x == LOAD)
			asl_plot_dot(&d->plot, x[count], y[count], d->curves,
				     count ? NULL : name);
		count++;
	}
	if (d->c->x != LOAD)
		asl_plot_line(&d->plot, x, y, count, d->curves, name);
	d->curves++;
}

/* The curves of a kind begin at rows that no row before is like. */
static bool begins(struct drawing *d, int place, size_t row, const char *what)
{
	if (!is_in(d->s, place, row, d->c, what))
		return false;
	for (size_t i = 0; i < row; i++)
		if (is_in(d->s, place, i, d->c, what) &&
		    same_curve(d->s, place, i, row))
			return false;
	return true;
}

static void each_row(struct drawing *d,
		     void (*visit)(struct drawing *d, int place, size_t row,
				   const char *what))
{
	for (int place = 0; place < d->s->places; place++)
		for (int k = 0; k < 3 && d->c->what[k]; k++)
			for (size_t i = 0; i < d->s->table[place].count; i++)
				visit(d, place, i, d->c->what[k]);
}

static void measure(struct drawing *d, int place, size_t row, const char *what)
{
	double x, y;

	if (!is_in(d->s, place, row, d->c, what))
		return;
	x = d->c->x == SHARE
		    ? 1
		    : on_axis(d->c->x, x_of(d->s, place, row, d->c->x));
	y = y_of(d->s, place, row, d->c);
	if (!is_positive(x) || !is_positive(y))
		return;
	asl_range_add(&d->x, x);
	asl_range_add(&d->y, y);
}

static void draw_each(struct drawing *d, int place, size_t row,
		      const char *what)
{
	if (d->curves < ASL_MOST_CURVES && begins(d, place, row, what))
		draw(d, place, row, what);
}

/* A share of 0 has no place on an axis of logarithms: bars, share by share. */
static void draw_shares(struct drawing *d)
{
	enum { SHARES = 5, MOST = SHARES * 16 };
	struct asl_bar bar[MOST];
	char group[MOST][32], name[MOST][ASL_PLOT_LABEL], note[MOST][ASL_BRIEF];
	int count = 0;

	for (int k = 0; k < SHARES; k++)
		for (int place = 0; place < d->s->places; place++)
			for (size_t i = 0; i < d->s->table[place].count; i++) {
				double y;

				if (!is_in(d->s, place, i, d->c, "mix") ||
				    x_of(d->s, place, i, SHARE) != k / 4. ||
				    count == MOST)
					continue;
				y = y_of(d->s, place, i, d->c);
				if (!(y > 0))
					continue;
				snprintf(group[count], sizeof group[count],
					 "%d%% writes", 25 * k);
				name_curve(name[count], d, place, i);
				snprintf(note[count], ASL_BRIEF, "%.3g GB/s",
					 y);
				bar[count] = (struct asl_bar){
					group[count], name[count], {y},
					NAN,	      note[count], -place - 1};
				asl_sheet_put(&d->sheet, "%s%g%g\n",
					      name[count], k / 4., y);
				count++;
			}
	asl_bars_stacked(d->p->f, d->c->title, bar, count);
}

static void draw_chart(struct asl_page *p, struct sweeps *s,
		       const struct chart *c)
{
	struct drawing d = {
		.p = p, .s = s, .c = c, .x = ASL_NO_RANGE, .y = ASL_NO_RANGE};
	char names[128];

	each_row(&d, measure);
	if (!(d.x.low > 0) || !isfinite(d.x.low) || !isfinite(d.y.low))
		return;
	asl_figure_begin(p, "%s", c->title);
	snprintf(names, sizeof names, "curve|%s|%s", c->x_title, c->y_title);
	asl_sheet_begin(p, &d.sheet, names);
	if (c->x == SHARE) {
		draw_shares(&d);
		asl_figure_end(p, c->note, &d.sheet);
		return;
	}
	asl_plot_open(&d.plot, p->f, c->title,
		      asl_axis_around(&d.x, c->x_title,
				      c->x == RANKS ? ASL_TWOS : ASL_TENS),
		      asl_axis_around(&d.y, c->y_title, ASL_TENS));
	each_row(&d, draw_each);
	asl_plot_close(&d.plot);
	asl_figure_end(p, c->note, &d.sheet);
}

static void write_section(struct asl_page *p)
{
	struct sweeps *s = calloc(1, sizeof *s);
	bool found = false;

	if (!s) {
		p->failed = true;
		return;
	}
	s->places = p->results->places;
	for (int i = 0; i < s->places; i++) {
		char path[PATH_MAX];

		if (snprintf(path, sizeof path, "%s/sweep.csv",
			     p->results->dir[i]) < (int)sizeof path &&
		    !access(path, R_OK) &&
		    !asl_table_read(&s->table[i], p->results->dir[i],
				    "sweep.csv"))
			found |= s->table[i].count > 0;
	}
	if (found) {
		fputs("<div class=\"plots\">\n", p->f);
		for (int i = 0; i < CHARTS; i++)
			draw_chart(p, s, &charts[i]);
		fputs("</div>\n", p->f);
	} else {
		asl_note(p, "No raw figures: <code>aslant sweep --out "
			    "DIR</code> measures them.");
	}
	for (int i = 0; i < s->places; i++)
		asl_table_close(&s->table[i]);
	free(s);
}

const struct asl_section asl_section_sweep = {
	.id = "speeds",
	.name = "raw speeds",
	.title = "What memory, network and cores can do",
	.write = write_section,
};
