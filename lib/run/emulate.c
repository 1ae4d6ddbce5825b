/*
 * emulate.c -- a case whose words take as long as on another machine
 */
#include <errno.h>

#include "lib/run/place.h"

int asl_place_open_pace(struct asl_place *p)
{
	const struct asl_emulation *as = &p->want->emulate;
	const char *why = "";
	int err = *as->name ? asl_pace_open(&p->pace, as, p->net, &why) : 0;

	return err ? asl_run_fail(err, "%s", why) : 0;
}

/* All ranks know the answer, and rank 0 says it. */
static int refuse(const struct asl_place *p)
{
	const struct asl_emulation *as = &p->want->emulate;
	const struct asl_pace_probe *x = &p->probe;

	if (p->r.id > 0)
		return 0;
	return asl_run_fail(
		-EOPNOTSUPP,
		"--emulate: %s reads a word in %.3g ns and writes one in "
		"%.3g, but this machine in %.3g and %.3g (one rank alone "
		"in %.3g and %.3g): it is too slow to stand in for that",
		as->name, as->word[ASL_READS], as->word[ASL_WRITES],
		x->shared[ASL_READS], x->shared[ASL_WRITES],
		x->alone[ASL_READS], x->alone[ASL_WRITES]);
}

int asl_place_check_pace(struct asl_place *p)
{
	int err = p->pace ? asl_pace_check(&p->probe, &p->r) : 0;

	return err == -EOPNOTSUPP ? refuse(p) : err;
}
