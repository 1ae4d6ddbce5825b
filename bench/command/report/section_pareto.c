/*
 * section_pareto.c -- words written against words sent, and both lower bounds
 *
 * Carson et al. (Write-avoiding algorithms, 2016) proved that no multiplication
 * in this model attains both bounds: how near to the corner can one come?
 */
#include <stdlib.h>
#include <string.h>

#include "bench/command/report/page.h"
#include "bench/command/report/plot.h"
#include "lib/multiply/bounds.h"

/* The size of an index in "i=64,j=32". */
static double size_of(char index, const char *dims)
{
	for (; dims && *dims;
	     dims = strchr(dims, ',') ? strchr(dims, ',') + 1 : NULL)
		if (dims[0] == index && dims[1] == '=')
			return strtod(dims + 2, NULL);
	return NAN;
}

static double words_of_result(const struct asl_runs_row *row)
{
	const char *arrow = strstr(row->spec, "->");
	double words = 1;

	if (!strcmp(row->algorithm, "sttsv"))
		return row->n;
	if (!arrow)
		return row->m * row->n;
	for (arrow += 2; *arrow; arrow++)
		words *= size_of(*arrow, row->dims);
	return words;
}

/* Words that some rank must write, as it owns them; NAN: not known. */
static double write_bound(const struct asl_runs_row *row)
{
	return ceil(words_of_result(row) / row->ranks);
}

struct bounds {
	double net, written; /* NAN: none, or 0 */
};

/* The bound of a case is for the memory that it held: the least holds. */
static struct bounds bounds_of(const struct asl_pack *g)
{
	struct bounds b = {INFINITY, write_bound(g->at[0]->row)};

	for (int i = 0; i < g->count; i++)
		b.net = fmin(b.net, g->at[i]->row->net_bound_words);
	if (!(b.net > 0))
		b.net = NAN;
	return b;
}

/* By another point that had as little memory. */
static bool is_beaten(const struct asl_pack *g, const struct asl_runs_row *x)
{
	for (int i = 0; i < g->count; i++) {
		const struct asl_runs_row *a = g->at[i]->row;

		if (asl_budget_compare(a, x->memory_budget_words) <= 0 &&
		    a->bh_words_max <= x->bh_words_max &&
		    a->write_words_max <= x->write_words_max &&
		    (a->bh_words_max < x->bh_words_max ||
		     a->write_words_max < x->write_words_max))
			return true;
	}
	return false;
}

static void put_data(struct asl_page *p, struct asl_sheet *t,
		     const struct asl_pack *g, const struct bounds *b)
{
	asl_sheet_begin(p, t,
			"algorithm|grid|words sent, B_h|lower bound|"
			"words written, B_w|lower bound|outside the model|"
			"beaten in both|memory budget");
	for (int i = 0; i < g->count && i < ASL_MOST_FIGURE_ROWS; i++) {
		const struct asl_runs_row *x = g->at[i]->row;

		asl_sheet_put(t, "%s%s%g%g%g%g%s%s%g\n", x->algorithm, x->grid,
			      x->bh_words_max, b->net, x->write_words_max,
			      b->written, x->outside_apm == 1 ? "yes" : "",
			      is_beaten(g, x) ? "yes" : "",
			      x->memory_budget_words);
	}
}

/* Logarithms have no 0: what sends nothing is not in the plot. */
static bool has_point(const struct asl_runs_row *x)
{
	return x->bh_words_max > 0 && x->write_words_max > 0;
}

static bool is_taken(const struct asl_pack *g, int i)
{
	static const int by_point[] = {COL_write_words_max, COL_bh_words_max,
				       ASL_END};

	for (int k = 0; k < i; k++)
		if (!asl_rows_compare(g->at[k]->row, g->at[i]->row, by_point))
			return true;
	return false;
}

/* An algorithm's name is at the first of its points. */
static int put_point(struct asl_page *p, struct asl_plot *plot,
		     const struct asl_pack *g, int i)
{
	const struct asl_runs_row *x = g->at[i]->row;
	bool again = i && !strcmp(x->algorithm, g->at[i - 1]->row->algorithm);

	if (!has_point(x))
		return 0;
	(is_taken(g, i) ? asl_plot_box : asl_plot_dot)(
		plot, x->bh_words_max, x->write_words_max,
		asl_page_style(p, x->algorithm), again ? NULL : x->algorithm);
	return 1;
}

static bool is_size(double x)
{
	return x >= 1 && x <= 0x1p53;
}

/* Other families have no such sizes. */
static bool is_product(const struct asl_runs_row *row)
{
	return !strcmp(row->family, "multiplication") && is_size(row->m) &&
	       is_size(row->n) && is_size(row->k);
}

enum { CURVE = 48 };

/*
 * The curve of the joint bound, from the fewest words written up to the top of
 * the plot, or as many as it takes to send the least.
 */
