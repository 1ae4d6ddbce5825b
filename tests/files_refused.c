/*
 * files_refused.c -- suites and profiles that are not as they should be
 *
 * Every message names the file, and the line, case or key.  Other files that are
 * read have tests of their own: matrix_files, symmetric_tensor, bench_rows.
 */
#include <stdio.h>
#include <string.h>

#include "tests/help/refusals.h"

/* ---- Suites ---- */

#define ONE "{'algorithm': 'vomm', 'n': 10}"
#define SUITE "suite bad.json --csv rows.csv"
#define REFUSE_SUITE(what, json) REFUSE_TEXT("bad.json: " what, SUITE, json)
#define CASE(json) "{'cases': [" ONE ", " json ", " ONE "]}"
#define REFUSE_CASE(what, json)                                                \
	REFUSE_TEXT("bad.json: case 2" what, SUITE, CASE(json))
#define REFUSE_CASES(what, json, values)                                       \
	REFUSE_TEXTS("bad.json: case 2" what, SUITE, CASE(json), values)

static char many_sizes[16384];

static const struct refusal suites[] = {
	REFUSE_SUITE("line 1: ", "{'cases': [}"),
	REFUSE_SUITE("line 1: duplicate", "{'cases': [], 'cases': []}"),
	REFUSE_SUITE("line", ""),
	REFUSE_SUITE("expected one JSON object", "[1]"),
	REFUSE_SUITE("'cases' is missing", "{}"),
	REFUSE_SUITE("cases: the list is empty", "{'cases': []}"),
	REFUSE_SUITE("cases: found 3, expected a list", "{'cases': 3}"),
	REFUSE_SUITE("cases: found 3, expected a list of objects",
		     "{'cases': [3]}"),
	REFUSE_SUITE("options: found 3, expected an object",
		     "{'options': 3, 'cases': [" ONE "]}"),
	REFUSE_SUITE("about: found 3, expected a text",
		     "{'about': 3, 'cases': [" ONE "]}"),
	REFUSE_SUITE("unknown key 'case'", "{'case': []}"),
	REFUSE_SUITE("calibrate: found 3, expected true",
		     "{'calibrate': 3, 'cases': [" ONE "]}"),
	REFUSE_CASE(": unknown option 'foo'",
		    "{'algorithm': 'vomm', 'foo': 1}"),
	REFUSE_CASE(": unknown option 'top'",
		    "{'algorithm': 'vomm', 'top': 1}"),
	REFUSE_CASE(": unknown option 'dry-run'",
		    "{'algorithm': 'vomm', 'dry-run': true}"),
	REFUSE_CASES(": '@' belongs on the command line", "{'@': 'x'}",
		     "launch|transport|provider|csv|out|help"),
	REFUSE_CASE(": 'algorithm' is missing", "{'n': 10}"),
	REFUSE_CASE(": algorithm: found 3, expected a text",
		    "{'algorithm': 3, 'n': 10}"),
	REFUSE_CASE(": unknown algorithm 'foo'",
		    "{'algorithm': 'foo', 'n': 10}"),
	REFUSE_CASE(", 'b': --n: found '0'",
		    "{'label': 'b', 'algorithm': 'vomm', 'n': 0}"),
	REFUSE_CASES(": --n: found '@'", "{'algorithm': 'vomm', 'n': @}",
		     "-5|1.5"),
	REFUSE_CASE(": --n: found '0'", "{'algorithm': 'vomm', 'n': [10, 0]}"),
	REFUSE_CASES(": n: found @, expected a number",
		     "{'algorithm': 'vomm', 'n': @}", "true|null"),
	REFUSE_CASE(": n: found \\[1\\], expected a number",
		    "{'algorithm': 'vomm', 'n': [[1]]}"),
	REFUSE_CASE(": n: the list is empty", "{'algorithm': 'vomm', 'n': []}"),
	REFUSE_CASES(": n: found {.*}, expected {\"from\": LEAST",
		     "{'algorithm': 'vomm', 'n': {@}}",
		     "'from': 1|'from': 1, 'to': 0, 'by': 1|"
		     "'from': 1, 'to': 3, 'by': 0|"
		     "'from': 0, 'to': 3, 'times': 2|"
		     "'from': 1, 'to': 3, 'times': 1|"
		     "'from': 1, 'to': 3, 'by': 'x'|"
		     "'from': 1, 'to': 3, 'by': 1, 'times': 2"),
	REFUSE_CASE(": more than 100000 cases in one",
		    "{'algorithm': 'vomm', "
		    "'n': {'from': 1, 'to': 100001, 'by': 1}}"),
	REFUSE_CASE(": kernel: found 3, expected a text",
		    "{'algorithm': 'vomm', 'kernel': 3}"),
	REFUSE_CASE(": --kernel: found 'x', expected",
		    "{'algorithm': 'vomm', 'kernel': 'x'}"),
	REFUSE_CASE(": keep: found 1, expected true or false",
		    "{'algorithm': 'vomm', 'keep': 1}"),
	REFUSE_CASE(": label: found \"\", expected a text",
		    "{'label': '', 'algorithm': 'vomm'}"),
	REFUSE_CASE(", '[?][?][?]': label: found .*, expected no control",
		    "{'label': '\\u001b\\u009b', 'algorithm': 'vomm', 'n': 1}"),
	REFUSE_CASE(": .*size is missing", "{'algorithm': 'vomm'}"),
	REFUSE_CASE(": --grid: found 2x2x1",
		    "{'algorithm': '3d', 'n': 9, 'ranks': 3, 'grid': '2x2x1'}"),
	REFUSE_TEXT("bad.json: case 2: --verify: --store null",
		    SUITE " --store null",
		    CASE("{'algorithm': 'vomm', 'n': 9, 'verify': 'oracle'}")),
	{.code = 2,
	 .says = "bad.json: case 2: more than 100000 cases",
	 .line = SUITE,
	 .text = many_sizes},
	REFUSE_SUITE("case 1: unknown option 'foo'",
		     "{'options': {'foo': 1}, 'cases': [" ONE "]}"),
	REFUSE_SUITE("case 1: --result: found c.npy, which another",
		     "{'cases': [{'algorithm': 'vomm', 'n': [9, 10], "
		     "'result': 'c.npy'}]}"),
	REFUSE_SUITE("case 1: --shift is not for cpgrad",
		     "{'cases': [{'algorithm': 'cpgrad', 'n': 30, 'shift': 1, "
		     "'cp-rank': 3, 'steiner': 'boolean-3'}]}"),
	REFUSE_CASE(": --spec: .*the output has 'k'",
		    "{'algorithm': 'einsum', 'spec': 'ij->k', "
		    "'dims': 'i=2,j=2'}"),
	REFUSE_CASE(": operand: found 3, expected a text",
		    "{'algorithm': 'einsum', 'spec': 'ij,ij->j', "
		    "'operand': [['K.npy', 3]]}"),
	REFUSE_TEXT("launch: this suite takes several jobs, and --out to "
		    "collect",
		    SUITE " --launch",
		    "{'cases': [{'algorithm': '3d', 'n': 9, 'ranks': [2]}, "
		    "{'algorithm': '3d', 'n': 9, 'ranks': 3}]}"),
	REFUSE_TEXT("unknown option '--result'", SUITE " --result c.npy",
		    "{'cases': [" ONE "]}"),
	REFUSE_TEXT("unexpected argument 'x'", SUITE " x",
		    "{'cases': [" ONE "]}"),
	REFUSE_TEXT("--csv: found ./bad.json, which is the suite",
		    "suite bad.json --csv ./bad.json", "{'cases': [" ONE "]}"),
	REFUSE_TEXT("memory-budget 9 words", "suite bad.json",
		    "{'cases': [{'algorithm': '3d', 'n': 99, "
		    "'memory-budget': 9}]}"),
};

