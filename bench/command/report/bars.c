/*
 * bars.c -- bars that lie, in parts or as a range with a mark, as SVG
 */
#include "bench/command/report/bars.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "bench/command/html.h"
#include "bench/command/report/page.h"

enum {
	WIDTH = 420,
	LETTER = 7,
	ROW = 17,
	THICK = 11,
	HEADING = 22,
	NOTE = 84, /* beside the longest bar */
};

struct bars {
	FILE *f;
	double left, right, most, y;
};

static bool is_new(const struct asl_bar *bar, int i)
{
	return bar[i].group &&
	       (i == 0 || strcmp(bar[i].group, bar[i - 1].group));
}

static double height(const struct asl_bar *bar, int count)
{
	double y = 6;

	for (int i = 0; i < count; i++)
		y += ROW + (is_new(bar, i) ? HEADING : 0);
	return y;
}

static double names_end(const struct asl_bar *bar, int count)
{
	size_t longest = 0;

	for (int i = 0; i < count; i++)
		if (strlen(bar[i].name) > longest)
			longest = strlen(bar[i].name);
	return fmin((double)longest * LETTER + 8, 176);
}

static void open(struct bars *b, FILE *f, const char *about,
		 const struct asl_bar *bar, int count, double room)
{
	*b = (struct bars){f, names_end(bar, count), WIDTH - NOTE, 0, 2};
	fprintf(f,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d "
		"%.0f\" role=\"img\" aria-label=\"",
		WIDTH, height(bar, count) + room);
	asl_html_text(f, about);
	fputs("\">\n", f);
}

static void name_bar(struct bars *b, const struct asl_bar *bar, int i)
{
	if (is_new(bar, i)) {
		b->y += HEADING;
		fprintf(b->f, "<text class=\"group\" x=\"0\" y=\"%.1f\">",
			b->y - 7);
		asl_html_text(b->f, bar[i].group);
		fputs("</text>\n", b->f);
	}
	fprintf(b->f, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">",
		b->left - 5, b->y + THICK - 1.5);
	asl_html_text(b->f, bar[i].name);
	fputs("</text>", b->f);
}

static void put_note(struct bars *b, double x, const char *note)
{
	if (!note)
		return;
	fprintf(b->f, "<text class=\"note\" x=\"%.1f\" y=\"%.1f\">", x + 5,
		b->y + THICK - 1.5);
	asl_html_text(b->f, note);
	fputs("</text>\n", b->f);
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

void asl_bars_stacked(FILE *f, const char *about, const struct asl_bar *bar,
		      int count)
{
	struct bars b;
	double scale, x;

	open(&b, f, about, bar, count, 0);
	for (int i = 0; i < count; i++)
		b.most = fmax(b.most, fmax(sum(&bar[i]), bar[i].mark));
	scale = b.most > 0 ? (b.right - b.left) / b.most : 0;
	for (int i = 0; i < count; i++, b.y += ROW) {
		name_bar(&b, bar, i);
		x = b.left;
		for (int p = 0; p < ASL_BAR_PARTS; p++) {
			double width = bar[i].part[p] * scale;

			if (width > 0)
				fprintf(f,
					"<rect class=\"part p%d\" x=\"%.1f\" "
					"y=\"%.1f\" width=\"%.1f\" "
					"height=\"%d\"/>",
					p, x, b.y, width, THICK);
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
	return b->left + (b->right - b->left) * log(fmax(v, 1)) / log(b->most);
}

static void ticks(struct bars *b, double top)
{
	char text[ASL_BRIEF];
	double step = b->most <= 1.5 ? 1.1 : b->most <= 40 ? 2 : 10;

	for (double v = 1; v <= b->most * 1.0001; v *= step)
		fprintf(b->f,
			"<path class=\"grid\" d=\"M%.1f %.1fV%.1f\"/>"
			"<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">"
			"%s</text>\n",
			on_log(b, v), 4.0, top, on_log(b, v), top + 13,
			asl_brief(text, v));
}

void asl_bars_ranges(FILE *f, const char *about, const struct asl_bar *bar,
		     int count)
{
	struct bars b;

	open(&b, f, about, bar, count, 16);
	b.most = 1.2;
	for (int i = 0; i < count; i++)
		b.most = fmax(b.most, bar[i].part[1]);
	ticks(&b, height(bar, count) - 2);
	for (int i = 0; i < count; i++, b.y += ROW) {
		double low, high;

		name_bar(&b, bar, i);
		low = on_log(&b, bar[i].part[0]);
		high = on_log(&b, bar[i].part[1]);
		fprintf(f,
			"<rect class=\"part p0\" x=\"%.1f\" y=\"%.1f\" "
			"width=\"%.1f\" height=\"%d\"/>",
			low - 1, b.y + 3, high - low + 2, THICK - 6);
		put_mark(&b, on_log(&b, bar[i].mark));
		put_note(&b, high, bar[i].note);
	}
	fputs("</svg>\n", f);
}
