/*
 * sockets.h -- bytes that the hardware counted, socket by socket
 */
#ifndef ASL_SOCKETS_H
#define ASL_SOCKETS_H

#include "bench/report/page.h"

/*
 * A table that opens on demand, of the first entries of p->list; none if rows do
 * not tell sockets apart.  `room` is for a number a row.
 */
void asl_sockets_table(struct asl_page *p, int entries, double *room);

#endif
