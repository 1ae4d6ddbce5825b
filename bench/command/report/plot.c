/*
 * plot.c -- curves and points in two axes, and bars, as SVG
 */
#include "bench/command/report/plot.h"

#include "bench/command/report/page.h"
#include <stdlib.h>
#include <string.h>

/* ---- Ranges and axes ---- */

void asl_range_add(struct asl_plot_range *range, double x)
{
	range->low = fmin(range->low, x);
	range->high = fmax(range->high, x);
}

struct asl_plot_axis asl_axis_around(const struct asl_plot_range *range,
				     const char *title, enum asl_ticks ticks)
{
	double air = fmax(pow(range->high / range->low, 0.06), 1.1);

	return (struct asl_plot_axis){title, range->low / air,
				      range->high * air, ticks};
}

/* The place of v on it: from 0, at its beginning, to 1. */
static double part_of(const struct asl_plot_axis *axis, double v)
{
	return log(v / axis->low) / log(axis->high / axis->low);
}

/* ---- Ticks ---- */

enum { TICKS = 16 };

struct ticks {
	const struct asl_plot_axis *axis;
	double *at;
	int count;
};

/* Rounding may put the last one beyond the end. */
static void add_tick(struct ticks *t, double v)
{
	double off = part_of(t->axis, v);

	if (t->count < TICKS && off > -1e-9 && off < 1 + 1e-9)
		t->at[t->count++] = v;
}

/* About five, at 1, 2 or 5 times a power of ten. */
static void even(struct ticks *t)
{
	double length = (t->axis->high - t->axis->low) / 5;
	double power = pow(10, floor(log10(length))), times = length / power;
	double step = power * (times <= 1   ? 1
			       : times <= 2 ? 2
			       : times <= 5 ? 5
					    : 10);
	double first = ceil(t->axis->low / step - 1e-9);

	for (int i = 0; i < TICKS; i++)
		add_tick(t, (first + i) * step);
}

static void powers_of_two(struct ticks *t)
{
	double low = ceil(log2(t->axis->low) - 1e-9);
	double step = fmax(1, ceil((log2(t->axis->high) - low) / 8));

	for (int i = 0; i < TICKS; i++)
		add_tick(t, exp2(low + i * step));
}

/* Powers of ten; where they are few, 2 and 5 times those as well. */
static void powers_of_ten(struct ticks *t)
{
	double decades = log10(t->axis->high / t->axis->low);
	double low = floor(log10(t->axis->low));
	double step = fmax(1, ceil(decades / 6));

	for (int i = 0; i < TICKS; i++) {
		double v = pow(10, low + i * step);

		add_tick(t, v);
		if (decades <= 3) {
			add_tick(t, 2 * v);
			add_tick(t, 5 * v);
		}
	}
}

/* Values to write beside it, all of them on it; how many. */
static int find_ticks(const struct asl_plot_axis *axis, double at[TICKS])
{
	struct ticks t = {axis, at, 0};

	/* In so little a logarithm is nearly even, and 1, 2, 5 too few. */
	if (axis->ticks == ASL_TWOS)
		powers_of_two(&t);
	else if (axis->high < 5 * axis->low)
		even(&t);
	else
		powers_of_ten(&t);
	return t.count;
}

enum {
	WIDTH = 420,
	HEIGHT = 270,
	LEFT = 60,
	RIGHT = 300, /* beyond it, labels of curves */
	TOP = 10,
	BOTTOM = 230,
	LINE = 12, /* from one line of text to the next */
	COLOURS = 8,
};

static void open_svg(FILE *f, double height, const char *about)
{
	asl_html(f,
		 "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d "
		 "%.0f\" role=\"img\" aria-label=\"%s\">\n",
		 WIDTH, height, about);
}

/* ---- Axes ---- */

/* Far outside, coordinates stay numbers that every reader of SVG takes. */
static double bounded(double px)
{
	return fmin(fmax(px, -1e4), 1e4);
}

static double to_x(const struct asl_plot *p, double v)
{
	return bounded(LEFT + part_of(&p->x, v) * (RIGHT - LEFT));
}

