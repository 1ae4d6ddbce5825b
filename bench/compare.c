/*
 * compare.c -- aslant compare: result directories against the first of them
 */
#include "bench/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/commands.h"
#include "bench/number.h"
#include "bench/say.h"
#include "bench/table.h"
#include "lib/base/atomic_file.h"
#include "lib/base/error.h"
#include "lib/matrix/file.h"

enum { MOST_SIDES = 'Z' - 'A' + 1 };

/* All sides, and each but the first against it. */
struct comparing {
	struct asl_side side[ASL_MOST_RESULTS];
	struct asl_comparison c[ASL_MOST_RESULTS];
	int count; /* of sides */
};

/* ---- Before ---- */

static int refuse_prices(const char *prices)
{
	return asl_complain(ASL_BAD_INPUT,
			    "--price: found '%s', expected a price above 0 for "
			    "each directory, as A=10000,B=8000",
			    prices);
}

static int take_prices(struct comparing *x, const char *prices)
{
	const char *rest = prices;
	char name[2];
	double price;

	for (int i = 0; i < x->count; i++)
		x->side[i].price = NAN;
	while (rest && *rest) {
		int i;

		if (!asl_read_named(name, sizeof name, &price, &rest))
			return refuse_prices(prices);
		i = *name - 'A';
		if (i < 0 || i >= x->count || !(price > 0))
			return refuse_prices(prices);
		x->side[i].price = price;
	}
	for (int i = 0; prices && i < x->count; i++)
		if (isnan(x->side[i].price))
			return refuse_prices(prices);
	return 0;
}

static int read_sides(struct comparing *x, const struct asl_options *o)
{
	int code = 0;

	while (o->dir[x->count])
		x->count++;
	if (x->count < 2 || x->count > MOST_SIDES)
		return asl_complain(ASL_BAD_INPUT,
				    "compare: found %d, expected 2 to %d "
				    "result directories",
				    x->count, MOST_SIDES);
	code = take_prices(x, o->price);
	if (!code)
		code = asl_weights_check(o->weight);
	for (int i = 0; !code && i < x->count; i++) {
		x->side[i].letter = (char)('A' + i);
		code = asl_side_read(&x->side[i], o->dir[i]);
	}
	if (!code)
		asl_identify(x->side, x->count);
	for (int i = 0; !code && i < x->count; i++)
		code = asl_side_group(&x->side[i]);
	return code;
}

/* ---- After ---- */

static int write_csv(const struct comparing *x, const struct asl_options *o)
{
	struct asl_csv csv;
	int code;

	if (asl_csv_open(&csv))
		return asl_complain(ASL_NO_MACHINE, "out of memory");
	asl_compare_csv(&csv, x->c, x->count - 1, o->weight);
	code = asl_table_write(&csv, o->csv);
	asl_csv_close(&csv);
	return code;
}

static int write_html(const struct comparing *x, const struct asl_options *o)
{
	char *text = NULL;
	size_t bytes;
	FILE *f = open_memstream(&text, &bytes);
	int err;

	if (!f)
		return asl_complain(ASL_NO_MACHINE, "out of memory");
	asl_compare_html(f, x->c, x->count - 1, o->weight);
	err = ferror(f);
	if (fclose(f) || err) {
		free(text);
		return asl_complain(ASL_NO_MACHINE, "out of memory");
	}
	err = asl_atomic_file_put(o->out, text, bytes);
	free(text);
	return err ? asl_complain(asl_exit_code(err), "--out: %s",
				  asl_failure())
		   : 0;
}

static int write_all(const struct comparing *x, const struct asl_options *o)
{
	int code = 0;

	if (!o->csv && !o->out)
		asl_compare_text(stdout, x->c, x->count - 1, o->weight);
	if (o->csv)
		code = write_csv(x, o);
	if (!code && o->out)
		code = write_html(x, o);
	return code;
}

/* ---- Between ---- */

static int match_sides(struct comparing *x, const struct asl_options *o)
{
	int code = 0;

	for (int i = 1; !code && i < x->count; i++) {
		x->c[i - 1] = (struct asl_comparison){
			.base = &x->side[0],
			.other = &x->side[i],
			.mixed = o->mixed,
		};
		code = asl_compare_match(&x->c[i - 1]);
	}
	return code;
}

/* Sides that have nothing in common are not what was meant. */
static int check_any(const struct asl_comparison *c)
{
	if (asl_compare_count(c))
		return 0;
	return asl_complain(ASL_BAD_INPUT,
			    "%s and %s: no case can be compared; the first: %s",
			    c->base->dir, c->other->dir, c->pairs[0].why);
}

static int judge(const struct comparing *x, const struct asl_options *o)
{
	int code = 0;

	if (!isnan(o->fail_below))
		code = asl_compare_gate(x->c, x->count - 1, o->fail_below);
	for (int i = 1; !code && i < x->count; i++)
		code = check_any(&x->c[i - 1]);
	return code;
}

static void close_all(struct comparing *x)
{
	for (int i = 0; i < x->count; i++) {
		free(x->c[i].pairs);
		asl_side_close(&x->side[i]);
	}
}

int asl_command_compare(int argc, char **argv, const struct asl_command *self)
{
	struct comparing x = {.count = 0};
	struct asl_options o;
	int code = asl_options_parse(&o, argc - 1, argv + 1, self->options);

	if (code)
		return code;
	if (o.help)
		return asl_command_help(self);
	code = read_sides(&x, &o);
	if (!code)
		code = match_sides(&x, &o);
	if (!code)
		code = write_all(&x, &o);
	if (!code)
		code = judge(&x, &o);
	close_all(&x);
	return code;
}
