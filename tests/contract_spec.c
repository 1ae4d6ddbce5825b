/*
 * contract_spec.c -- einsum strings and the sizes of their indices
 *
 * Strings made of random terms must be read as those terms; everything else in
 * one line that says what was found.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/error.h"
#include "lib/contract/spec.h"
#include "lib/matrix/file.h"
#include "tests/help/random.h"

static void check_term(const struct asl_einsum *e, int which, const char *modes,
		       const char *distinct)
{
	const struct asl_term *t = &e->term[which];
	uint32_t has = 0;

	assert_int_equal(t->modes, strlen(modes));
	for (int i = 0; i < t->modes; i++)
		assert_int_equal(e->letter[t->mode[i]], modes[i]);
	assert_int_equal(t->count, strlen(distinct));
	for (int i = 0; i < t->count; i++) {
		assert_int_equal(e->letter[t->index[i]], distinct[i]);
		has |= (uint32_t)1 << t->index[i];
	}
	assert_int_equal(t->has, has);
}

static void parse(struct asl_einsum *e, const char *spec)
{
	if (asl_einsum_parse(e, spec)) {
		print_error("%s: %s\n", spec, asl_failure());
		fail();
	}
}

static void known_strings(void **state)
{
	struct asl_einsum e;

	(void)state;
	parse(&e, " i j , jk -> i k ");
	assert_int_equal(e.inputs, 2);
	check_term(&e, 0, "ij", "ij");
	check_term(&e, 1, "jk", "jk");
	check_term(&e, 2, "ik", "ik");
	parse(&e, "iijZi->Zi");
	check_term(&e, 0, "iijZi", "ijZ");
	check_term(&e, 1, "Zi", "Zi");
	parse(&e, ",ab,->");
	assert_int_equal(e.inputs, 3);
	check_term(&e, 0, "", "");
	check_term(&e, 1, "ab", "ab");
	check_term(&e, 3, "", "");
	parse(&e, "");
	assert_int_equal(e.inputs, 1);
	check_term(&e, 1, "", "");
}

/* Letters that occur once, capitals first. */
static void implied_outputs(void **state)
{
	static const struct {
		const char *spec, *output;
	} known[] = {{"ij,jk", "ik"},	{"ba", "ab"}, {"ii", ""},
		     {"bB,aA", "ABab"}, {"iij", "j"}, {"ji,j", "i"},
		     {"zy,yx,xw", "wz"}};
	struct asl_einsum e;

	(void)state;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		parse(&e, known[i].spec);
		check_term(&e, e.inputs, known[i].output, known[i].output);
	}
}

static void fails(int err, const char *expected)
{
	assert_int_equal(err, -EINVAL);
	assert_string_equal(asl_failure(), expected);
}

static void wrong_strings(void **state)
{
	static const struct {
		const char *spec, *why;
	} wrong[] = {
		{"i...,j->i", "einsum 'i...,j->i': '...' is for operands from "
			      "files; expected a letter for every mode"},
		{"ij,jk->iz", "einsum 'ij,jk->iz': the output has 'z', which "
			      "never appeared in an input"},
		{"ij->ii", "einsum 'ij->ii': the output has 'i' more than "
			   "once"},
		{"i1->i", "einsum 'i1->i': '1' at place 2: expected letters, "
			  "',' between inputs and one '->'"},
		{"ij-ik", "einsum 'ij-ik': '-' at place 3: expected letters, "
			  "',' between inputs and one '->'"},
		{"ij->i->j", "einsum 'ij->i->j': '-' at place 6: expected "
			     "letters, ',' between inputs and one '->'"},
		{"i->i,j", "einsum 'i->i,j': ',' at place 5: expected "
			   "letters, ',' between inputs and one '->'"},
		{"a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u,v,w,x,y,z,A->a",
		 "einsum 'a,b,c,d,e,f,g,h,i,j,k,l,m,n,o,p,q,r,s,t,u,v,w,x,y,"
		 "z,A->a': more than 26 inputs"},
		{"abcdefghijklmnopqrstuvwxyz,ABCDEFG->a",
		 "einsum 'abcdefghijklmnopqrstuvwxyz,ABCDEFG->a': more than "
		 "32 indices"},
		{"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa->a",
		 "einsum 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa->a': a term of "
		 "more than 32 modes"},
	};
	struct asl_einsum e;

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		fails(asl_einsum_parse(&e, wrong[i].spec), wrong[i].why);
}

