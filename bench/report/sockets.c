/*
 * sockets.c -- bytes that the hardware counted, socket by socket
 */
#include "bench/report/sockets.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

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

void asl_sockets_table(struct asl_page *p, int entries, double *room)
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
