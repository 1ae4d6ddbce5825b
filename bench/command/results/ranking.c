/*
 * ranking.c -- machines against each other: how many times as fast, at which work
 */
#include "bench/command/results/ranking.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench/library/number.h"
#include "bench/library/say.h"

/* ---- What is said of machines: names, prices, watts ---- */

static int refuse_figures(const char *option, const char *list)
{
	return asl_refuse("--%s: found '%s', expected a number above 0 for "
			  "each directory, as A=10000,B=8000",
			  option, list);
}

/* A list as --price takes it; without one NAN stays. */
static int take_figures(struct asl_ranking *r, const char *option,
			const char *list, enum asl_figure figure)
{
	int places = r->places, found = 0;
	const char *rest = list;
	char name[2];
	double x;

	while (rest && *rest) {
		int i;

		if (!asl_read_named(name, sizeof name, &x, &rest))
			return refuse_figures(option, list);
		i = *name - 'A';
		if (i < 0 || i >= places || !(x > 0))
			return refuse_figures(option, list);
		r->machine[i].figure[figure] = x;
	}
	for (int i = 0; i < places; i++)
		found += !isnan(r->machine[i].figure[figure]);
	return list && found < places ? refuse_figures(option, list) : 0;
}

static int take_name(struct asl_ranking *r, const char *text)
{
	int i = *text - 'A';

	if (i < 0 || i >= r->places || text[1] != '=' || !text[2])
		return asl_refuse("--name: found '%s', expected the letter of "
				  "a directory and a name, as A='Vendor X'",
				  text);
	r->machine[i].name = text + 2;
	for (const char *c = text; *c; c++)
		if (asl_control_bytes(c))
			return asl_refuse(
				"--name: found '%s', expected no control "
				"characters",
				text);
	return 0;
}

static double positive(const json_t *json, const char *key)
{
	double x = json_number_value(json_object_get(json, key));

	return x > 0 ? x : NAN;
}

static json_t *read_json(const char *dir, const char *name)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof path, "%s/%s", dir, name) >= (int)sizeof path)
		return NULL;
	return json_load_file(path, 0, NULL);
}

static void read_machine(struct asl_contender *m, const char *dir,
			 const char *name)
{
	const char *by_hand;

	*m = (struct asl_contender){.name = name,
				    .json = read_json(dir, "machine.json"),
				    .calibrated =
					    read_json(dir, "calibrated.json")};
	by_hand = json_string_value(json_object_get(m->json, "name"));
	if (by_hand && *by_hand)
		m->name = by_hand;
	m->figure[ASL_PRICE] = positive(m->json, "price");
	m->figure[ASL_WATTS] = positive(m->json, "watts");
}

static int take_machines(struct asl_ranking *r, const struct asl_options *o,
			 const char *const *names)
{
	int code = 0;

	for (int i = 0; i < r->places; i++)
		read_machine(&r->machine[i], o->dir[i], names[i]);
	code = take_figures(r, "price", o->price, ASL_PRICE);
	if (!code)
		code = take_figures(r, "watts", o->watts, ASL_WATTS);
	for (int i = 0; !code && o->name[i]; i++)
		code = take_name(r, o->name[i]);
	return code;
}

static double factor(const struct asl_ranking *r, enum asl_figure figure,
		     int place, int than)
{
	return r->machine[than].figure[figure] /
	       r->machine[place].figure[figure];
}

double asl_ranking_money(const struct asl_ranking *r, int place, int than)
{
	return factor(r, ASL_PRICE, place, than);
}

double asl_ranking_joule(const struct asl_ranking *r, int place, int than)
{
	return factor(r, ASL_WATTS, place, than);
}

/* ---- Weights of families ---- */

int asl_weights_check(const char *weights)
{
	const char *rest = weights, *names[ASL_MOST_FAMILIES + 1];
	char name[64], known[256];
	double x;

	asl_family_names(names);
	while (rest && *rest)
		if (!asl_read_named(name, sizeof name, &x, &rest) ||
		    !asl_is_one_of(name, names))
			return asl_refuse(
				"--weight: found '%s', expected FAMILY=NUMBER, "
				"with commas between; families: %s",
				weights, asl_join(known, sizeof known, names));
	return 0;
}

static double weight_in(const char *weights, const char *family)
{
	double weight = 1, x;
	char name[64];

	while (weights && *weights &&
	       asl_read_named(name, sizeof name, &x, &weights))
		if (!strcmp(name, family))
			weight = x;
	return weight;
}

