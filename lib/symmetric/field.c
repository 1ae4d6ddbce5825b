/*
 * field.c -- finite fields by logarithms
 *
 * Modulo a monic polynomial of degree e, x^e is some polynomial of less degree.
 * All of those are tried in turn; the first one that makes x return to 1 after
 * q - 1 steps and no sooner is primitive, and the way there fills the tables.
 * That all elements but 0 are powers of x makes it a field.
 */
#include "lib/symmetric/field.h"

#include <errno.h>
#include <stdlib.h>

/* The least divisor greater than 1 of a q that is greater than 1: a prime. */
static int least_divisor(int q)
{
	for (int d = 2; d * d <= q; d++)
		if (q % d == 0)
			return d;
	return q;
}

bool asl_is_prime_power(int q)
{
	int p;

	if (q < 2 || q > ASL_FIELD_MOST)
		return false;
	for (p = least_divisor(q); q % p == 0;)
		q /= p;
	return q == 1;
}

/* a + times * b, coefficient by coefficient. */
static int add_multiple(const struct asl_field *f, int a, int b, int times)
{
	int sum = 0;

	for (int place = 1; place < f->q; place *= f->p) {
		int digit = (a / place + times * (b / place % f->p)) % f->p;

		sum += digit * place;
	}
	return sum;
}

int asl_field_add(const struct asl_field *f, int a, int b)
{
	return add_multiple(f, a, b, 1);
}

/* a times x, where x^e = rest. */
static int shift(const struct asl_field *f, int a, int rest)
{
	int top = f->q / f->p;

	return add_multiple(f, a % top * f->p, rest, a / top);
}

static bool is_primitive(struct asl_field *f, int rest)
{
	int a = 1;

	for (int i = 0; i < f->q - 1; i++) {
		f->power[i] = a;
		f->log[a] = i;
		a = shift(f, a, rest);
		if (a == 0 || (a == 1 && i < f->q - 2))
			return false;
	}
	return a == 1;
}

int asl_field_make(struct asl_field *f, int q)
{
	*f = (struct asl_field){.q = q};
	if (!asl_is_prime_power(q))
		return -EINVAL;
	f->p = least_divisor(q);
	for (int rest = q; rest > 1; rest /= f->p)
		f->e++;
	f->power = calloc((size_t)q, sizeof *f->power);
	f->log = calloc((size_t)q, sizeof *f->log);
	if (!f->power || !f->log) {
		asl_field_free(f);
		return -ENOMEM;
	}
	for (int rest = 1; !is_primitive(f, rest);)
		rest++;
	return 0;
}

void asl_field_free(struct asl_field *f)
{
	free(f->power);
	free(f->log);
	*f = (struct asl_field){0};
}

int asl_field_power(const struct asl_field *f, int exponent)
{
	return f->power[exponent % (f->q - 1)];
}

int asl_field_multiply(const struct asl_field *f, int a, int b)
{
	return a && b ? asl_field_power(f, f->log[a] + f->log[b]) : 0;
}

int asl_field_inverse(const struct asl_field *f, int a)
{
	return asl_field_power(f, f->q - 1 - f->log[a]);
}
