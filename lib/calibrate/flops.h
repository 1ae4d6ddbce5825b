/*
 * flops.h -- what a flop costs in a multiplication by the BLAS, on one core
 */
#ifndef ASL_CALIBRATE_FLOPS_H
#define ASL_CALIBRATE_FLOPS_H

struct asl_product {
	double *a, *b, *c;
};

/* 0 or -ENOMEM; asl_product_close is due either way. */
int asl_product_open(struct asl_product *p);
void asl_product_close(struct asl_product *p); /* all zero is allowed */

/* Nanoseconds a flop of one product of matrices of this side. */
double asl_product_time(struct asl_product *p);

enum { ASL_PRODUCT_SIDE = 768 };

#endif