/* ---- Which machines are ranked ---- */

static void close_against(struct asl_ranking *r)
{
	for (int i = 0; r->against && i < r->places; i++)
		asl_comparison_close(&r->against[i]);
}

/* All others against the base; *others: how many share a case with it. */
static int compare_with(struct asl_ranking *r, int base, int *others)
{
	close_against(r);
	r->base = base;
	*others = 0;
	for (int i = 0; i < r->places; i++) {
		struct asl_comparison *c = &r->against[i];
		int code;

		*c = (struct asl_comparison){.results = r->results,
					     .base = base,
					     .place = i,
					     .mixed = r->mixed,
					     .busy = r->busy,
					     .modelled = r->modelled};
		code = i == base ? 0 : asl_compare(c);
		if (code)
			return code;
		*others += c->reasons[ASL_COMPARED] > 0;
	}
	return 0;
}

/* The first that most others can be compared with; by times, else by costs. */
static int choose_base(struct asl_ranking *r, bool first)
{
	int places = r->places, most = 0, best = 0, others = 0;
	int tried = first ? 1 : places, code = 0;

	for (int i = 0; !code && i < 2 * tried && most < places - 1; i++) {
		if (i == tried && most)
			break;
		r->modelled = i >= tried;
		code = compare_with(r, i % tried, &others);
		if (others <= most)
			continue;
		most = others;
		best = i % tried;
	}
	if (!most)
		r->modelled = false;
	return code ? code : compare_with(r, best, &others);
}

static void exclude(struct asl_ranking *r, int place)
{
	const struct asl_comparison *c = &r->against[place];
	struct asl_contender *m = &r->machine[place];
	const char *why = "";
	int shared = c->reasons[ASL_COMPARED];

	for (int i = 0; i < c->count && !*why; i++)
		why = c->pairs[i].why;
	m->ranked = false;
	if (shared)
		snprintf(m->why_not, sizeof m->why_not,
			 "%d of %d cases can be compared; the first that "
			 "cannot: %s",
			 shared, c->bases, why);
	else
		snprintf(m->why_not, sizeof m->why_not,
			 "no case can be compared; the first: %s", why);
}

static int count_ranked(const struct asl_ranking *r)
{
	int ranked = 0;

	for (int i = 0; i < r->places; i++)
		ranked += r->machine[i].ranked;
	return ranked;
}

/* The case of the base that all share, as an entry. */
static bool take_entry(struct asl_shared *to, const struct asl_ranking *r,
		       int k)
{
	*to = (struct asl_shared){.weight = 0};
	for (int i = 0; i < r->places; i++) {
		const struct asl_pair *p;

		if (i == r->base || !r->machine[i].ranked)
			continue;
		p = &r->against[i].pairs[k];
		if (p->reason)
			return false;
		to->at[r->base] = p->base;
		to->at[i] = p->other;
	}
	return true;
}

static int bases(const struct asl_ranking *r)
{
	return r->against[r->base ? 0 : 1].bases;
}

static int take_entries(struct asl_shared *to, const struct asl_ranking *r)
{
	int count = 0;

	for (int k = 0; k < bases(r); k++)
		count += take_entry(&to[count], r, k);
	return count;
}

/*
 * Machines that share at least half as many cases with the base as the best of
 * them, fewer until there are cases that all share; how many these are.
 */
static int rank(struct asl_shared *to, struct asl_ranking *r)
{
	int most = 0, count = 0;

	for (int i = 0; i < r->places; i++)
		most = (int)fmax(most, r->against[i].reasons[ASL_COMPARED]);
	for (int i = 0; i < r->places; i++) {
		int shared = r->against[i].reasons[ASL_COMPARED];

		r->machine[i].ranked =
			i == r->base || (shared && 2 * shared >= most);
		if (!r->machine[i].ranked)
			exclude(r, i);
	}
	while (count_ranked(r) > 1) {
		int least = -1;

		count = take_entries(to, r);
		if (count)
			return count;
		for (int i = 0; i < r->places; i++)
			if (i != r->base && r->machine[i].ranked &&
			    (least < 0 ||
			     r->against[i].reasons[ASL_COMPARED] <=
				     r->against[least].reasons[ASL_COMPARED]))
				least = i;
		exclude(r, least);
	}
	return 0;
}

/* ---- Workloads ---- */

