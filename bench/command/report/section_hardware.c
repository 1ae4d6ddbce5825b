/*
 * section_hardware.c -- bytes that memory controllers counted, beside our words
 *
 * Controllers count for whole sockets, whoever moved the bytes.  Where nobody
 * could ask them, the section says why, in the words of the rows.
 */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/command/report/page.h"

/*
 * Bytes that the hardware counted, socket by socket
 */

/*
 * Bytes that the hardware counted, socket by socket
 */

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

/* The median over repetitions of what this part of them has. */
static double part_middle(const struct asl_entry *x, const struct part *like,
			  int which, double *room)
{
	int count = 0;

	for (int i = 0; i < x->count; i++) {
		const char *at = x->rows[i]->text[ASL_COL_HWC_SOCKETS];
		struct part y;

		while (next_part(&at, &y))
			if (y.rank == like->rank && y.socket == like->socket &&
			    !strcmp(y.medium, like->medium)) {
				room[count++] = y.bytes[which];
				break;
			}
	}
	return asl_median(room, count);
}

static int put_sockets(struct asl_page *p, struct asl_sheet *t,
		       const struct asl_entry *x, double *room)
{
	const char *at = x->row->text[ASL_COL_HWC_SOCKETS];
	char text[ASL_SAID];
	struct part part;
	int parts = 0;

	for (; next_part(&at, &part); parts++) {
		asl_sheet_text(
			t,
			asl_page_place(p, (int)x->row->number[ASL_COL_PLACE]));
		asl_sheet_text(t, asl_say_size(text, x->row));
		asl_sheet_text(t, asl_say_how(text, x->row));
		asl_sheet_number(t, part.rank);
		asl_sheet_number(t, part.socket);
		asl_sheet_text(t, part.medium);
		asl_sheet_number(t, part_middle(x, &part, 0, room));
		asl_sheet_number(t, part_middle(x, &part, 1, room));
		asl_sheet_end_row(t);
	}
	return parts;
}

/*
 * A table that opens on demand, of the first entries of p->list; none if rows do
 * not tell sockets apart.  `room` is for a number a row.
 */
static void asl_sockets_table(struct asl_page *p, int entries, double *room)
{
	static const char *const names[] = {
		"result", "problem", "algorithm",  "first rank of the host",
		"socket", "medium",  "bytes read", "bytes written",
		NULL};
	struct asl_sheet t;
	int parts = 0;

	asl_sheet_begin(p, &t, names);
	for (int i = 0;
	     !p->failed && i < entries && parts < ASL_MOST_FIGURE_ROWS; i++)
		parts += put_sockets(p, &t, p->list[i], room);
	if (p->failed)
		return;
	if (parts)
		asl_page_details(p, &t, "Socket by socket", "sockets.csv");
	else
		asl_sheet_close(&t);
}

static bool has_bytes(const struct asl_entry *x)
{
	for (int i = 0; i < x->count; i++)
		if (!isnan(x->rows[i]->number[ASL_COL_HWC_READ]))
			return true;
	return false;
}

/* ---- Counted, and by hardware ---- */

/* Of all ranks, in bytes. */
static double counted(const struct asl_row *x, bool written)
{
	double pool = x->number[written ? ASL_COL_WRITTEN_ALL
					: ASL_COL_POOL_READ_ALL];
	double dram = x->number[written ? ASL_COL_DRAM_WRITTEN_ALL
					: ASL_COL_DRAM_READ_ALL];

	return 8 * (isnan(dram) ? pool : pool + dram);
}

/* Of the repetitions that have it. */
static double middle(const struct asl_entry *x, enum asl_column column,
		     double *room)
{
	int count = 0;

	for (int i = 0; i < x->count; i++)
		if (!isnan(x->rows[i]->number[column]))
			room[count++] = x->rows[i]->number[column];
	return count ? asl_median(room, count) : NAN;
}

static double ratio(const struct asl_entry *x, bool written, double *room)
{
	double words = counted(x->row, written);
	double bytes = middle(
		x, written ? ASL_COL_HWC_WRITTEN : ASL_COL_HWC_READ, room);

	return words > 0 ? bytes / words : NAN;
}

/* "... 1.2 times the bytes counted (0.98 to 1.4 in 5 results)". */
static void say_ratios(struct asl_page *p, int entries, bool written,
		       double *room, double *ratios)
{
	int count = 0;

	for (int i = 0; i < entries; i++) {
		double x = ratio(p->list[i], written, room);

		if (!isnan(x))
			ratios[count++] = x;
	}
	if (!count)
		return;
	fputs("<li>", p->f);
	asl_page_say(p, "The hardware %s ", written ? "wrote" : "read");
	fprintf(p->f, "<b>%.3g times</b>", asl_median(ratios, count));
	asl_page_say(p, " the bytes counted, in the median of %d result%s",
		     count, count == 1 ? "" : "s");
	if (count > 1)
		asl_page_say(p, " (%.3g to %.3g)", ratios[0],
			     ratios[count - 1]); /* the median sorts */
	fputs(".</li>\n", p->f);
}