static double to_y(const struct asl_plot *p, double v)
{
	return bounded(BOTTOM - part_of(&p->y, v) * (BOTTOM - TOP));
}

static void tick_x(struct asl_plot *p, double v)
{
	char text[ASL_BRIEF];
	double x = to_x(p, v);

	fprintf(p->f,
		"<path class=\"grid\" d=\"M%.1f %dV%d\"/>"
		"<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n",
		x, TOP, BOTTOM, x, BOTTOM + 13, asl_brief(text, v));
}

static void tick_y(struct asl_plot *p, double v)
{
	char text[ASL_BRIEF];
	double y = to_y(p, v);

	fprintf(p->f,
		"<path class=\"grid\" d=\"M%d %.1fH%d\"/>"
		"<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
		LEFT, y, RIGHT, LEFT - 4, y + 3.5, asl_brief(text, v));
}

static void draw_axis(struct asl_plot *p, const struct asl_plot_axis *axis,
		      void (*tick)(struct asl_plot *p, double v))
{
	double at[TICKS];
	int count = find_ticks(axis, at);

	for (int i = 0; i < count; i++)
		tick(p, at[i]);
}

void asl_plot_open(struct asl_plot *p, FILE *f, const char *about,
		   struct asl_plot_axis x, struct asl_plot_axis y)
{
	static int plots; /* every box to cut off at has a name of its own */

	*p = (struct asl_plot){.f = f, .x = x, .y = y};
	plots++;
	open_svg(f, HEIGHT, about);
	fprintf(f,
		"<clipPath id=\"box%d\"><rect x=\"%d\" y=\"%d\" "
		"width=\"%d\" height=\"%d\"/></clipPath>\n",
		plots, LEFT, TOP - 4, RIGHT - LEFT + 4, BOTTOM - TOP + 8);
	draw_axis(p, &p->x, tick_x);
	draw_axis(p, &p->y, tick_y);
	asl_html(f,
		 "<path class=\"axis\" d=\"M%d %dV%dH%d\"/>\n"
		 "<text class=\"title\" x=\"%d\" y=\"%d\">%s</text>"
		 "<text class=\"title\" transform=\"translate(11 %d) "
		 "rotate(-90)\">%s</text>\n<g clip-path=\"url(#box%d)\">\n",
		 LEFT, TOP, BOTTOM, RIGHT, LEFT, BOTTOM + 29, x.title, BOTTOM,
		 y.title, plots);
}

/* ---- Labels ---- */

static bool covers(const struct asl_label *a, const struct asl_label *b)
{
	return fabs(a->y - b->y) < LINE && a->x < b->x + b->width &&
	       b->x < a->x + a->width;
}

static bool is_free(const struct asl_plot *p, const struct asl_label *x)
{
	for (int i = 0; i < p->labels; i++)
		if (covers(&p->label[i], x))
			return false;
	return true;
}

/* The nearest free line to where it would be, up or down. */
static void place(const struct asl_plot *p, struct asl_label *x)
{
	double y = x->y;

	for (int i = 1; !is_free(p, x) && i < 2 * ASL_PLOT_LABELS; i++) {
		int lines = (i + 1) / 2;
		double off = 3.0 * lines;

		x->y = y + (i % 2 ? off : -off);
		if (x->y < TOP + 4 || x->y > BOTTOM)
			x->y = y + (i % 2 ? -off : off);
	}
}

static void add_label(struct asl_plot *p, double x, double y, int style,
		      const char *text, bool ends)
{
	struct asl_label label = {.x = x, .y = y, .end = y, .style = style};

	if (!text || p->labels == ASL_PLOT_LABELS)
		return;
	snprintf(label.text, sizeof label.text, "%s", text);
	label.width = 6.2 * (double)strlen(label.text) + 4;
	if (label.x + label.width > WIDTH)
		label.x = fmax(LEFT, WIDTH - label.width);
	label.ends = ends;
	p->label[p->labels++] = label;
}