/* The first machine's of a case: all agree in the request. */
static const struct asl_measured *any_of(const struct asl_shared *x)
{
	int i = 0;

	while (!x->at[i])
		i++;
	return x->at[i];
}

/* Words written a flop. */
static double writes(const struct asl_shared *x)
{
	return any_of(x)->row->write_words_max / any_of(x)->row->flops_max;
}

static int compare_writes(const void *a, const void *b)
{
	double x = writes(a), y = writes(b);

	if (x != y)
		return x < y ? 1 : -1;
	return (any_of(a) > any_of(b)) - (any_of(a) < any_of(b));
}

/* By how much drift may have put that mean off, added up. */
static void add_drift(struct asl_workload *w, int place,
		      const struct asl_shared *entry)
{
	double drift[ASL_DRAWS];

	asl_case_drift(drift, entry->at[place]);
	for (int k = 0; k < ASL_DRAWS; k++)
		w->drift[place][k] -= entry->weight * drift[k];
}

/* The weighted mean of a machine's speeds, and how it is distributed. */
static int measure(struct asl_workload *w, int place)
{
	double *draws = w->draws[place] = calloc(ASL_DRAWS, sizeof *draws);
	double *drift = w->drift[place] = calloc(ASL_DRAWS, sizeof *drift);
	bool few = false;
	int err = draws && drift ? 0 : -ENOMEM;

	w->speed[place] = 0;
	for (int i = 0; !err && i < w->cases; i++) {
		const struct asl_measured *x = w->entries[i].at[place];
		double weight = w->entries[i].weight,
		       level = log(asl_ranking_seconds(x));
		const double *of = NULL;

		err = asl_case_draws(&of, x);
		few |= x->time.samples && !of;
		w->speed[place] -= weight * level;
		for (int k = 0; !few && k < ASL_DRAWS; k++)
			draws[k] -= weight * (of ? of[k] : level);
		if (of && !few)
			add_drift(w, place, &w->entries[i]);
		if (x->time.samples && x->time.samples < w->samples)
			w->samples = x->time.samples;
	}
	if (few) {
		free(w->draws[place]);
		w->draws[place] = NULL;
	}
	return err;
}

/* Each family has its weight, shared by its cases; how many cases. */
static int weigh_family(struct asl_workload *w, const char *family,
			double weight)
{
	int count = 0;

	for (int pass = 0; pass < 2; pass++)
		for (int i = 0; i < w->cases; i++) {
			struct asl_shared *x = &w->entries[i];

			if (strcmp(asl_case_family(any_of(x)), family))
				continue;
			if (pass)
				x->weight = weight / count;
			else
				count++;
		}
	return count;
}

static void weigh(struct asl_workload *w, const char *weights)
{
	const char *names[ASL_MOST_FAMILIES + 1];

	asl_family_names(names);
	for (int i = 0; names[i]; i++) {
		double weight = weight_in(weights, names[i]);

		if (!weigh_family(w, names[i], weight))
			continue;
		w->families++;
		w->weight += weight;
	}
	for (int i = 0; i < w->cases; i++)
		w->entries[i].weight /= w->weight;
}

/* The cases of a list that fit are one more workload; without any, none is. */
static int add_work(struct asl_ranking *r, const char *kind, const char *name,
		    const struct asl_shared *list, int count,
		    bool (*fits)(const struct asl_shared *x, const char *name))
{
	struct asl_workload *w = &r->work[r->works];
	int err = 0;

	*w = (struct asl_workload){
		.kind = kind,
		.name = name,
		.samples = INT_MAX,
		.entries = calloc((size_t)count + 1, sizeof *w->entries)};
	if (!w->entries)
		return -ENOMEM;
	for (int i = 0; i < count; i++)
		if (!fits || fits(&list[i], name))
			w->entries[w->cases++] = list[i];
	if (!w->cases) {
		free(w->entries);
		return 0;
	}
	r->works++;
	weigh(w, r->weights);
	for (int i = 0; !err && i < r->places; i++)
		if (w->entries[0].at[i])
			err = measure(w, i);
	return err;
}

static bool is_family(const struct asl_shared *x, const char *name)
{
	return !strcmp(asl_case_family(any_of(x)), name);
}

static bool is_label(const struct asl_shared *x, const char *name)
{
	return !strcmp(any_of(x)->row->label, name);
}

enum { MOST_LABELS = 40, MOST_WORKS = MOST_LABELS + ASL_MOST_FAMILIES + 5 };