/* ---- Profiles ---- */

#define READ "'read': {'value': 2, 'unit': 'ns/word'}"
#define WRITE "'write': {'value': 4, 'unit': 'GB/s'}"
#define NET "'net': {'value': 1, 'unit': 'GiB/s', 'source': 'own'}"
#define ALL READ ", " WRITE ", " NET
#define FILE_OF(keys, figures)                                                 \
	"{'name': 'mine', " keys " 'figures': {" figures "}}"
#define PROFILE "run vomm --n 10 --profile bad.json"
#define IN "--profile: bad.json: "
#define REFUSE_FIGURES(what, figures)                                          \
	REFUSE_TEXT(IN what, PROFILE, FILE_OF("'source': 's',", figures))
#define REFUSE_FIGURE_VALUES(what, figures, values)                            \
	REFUSE_TEXTS(IN what, PROFILE, FILE_OF("'source': 's',", figures),     \
		     values)
#define REFUSE_KEYS(what, keys)                                                \
	REFUSE_TEXT(IN what, PROFILE, FILE_OF(keys, ALL))
#define REFUSE_KEY_VALUES(what, keys, values)                                  \
	REFUSE_TEXTS(IN what, PROFILE, FILE_OF(keys, ALL), values)
#define REFUSE_PROFILE(what, json)                                             \
	REFUSE_TEXT(IN what, "plan --n 10 --profile bad.json", json)