static int compare_labels(const void *a, const void *b)
{
	const struct asl_label *x = a, *y = b;

	if (x->ends != y->ends)
		return x->ends ? -1 : 1;
	if (x->y != y->y)
		return x->y < y->y ? -1 : 1;
	return strcmp(x->text, y->text);
}

/*
 * Names of lines stand in the order of the lines' ends: each as far below the one
 * before as it has to, and a group that has become too low moves up as a whole.
 */
static void place_ends(struct asl_plot *p, int count)
{
	for (int i = 0; i < count; i++) {
		struct asl_label *x = &p->label[i];
		int first = i;
		double over;

		if (i && x->y < x[-1].y + LINE)
			x->y = x[-1].y + LINE;
		while (first &&
		       p->label[first].y - p->label[first - 1].y <= LINE + 1e-6)
			first--;
		/* Half of what it was pushed down, or all beyond the end. */
		over = fmax((x->y - x->end) / 2, x->y - BOTTOM);
		over = fmin(over, p->label[first].y -
					  (first ? p->label[first - 1].y + LINE
						 : TOP + 4));
		for (int k = first; over > 0 && k <= i; k++)
			p->label[k].y -= over;
	}
}

static void place_labels(struct asl_plot *p)
{
	int ends = 0, all = p->labels;

	if (all)
		qsort(p->label, (size_t)all, sizeof *p->label, compare_labels);
	while (ends < all && p->label[ends].ends)
		ends++;
	place_ends(p, ends);
	for (p->labels = ends; p->labels < all; p->labels++)
		place(p, &p->label[p->labels]);
}

void asl_plot_close(struct asl_plot *p)
{
	fputs("</g>\n", p->f);
	place_labels(p);
	for (int i = 0; i < p->labels; i++) {
		const struct asl_label *x = &p->label[i];

		fputs("<text class=\"label ", p->f);
		fprintf(p->f, x->style < 0 ? "note" : "s%d",
			x->style < 0 ? 0 : x->style % COLOURS);
		asl_html(p->f, "\" x=\"%.1f\" y=\"%.1f\">%s</text>\n", x->x,
			 x->y, x->text);
	}
	fputs("</svg>\n", p->f);
}

/* ---- What is in them ---- */

static void begin(struct asl_plot *p, const char *element, const char *what,
		  int style)
{
	if (style <= ASL_STYLE_PART)
		fprintf(p->f, "<%s class=\"%s p%d", element, what,
			ASL_STYLE_PART - style);
	else
		fprintf(p->f, "<%s class=\"%s s%d", element, what,
			style % COLOURS);
	if (style >= COLOURS)
		fprintf(p->f, " d%d", style / COLOURS % 3);
	fputc('"', p->f);
}

static void put_path(struct asl_plot *p, const double *x, const double *y,
		     int count)
{
	fputs(" d=\"", p->f);
	for (int i = 0; i < count; i++)
		fprintf(p->f, "%c%.1f %.1f", i ? 'L' : 'M', to_x(p, x[i]),
			to_y(p, y[i]));
	fputs("\"/>\n", p->f);
}

void asl_plot_line(struct asl_plot *p, const double *x, const double *y,
		   int count, int style, const char *label)
{
	double end = BOTTOM;

	begin(p, "path", "line", style);
	put_path(p, x, y, count);
	if (count > 0)
		end = fmin(fmax(to_y(p, y[count - 1]), TOP), BOTTOM);
	add_label(p, fmin(to_x(p, x[count - 1]), RIGHT) + 6, end + 3.5, style,
		  label, true);
}

void asl_plot_dot(struct asl_plot *p, double x, double y, int style,
		  const char *label)
{
	begin(p, "circle", "dot", style);
	fprintf(p->f, " cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\"/>\n", to_x(p, x),
		to_y(p, y));
	add_label(p, to_x(p, x) + 6, to_y(p, y) + 3.5, style, label, false);
}