static int add_labels(struct asl_ranking *r, const struct asl_shared *list,
		      int count)
{
	int first = r->works, err = 0;

	for (int i = 0; !err && i < count && r->works < first + MOST_LABELS;
	     i++) {
		const char *label = any_of(&list[i])->row->label;
		int k = first;

		while (k < r->works && strcmp(r->work[k].name, label))
			k++;
		if (k == r->works && *label)
			err = add_work(r, "label", label, list, count,
				       is_label);
	}
	return err;
}

static int add_works(struct asl_ranking *r, struct asl_shared *list, int count)
{
	const char *names[ASL_MOST_FAMILIES + 1];
	int heavy = (count + 2) / 3;
	int err = add_work(r, "all", "all", list, count, NULL);

	asl_family_names(names);
	for (int i = 0; !err && names[i]; i++)
		err = add_work(r, "family", names[i], list, count, is_family);
	if (!err)
		err = add_labels(r, list, count);
	qsort(list, (size_t)count, sizeof *list, compare_writes);
	if (!err && count > heavy)
		err = add_work(r, "writes", "write-heavy work", list, heavy,
			       NULL);
	if (!err && count > heavy)
		err = add_work(r, "writes", "the other work", list + heavy,
			       count - heavy, NULL);
	return err;
}

/* ---- Each machine with the algorithm that is best on it ---- */

static bool is_candidate(const struct asl_measured *x,
			 const struct asl_ranking *r)
{
	if (!x->time.samples)
		return asl_case_modelled(x);
	return x->trouble == ASL_NO_TROUBLE ||
	       (x->trouble == ASL_BUSY && r->busy);
}

static enum asl_time_source source_of(const struct asl_measured *x)
{
	return x->time.samples ? asl_case_source(x) : ASL_MODELLED;
}

/* Measured, else emulated, else modelled; of these the fastest. */
static bool is_better(const struct asl_measured *x,
		      const struct asl_measured *than)
{
	enum asl_time_source a = source_of(x), b;

	if (!than)
		return true;
	b = source_of(than);
	return a < b ||
	       (a == b && asl_ranking_seconds(x) < asl_ranking_seconds(than));
}

static bool are_alike(const struct asl_measured *x,
		      const struct asl_measured *y, const struct asl_ranking *r)
{
	return (r->mixed || source_of(x) == source_of(y)) &&
	       asl_row_simulated(x->row) == asl_row_simulated(y->row);
}

/* The best case of a problem in each place. */
static void find_best(struct asl_shared *to, const struct asl_pack *g,
		      const struct asl_ranking *r)
{
	*to = (struct asl_shared){.weight = 0};
	for (int i = 0; i < g->count; i++) {
		const struct asl_measured *x = g->at[i];
		int place = (int)x->row->place;

		if (is_candidate(x, r) && is_better(x, to->at[place]))
			to->at[place] = x;
	}
}

/* False: a machine that takes part has no such case, or one of another kind. */
static bool keep_best(struct asl_shared *x, const bool *in,
		      const struct asl_ranking *r)
{
	const struct asl_measured *first = NULL;

	for (int i = 0; i < r->places; i++) {
		if (!in[i])
			x->at[i] = NULL;
		else if (!x->at[i] || (first && !are_alike(first, x->at[i], r)))
			return false;
		else
			first = x->at[i];
	}
	return first != NULL;
}

static int list_best(struct asl_shared *to, const struct asl_ranking *r)
{
	static const int by[] = {
		COL_family,  ASL_SIZE,	COL_ranks, COL_memory_budget_words,
		COL_initial, COL_store, COL_seed,  ASL_END};
	const struct asl_results *all = r->results;
	struct asl_measured **list =
		calloc((size_t)all->count + 1, sizeof *list);
	struct asl_pack g = {0};
	int count = 0;

	if (!list)
		return -ENOMEM;
	for (int i = 0; i < all->count; i++)
		list[i] = &all->cases[i];
	asl_cases_sort(list, all->count, by);
	while (asl_pack_next(&g, list, all->count, by))
		find_best(&to[count++], &g, r);
	free(list);
	return count;
}