static void sizes(void **state)
{
	const uint64_t shape[] = {3, 4}, other[] = {4, 5}, none[] = {4, 0};
	struct asl_einsum e;

	(void)state;
	parse(&e, "ij,jk->ik");
	assert_int_equal(asl_einsum_dims(&e, "i=3, k=2k"), 0);
	fails(asl_einsum_check(&e), "the size of index 'j' is missing");
	assert_int_equal(asl_einsum_shape(&e, 0, 2, shape, "A.npy"), 0);
	assert_int_equal(asl_einsum_check(&e), 0);
	assert_int_equal(asl_term_words(&e.term[1], e.size), 8000);
	fails(asl_einsum_shape(&e, 1, 2, other, "B.npy"),
	      "B.npy: index 'k' has size 5, elsewhere 2000");
	fails(asl_einsum_shape(&e, 1, 2, none, "B.npy"),
	      "B.npy: index 'k' has size 0, expected 1 or more");
	fails(asl_einsum_shape(&e, 1, 3, other, "B.npy"),
	      "B.npy: has 3 dimensions, but the einsum gives operand 1 2 "
	      "indices");
	fails(asl_einsum_dims(&e, "i=3,i=4"),
	      "sizes: index 'i' has size 4, elsewhere 3");
	fails(asl_einsum_dims(&e, "i=3,z=4"),
	      "sizes 'i=3,z=4': no term has an index 'z'");
	fails(asl_einsum_dims(&e, "i=0"),
	      "sizes: index 'i' has size 0, expected 1 or more");
	fails(asl_einsum_dims(&e, "i=3x"),
	      "sizes 'i=3x': 'i=' needs a whole number, with k, m or g");
	fails(asl_einsum_dims(&e, "i=99999999999999999999"),
	      "sizes 'i=99999999999999999999': 'i=' needs a whole number, "
	      "with k, m or g");
	fails(asl_einsum_dims(&e, "i=99999999999g"),
	      "sizes 'i=99999999999g': 'i=' needs a whole number, with k, m "
	      "or g");
	fails(asl_einsum_dims(&e, "i:3"),
	      "sizes 'i:3': 'i:3': expected LETTER=SIZE, as i=64");
	fails(asl_einsum_dims(&e, "i=3 k=4"), "sizes 'i=3 k=4': 'k=4': "
					      "expected ','");
	fails(asl_einsum_dims(&e, "i=3,"),
	      "sizes 'i=3,': '': expected LETTER=SIZE, as i=64");
	parse(&e, "ij,jk->ik");
	assert_int_equal(asl_einsum_dims(&e, "i=1g,j=1g,k=1"), 0);
	fails(asl_einsum_check(&e),
	      "the sizes make a tensor of more than 2^58 words");
	parse(&e, "ij,jk->ik");
	assert_int_equal(asl_einsum_dims(&e, "i=10m,j=10m,k=10m"), 0);
	fails(asl_einsum_check(&e),
	      "the sizes make more than 2^58 multiplications");
	/* In parts it is not that many. */
	parse(&e, "ij,jk,kl->il");
	assert_int_equal(asl_einsum_dims(&e, "i=100k,j=100k,k=100k,l=100k"), 0);
	assert_int_equal(asl_einsum_check(&e), 0);
}

/* A diagonal has one size for its two modes. */
static void diagonals(void **state)
{
	const uint64_t square[] = {3, 3}, oblong[] = {3, 4};
	struct asl_einsum e;

	(void)state;
	parse(&e, "ii->i");
	assert_int_equal(asl_einsum_shape(&e, 0, 2, square, "A.npy"), 0);
	assert_int_equal(asl_term_words(&e.term[0], e.size), 3);
	parse(&e, "ii->i");
	fails(asl_einsum_shape(&e, 0, 2, oblong, "A.npy"),
	      "A.npy: index 'i' has size 4, elsewhere 3");
}

/* ---- Random strings ---- */

struct text {
	char modes[40], distinct[40];
};

static void roll_text(struct dice *d, struct text *t, bool repeats)
{
	static const char letters[] = "abcdefgXYZ";
	int modes = 0, distinct = 0;

	for (uint64_t i = roll(d, 0, 6); i > 0; i--) {
		char letter = letters[roll(d, 0, 9)];
		bool new = !memchr(t->distinct, letter, (size_t)distinct);

		if (new)
			t->distinct[distinct++] = letter;
		if (new || repeats)
			t->modes[modes++] = letter;
	}
	t->modes[modes] = t->distinct[distinct] = '\0';
}

/* Spaces here and there. */
static void add(struct dice *d, char *spec, const char *text)
{
	for (; *text; text++)
		sprintf(spec + strlen(spec), "%s%c", roll(d, 0, 9) ? "" : " ",
			*text);
}

/* The output's letters are those of one of its inputs. */
static void random_strings(void **state)
{
	(void)state;
	for (unsigned i = 0; i < 2000; i++) {
		struct dice d = {1, i, 0};
		struct text input[ASL_MOST_INPUTS], *output;
		int inputs = (int)roll(&d, 1, ASL_MOST_INPUTS);
		char spec[1000] = "";
		struct asl_einsum e;

		for (int j = 0; j < inputs; j++) {
			roll_text(&d, &input[j], true);
			strcat(spec, j ? "," : "");
			add(&d, spec, input[j].modes);
		}
		output = &input[roll(&d, 0, (uint64_t)inputs - 1)];
		strcat(spec, "->");
		add(&d, spec, output->distinct);
		parse(&e, spec);
		assert_int_equal(e.inputs, inputs);
		for (int j = 0; j < inputs; j++)
			check_term(&e, j, input[j].modes, input[j].distinct);
		check_term(&e, inputs, output->distinct, output->distinct);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_strings),
		cmocka_unit_test(implied_outputs),
		cmocka_unit_test(wrong_strings),
		cmocka_unit_test(sizes),
		cmocka_unit_test(diagonals),
		cmocka_unit_test(random_strings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
