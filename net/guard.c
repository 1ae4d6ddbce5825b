/*
 * guard.c -- not there yet
 */
#include "net/net.h"

bool asl_net_job(int *rank, int *size)
{
	*rank = 0;
	*size = 1;
	return false;
}

void asl_net_guard(int rank)
{
	(void)rank;
}