/* If no case can be compared: who has half as many problems as who has most. */
static void choose_best(bool *in, const struct asl_shared *list, int count)
{
	int has[ASL_MOST_RESULTS] = {0}, most = 0;

	for (int i = 0; i < ASL_MOST_RESULTS; i++) {
		for (int k = 0; k < count; k++)
			has[i] += list[k].at[i] != NULL;
		most = has[i] > most ? has[i] : most;
	}
	for (int i = 0; i < ASL_MOST_RESULTS; i++)
		in[i] = has[i] && 2 * has[i] >= most;
}

static int add_best(struct asl_ranking *r, struct asl_shared *list)
{
	bool in[ASL_MOST_RESULTS] = {false};
	int count = list_best(list, r), kept = 0, taking = 0;

	for (int i = 0; i < ASL_MOST_RESULTS; i++)
		in[i] = r->machine[i].ranked;
	if (!r->works)
		choose_best(in, list, count);
	for (int i = 0; i < count; i++)
		if (keep_best(&list[i], in, r))
			list[kept++] = list[i];
	for (int i = 0; i < ASL_MOST_RESULTS; i++)
		taking += in[i];
	if (count < 0 || taking < 2 || !kept)
		return count < 0 ? count : 0;
	for (int i = 0; i < ASL_MOST_RESULTS; i++) {
		r->machine[i].ranked = in[i];
		if (in[i])
			*r->machine[i].why_not = '\0';
	}
	return add_work(r, "best", "each machine's best algorithm", list, kept,
			NULL);
}

/* ---- All of it ---- */

static int fill(struct asl_ranking *r)
{
	struct asl_shared *list =
		calloc((size_t)r->results->count + 1, sizeof *list);
	int count, err = -ENOMEM;

	r->work = calloc(MOST_WORKS, sizeof *r->work);
	if (list && r->work) {
		count = rank(list, r);
		err = count ? add_works(r, list, count) : 0;
	}
	if (!err)
		err = add_best(r, list);
	free(list);
	for (int i = 0; !r->works && i < r->places; i++)
		r->machine[i].ranked = false;
	r->ranked = count_ranked(r);
	return err ? asl_no_memory() : 0;
}

int asl_ranking_open(struct asl_ranking *r, const struct asl_options *o,
		     const char *const *names)
{
	int code;

	*r = (struct asl_ranking){
		.mixed = o->mixed, .busy = o->busy, .weights = o->weight};
	while (o->dir[r->places])
		r->places++;
	code = take_machines(r, o, names);
	return code ? code : asl_weights_check(o->weight);
}

int asl_ranking_rank(struct asl_ranking *r, const struct asl_results *results,
		     bool first)
{
	int code;

	r->results = results;
	r->against = calloc((size_t)r->places, sizeof *r->against);
	if (!r->against)
		return asl_no_memory();
	if (r->places < 2)
		return 0;
	code = choose_base(r, first);
	return code ? code : fill(r);
}

void asl_ranking_close(struct asl_ranking *r)
{
	for (int w = 0; w < r->works; w++) {
		for (int i = 0; i < ASL_MOST_RESULTS; i++) {
			free(r->work[w].draws[i]);
			free(r->work[w].drift[i]);
		}
		free(r->work[w].entries);
	}
	for (int i = 0; i < ASL_MOST_RESULTS; i++) {
		json_decref(r->machine[i].json);
		json_decref(r->machine[i].calibrated);
	}
	close_against(r);
	free(r->against);
	free(r->work);
	*r = (struct asl_ranking){.results = NULL};
}

/* ---- What is asked of it ---- */

struct asl_ratio asl_ranking_ratio(const struct asl_workload *w, int place,
				   int than)
{
	const double *a = w->draws[place], *b = w->draws[than];
	double draws[ASL_DRAWS], drift[ASL_DRAWS];

	for (int i = 0; a && b && i < ASL_DRAWS; i++) {
		draws[i] = a[i] - b[i];
		drift[i] = w->drift[place][i] - w->drift[than][i];
	}
	return asl_ratio_of(w->speed[place] - w->speed[than],
			    a && b ? draws : NULL, drift,
			    w->samples == INT_MAX ? 0 : w->samples);
}

double asl_ranking_seconds(const struct asl_measured *x)
{
	return x->time.samples ? x->time.median : asl_row_cost(x->row) * 1e-9;
}

int asl_ranking_order(int order[ASL_MOST_RESULTS], const struct asl_ranking *r,
		      const struct asl_workload *w)
{
	int count = 0;

	for (int i = 0; i < r->places; i++) {
		int k = count;

		if (!r->machine[i].ranked)
			continue;
		for (; k && w->speed[order[k - 1]] < w->speed[i]; k--)
			order[k] = order[k - 1];
		order[k] = i;
		count++;
	}
	return count;
}

