/*
 * boxes.c -- cutting runs into boxes
 */
#include "lib/contract/boxes.h"

/* As large as can be that begins `done` words into the run, up to `left` words. */
static struct asl_box_of_run first_box(const struct asl_run *x, uint64_t done,
				       uint64_t left, uint64_t *words)
{
	uint64_t word = x->words.first + done, unit = 1, many = 1;
	struct asl_box_of_run b = {.at = done};
	int i = x->dims - 1;

	/* A whole dimension while it is at its beginning and there is enough. */
	for (; i >= 0; i--) {
		uint64_t length = x->box[i].count;

		many = asl_least(left / unit, length - word / unit % length);
		if (many < length)
			break;
		unit *= length;
	}
	*words = i < 0 ? unit : many * unit;
	for (int j = x->dims - 1; j >= 0; j--) {
		uint64_t length = x->box[j].count;

		b.of[j] = (struct asl_range){x->box[j].first + word % length,
					     j > i    ? length
					     : j == i ? many
						      : 1};
		word /= length;
	}
	return b;
}

static struct asl_range common_range(struct asl_range a, struct asl_range b)
{
	uint64_t first = asl_larger(a.first, b.first);
	uint64_t end = asl_least(a.first + a.count, b.first + b.count);

	return (struct asl_range){first, end > first ? end - first : 0};
}

static bool apart(const struct asl_run *a, const struct asl_run *b)
{
	if (!a->words.count || !b->words.count)
		return true;
	for (int i = 0; i < a->dims; i++)
		if (!common_range(a->box[i], b->box[i]).count)
			return true;
	return false;
}

/* Runs that are apart are as good as done. */
struct asl_boxes asl_boxes_begin(const struct asl_run *a,
				 const struct asl_run *b)
{
	struct asl_boxes x;

	x.run[0] = a;
	x.run[1] = b;
	x.done[0] = apart(a, b) ? a->words.count : 0;
	x.words[0] = 0;
	x.done[1] = b->words.count;
	return x;
}

/* The next two boxes, in common or not. */
static bool step(struct asl_boxes *x)
{
	const struct asl_run *a = x->run[0], *b = x->run[1];

	if (x->done[1] == b->words.count) {
		x->done[0] += x->words[0];
		if (x->done[0] == a->words.count)
			return false;
		x->box[0] =
			first_box(a, x->done[0], a->words.count - x->done[0],
				  &x->words[0]);
		x->done[1] = 0;
	}
	x->box[1] = first_box(b, x->done[1], b->words.count - x->done[1],
			      &x->words[1]);
	x->done[1] += x->words[1];
	return true;
}

static uint64_t meet(struct asl_boxes *x)
{
	uint64_t words = 1;

	for (int i = 0; i < x->run[0]->dims; i++) {
		x->both.of[i] = common_range(x->box[0].of[i], x->box[1].of[i]);
		words *= x->both.of[i].count;
	}
	return words;
}

bool asl_boxes_next(struct asl_boxes *x)
{
	while (step(x))
		if (meet(x))
			return true;
	return false;
}

uint64_t asl_runs_common(const struct asl_run *a, const struct asl_run *b)
{
	struct asl_boxes x = asl_boxes_begin(a, b);
	uint64_t words = 0;

	while (asl_boxes_next(&x))
		words += meet(&x);
	return words;
}
