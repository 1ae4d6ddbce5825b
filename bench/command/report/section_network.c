/*
 * section_network.c -- where contention in a network turns the order around
 *
 * scripts/simgrid leaves simgrid.csv beside runs.csv: SimGrid's time for rows of it
 * on several platforms, and Q along the critical path, which knows of no
 * contention.  Algorithms are compared if they solve the same problem on as many
 * ranks.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/command/report/page.h"

/* Times closer than this are equal. */
#define NEAR 1e-3

struct replayed {
	const struct asl_runs_row *row;
	const char *platform;
	double q, s; /* seconds: by Q, by SimGrid */
};

struct replays {
	struct asl_table table;
	struct replayed *at;
	int count;
};

/* ---- What is in the file ---- */

static const struct asl_runs_row *find(const struct asl_page *p, int place,
				       const char *run_id)
{
	for (int i = 0; i < p->results->rows; i++) {
		const struct asl_runs_row *x = &p->results->row[i];

		if ((int)x->place == place && !strcmp(x->run_id, run_id))
			return x;
	}
	return NULL;
}

static void take(struct replays *x, const struct asl_page *p, int place)
{
	struct asl_table *t = &x->table;
	int id = asl_table_column(t, "run_id");
	int platform = asl_table_column(t, "platform");
	int q = asl_table_column(t, "q_path_s");
	int s = asl_table_column(t, "simgrid_s");

	for (size_t i = 0; i < t->count; i++) {
		struct replayed y = {find(p, place, asl_table_text(t, i, id)),
				     asl_table_text(t, i, platform),
				     asl_table_number(t, i, q),
				     asl_table_number(t, i, s)};

		if (y.row && y.q > 0 && y.s > 0)
			x->at[x->count++] = y;
	}
}

/* False: there is no such file, or it was complained about. */
static bool open_replays(struct replays *x, struct asl_page *p, int place)
{
	const char *dir = p->results->dir[place];
	char path[PATH_MAX];

	*x = (struct replays){.count = 0};
	if (snprintf(path, sizeof path, "%s/simgrid.csv", dir) >=
		    (int)sizeof path ||
	    access(path, F_OK) || asl_table_read(&x->table, dir, "simgrid.csv"))
		return false;
	x->at = calloc(x->table.count + 1, sizeof *x->at);
	if (x->at)
		take(x, p, place);
	else
		p->failed = true;
	return x->count > 0;
}

static void close_replays(struct replays *x)
{
	asl_table_close(&x->table);
	free(x->at);
}

/* ---- In words ---- */

/* One case in another place: platform, problem and ranks agree. */
static bool meet(const struct replayed *a, const struct replayed *b)
{
	static const int problem[] = {COL_family, ASL_SIZE, COL_ranks, ASL_END};

	return !strcmp(a->platform, b->platform) &&
	       !asl_rows_compare(a->row, b->row, problem);
}

static bool is_first(const struct replays *x, int i)
{
	for (int k = 0; k < i; k++)
		if (meet(&x->at[k], &x->at[i]))
			return false;
	return true;
}

static bool less(double a, double b)
{
	return a < b * (1 - NEAR);
}

/* Is `a` cheaper by Q, and slower? */
static bool turns(const struct replayed *a, const struct replayed *b)
{
	return meet(a, b) && less(a->q, b->q) && less(b->s, a->s);
}

static void say_times(struct asl_page *p, const struct replayed *x)
{
	char s[ASL_BRIEF];

	asl_html(p->f, "%s, %s", asl_say(x->row).how,
		 asl_brief_seconds(s, x->s));
}

/* The worst pair: the cheaper one by Q takes the most times as long. */
static void say_turned(struct asl_page *p, const struct replays *x, int first)
{
	const struct replayed *worst[2] = {NULL, NULL};
	int turned = 0;

	for (int i = 0; i < x->count; i++)
		for (int k = 0; k < x->count; k++) {
			const struct replayed *a = &x->at[i], *b = &x->at[k];

			if (!meet(a, &x->at[first]) || !turns(a, b))
				continue;
			turned++;
			if (!*worst ||
			    a->s / b->s > worst[0]->s / worst[1]->s) {
				worst[0] = a;
				worst[1] = b;
			}
		}
	if (!turned) {
		asl_html(p->f, " The order is that of Q.");
		return;
	}
	asl_html(p->f,
		 " <b>The order of %d pair%s is turned around</b>: ", turned,
		 turned == 1 ? "" : "s");
	say_times(p, worst[0]);
	asl_html(p->f, ", has the smaller Q, but ");
	say_times(p, worst[1]);
	asl_html(p->f, ", is %.3g times as fast.", worst[0]->s / worst[1]->s);
}

static void say_platform(struct asl_page *p, const struct replays *x, int first)
{
	const struct replayed *cheap = &x->at[first], *fast = cheap;

	for (int i = first; i < x->count; i++) {
		const struct replayed *y = &x->at[i];

		if (!meet(y, cheap))
			continue;
		if (less(y->q, cheap->q))
			cheap = y;
		if (less(y->s, fast->s))
			fast = y;
	}
	asl_html(p->f, "<li><b>%s</b>, %s, %g ranks: fastest is ",
		 cheap->platform, asl_say(cheap->row).size, cheap->row->ranks);
	say_times(p, fast);
	if (fast != cheap && less(cheap->q, fast->q)) {
		asl_html(p->f, "; of least Q is ");
		say_times(p, cheap);
	}
	asl_html(p->f, ".");
	say_turned(p, x, first);
	fputs("</li>\n", p->f);
}

static void explain(struct asl_page *p)
{
	fputs("<p>SimGrid replayed what each rank computes and sends on models "
	      "of networks, where messages that meet on a link share it. Q "
	      "along the critical path, in seconds, knows of no contention: on "
	      "the platform <code>plain</code>, which has none, both are the "
	      "same.</p>\n",
	      p->f);
}

static void put_table(struct asl_page *p, const struct replays *x, int place)
{
	int shown = asl_shown(x->count, ASL_MOST_FIGURE_ROWS);
	struct asl_sheet t;

	asl_sheet_begin(p, &t,
			"result|problem|ranks|algorithm|platform|Q, s|"
			"SimGrid, s|times Q");
	for (int i = 0; i < shown; i++) {
		const struct replayed *y = &x->at[i];
		struct asl_said said = asl_say(y->row);

		asl_sheet_put(&t, "%s%s%g%s%s%g%g%g\n",
			      asl_page_place(p, place), said.size,
			      y->row->ranks, said.how, y->platform, y->q, y->s,
			      y->s / y->q);
	}
	asl_page_details(p, &t, "All times", "simgrid.csv");
	if (shown < x->count)
		asl_note(p, "The first %d of %d rows of simgrid.csv.", shown,
			 x->count);
}

static void write_section(struct asl_page *p)
{
	bool any = false;

	for (int place = 0; place < p->results->places && !p->failed; place++) {
		struct replays x;

		if (open_replays(&x, p, place)) {
			if (!any)
				explain(p);
			any = true;
			fputs("<ul class=\"lead\">\n", p->f);
			for (int i = 0; i < x.count; i++)
				if (is_first(&x, i))
					say_platform(p, &x, i);
			fputs("</ul>\n", p->f);
			put_table(p, &x, place);
		}
		close_replays(&x);
	}
	if (!any)
		asl_note(p, "Nothing was replayed: scripts/simgrid traces "
			    "algorithms and adds simgrid.csv.");
}

const struct asl_section asl_section_network = {
	.id = "network",
	.name = "contention",
	.title = "Contention in the network",
	.write = write_section,
};