void asl_plot_box(struct asl_plot *p, double x, double y, int style,
		  const char *label)
{
	begin(p, "rect", "box", style);
	fprintf(p->f, " x=\"%.1f\" y=\"%.1f\" width=\"8\" height=\"8\"/>\n",
		to_x(p, x) - 4, to_y(p, y) - 4);
	add_label(p, to_x(p, x) + 7, to_y(p, y) + 3.5, style, label, false);
}

void asl_plot_span(struct asl_plot *p, double x, double low, double high,
		   int style)
{
	begin(p, "path", "line", style);
	fprintf(p->f, " d=\"M%.1f %.1fV%.1f\"/>\n", to_x(p, x), to_y(p, low),
		to_y(p, high));
}

void asl_plot_wall(struct asl_plot *p, double x, const char *label)
{
	fprintf(p->f, "<path class=\"bound\" d=\"M%.1f %dV%d\"/>\n", to_x(p, x),
		TOP, BOTTOM);
	add_label(p, to_x(p, x) + 4, TOP + 9, -1, label, false);
}

void asl_plot_floor(struct asl_plot *p, double y, const char *label)
{
	fprintf(p->f, "<path class=\"bound\" d=\"M%d %.1fH%d\"/>\n", LEFT,
		to_y(p, y), RIGHT);
	add_label(p, RIGHT + 6, to_y(p, y) + 3.5, -1, label, true);
}

void asl_plot_limit(struct asl_plot *p, const double *x, const double *y,
		    int count, const char *label)
{
	if (count < 2)
		return;
	fputs("<path class=\"bound\"", p->f);
	put_path(p, x, y, count);
	add_label(p, to_x(p, x[count - 1]) + 4, to_y(p, y[count - 1]) - 4, -1,
		  label, to_x(p, x[count - 1]) >= RIGHT - 30);
}

/*
 * Bars
 */

enum {
	LETTER = 8, /* its width in 13 px, as on a narrow screen; m: BROAD more */
	BROAD = 5,
	ROW = 17,
	THICK = 11,
	HEADING = 22,
	NOTE = 84, /* beside the longest bar */
};

struct bars {
	FILE *f;
	double left, right, most, y;
	double least; /* of an axis of logarithms */
};

static bool is_new(const struct asl_bar *bar, int i)
{
	return bar[i].group &&
	       (i == 0 || strcmp(bar[i].group, bar[i - 1].group));
}

static double bars_height(const struct asl_bar *bar, int count)
{
	double y = 6;

	for (int i = 0; i < count; i++)
		y += ROW + (is_new(bar, i) ? HEADING : 0);
	return y;
}

static double names_end(const struct asl_bar *bar, int count)
{
	double longest = 0;

	for (int i = 0; i < count; i++) {
		double width = 0;

		for (const char *at = bar[i].name; *at; at++)
			width += LETTER + (*at == 'm' ? BROAD : 0);
		longest = fmax(longest, width);
	}
	return fmin(longest + 8, 192);
}

static void bars_open(struct bars *b, FILE *f, const char *about,
		      const struct asl_bar *bar, int count, double below)
{
	*b = (struct bars){f, names_end(bar, count), WIDTH - NOTE, 0, 2, 1};
	open_svg(f, bars_height(bar, count) + below, about);
}

static void name_bar(struct bars *b, const struct asl_bar *bar, int i)
{
	if (is_new(bar, i)) {
		b->y += HEADING;
		asl_html(b->f,
			 "<text class=\"group\" x=\"0\" y=\"%.1f\">%s</text>\n",
			 b->y - 7, bar[i].group);
	}
	asl_html(b->f,
		 "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">%s</text>",
		 b->left - 5, b->y + THICK - 1.5, bar[i].name);
}

static void put_note(struct bars *b, double x, const char *note)
{
	if (note)
		asl_html(b->f,
			 "<text class=\"note\" x=\"%.1f\" "
			 "y=\"%.1f\">%s</text>\n",
			 x + 5, b->y + THICK - 1.5, note);
}