bool asl_workload_is_whole(const struct asl_ranking *r,
			   const struct asl_workload *w)
{
	return w != r->work && w->cases == r->work->cases &&
	       (!strcmp(w->kind, "family") || !strcmp(w->kind, "label"));
}

/* ---- In words ---- */

enum { TIMES = 32 };

/* "1.61 times "; "" if that is 1. */
static const char *times_text(char to[TIMES], double ratio)
{
	snprintf(to, TIMES, "%.3g times ", ratio);
	return strcmp(to, "1 times ") != 0 ? to : "";
}

/* "1.61 times as fast as A (1.55 to 1.68)", and whether that is known. */
static void say_ratio(FILE *f, const struct asl_ratio *x, const char *than)
{
	enum { MANY = 1000, LEAST_DRIFT = 1 };
	int needs = asl_ratio_needs(x);
	char text[TIMES];

	fprintf(f, "%s%sas fast as %s", needs ? "perhaps " : "",
		times_text(text, x->ratio), than);
	if (isnan(x->low))
		fputs(" (too few repetitions to be sure)", f);
	else if (x->low < x->high)
		fprintf(f, " (%.3g to %.3g", x->low, x->high);
	if (asl_ratio_drift(x) >= LEAST_DRIFT)
		fprintf(f, ", of which drift %.2g%%", asl_ratio_drift(x));
	if (needs == ASL_NEVER)
		fputs(": not known yet, and repetitions would not tell, as "
		      "the machines drift that much",
		      f);
	else if (needs > MANY)
		fprintf(f, ": not known yet, it needs over %d repetitions",
			MANY);
	else if (needs)
		fprintf(f, ": not known yet, it needs about %d repetitions",
			needs);
	else if (!strcmp(asl_ratio_say(x), "equal within 5%"))
		fprintf(f, "%sequal within 5%%",
			x->low < x->high ? ": " : " (");
	else if (!(x->low < x->high))
		return;
	fputc(')', f);
}

static void say_worth(FILE *f, const struct asl_ranking *r, double speed,
		      int place, int than)
{
	double money = asl_ranking_money(r, place, than);
	double joule = asl_ranking_joule(r, place, than);

	if (!isnan(money))
		fprintf(f, ", %.3g times for the money", speed * money);
	if (!isnan(joule))
		fprintf(f, ", %.3g times for the joule", speed * joule);
}

static bool has_arithmetic(const struct asl_workload *w)
{
	for (int i = 0; i < w->cases; i++)
		if (any_of(&w->entries[i])->row->gamma > 0)
			return true;
	return false;
}

/* The ratio if a rank had such a rate of flops, too, in flops a nanosecond. */
static double with_flops(const struct asl_workload *w, int place, int than,
			 double rate)
{
	double sum = 0;

	for (int i = 0; i < w->cases; i++) {
		const struct asl_runs_row *a = w->entries[i].at[place]->row;
		const struct asl_runs_row *b = w->entries[i].at[than]->row;

		sum += w->entries[i].weight *
		       log((asl_row_cost(b) + b->flops_max / rate) /
			   (asl_row_cost(a) + a->flops_max / rate));
	}
	return exp(sum);
}

static void say_source(FILE *f, const struct asl_workload *w, int best,
		       int next)
{
	enum { RATE = 50 };
	int of[ASL_SOURCES] = {0}, all = 0;
	char text[TIMES];

	for (int i = 0; i < w->cases; i++)
		for (int place = 0; place < ASL_MOST_RESULTS; place++)
			if (w->entries[i].at[place]) {
				of[source_of(w->entries[i].at[place])]++;
				all++;
			}
	if (of[ASL_MEASURED] == all)
		fputs(", by measured times", f);
	else if (of[ASL_EMULATED] == all)
		fputs(", by times with emulated memory", f);
	else if (!of[ASL_MODELLED])
		fputs(", by times, some with emulated memory", f);
	else if (of[ASL_MODELLED] < all)
		fputs(", by times, and by costs where nothing was measured", f);
	else if (has_arithmetic(w))
		fputs(", by the costs of counted words and flops: nothing was "
		      "measured",
		      f);
	else
		fprintf(f,
			" in moving words, by their costs, without arithmetic: "
			"nothing was measured; with %d GFLOP/s a rank %sas "
			"fast",
			RATE,
			times_text(text, with_flops(w, best, next, RATE)));
}