static void put(struct asl_page *p, struct asl_sheet *t,
		const struct asl_entry *x, double *room)
{
	char text[ASL_SAID];

	asl_sheet_text(t,
		       asl_page_place(p, (int)x->row->number[ASL_COL_PLACE]));
	asl_sheet_text(t, asl_say_size(text, x->row));
	asl_sheet_number(t, x->row->number[ASL_COL_RANKS]);
	asl_sheet_text(t, asl_say_how(text, x->row));
	for (int written = 0; written <= 1; written++) {
		asl_sheet_number(t, counted(x->row, written));
		asl_sheet_number(t, middle(x,
					   written ? ASL_COL_HWC_WRITTEN
						   : ASL_COL_HWC_READ,
					   room));
		asl_sheet_number(t, ratio(x, written, room));
	}
	asl_sheet_number(t, middle(x, ASL_COL_HWC_MISSES, room));
	asl_sheet_text(t, x->row->text[ASL_COL_HWC_BACKEND]);
	asl_sheet_end_row(t);
}

static void table(struct asl_page *p, int entries, double *room)
{
	static const char *const names[] = {"result",
					    "problem",
					    "ranks",
					    "algorithm",
					    "bytes read, counted",
					    "read, by hardware",
					    "times as many read",
					    "bytes written, counted",
					    "written, by hardware",
					    "times as many written",
					    "cache misses of the ranks, bytes",
					    "asked by",
					    NULL};
	int shown = entries < ASL_MOST_LINES ? entries : ASL_MOST_LINES;
	struct asl_sheet t;

	asl_sheet_begin(p, &t, names);
	for (int i = 0; !p->failed && i < shown; i++)
		put(p, &t, p->list[i], room);
	if (!p->failed)
		asl_page_table(p, &t, "hardware.csv");
	if (shown < entries)
		fprintf(p->f,
			"<p class=\"note\">The first %d of %d results; "
			"runs.csv has all.</p>\n",
			shown, entries);
}

/* ---- What was counted, or why nothing ---- */

/* What rows say of it, each once. */
static void say_notes(struct asl_page *p, bool bytes)
{
	enum { MOST = 4 };
	const char *said[MOST];
	int count = 0;

	for (int i = 0; i < p->results->rows && count < MOST; i++) {
		const struct asl_row *x = p->results->sorted[i];
		const char *note = x->text[ASL_COL_HWC_NOTE];
		int k = 0;

		if (!*note || isnan(x->number[ASL_COL_HWC_READ]) == bytes)
			continue;
		while (k < count && strcmp(said[k], note) != 0)
			k++;
		if (k < count)
			continue;
		asl_page_say(p, "%s%s", count ? "; or: " : "", note);
		said[count++] = note;
	}
	if (!count)
		asl_page_say(p, "rows do not say");
}

static void say_none(struct asl_page *p)
{
	fputs("<p class=\"note\">No hardware counted along, so there is "
	      "nothing to hold the counted words against: ",
	      p->f);
	say_notes(p, false);
	fputs(".</p>\n", p->f);
}

static void say_how(struct asl_page *p)
{
	fputs("<p>Memory controllers count the bytes that really move, of "
	      "whole sockets and whoever moves them. Counted words are those "
	      "between caches and memory (B<sub>r</sub>, B<sub>w</sub>) of "
	      "all ranks, 8 bytes each. Near 1 the counts are what the "
	      "machine does. Far above 1 something else moves bytes: other "
	      "programs, the network, a cache that evicts what the algorithm "
	      "wanted to keep; below 1 the problem fits into the caches. "
	      "Then do not expect times to follow the counts.</p>\n",
	      p->f);
}

void asl_section_hardware(struct asl_page *p)
{
	int entries = asl_page_list(p, has_bytes);
	double *room = calloc((size_t)p->results->rows + 1, sizeof *room);
	double *ratios = calloc((size_t)entries + 1, sizeof *ratios);

	p->failed |= !room || !ratios;
	asl_page_section(p, "hardware", "What the hardware counted");
	if (!entries) {
		say_none(p);
	} else if (!p->failed) {
		say_how(p);
		fputs("<ul class=\"lead\">\n", p->f);
		say_ratios(p, entries, false, room, ratios);
		say_ratios(p, entries, true, room, ratios);
		fputs("</ul>\n<p class=\"note\">Counted was: ", p->f);
		say_notes(p, true);
		fputs(".</p>\n", p->f);
		table(p, entries, room);
		asl_sockets_table(p, entries, room);
	}
	free(room);
	free(ratios);
}
