/*
 * einsum.c -- a contraction: its string, its sizes and ranks, a line each
 */
#include <stdlib.h>
#include <string.h>

#include "lib/base/error.h"
#include "lib/contract/contract.h"
#include "lib/matrix/file.h"
#include "tests/fuzz/fuzz.h"

enum { MOST_RANKS = 12, MOST_INDICES = 6 };

static void make(const struct asl_einsum *e, int ranks)
{
	static struct asl_contraction c;
	struct asl_plan plan = {
		.algorithm = &asl_contract_einsum,
		.ranks = ranks,
		.cache = 4096,
		.memory = 65536,
		.contraction = &c,
		.costs = {1, 4, 1, 1, 1, 0, 0},
	};
	uint64_t needed;

	for (int way = ASL_WAY_BEST; way < ASL_WAYS; way++) {
		c.e = *e;
		c.asked = (enum asl_contract_way)way;
		c.twice = way == ASL_WAY_GRAM;
		/* Not every einsum is a product, or of one array. */
		if (asl_contract_settle(&plan, &needed)) {
			if (way < ASL_WAY_PRODUCT)
				abort();
			continue;
		}
		if (c.stages < 1 && c.way < ASL_WAY_PRODUCT)
			abort();
		if (c.ranks < 1 || c.ranks > ranks)
			abort();
	}
}

/* Operands of some dimensions, so many as the string has inputs. */
static int expand(char text[ASL_SPEC_TEXT], const char *spec, int seed)
{
	int dims[ASL_MOST_INPUTS], inputs = 1;

	for (const char *c = spec; *c; c++)
		inputs += *c == ',' && inputs < ASL_MOST_INPUTS;
	for (int i = 0; i < inputs; i++)
		dims[i] = (seed + 3 * i) % 6;
	return asl_einsum_expand(text, spec, dims, inputs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	char *text = asl_fuzz_text(data, bytes), *rest = text;
	const char *spec = strsep(&rest, "\n");
	const char *dims = rest ? strsep(&rest, "\n") : "";
	int ranks = rest ? abs(atoi(rest) % MOST_RANKS) + 1 : 1;
	struct asl_einsum e;
	char expanded[ASL_SPEC_TEXT];
	bool dots = strstr(spec, "...");
	int err = dots ? expand(expanded, spec, ranks) : 0;

	if (!err)
		err = asl_einsum_parse(&e, dots ? expanded : spec);

	if (!err && *dims)
		err = asl_einsum_dims(&e, dims);
	if (!err)
		err = asl_einsum_check(&e);
	asl_fuzz_check_said(err, asl_failure());
	if (!err && e.indices <= MOST_INDICES)
		make(&e, ranks);
	free(text);
	return 0;
}
