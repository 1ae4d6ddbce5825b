/*
 * resume_families.c -- killed anywhere, tensors and what is out of core go on, too
 *
 * As resume_multiply.c, for the other families: random cases on sim, in the words
 * of the command, are killed at random stores, persists or products, again and
 * again.  In the end the result is that of a run that was never interrupted, and
 * what is counted is what was predicted.
 */
#include "bench/library/case.h"
#include "lib/contract/contract.h"
#include "tests/help/restarts.h"

enum { MOST_WORDS = 40 };

/* ---- Cases ---- */

struct words {
	char text[512];
	char *at[MOST_WORDS];
	int count;
};

static __attribute__((format(printf, 2, 3))) void say(struct words *w,
						      const char *format, ...)
{
	size_t used = strlen(w->text);
	va_list args;

	va_start(args, format);
	vsnprintf(w->text + used, sizeof w->text - used, format, args);
	va_end(args);
}

static const char *one_of(struct dice *d, const char *const *names)
{
	uint64_t count = 0;

	while (names[count])
		count++;
	return names[roll(d, 0, count - 1)];
}
#define ONE_OF(d, ...) one_of(d, (const char *const[]){__VA_ARGS__, NULL})

static void roll_sttsv(struct dice *d, struct words *w)
{
	const char *name = ONE_OF(d, "sttsv", "hopm", "cpgrad");

	say(w, "%s --n %ju --exchange %s", name, roll(d, 1, 40),
	    ONE_OF(d, "p2p", "alltoall"));
	if (roll(d, 0, 1))
		say(w, " --ranks %ju --steiner cubic", roll(d, 1, 8));
	else
		say(w, " --ranks %ju", roll(d, 10, 15));
	if (!strcmp(name, "hopm"))
		say(w, " --iterations %ju --shift %ju --tol %s", roll(d, 1, 20),
		    roll(d, 0, 9), ONE_OF(d, "1e-12", "0.1"));
	if (!strcmp(name, "cpgrad"))
		say(w, " --cp-rank %ju", roll(d, 1, 9));
	/* From a few words, by pieces, to more than all vectors. */
	say(w, " --cache %ju",
	    roll(d, 0, 1) ? roll(d, 2000, 6000) : roll(d, 100, 200));
}

static void roll_cube(struct dice *d, struct words *w)
{
	say(w, "%s --n %ju --ranks %ju",
	    ONE_OF(d, "sttsv-naive", "sttsv-sequence", "sttsv-sequence-half"),
	    roll(d, 1, 30), roll(d, 1, 9));
}

static void roll_einsum(struct dice *d, struct words *w)
{
	static const char *const specs[] = {"ij,jk->ik",    "ijk,kl,jl->il",
					    "ij,jk,kl->il", "ijk->kji",
					    "ijk,lk->lji",  "iij,jk->ik",
					    "ijk->i",	    "ij,ij->ij",
					    "ijl,jkl->ikl", NULL};
	const char *spec = one_of(d, specs);

	say(w, "einsum --spec %s --dims ", spec);
	for (char index = 'i'; index <= 'l'; index++)
		if (strchr(spec, index))
			say(w, "%s%c=%ju", index == 'i' ? "" : ",", index,
			    roll(d, 1, 14));
	say(w, " --ranks %ju --cache %ju --panels %s --kernel %s",
	    roll(d, 1, 8), roll(d, 20, 300), ONE_OF(d, "dram", "nvm"),
	    ONE_OF(d, "vomm", "tight", "cowe"));
	say(w, " --type %s",
	    ONE_OF(d, "float64", "float32", "complex64", "complex128"));
	if (strchr(spec, ',') && !roll(d, 0, 3)) {
		say(w, " --way cuts");
		return;
	}
	say(w, " --initial %s", ONE_OF(d, "even", "rank0"));
	if (strchr(spec, ',') != strrchr(spec, ','))
		say(w, " --way %s", ONE_OF(d, "direct", "sequence"));
}

static void roll_outofcore(struct dice *d, struct words *w)
{
	say(w, "ooc-%s-%s",
	    ONE_OF(d, "rotation", "replication", "accumulation"),
	    ONE_OF(d, "inside", "outside"));
	if (roll(d, 0, 1))
		say(w, " --m %ju --n %ju --k %ju", roll(d, 1, 40),
		    roll(d, 1, 40), roll(d, 1, 40));
	else
		say(w, " --spec %s --dims i=%ju,j=%ju,k=%ju,l=%ju",
		    ONE_OF(d, "ijl,kj->lik", "lij,jkl->ilk"), roll(d, 1, 20),
		    roll(d, 1, 20), roll(d, 1, 20), roll(d, 1, 4));
	say(w, " --order %s --ranks %s --memory-budget %ju --cache %ju",
	    ONE_OF(d, "ABC", "ACB", "BAC", "BCA", "CAB", "CBA"),
	    ONE_OF(d, "1", "4", "4", "9"), roll(d, 400, 900), roll(d, 20, 100));
	if (roll(d, 0, 1))
		say(w, " --c-factor %s --ab-factor %s",
		    ONE_OF(d, "1", "-0.5", "3"), ONE_OF(d, "1", "2", "-0.25"));
}