static char long_about[10240], deep[8192];

static const struct refusal profiles[] = {
	REFUSE_FIGURES("figure 'read' is missing", WRITE ", " NET),
	REFUSE_FIGURES("figure 'write' is missing", READ ", " NET),
	REFUSE_FIGURES("figure 'net' is missing", READ ", " WRITE),
	REFUSE_FIGURES("unknown figure 'speed' (known: read, .*flop",
		       ALL ", 'speed': {}"),
	REFUSE_FIGURES("figure 'read': found 3, expected an object",
		       "'read': 3, " WRITE ", " NET),
	REFUSE_FIGURE_VALUES(
		"figure 'read': value: found\\|" IN "line 1: real number",
		"'read': {'value': @, 'unit': 'ns/word'}, " WRITE ", " NET,
		"-1|-1e-9|1e400|'2'|null|[2]|true|1e101"),
	REFUSE_FIGURE_VALUES("figure 'net': value: found @.*, expected a "
			     "number above 0",
			     READ ", " WRITE
				  ", 'net': {'value': @, 'unit': 'GB/s'}",
			     "0|-1|1e-100"),
	REFUSE_FIGURE_VALUES("line 1: invalid token near '@'",
			     "'read': {'value': @, 'unit': 'ns/word'}, " WRITE
			     ", " NET,
			     "NaN|Infinity"),
	REFUSE_FIGURES("line 1: duplicate object key near '\"read\"'",
		       ALL ", " READ),
	REFUSE_KEYS("line 1: duplicate object key near '\"source\"'",
		    "'source': 's', 'source': 't',"),
	{.code = 2,
	 .says = IN "key 'about': found \"x*, expected a text of 1 to 511 "
		    "characters",
	 .line = PROFILE,
	 .text = long_about},
	REFUSE_FIGURES("figure 'read': value is missing",
		       "'read': {'unit': 'ns/word'}, " WRITE ", " NET),
	REFUSE_FIGURES("figure 'read': unit is missing, expected ns/word, "
		       "GB/s, GiB/s, relative",
		       "'read': {'value': 2}, " WRITE ", " NET),
	REFUSE_FIGURES("figure 'read': unit: found \"ns\", expected ns/word",
		       "'read': {'value': 2, 'unit': 'ns'}, " WRITE ", " NET),
	REFUSE_FIGURES("figure 'read': unit: found 3",
		       "'read': {'value': 2, 'unit': 3}, " WRITE ", " NET),
	REFUSE_FIGURES("figure 'latency': unit: found \"GB/s\", expected ns, "
		       "us, relative",
		       ALL ", 'latency': {'value': 2, 'unit': 'GB/s'}"),
	REFUSE_FIGURES("figure 'read_latency': unit: found \"relative\"",
		       ALL ", 'read_latency': {'value': 2, "
			   "'unit': 'relative'}"),
	REFUSE_FIGURES("figure 'write' is relative, but figure 'read' is not",
		       READ
		       ", 'write': {'value': 2, 'unit': 'relative'}, " NET),
	REFUSE_FIGURES("figure 'write' is GB/s, but figure 'read' is relative",
		       "'read': {'value': 2, 'unit': 'relative'}, " WRITE
		       ", " NET),
	REFUSE_KEYS("figure 'read': source is missing", " "),
	REFUSE_FIGURES("figure 'net': source: found 3, expected a text",
		       READ ", " WRITE ", 'net': {'value': 2, 'unit': 'GB/s', "
			    "'source': 3}"),
	REFUSE_FIGURES("figure 'net': source: found \"\"",
		       READ ", " WRITE ", 'net': {'value': 2, 'unit': 'GB/s', "
			    "'source': ''}"),
	REFUSE_FIGURES("figure 'net': unknown key 'sauce' (known: value, unit",
		       READ ", " WRITE ", 'net': {'value': 2, 'unit': 'GB/s', "
			    "'sauce': 'x'}"),
	REFUSE_FIGURES("figure 'net': low: found \"1\", expected a number",
		       READ ", " WRITE ", 'net': {'value': 2, 'unit': 'GB/s', "
			    "'low': '1'}"),
	REFUSE_KEYS("alone: figure 'read': unit is missing",
		    "'source': 's', 'alone': {'read': {'value': 1}},"),
	REFUSE_KEY_VALUES("key '@': found 3, expected a text", "'@': 3,",
			  "device|access|about|source"),
	REFUSE_KEYS("key 'persist': found \"nt\", expected nt-store, clwb",
		    "'source': 's', 'persist': 'nt',"),
	REFUSE_KEY_VALUES("key 'dimms': found @, expected a whole number",
			  "'source': 's', 'dimms': @,", "0|-6|1.5|1000001"),
	REFUSE_KEYS("key 'dimms': found \"6\", expected a whole number",
		    "'source': 's', 'dimms': '6',"),
	REFUSE_KEYS("key 'provenance': found \\[\\]", "'provenance': [],"),
	REFUSE_KEYS("unknown key 'speed' (known: name, about", "'speed': 3,"),
	REFUSE_KEYS("unknown key 'a[?][?][?]'", "'a\\u009b\\u001b': 3,"),
	REFUSE_KEYS("key 'about': .*no control characters",
		    "'about': 'a\\u001b[31mb',"),
	REFUSE_KEYS("key 'about': .*no control characters",
		    "'about': 'a\\u009b31mb',"),

	/* Steps: two arrays of 14 numbers. */
	REFUSE_KEYS("steps: words: expected 14 numbers above 0, which grow",
		    "'source': 's', 'steps': {'ns': [1]},"),
	REFUSE_KEYS("steps: words: expected 14 numbers above 0, which grow",
		    "'source': 's', 'steps': {'words': "
		    "[1,2,3,4,5,6,7,8,9,10,11,12,13,13]},"),
	REFUSE_KEYS("steps: ns: expected 14 numbers",
		    "'source': 's', 'steps': {'words': "
		    "[1,2,3,4,5,6,7,8,9,10,11,12,13,14],"
		    "'ns': [1, 2, 'three']},"),

	/* Without figures, without a name, without JSON. */
	REFUSE_PROFILE("key 'figures' is missing",
		       "{'name': 'x', 'source': 'y'}"),
	REFUSE_PROFILE("key 'name' is missing",
		       "{'figures': {" ALL "}, 'source': 'y'}"),
	REFUSE_PROFILE("key 'name': found \"\"", "{'name': ''}"),
	REFUSE_PROFILE("key 'figures': found 3, expected an object",
		       "{'name': 'x', 'figures': 3}"),
	REFUSE_PROFILE("expected one JSON object", "[]"),
	REFUSE_PROFILE("line 1: ", "no JSON"),
	REFUSE_PROFILE("line 1: .* expected near end of file", ""),
	REFUSE_PROFILE("line 2: .* expected near end of file", "\n"),
	REFUSE_PROFILE("line 1: ", "{"),
	REFUSE_PROFILE("line 1: duplicate object key near '\"name\"'",
		       "{'name': 'x', 'name': 'x', 'source': 'y'}"),
	REFUSE_PROFILE("line 3: unexpected token near '}'",
		       "{'name': 'x',\n 'figures': [\n }"),
	{.code = 2,
	 .says = IN "line 1: maximum parsing depth",
	 .line = "plan --n 10 --profile bad.json",
	 .text = deep},
};

/* ---- Texts that are too long to be read here ---- */

static void make_long_texts(void)
{
	char sizes[4096], *to = sizes, xs[10000];

	for (int i = 1; i <= 1000; i++)
		to += sprintf(to, "%s%d", i > 1 ? "," : "", i);
	snprintf(many_sizes, sizeof many_sizes,
		 CASE("{'algorithm': 'vomm', 'n': [%s], 'k': [%s]}"), sizes,
		 sizes);
	memset(xs, 'x', 9999);
	xs[9999] = '\0';
	snprintf(long_about, sizeof long_about, FILE_OF("'about': '%s',", ALL),
		 xs);
	memset(deep, '[', 5000);
}

int main(void)
{
	make_long_texts();
	refusals_begin();
	refusals_put("bad.json", "", 0);
	refusals_try(suites, sizeof suites / sizeof *suites);
	refusals_try(profiles, sizeof profiles / sizeof *profiles);
	return refusals_end();
}
