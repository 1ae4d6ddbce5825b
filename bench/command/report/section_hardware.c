/*
 * section_hardware.c -- bytes that memory controllers counted, beside our words
 *
 * Controllers count for whole sockets, other programs included.  If they could
 * not be read, the section says why, in the words of the rows.
 */
#include <stdlib.h>
#include <string.h>

#include "bench/command/report/page.h"

struct part {
	int rank, socket;
	char medium[8];
	double bytes[2]; /* read, written */
};

/* The next of "RANK/SOCKET/MEDIUM:READ:WRITTEN;..." */
static bool next_part(const char **at, struct part *x)
{
	int used = 0;

	if (sscanf(*at, "%d/%d/%7[a-z]:%lf:%lf%n", &x->rank, &x->socket,
		   x->medium, &x->bytes[0], &x->bytes[1], &used) != 5)
		return false;
	*at += used;
	*at += **at == ';';
	return true;
}

/* The median over the repetitions that have this part. */
static double part_median(const struct asl_measured *x, const struct part *like,
			  int which, double *scratch)
{
	int count = 0;

	for (int i = 0; i < x->count; i++) {
		const char *at = x->rows[i]->hwc_sockets;
		struct part y;

		while (next_part(&at, &y))
			if (y.rank == like->rank && y.socket == like->socket &&
			    !strcmp(y.medium, like->medium)) {
				scratch[count++] = y.bytes[which];
				break;
			}
	}
	return asl_median(scratch, count);
}

static int put_sockets(struct asl_page *p, struct asl_sheet *t,
		       const struct asl_measured *x, double *scratch)
{
	const char *at = x->row->hwc_sockets;
	struct asl_said said = asl_say(x->row);
	struct part part;
	int parts = 0;

	for (; next_part(&at, &part); parts++)
		asl_sheet_put(t, "%s%s%s%d%d%s%g%g\n",
			      asl_page_place_of(p, x->row), said.size, said.how,
			      part.rank, part.socket, part.medium,
			      part_median(x, &part, 0, scratch),
			      part_median(x, &part, 1, scratch));
	return parts;
}

/* A table on demand; none if rows do not tell sockets apart. */
static void sockets_table(struct asl_page *p, int cases, double *scratch)
{
	struct asl_sheet t;
	int parts = 0;

	asl_sheet_begin(p, &t,
			"result|problem|algorithm|first rank of the host|"
			"socket|medium|bytes read|bytes written");
	for (int i = 0; i < cases && parts < ASL_MOST_FIGURE_ROWS; i++)
		parts += put_sockets(p, &t, p->list[i], scratch);
	if (parts)
		asl_page_details(p, &t, "Socket by socket", "sockets.csv");
	else
		asl_sheet_close(&t);
}

static const enum asl_column bytes[] = {COL_hwc_read_bytes,
					COL_hwc_write_bytes};

/* Bytes that all ranks counted. */
static double counted(const struct asl_runs_row *x, bool written)
{
	double words = written ? x->nvm_write_words_total +
					 asl_known(x->dram_write_words_total)
			       : x->nvm_read_words_total +
					 asl_known(x->dram_read_words_total);

	return asl_row_bytes(x, words);
}

static double ratio(const struct asl_measured *x, bool written, double *scratch)
{
	double words = counted(x->row, written);

	return words > 0 ? asl_case_median(scratch, x, bytes[written]) / words
			 : NAN;
}

/* "... 1.2 times the bytes counted (0.98 to 1.4 in 5 results)". */
static void say_ratios(struct asl_page *p, int cases, bool written,
		       double *scratch)
{
	double *ratios = scratch + p->results->rows;
	int count = 0;

	for (int i = 0; i < cases; i++) {
		double x = ratio(p->list[i], written, scratch);

		if (!isnan(x))
			ratios[count++] = x;
	}
	if (!count)
		return;
	asl_html(p->f,
		 "<li>The hardware %s <b>%.3g times</b> the bytes counted, in "
		 "the median of %d result%s",
		 written ? "wrote" : "read",
		 asl_median(ratios, count), /* sorts */
		 count, count == 1 ? "" : "s");
	if (count > 1)
		asl_html(p->f, " (%.3g to %.3g)", ratios[0], ratios[count - 1]);
	fputs(".</li>\n", p->f);
}