static void say_mean(FILE *f, const struct asl_workload *w)
{
	if (w->families > 1)
		fprintf(f, ", on average of %d families (%d cases)",
			w->families, w->cases);
	else
		fprintf(f, ", on average of %d case%s", w->cases,
			w->cases == 1 ? "" : "s");
}

const char *asl_ranking_answer(char to[ASL_ANSWER], const struct asl_ranking *r,
			       const struct asl_workload *w)
{
	int order[ASL_MOST_RESULTS] = {0};
	int count = asl_ranking_order(order, r, w);
	FILE *f = fmemopen(to, ASL_ANSWER, "w");

	*to = '\0';
	if (!f)
		return to;
	fprintf(f, "%s is ", r->machine[order[0]].name);
	for (int i = 1; i < count; i++) {
		struct asl_ratio x = asl_ranking_ratio(w, order[0], order[i]);

		fputs(i > 1 ? "; " : "", f);
		say_ratio(f, &x, r->machine[order[i]].name);
		say_worth(f, r, x.ratio, order[0], order[i]);
	}
	say_mean(f, w);
	say_source(f, w, order[0], order[1]);
	fputc('.', f);
	fclose(f);
	to[ASL_ANSWER - 1] = '\0';
	return to;
}

/* ---- What fits into the last cache ---- */

static double integer(const struct asl_contender *m, const char *key)
{
	return (double)json_integer_value(json_object_get(m->json, key));
}

int asl_ranking_cores(const struct asl_ranking *r, int place)
{
	double cores = integer(&r->machine[place], "cores");

	return cores > 0 && cores < INT_MAX ? (int)cores : 0;
}

/* All caches: machine.json has one, and how many cores share it. */
static double cache_bytes(const struct asl_contender *m)
{
	double cores = integer(m, "cores"), shared = integer(m, "cache_cores");

	return shared > 0 ? integer(m, "cache_bytes") *
				    fmax(1, floor(cores / shared))
			  : 0;
}

/* How many cases of a machine moved words, and how many of these fit. */
static int cached(const struct asl_ranking *r, int place, double cache, int *of)
{
	int fit = 0;

	*of = 0;
	for (int i = 0; i < r->results->count; i++) {
		const struct asl_runs_row *x = r->results->cases[i].row;

		if ((int)x->place != place || !asl_row_moved(x))
			continue;
		++*of;
		fit += asl_row_bytes(x, x->memory_high_words) * x->ranks <=
		       cache;
	}
	return fit;
}

/* Several machines with the same caches, of whose cases as many fit. */
static bool cached_alike(const struct asl_ranking *r)
{
	double cache = cache_bytes(&r->machine[0]);
	int of[2], fit = cached(r, 0, cache, &of[0]);
	bool alike = r->places > 1 && fit;

	for (int i = 1; alike && i < r->places; i++)
		alike = cache_bytes(&r->machine[i]) == cache &&
			cached(r, i, cache, &of[1]) == fit && of[1] == of[0];
	return alike;
}

const char *asl_ranking_cached(char to[ASL_ANSWER], const struct asl_ranking *r)
{
	int at = 0, of;

	*to = '\0';
	if (cached_alike(r)) {
		double cache = cache_bytes(&r->machine[0]);
		int fit = cached(r, 0, cache, &of);

		snprintf(to, ASL_ANSWER,
			 "What ranks held in %d of %d cases of each machine "
			 "fits into its last cache (%.4g MiB): those times "
			 "say little about memory.",
			 fit, of, cache / (1 << 20));
		return to;
	}
	for (int i = 0; i < r->places && at < ASL_ANSWER; i++) {
		const struct asl_contender *m = &r->machine[i];
		double cache = cache_bytes(m);
		int fit = cached(r, i, cache, &of);

		if (fit)
			at += snprintf(to + at, (size_t)(ASL_ANSWER - at),
				       "%s in %d of %d %s %s%s (%.4g MiB)",
				       at ? "," : "What ranks held", fit, of,
				       at ? "of" : "cases of", m->name,
				       at ? "" : " fits into its last cache",
				       cache / (1 << 20));
	}
	if (at && at < ASL_ANSWER)
		snprintf(to + at, (size_t)(ASL_ANSWER - at),
			 ": those times say little about memory.");
	return to;
}