static void put_mark(struct bars *b, double x)
{
	fprintf(b->f, "<path class=\"mark\" d=\"M%.1f %.1fv%d\"/>", x, b->y - 1,
		THICK + 2);
}

static double sum(const struct asl_bar *bar)
{
	double total = 0;

	for (int i = 0; i < ASL_BAR_PARTS; i++)
		total += bar->part[i];
	return total;
}

static void put_part(struct bars *b, const struct asl_bar *bar, int part,
		     double x, double width, int thick)
{
	char class[24];

	if (bar->style < 0)
		snprintf(class, sizeof class, "dot m%d",
			 (-bar->style - 1) % COLOURS);
	else
		snprintf(class, sizeof class,
			 bar->style ? "dot s%d" : "part p%d",
			 bar->style ? (bar->style - 1) % COLOURS : part);
	fprintf(b->f,
		"<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" "
		"width=\"%.1f\" height=\"%d\"/>",
		class, x, b->y, width, thick);
}

void asl_bars_stacked(FILE *f, const char *about, const struct asl_bar *bar,
		      int count)
{
	struct bars b;
	double scale, x;

	bars_open(&b, f, about, bar, count, 0);
	for (int i = 0; i < count; i++)
		b.most = fmax(b.most, fmax(sum(&bar[i]), bar[i].mark));
	scale = b.most > 0 ? (b.right - b.left) / b.most : 0;
	for (int i = 0; i < count; i++, b.y += ROW) {
		name_bar(&b, bar, i);
		x = b.left;
		for (int p = 0; p < ASL_BAR_PARTS; p++) {
			double width = bar[i].part[p] * scale;

			if (width > 0)
				put_part(&b, &bar[i], p, x, width, THICK);
			x += width;
		}
		if (!isnan(bar[i].mark)) {
			put_mark(&b, b.left + bar[i].mark * scale);
			x = fmax(x, b.left + bar[i].mark * scale);
		}
		put_note(&b, x, bar[i].note);
	}
	fputs("</svg>\n", f);
}

static double on_log(const struct bars *b, double v)
{
	return b->left + (b->right - b->left) * log(fmax(v / b->least, 1)) /
				 log(b->most / b->least);
}

static void bars_ticks(struct bars *b, double top)
{
	char text[ASL_BRIEF];
	double at[TICKS];
	struct ticks t = {.axis = &(struct asl_plot_axis){"", b->least, b->most,
							  ASL_TENS},
			  .at = at};

	if (b->most < 4 * b->least)
		even(&t);
	else if (b->most < 40 * b->least)
		powers_of_two(&t);
	else
		powers_of_ten(&t);
	for (int i = 0; i < t.count; i++)
		fprintf(b->f,
			"<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/>"
			"<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">"
			"%s</text>\n",
			on_log(b, at[i]), 4.0, top, on_log(b, at[i]), top + 13,
			asl_brief(text, at[i]));
}

void asl_bars_ranges(FILE *f, const char *about, const struct asl_bar *bar,
		     int count)
{
	struct bars b;

	bars_open(&b, f, about, bar, count, 16);
	b.most = 1.2;
	for (int i = 0; i < count; i++) {
		b.most = fmax(b.most, bar[i].part[1]);
		b.least = fmin(b.least, fmax(bar[i].part[0], 1e-3));
	}
	bars_ticks(&b, bars_height(bar, count) - 2);
	if (b.least < 1)
		fprintf(f, "<path class=\"bound\" d=\"M%.1f %.1fV%.1f\"/>",
			on_log(&b, 1), 4.0, bars_height(bar, count) - 2);
	for (int i = 0; i < count; i++, b.y += ROW) {
		double low, high;

		name_bar(&b, bar, i);
		low = on_log(&b, bar[i].part[0]);
		high = on_log(&b, bar[i].part[1]);
		b.y += 3;
		put_part(&b, &bar[i], 0, low - 1, high - low + 2, THICK - 6);
		b.y -= 3;
		put_mark(&b, on_log(&b, bar[i].mark));
		put_note(&b, high, bar[i].note);
	}
	fputs("</svg>\n", f);
}