static void roll_program(struct dice *d, struct words *w)
{
	say(w,
	    "ooc-auto --spec %s --dims i=%ju,j=%ju,k=%ju,l=%ju --ranks %ju "
	    "--cache %ju --memory-budget %ju",
	    ONE_OF(d, "ij,jk,kl->il", "ijk,jl,kl->il", "ij,ik,jl->kl"),
	    roll(d, 3, 14), roll(d, 3, 14), roll(d, 3, 14), roll(d, 3, 14),
	    roll(d, 1, 6), roll(d, 20, 60), roll(d, 200, 900));
	if (roll(d, 0, 1))
		say(w, " --c-factor %s --ab-factor %s",
		    ONE_OF(d, "1", "-0.5", "3"), ONE_OF(d, "1", "2", "-0.25"));
}

/* False: there is no such case. */
static bool make(struct asl_case *c, struct words *w)
{
	char copy[sizeof w->text], *next = copy, *word;
	struct asl_options o;

	memcpy(copy, w->text, sizeof copy);
	w->count = 0;
	w->at[w->count++] = "run";
	while ((word = strsep(&next, " ")))
		w->at[w->count++] = strdup(word);
	asl_options_init(&o);
	return !asl_options_parse(&o, w->count, w->at, ASL_FOR_RUN) &&
	       !asl_case_to_run(c, &o);
}

static void unmake(struct asl_case *c, struct words *w)
{
	asl_case_close(c);
	for (int i = 1; i < w->count; i++)
		free(w->at[i]);
}

/* A contraction under the least budget, of some that rise, to which slices keep. */
static void roll_slices(struct dice *d, struct words *w)
{
	bool sliced = false;

	say(w,
	    "einsum --spec ij,jk,kl->il --dims i=%ju,j=%ju,k=%ju,l=%ju "
	    "--ranks %ju --cache %ju --kernel vomm",
	    roll(d, 9, 16), roll(d, 9, 16), roll(d, 9, 16), roll(d, 9, 16),
	    roll(d, 8, 16), roll(d, 40, 90));
	for (uint64_t budget = 50; !sliced && budget < 1000;
	     budget += budget / 8) {
		struct words tried = *w;
		struct asl_case c = {0};

		say(&tried, " --memory-budget %ju", budget);
		sliced = make(&c, &tried) && c.want.plan.contraction->slices;
		unmake(&c, &tried);
		if (sliced)
			*w = (struct words){.count = 0};
		if (sliced)
			say(w, "%s", tried.text);
	}
	assert_true(sliced);
}

/* ---- Lives ---- */

static bool goes_on(struct dice *d, struct words *w)
{
	struct asl_case c = {0};
	struct files f;
	uint64_t events;
	bool possible = make(&c, w), ok = true;

	name_files(&f);
	if (possible) {
		c.want.store = "pmem";
		c.want.nvm_dir = dir;
		events = uninterrupted(c.want, &f);
		for (int i = 0; ok && i < 3; i++)
			ok = survives(d, c.want, &f, events);
	}
	if (!ok)
		print_error("%s\n", w->text);
	assert_true(ok);
	unmake(&c, w);
	return possible;
}

static void families_go_on(void **state)
{
	static void (*const kinds[])(struct dice * d, struct words * w) = {
		roll_sttsv,	roll_sttsv,	roll_cube,
		roll_einsum,	roll_einsum,	roll_slices,
		roll_outofcore, roll_outofcore, roll_program};
	enum { KINDS = sizeof kinds / sizeof kinds[0] };
	unsigned cases = KINDS * how_many(1, 2), tried = 0;

	(void)state;
	for (unsigned i = 0; i < cases; i++) {
		struct dice d = {12, i, 0};
		struct words w = {.count = 0};

		if (leave_out(i))
			continue;
		kinds[i % KINDS](&d, &w);
		tried += goes_on(&d, &w);
	}
	print_message("%u of %u cases were possible\n", tried, cases);
	assert_true(only_case() >= 0 || 2 * tried > cases);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(families_go_on),
	};

	return cmocka_run_group_tests(tests, begin, end);
}
