/*
 * pair.c -- a pair of tensors multiplied the way that was chosen, after copies
 * that this needs and before one of the result
 */
#include "lib/contract/pair_ways.h"
#include "lib/matrix/parts.h"
#include "lib/rank/resume.h"

static struct asl_sides_of_pair begin(const struct asl_plan *plan,
				      const struct asl_pairing *p,
				      const struct asl_view *const given[3],
				      const uint64_t *len)
{
	struct asl_sides_of_pair s = {plan, p, len, {{0}}};

	for (int i = 0; i < 3; i++) {
		struct asl_words nowhere = {.where = ASL_DRAM};

		s.of[i] = p->copies[i]
				  ? asl_view_dense(&nowhere, &p->order[i], len)
				  : *given[i];
	}
	return s;
}

static void put_in_order(const struct asl_view *given[3],
			 const struct asl_pairing *p, const struct asl_view *C,
			 const struct asl_view *A, const struct asl_view *B)
{
	given[0] = p->swapped ? B : A;
	given[1] = p->swapped ? A : B;
	given[2] = C;
}

void asl_pair_run(struct asl_rank *r, const struct asl_plan *plan,
		  const struct asl_view *C, const struct asl_view *A,
		  const struct asl_view *B, const uint64_t *len)
{
	const struct asl_view *given[3];
	struct asl_words copy[3] = {{0}};
	struct asl_pairing p;
	struct asl_sides_of_pair s;
	bool copied;

	asl_pair_choose(&p, A, B, C, C->term->has, len);
	put_in_order(given, &p, C, A, B);
	s = begin(plan, &p, given, len);
	copied = p.copies[0] || p.copies[1] || p.copies[2];
	if (copied)
		asl_hold(r);
	for (int i = 0; i < 3; i++) {
		if (!p.copies[i])
			continue;
		asl_take(r, &copy[i], ASL_DRAM,
			 asl_view_words(&p.order[i], len));
		s.of[i].at = copy[i].at;
		if (i < 2)
			asl_permute(r, &s.of[i], given[i], len);
	}
	if (p.vector)
		asl_pair_by_vectors(r, &s);
	else
		asl_pair_by_kernel(r, &s);
	if (p.copies[2])
		asl_permute(r, C, &s.of[2], len);
	for (int i = 2; i >= 0; i--)
		asl_give(r, &copy[i]);
	if (copied)
		asl_release(r);
}

uint64_t asl_pair_predict(struct asl_counts *x, const struct asl_plan *plan,
			  const struct asl_view *C, const struct asl_view *A,
			  const struct asl_view *B, const uint64_t *len)
{
	const struct asl_view *given[3];
	struct asl_pairing p;
	struct asl_sides_of_pair s;
	uint64_t held = 0, high = 0;

	asl_pair_choose(&p, A, B, C, C->term->has, len);
	put_in_order(given, &p, C, A, B);
	s = begin(plan, &p, given, len);
	for (int i = 0; i < 3; i++) {
		uint64_t words = asl_view_words(&p.order[i], len);
		bool from_C = i == 2;
		uint64_t room;

		if (!p.copies[i])
			continue;
		held += words;
		room = asl_permute_room(from_C ? C : &s.of[i],
					from_C ? &s.of[i] : given[i], len,
					plan->cache);
		/* C's is taken last, when all copies are held. */
		high = asl_larger(high, held + room);
		asl_permute_predict(x, from_C ? C->where : ASL_DRAM,
				    from_C ? ASL_DRAM : given[i]->where, words);
	}
	return asl_larger(high,
			  held + (p.vector ? asl_pair_predict_vectors(x, &s)
					   : asl_pair_predict_kernel(x, &s)));
}