static void draw_curve(struct asl_plot *plot, const struct asl_runs_row *row,
		       double low, double high)
{
	double sent[CURVE], written[CURVE];
	struct asl_shape shape;
	int count = 0;

	if (!is_product(row) || !(low > 0))
		return;
	shape = (struct asl_shape){(uint64_t)row->m, (uint64_t)row->n,
				   (uint64_t)row->k};
	for (int i = 0; i < CURVE; i++) {
		double z = low * pow(high / low, (double)i / (CURVE - 1));
		double x = asl_bound_sent(&shape, (int)row->ranks, z);

		if (!(x > 0) || (count && x >= sent[count - 1]))
			break;
		sent[count] = x;
		written[count++] = z;
	}
	asl_plot_limit(plot, sent, written, count, "both");
}

static int draw(struct asl_page *p, const struct asl_pack *g,
		const struct bounds *b)
{
	struct asl_plot_range net = ASL_NO_RANGE, written = ASL_NO_RANGE;
	struct asl_plot plot;
	int drawn = 0;

	asl_range_add(&net, b->net);
	asl_range_add(&written, b->written);
	for (int i = 0; i < g->count; i++)
		if (has_point(g->at[i]->row)) {
			asl_range_add(&net, g->at[i]->row->bh_words_max);
			asl_range_add(&written, g->at[i]->row->write_words_max);
		}
	asl_plot_open(
		&plot, p->f, p->title,
		asl_axis_around(&net, "words sent by the busiest rank, B_h",
				ASL_TENS),
		asl_axis_around(&written, "words written, B_w", ASL_TENS));
	if (!isnan(b->net))
		asl_plot_wall(&plot, b->net, "least sent");
	if (!isnan(b->written))
		asl_plot_floor(&plot, b->written, "least written");
	draw_curve(&plot, g->at[0]->row, b->written, plot.y.high);
	for (int i = 0; i < g->count && drawn < 4 * ASL_MOST_CURVES; i++)
		drawn += put_point(p, &plot, g, i);
	asl_plot_close(&plot);
	return drawn;
}

static void figure(struct asl_page *p, const struct asl_pack *g)
{
	const struct asl_runs_row *row = g->at[0]->row;
	struct asl_said said = asl_say(row);
	struct bounds b = bounds_of(g);
	struct asl_sheet t;
	int drawn;

	put_data(p, &t, g, &b);
	asl_figure_begin(p, "%.60s, %.300s; %.140s", row->family, said.size,
			 said.means);
	drawn = draw(p, g, &b);
	if (drawn < g->count)
		asl_note(p,
			 "%d of %d points; the data have %d, also what sends "
			 "nothing.",
			 drawn, g->count,
			 asl_shown(g->count, ASL_MOST_FIGURE_ROWS));
	asl_figure_end(p, NULL, &t);
}

static bool fits(const struct asl_measured *x)
{
	return has_point(x->row) || x->row->ranks > 1;
}

static bool has_ways(const struct asl_pack *g)
{
	return g->count > 1;
}

static bool has_products(const struct asl_packs *all)
{
	for (int i = 0; i < all->count; i++)
		if (is_product(all->at[i].at[0]->row))
			return true;
	return false;
}

static const char about_products[] =
	"<p>For multiplications of matrices Carson et al. "
	"(<i>Write-avoiding algorithms</i>, IPDPS 2016) proved that no "
	"algorithm which stores the partial sums that it updates can be "
	"in the corner where both lines meet: fewer words written must "
	"be paid for with more words sent. The dashed curve says how "
	"many: a rank that does V multiplications and writes z partial "
	"sums needs 2V/&#8730;z words of A and B or more, less the "
	"words that it owns. It holds for the means of ranks that do as "
	"many multiplications, each; Q is bounded by its cheapest "
	"point. Algorithms that never write partial sums "
	"(<code>fused</code>, <code>cuts-fused</code>) are outside of that "
	"model, and left of the curve.</p>\n";

static void write_section(struct asl_page *p)
{
	static const int by_point[] = {
		ASL_PROBLEM,	  COL_algorithm, COL_write_words_max,
		COL_bh_words_max, COL_grid,	 ASL_END};
	struct asl_packs all = asl_page_packs(p, asl_page_list(p, fits),
					      by_point, by_point, NULL);
	int points = all.count;

	/* One point for all costs and repetitions of the same way. */
	for (int i = 0; i < points; i++)
		p->list[i] = all.at[i].at[0];
	free(all.at);
	all = asl_page_packs(p, points, by_point, asl_by_problem, has_ways);
	asl_packs_sort(&all);
	fputs("<p>Dashed: what no algorithm can go below, in words sent (left "
	      "of it) and in words written (below it).</p>\n",
	      p->f);
	if (has_products(&all))
		fputs(about_products, p->f);
	asl_page_figures(p, &all, ASL_MOST_PLOTS, figure);
	if (!all.count)
		asl_note(p, "No problem was solved in two ways on more than "
			    "one rank.");
	if (all.count > ASL_MOST_PLOTS)
		asl_note(p, "Drawn are the %d of %d problems with most points.",
			 ASL_MOST_PLOTS, all.count);
	free(all.at);
}

const struct asl_section asl_section_pareto = {
	.id = "pareto",
	.name = "writes and network",
	.title = "Writes against network traffic",
	.write = write_section,
};