static void table(struct asl_page *p, int cases, double *scratch)
{
	int shown = asl_shown(cases, ASL_MOST_LINES);
	struct asl_sheet t;

	asl_sheet_begin(p, &t,
			"result|problem|ranks|algorithm|bytes read, counted|"
			"read, by hardware|times as many read|"
			"bytes written, counted|written, by hardware|"
			"times as many written|"
			"cache misses of the ranks, bytes|asked by");
	for (int i = 0; i < shown; i++) {
		const struct asl_measured *x = p->list[i];
		const struct asl_runs_row *row = x->row;
		struct asl_said said = asl_say(row);

		asl_sheet_put(&t, "%s%s%g%s", asl_page_place_of(p, row),
			      said.size, row->ranks, said.how);
		for (int k = 0; k < 2; k++)
			asl_sheet_put(&t, "%g%g%g", counted(row, k),
				      asl_case_median(scratch, x, bytes[k]),
				      ratio(x, k, scratch));
		asl_sheet_put(&t, "%g%s\n",
			      asl_case_median(scratch, x, COL_hwc_miss_bytes),
			      row->hwc_backend);
	}
	asl_page_table(p, &t, "hardware.csv");
	if (shown < cases)
		asl_note(p, "The first %d of %d results; runs.csv has all.",
			 shown, cases);
}

/* The notes of rows with bytes, or of those without, each once. */
static void say_notes(struct asl_page *p, bool with)
{
	enum { MOST = 4 };
	const char *said[MOST];
	int count = 0;

	for (int i = 0; i < p->results->rows && count < MOST; i++) {
		const struct asl_runs_row *x = &p->results->row[i];
		int k = 0;

		if (!*x->hwc_note || isnan(x->hwc_read_bytes) == with)
			continue;
		while (k < count && strcmp(said[k], x->hwc_note) != 0)
			k++;
		if (k < count)
			continue;
		asl_html(p->f, "%s%s", count ? "; or: " : "", x->hwc_note);
		said[count++] = x->hwc_note;
	}
	if (!count)
		fputs("rows do not say", p->f);
}

static bool has_bytes(const struct asl_measured *x)
{
	for (int i = 0; i < x->count; i++)
		if (!isnan(x->rows[i]->hwc_read_bytes))
			return true;
	return false;
}

static void say_bytes(struct asl_page *p, int cases, double *scratch)
{
	fputs("<p>Memory controllers count the bytes that really move, of "
	      "whole sockets, for any program. Counted words are those "
	      "between caches and memory (B<sub>r</sub>, B<sub>w</sub>) of "
	      "all ranks, 8 bytes each. Near 1 the counts are what the "
	      "machine does. Far above 1 something else moves bytes: other "
	      "programs, the network, a cache that evicts what the algorithm "
	      "meant to keep; below 1 the problem fits into the caches. "
	      "Then do not expect times to follow the counts.</p>\n"
	      "<ul class=\"lead\">\n",
	      p->f);
	say_ratios(p, cases, false, scratch);
	say_ratios(p, cases, true, scratch);
	fputs("</ul>\n<p class=\"note\">Counted was: ", p->f);
	say_notes(p, true);
	fputs(".</p>\n", p->f);
	table(p, cases, scratch);
	sockets_table(p, cases, scratch);
}

/* ---- Energy ---- */

static bool has_energy(const struct asl_measured *x)
{
	for (int i = 0; i < x->count; i++)
		if (x->rows[i]->energy_j > 0)
			return x->time.samples > 0;
	return false;
}

static void energy_table(struct asl_page *p, int cases, double *scratch)
{
	int shown = asl_shown(cases, ASL_MOST_LINES);
	struct asl_sheet t;

	asl_html(p->f, "<p>Processors count the energy that their packages "
		       "use, and some that of DRAM, for any program.</p>\n");
	asl_sheet_begin(p, &t,
			"result|problem|ranks|algorithm|joules a run|W|"
			"GFLOP/s/W|counted for");
	for (int i = 0; i < shown; i++) {
		const struct asl_measured *x = p->list[i];
		double joules = asl_case_median(scratch, x, COL_energy_j);
		struct asl_said said = asl_say(x->row);

		asl_sheet_put(&t, "%s%s%g%s%g%g%g%s\n",
			      asl_page_place_of(p, x->row), said.size,
			      x->row->ranks, said.how, joules,
			      joules / x->time.median,
			      x->row->flops_total / joules * 1e-9,
			      x->row->energy_source);
	}
	asl_page_table(p, &t, "energy.csv");
	if (shown < cases)
		asl_note(p, "The first %d of %d results; runs.csv has all.",
			 shown, cases);
}

static void write_section(struct asl_page *p)
{
	int cases = asl_page_list(p, has_bytes);
	/* A number for each row, and one for each case. */
	double *scratch =
		calloc(2 * (size_t)p->results->rows + 1, sizeof *scratch);

	p->failed |= !scratch;
	if (!p->failed && cases) {
		say_bytes(p, cases, scratch);
	} else {
		fputs("<p class=\"note\">No hardware counted along, so there "
		      "is nothing to hold the counted words against: ",
		      p->f);
		say_notes(p, false);
		fputs(".</p>\n", p->f);
	}
	cases = p->failed ? 0 : asl_page_list(p, has_energy);
	if (cases)
		energy_table(p, cases, scratch);
	free(scratch);
}

const struct asl_section asl_section_hardware = {
	.id = "hardware",
	.name = "hardware",
	.title = "What the hardware counted",
	.write = write_section,
};
