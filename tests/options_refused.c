/*
 * options_refused.c -- command lines that cannot be obeyed, and what is said
 *
 * Commands, options, values, values that contradict each other, places, and
 * operands, in this order.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/help/refusals.h"

enum { LONG = 5000 };

static char long_argument[16 + LONG], long_csv[64 + LONG], long_out[64 + LONG];

#define NO_NUMBERS                                                             \
	"0|-5|+5|| 5|5 |1e3|0x10|1.5|nan|inf|5K|5kk|5KiB|ten|k|"               \
	"18446744073709551616|99999999999999999999999|20000000000g"
#define NO_WORDS "0|-1||1.5KiB|1kib|1KB|1K|1Mi|1e6|99999999999TiB|nan|1KiBx"
#define OPERANDS_3 " --operand=1 --operand=2 --operand=3"
#define OPERANDS_9 OPERANDS_3 OPERANDS_3 OPERANDS_3
#define EINSUM "einsum --spec 'ij,jk->ik'"
#define MTTKRP "einsum --spec ijk,kl,jl->il --dims i=4,j=4,k=4,l=4"
#define CUBE " --dims i=20,j=20,k=20"
#define FILES EINSUM " --operand A.npy --operand B.npy"
#define OOC "run ooc-auto --cache 50 --n 20"
#define MACHINE                                                                \
	"HWLOC_SYNTHETIC=pack:2 l3:1(size=64MB) l2:4(size=1MB) "               \
	"l1:1(size=32kB) core:1 pu:2"

static const struct refusal commands[] = {
	REFUSE("which command", ""),
	REFUSE_EACH("unknown command '@'", "'@'", "foo||--foo"),
	REFUSE("unknown command 'foo'", "help foo"),
	REFUSE("which algorithm", "run"),
	REFUSE("which algorithm", "run --n 10"),
	REFUSE("unknown algorithm 'foo'.*aslant list algorithms lists them",
	       "run foo --n 10"),
	REFUSE("unknown algorithm ''", "run '' --n 10"),
	REFUSE_EACH("unknown option '#'", "run vomm @",
		    "--foo 3|-x|--rank 2|--top 2"),
	REFUSE("unknown option '--foo'", "run vomm --foo=3"),
	REFUSE("unknown option '--out'", "plan --n 10 --out x"),
	REFUSE("unexpected argument 'extra' after 'vomm'",
	       "run vomm extra --n 10"),
	REFUSE("unexpected argument '4' after '--launch'$",
	       "run vomm --n 10 --launch 4"),
	REFUSE("unexpected argument 'GB' after '4'",
	       "run vomm --n 10 --memory 4 GB"),
	REFUSE("unknown command '--verison': did you mean aslant --version",
	       "--verison"),
	REFUSE("--n: found '1,000', .*: did you mean 1000\\?",
	       "run vomm --n 1,000"),
	REFUSE("--n: found '1_000_000', .*: did you mean 1000000\\?",
	       "run vomm --n 1_000_000"),
	REFUSE("--n: found '1 000', .*: did you mean 1000\\?",
	       "run vomm --n '1 000'"),
	REFUSE("--cache: found '16 MiB': did you mean 16MiB (bytes)",
	       "run vomm --n 9 --cache '16 MiB'"),
	REFUSE("unexpected argument 'MiB' after '16': did you mean 16MiB\\?",
	       "run vomm --n 9 --cache 16 MiB"),
	REFUSE_EACH(
		"unexpected argument '@' after '9': did you mean --ranks\\?",
		"run vomm --n 9 @ 4", "\u2014ranks|\u2013ranks|ranks"),
	REFUSE_EACH("unknown option '@': did you mean --ranks\\?",
		    "run vomm --n 9 @ 4", "-p|-np|--np|--procs|--ntasks"),
	REFUSE_EACH("unknown option '@': did you mean --out\\?",
		    "run vomm --n 9 @ x", "-o|--output"),
	REFUSE("unknown option '--beta': did you mean --net-cost, or "
	       "--c-factor (BLAS)\\?",
	       "plan --n 9 --beta=3"),
	REFUSE("unknown option '--alpha': did you mean --latency, or "
	       "--ab-factor (BLAS)\\?",
	       "run ooc-auto --n 9 --alpha 3"),
	REFUSE_EACH("cores: found '@', expected auto, or a whole number from 1",
		    "plan --n 9 --cores @", "0|-1|all|1.5"),
	REFUSE("unknown option '--cores'", "run auto --n 9 --cores 2"),
	REFUSE("profile: found 'optane',.*: did you mean optane-100-nt\\?",
	       "plan --n 9 --profile optane"),
	REFUSE("bounds: unexpected argument 'sttv': did you mean sttsv\\?",
	       "bounds sttv --n 9"),
	REFUSE_EACH("--ranks: found '@', .*: did you mean 4 (and --grid 2x2x1)",
		    "run vomm --n 9 --ranks @", "2x2|2x2x1"),
	REFUSE_EACH("unknown option '--@4': did you mean --@ 4\\?",
		    "run cannon --n 9 --@4", "ranks|cache|n"),
	REFUSE_EACH("unexpected argument '@' after '.*': did you mean --@\\?",
		    "run cannon @", "n=60|ranks=4|ranks"),
	REFUSE_EACH("unexpected argument '@' after '.*': did you mean --n @",
		    "run cannon @", "60|4k"),
	REFUSE("after 'einsum': did you mean --spec 'ij,jk->ik'",
	       "run einsum 'ij,jk->ik'"),
	REFUSE("unexpected argument 'x' after 'vomm'$", "run vomm x"),
	REFUSE("--transport: .*: did you mean ofi (and --provider verbs)",
	       "run cannon --n 9 --transport verbs"),
	REFUSE("--store: .*: did you mean pmem (and --nvm-dir DIR",
	       "run cannon --n 9 --store tmpfs"),
	REFUSE("--help: found 'cannon'.*(aslant run NAME --help",
	       "run --help=cannon"),
	REFUSE("--grid: found '2x2', .*: did you mean 2x2x1\\?",
	       "run vomm --n 10 --grid 2x2"),
	REFUSE("unexpected argument 'extra'", "run vomm --n 10 -- extra"),
	REFUSE("found 'foo'", "list foo"),
	REFUSE("unexpected argument", "list stores stores"),
	REFUSE("unknown option '--line?two'", "run vomm '--line\ntwo'"),
	REFUSE("unexpected argument 'vomm'", "bounds vomm --n 10"),
	REFUSE("unexpected argument '3d'", "bounds 3d --n 10"),
	{.code = 2, .says = "argument 1 .*5000", .line = long_argument},
	{.code = 2,
	 .says = "argument 6 ('xxxx.*xxx\\.\\.\\.') has 5000.*4095",
	 .line = long_csv},
	{.code = 2, .says = "out: the path .* too long", .line = long_out},
};

/* What was mistyped, and what must be said of it. */
static const struct refusal mistyped[] = {
	REFUSE_EACH("unknown command '@': did you mean aslant run?", "'@'",
		    "rum|runn|urn|RUN"),
	REFUSE("did you mean aslant version?", "versions"),
	REFUSE("did you mean aslant run cannon?", "cannon --n 64"),
	REFUSE("did you mean aslant run auto?", "matmul --n 64"),
	REFUSE_EACH("unknown algorithm '@': did you mean auto?", "run @ --n 64",
		    "matmul|gemm|dgemm|multiply"),
	REFUSE_EACH("unknown algorithm '@': did you mean em-jomma?",
		    "run @ --n 64", "em_jomma|emjomma|em-joma|em-jmoma"),
	REFUSE_EACH("'@': did you mean --ranks?", "run cannon @ 4",
		    "--rank|--rnaks|--RANKS"),
	REFUSE_EACH("'@': did you mean --write-cost?", "plan @ 4",
		    "--write_cost|--writecost|--wirte-cost"),
	REFUSE_EACH("'@': did you mean --n?", "run cannon @ 4",
		    "-n|--N|--size"),
	REFUSE("did you mean dram-measured?",
	       "run cannon --n 8 --profile dram-mesured"),
	REFUSE("nor a readable file: No such file",
	       "run cannon --n 8 --profile nothing/like/it"),
	REFUSE("did you mean profiles?", "list profile"),
	REFUSE_EACH(
		"'@': did you mean 16MiB (bytes) or 16m (words of 8 bytes)?",
		"run cannon --n 8 --cache @", "16MB|16M|16mb|16Mib"),
	REFUSE("kernel: found 'vom', .*cowe: did you mean vomm?",
	       "run cannon --n 8 --kernel vom"),
	REFUSE("did you mean dram?", "run cannon --n 8 --store ram"),
	REFUSE_EACH("grid: found '@', .*: did you mean 2x2x1?",
		    "run cannon --n 8 --grid @", "2,2,1|2X2X1|2,2|2X2"),
	REFUSE_EACH("grid: found '@', .* ranks at most$",
		    "run cannon --n 8 --grid @", "2,|2x2x|4|2000000,2"),
	REFUSE("did you mean 2TiB (bytes)?", "run cannon --n 8 --memory 2TB"),
	REFUSE_EACH("n: found '@', expected .*: did you mean 1500?",
		    "run cannon --n @", "1.5k|15e2|1500.0|1.5K|+1500"),
	REFUSE_EACH("n: found '@', expected .* by 1000)$", "run cannon --n @",
		    "1e|1e99|e3|1e3e3|1.2345k|3g|k"),
};

static const struct refusal values[] = {
	REFUSE("size is missing", "run vomm"),
	REFUSE("k is missing", "run vomm --m 10 --n 10"),
	REFUSE("n is missing", "run vomm --m 10 --k 10"),
	REFUSE_EACH("n: found '@'", "run vomm --n '@'", NO_NUMBERS),
	REFUSE_EACH("ranks: found '@'", "run vomm --n 10 --ranks '@'",
		    NO_NUMBERS),
	REFUSE_EACH("n: found '@'", "plan '--n=@'", NO_NUMBERS),
	REFUSE("ranks: found '2m'", "run vomm --n 10 --ranks 2m"),
	REFUSE("n: found '9g'.*2147483647", "run vomm --n 9g --store null"),
	REFUSE("m: found '2147483648'",
	       "run vomm --n 10 --k 10 --m 2147483648"),
	REFUSE("2000000000 x 2000000000: 2mnk flops", "bounds --n 2000000000"),
	REFUSE("reps: found '0'", "run vomm --n 10 --reps 0"),
	REFUSE("warmup: found '-1'", "run vomm --n 10 --warmup -1"),
	REFUSE("seed: found '1.0'", "run vomm --n 10 --seed 1.0"),
	REFUSE("top: found '0'", "plan --n 10 --top 0"),
	REFUSE_EACH("cache: found '@'", "run vomm --n 10 --cache '@'",
		    NO_WORDS),
	REFUSE_EACH("memory-budget: found '@'",
		    "run vomm --n 10 --memory-budget '@'", NO_WORDS),
	REFUSE_EACH(
		"write-cost: found '@'", "run vomm --n 10 --write-cost '@'",
		"-1|nan|inf|1e999|1.1e100||0x1p3|1,5| 1|1k|+1|-0|1e|r|-1r|1rr"),
	REFUSE("read-cost: found '4r'", "run vomm --n 10 --read-cost 4r"),
	REFUSE_EACH("shift: found '@'", "run hopm --n 50 '--shift=@'",
		    "x|1e101|-1e101|nan|inf||1-|--1"),
	REFUSE_EACH("grid: found '@'", "run em-jomma --n 10 --grid '@'",
		    "2x2|2x2x2x2|0x1x1|-1x1x1|2X2X2|x2x2|2x2x|1.5x1x1||"
		    "99999999999999999999x1x1|1000x1000x1000"),
	REFUSE_EACH("@: found 'foo'", "run vomm --n 10 --@ foo",
		    "transport|store|panels|kernel|accounting|verify|entries"),
	REFUSE_EACH("@: found ''", "run vomm --n 10 --@ ''",
		    "transport|store|panels|kernel|accounting|verify|entries|"
		    "a|b|result|provider|nvm-dir|profile|csv|out"),
	REFUSE_EACH("@: expected", "run vomm --@",
		    "n|ranks|grid|store|cache|write-cost|csv|a"),
	REFUSE("keep: found '1'", "run vomm --n 10 --keep=1"),
	REFUSE("cache: found 2 words", "run vomm --n 10 --cache 2"),
	REFUSE("exchange: found 'foo', expected p2p, alltoall",
	       "run sttsv --n 50 --exchange foo"),
	REFUSE("way: found 'foo', expected auto, direct, sequence",
	       "run " EINSUM CUBE " --way foo"),
	REFUSE("initial: found 'foo', expected even, rank0",
	       "run " EINSUM CUBE " --initial foo"),
	REFUSE("order: found 'AAB', expected auto, ABC", OOC " --order AAB"),
	REFUSE("order: found 4, expected an order of loops", OOC " --order 4"),
	REFUSE_EACH("order: found '@', expected .* 3, 4, 5",
		    "run sttsv --n 9 --order @", "2|9|6|-4|3.5|44"),
	REFUSE("order: found ABC, expected 3, 4 or 5",
	       "run sttsv --n 9 --order ABC"),
	REFUSE("bind: found 'x', expected none, core, socket",
	       "run vomm --n 10 --bind x"),
	REFUSE_EACH("threads: found '@', expected auto, or a whole number "
		    "from 1 to 1024",
		    "run vomm --n 10 --threads '@'",
		    "0|-1||1025|two|AUTO|autox|1.5"),
	REFUSE("placement: found 'node', expected core, socket",
	       "run vomm --n 10 --launch --placement node"),
	REFUSE("--hwc: found 'papi', expected likwid, perf, auto, off$",
	       "run 3d --n 8 --hwc papi"),
	REFUSE("cache-level: found 'l0', expected llc, l1, l2",
	       "run vomm --n 10 --cache-level l0"),
	REFUSE_EACH("--cache-model: found '@', expected lru:SIZE:LINE:WAYS",
		    "run vomm --n 9 --cache-model '@'",
		    "lru|lru:512|lru:512:8|lru:512:8:4:1|mru:512:8:4|lru::8:4|"
		    "lru:512::|lru:0:8:4|lru:512:0:4|lru:512:8:-1|"
		    "lru:512:8:4k:|lru:512:eight:4|lru:4kB:8:4| lru:512:8:4|"
		    "lru:512:8:4 |lru:512:8:FULL|"
		    "lru:99999999999999999999:8:4"),
	REFUSE_EACH("--cache-model: found '@', expected a SIZE that is a "
		    "multiple",
		    "run vomm --n 9 --cache-model @",
		    "lru:100:8:4|lru:4:8:1|lru:4:8:full|lru:512:8:65|"
		    "lru:12:8:0|lru:8:4g:9000000000g"),
	REFUSE("--cache-model: found 'lru:3g:1:full', expected 2^31 lines at "
	       "most",
	       "run vomm --n 9 --cache-model lru:3g:1:full"),
	REFUSE("profile: found 'none'", "run vomm --n 10 --profile none"),
	REFUSE("profile: found '\\.'", "run vomm --n 10 --profile ."),
};

/* Options of one algorithm, or command, are not for others. */
static const struct refusal others[] = {
	REFUSE_EACH("--# is not for sttsv, only for multiplication",
		    "run sttsv --n 50 --@",
		    "m 3|k 3|a A.npy|kernel tight|panels nvm|overlap"),
	REFUSE_EACH("--panel is not for @, only for summa, auto$",
		    "run @ --n 50 --panel 3", "cannon|3d|sttsv|vomm"),
	REFUSE("grid is not for sttsv, only", "run sttsv --n 50 --grid 1x1x1"),
	REFUSE_EACH("--# is not for sttsv, only for hopm",
		    "run sttsv --n 50 --@", "shift 1|tol 0.1|iterations 3"),
	REFUSE("cp-rank is not for hopm, only for cpgrad",
	       "run hopm --n 50 --cp-rank 3"),
	REFUSE("steiner is not for 3d, only for sttsv",
	       "run 3d --n 50 --steiner cubic"),
	REFUSE("steiner is not for sttsv-naive",
	       "run sttsv-naive --n 50 --steiner spherical"),
	REFUSE("tensor is not for auto", "plan --n 50 --tensor A.npy"),
	REFUSE("tensor is not for vomm, only for symmetric",
	       "run vomm --tensor A.npy"),
	REFUSE_EACH("order is not for @, only for contraction out of core",
		    "run @ --n 9 --order 4",
		    "cpgrad|sttsv-sequence|sttsv-sequence-half|3d"),
	REFUSE_EACH("--# is not for einsum, only for",
		    "run " EINSUM CUBE " --@",
		    "n 3|m 3|k 3|a A.npy|b B.npy|tensor T.npy|grid 1x1x1|"
		    "panel 3|overlap|order ABC|shift 1|steiner cubic"),
	REFUSE_EACH("--# is not for 3d, only for contraction$",
		    "run 3d --n 9 --@", "way direct|initial rank0"),
	REFUSE_EACH("--# is not for 3d, only for contraction, contraction out "
		    "of core$",
		    "run 3d --n 9 --@", "spec 'ij->ji'|dims i=3"),
	REFUSE_EACH("--# is not for ooc-auto, only for contraction$",
		    "run ooc-auto --n 9 --memory-budget 900 --cache 99 --@",
		    "way direct|initial rank0"),
	REFUSE("operand is not for auto, only for contraction, contraction "
	       "out of core",
	       "plan --n 9 --operand A.npy"),
	REFUSE_EACH("--c is not for #, only for contraction out of core$",
		    "run @ --n 9 --c A.npy", "3d|fused|auto|sttsv"),
	REFUSE_EACH("--# is not for einsum, only for contraction out of core$",
		    "run " EINSUM CUBE " --@",
		    "c A.npy|ab-factor 2|c-factor 2"),
	REFUSE("c-factor is not for auto, only for contraction out of core$",
	       "plan --n 9 --c-factor 2"),
	REFUSE_EACH("--# is not for ooc-auto, only for",
		    OOC " --memory-budget 300 --@",
		    "grid 1x1x1|panels nvm|panel 3|overlap|tensor T.npy"),
	REFUSE("unknown option '--cache-model'",
	       "calibrate --cache-model lru:512:8:4"),
	REFUSE("unknown option '--n'", "calibrate x.json --n 10"),
	REFUSE("unknown option '--quick'", "run vomm --n 10 --quick"),
	REFUSE("unknown option '--csv'", "report nowhere --csv x"),
	REFUSE("unknown option '--n'", "compare a b --n 3"),
};

/* Each is fine, but not with the others, or not here. */
static const struct refusal together[] = {
	REFUSE("grid: found 2x2x2.*8 ranks.*there are 4 (--ranks 8 would do)",
	       "run em-jomma --n 10 --ranks 4 --grid 2x2x2"),
	REFUSE("grid: found 2x1x1.*vomm", "run vomm --n 10 --grid 2x1x1"),
	REFUSE("no algorithm", "plan vomm --n 10 --grid 2x1x1"),
	REFUSE("store null", "run 3d --n 10 --store null --launch --ranks 2"),
	REFUSE("store null", "run 3d --n 10 --store null --transport mpi"),
	REFUSE("verify: --store null",
	       "run 3d --n 10 --store null --verify freivalds"),
	REFUSE("result: --store null",
	       "run 3d --n 10 --store null --result c.npy"),
	REFUSE("provider", "run 3d --n 10 --provider shm"),
	REFUSE("launch", "run 3d --n 10 --launch --transport sim"),
	REFUSE("launch: given twice", "run 3d --n 10 --launch --launch"),
	REFUSE("launch: found 500000 ranks.*cores",
	       "run 3d --n 10 --ranks 500k --launch"),
	REFUSE("needs an MPI job", "run 3d --n 10 --ranks 2 --transport ofi"),
	REFUSE("bind: found core, but on --transport sim",
	       "run vomm --n 10 --bind core"),
	REFUSE("placement: found core, but on --transport sim",
	       "run vomm --n 10 --placement core"),
	REFUSE("bind: found core, but --placement socket binds",
	       "run vomm --n 10 --launch --placement socket --bind core"),
	REFUSE("threads: --placement core gives each rank a core",
	       "run vomm --n 10 --launch --placement core --threads 2"),
	REFUSE("em-jomma .*--memory-budget 100 words: the least need is",
	       "run em-jomma --n 30 --ranks 4 --memory-budget 100"),
	REFUSE("grid 2x2x1 of em-jomma.*--memory-budget",
	       "run em-jomma --n 30 --grid 2x2x1 --memory-budget 100"),
	REFUSE("nothing fits into --memory-budget 100",
	       "plan --n 30 --ranks 4 --memory-budget 100"),
	REFUSE("nothing fits into --memory-budget 100 words: the least need is",
	       "run auto --n 30 --ranks 4 --memory-budget 100"),
	{.code = 3,
	 .says = "cache-level: found l4, but the .* are: l1, l2, l3$",
	 .line = "run vomm --n 10 --store null --cache-level l4",
	 .env = MACHINE},
	{.code = 3,
	 .says = "cache-level: found l1, but .* none (this machine hides "
		 "them)$",
	 .line = "plan --n 10 --cache-level l1",
	 .env = "HWLOC_SYNTHETIC=pu:3"},
	LACK("no addresses for the cache model of 100000000000000 words",
	     "run vomm --m 10m --k 10m --n 1 --store null "
	     "--cache-model lru:512:8:4"),
	REFUSE("--emulate: the costs of profile dram are relative",
	       "run vomm --n 30 --emulate"),
	REFUSE_EACH("--emulate: the costs of profile @ are relative",
		    "run vomm --n 30 --emulate --profile @", "dram|what-if-w4"),
	REFUSE("--emulate: --store null has no words",
	       "run vomm --n 30 --emulate --profile slow.json --store null"),
	REFUSE("--emulate: found 4 ranks that take turns",
	       "run 3d --n 30 --ranks 4 --emulate --profile slow.json"),
	REFUSE("transport: found sim, expected ofi or mpi",
	       "calibrate x.json --transport sim"),
	REFUSE("store: found null", "calibrate x.json --store null"),
	REFUSE("provider is for --transport ofi",
	       "calibrate x.json --transport mpi --provider shm"),
	REFUSE("calibrate: found 1 rank, expected 2",
	       "calibrate x.json --ranks 1"),
	REFUSE("launch: found 500000 ranks", "calibrate x.json --ranks 500k"),
	REFUSE("unexpected argument 'y'", "calibrate x.json y"),
	REFUSE("report: which results", "report"),
	REFUSE("'--out' .*given\\|--out: expected", "report nowhere --out"),
	REFUSE("found 1, expected 2 to 26", "compare a"),
	REFUSE("price: found 'A=1', expected", "compare a b --price A=1"),
	REFUSE_EACH("price: found '@'", "compare a b --price @",
		    "x|A=1,B=0|A=1,C=2|A=1,B=2,C=3|AB=3|A=1,B=2x"),
	REFUSE("watts: found 'A=1', expected", "compare a b --watts A=1"),
	REFUSE("name: found 'C=x', expected", "report a b --name C=x"),
	REFUSE_EACH("precision: found '@'", "run vomm --n 10 --precision '@'",
		    "-1|nan|x|5%"),
	REFUSE("export: found 'x.txt', expected", "report a --export x.txt"),
	REFUSE("weight: found 'foo=1'.* multiplication, ",
	       "compare a b --weight foo=1"),
};

static const struct refusal symmetric[] = {
	REFUSE("size is missing", "run sttsv"),
	REFUSE("n: found 24, but the tensor in cube.npy has n = 23",
	       "run sttsv --tensor cube.npy --n 24"),
	REFUSE("crooked.npy", "run sttsv --tensor crooked.npy"),
	REFUSE_EACH("@", "run sttsv --tensor @", "few.tns|none.tns"),
	REFUSE("x.npy is 23 x 1, expected 23 x 8",
	       "run cpgrad --tensor cube.npy --b x.npy --store dram"),
	REFUSE("short.npy is 22 x 1, expected 23 x 1",
	       "run sttsv --tensor cube.npy --b short.npy --store dram"),
	REFUSE("--n: found 2147483647, .*flops",
	       "run sttsv --n 2147483647 --store null"),
	REFUSE("spherical-3: expected n to be 10 or more.*found 5",
	       "run sttsv --n 5 --ranks 30"),
	REFUSE("steiner: spherical-3 has 30 blocks, .* 29 ranks",
	       "run sttsv --n 50 --ranks 29 --steiner spherical-3"),
	REFUSE("steiner: found 'foo', expected spherical, boolean, triples.*"
	       "witt.*a file",
	       "run sttsv --n 50 --ranks 30 --steiner foo"),
	REFUSE("steiner: found 'spherical', expected cover, .* order 4",
	       "run sttsv --n 50 --ranks 30 --order 4 --steiner spherical"),
	REFUSE("cube.npy is of order 3, but .* order 4",
	       "run sttsv --tensor cube.npy --order 4"),
	REFUSE("n: found 2147483647, whose flops",
	       "run sttsv --n 2147483647 --order 5 --store null"),
	REFUSE("grid: found 2x2x2, but sttsv-naive works on p x 1 x 1",
	       "run sttsv-naive --n 50 --order 4 --grid 2x2x2"),
	REFUSE("steiner: .*prime power",
	       "run sttsv --n 50 --steiner spherical-6"),
	REFUSE("steiner: .*third or higher power",
	       "run sttsv --n 50 --steiner sublines-26"),
	REFUSE("steiner: .*2.k v, v = 10, 14",
	       "run sttsv --n 50 --steiner quadruples-12"),
	REFUSE("steiner: .*it takes 22", "run sttsv --n 50 --steiner witt-24"),
	REFUSE("steiner: .*as few as 4",
	       "run sttsv --n 50 --ranks 4 --steiner spherical"),
	REFUSE("steiner: broken",
	       "run sttsv --n 50 --ranks 30 --steiner broken"),
	REFUSE("cache: found 7 words, but sttsv needs 8 for its vectors",
	       "run sttsv --n 50 --cache 7"),
	REFUSE("cache: found 9 words, but sttsv needs 10 for its vectors",
	       "run sttsv --n 50 --order 4 --ranks 5 --cache 9"),
	REFUSE("cache: .*sttsv-naive needs",
	       "run sttsv-naive --n 50 --cache 60"),
	REFUSE("grid: found 2x3x2, but sttsv-naive works on p x c x c",
	       "run sttsv-naive --n 50 --grid 2x3x2"),
	REFUSE("grid: found 2x2x2, which is 8 ranks, but there are 5",
	       "run sttsv-naive --n 50 --grid 2x2x2 --ranks 5"),
	REFUSE("csv and --tensor are the same",
	       "run sttsv --tensor cube.npy --csv cube.npy"),
	REFUSE("tensor: --store null",
	       "run sttsv --tensor cube.npy --store null"),
	REFUSE("memory-budget: found 9 words, but sttsv needs",
	       "run sttsv --n 50 --ranks 10 --memory-budget 9"),
	REFUSE("nothing fits into --memory-budget 9 words: the least need is",
	       "plan sttsv --n 50 --ranks 10 --memory-budget 9"),
};

static const struct refusal contractions[] = {
	REFUSE("the contraction is missing.*--spec", "run einsum"),
	REFUSE("the contraction is missing.*--spec", "plan einsum --ranks 3"),
	REFUSE("spec: einsum 'ij,j!k->ik': '!' at place 5",
	       "run einsum --spec 'ij,j!k->ik'"),
	REFUSE("spec: .*'\\.\\.\\.' is for operands from files",
	       "run einsum --spec 'i...->i'"),
	REFUSE("operand 0 has 2 dimensions, fewer than letters",
	       "run einsum --spec '...ijk,jk' --operand A.npy --operand B.npy"),
	REFUSE("the output lacks '...', which inputs have",
	       "run einsum --spec '...j,jk->k' --operand A.npy "
	       "--operand B.npy"),
	REFUSE("spec: .*found 1 operands, expected one for each input",
	       "run einsum --spec '...j,jk->...k' --operand A.npy"),
	REFUSE("spec: .*expected dots as '...', once in a term",
	       "run einsum --spec '...i...,jk' --operand A.npy "
	       "--operand B.npy"),
	REFUSE("spec: .*'k->ii'.*'i'", "run einsum --spec 'k->ii' --dims k=3"),
	REFUSE("spec: .*the output has 'l', which never appeared in an input",
	       "run einsum --spec 'ij,jk->il'" CUBE),
	REFUSE("spec: .*'>' at place 5", "run einsum --spec 'ij,j>k'"),
	REFUSE("spec: .*more than 26 inputs",
	       "run einsum --spec 'a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,"
	       "a,a,a,a,a->'"),
	REFUSE("way: direct is for up to 7 inputs, and --spec has 8",
	       "run einsum --spec 'a,a,a,a,a,a,a,a->' --dims a=3 --way direct"),
	REFUSE("spec: found ''", "run einsum --spec ''"),
	REFUSE("dims: the size of index 'k' is missing",
	       "run " EINSUM " --dims i=3,j=4"),
	REFUSE("dims: .*no term has an index 'x'",
	       "run " EINSUM " --dims i=3,j=4,k=5,x=6"),
	REFUSE_EACH("dims: sizes '@': ", "run " EINSUM " --dims @",
		    "i|i=|i=x|=3|i=3,,j=4|i=3j=4|i=-3|i=1.5|i:3|i=3,"),
	REFUSE("dims: .*'i' has size 0", "run " EINSUM " --dims i=0,j=4,k=5"),
	REFUSE("dims: .*'i' has size 4, elsewhere 3",
	       "run " EINSUM " --dims i=3,i=4,j=3,k=5"),
	REFUSE("2^58", "run " EINSUM " --dims i=1g,j=1g,k=1g --store null"),
	REFUSE("operand: row.npy: index 'j' has size 12, elsewhere 13",
	       "run " EINSUM " --operand A.npy --operand row.npy"),
	REFUSE("dims: .*'j' has size 4, elsewhere 1; 1 is not stretched",
	       "run " EINSUM " --dims i=3,j=1,j=4,k=5"),
	REFUSE("operand: A.npy: index 'i' has size 17, elsewhere 18",
	       "run " FILES " --dims i=18"),
	REFUSE("operand: found 1 file, but --spec ij,jk->ik has 2 inputs",
	       "run " EINSUM " --operand A.npy"),
	REFUSE("operand: found 3 files, but --spec ij,jk->ik has 2 inputs",
	       "run " FILES " --operand B.npy"),
	REFUSE("operand: cube.npy: .*3 dimensions",
	       "run " EINSUM " --operand cube.npy --operand B.npy"),
	REFUSE("operand: none.npy: ",
	       "run " EINSUM " --operand none.npy --operand B.npy"),
	REFUSE("operand: no.npy: is no NumPy file",
	       "run " EINSUM " --operand no.npy --operand B.npy"),
	REFUSE("operand: B.npy: .*'<f8', expected '<f4'",
	       "run " EINSUM " --operand single.npy --operand B.npy"),
	REFUSE("operand: single.npy: .*'<f4', expected '<f8'",
	       "run " EINSUM " --operand single.npy --operand B.npy "
	       "--type float64"),
	REFUSE("operand: holed.npy: .* nan, expected a finite number",
	       "run " EINSUM " --operand A.npy --operand holed.npy"),
	REFUSE("operand: found ''", "run " EINSUM " --operand ''"),
	REFUSE("operand: more than 26",
	       "run " EINSUM OPERANDS_9 OPERANDS_9 OPERANDS_9),
	REFUSE("operand: --store null", "run " FILES " --store null"),
	REFUSE("csv and --operand are the same", "run " FILES " --csv B.npy"),
	REFUSE("result and --operand are the same",
	       "run " FILES " --result A.npy"),
	REFUSE("y.mtx: tensors are written as .npy",
	       "run " EINSUM CUBE " --store dram --result y.mtx"),
	REFUSE("cache: found 2 words, but kernel vomm needs",
	       "run " EINSUM CUBE " --cache 2"),
	REFUSE("nothing fits into --memory-budget 9 words: the least need is",
	       "run " EINSUM
	       " --dims i=20,j=2,k=20 --ranks 9 --memory-budget 9"),
	REFUSE("path: '0,3;0,1': found '3;0,1', expected places from 0 to 2",
	       "run " MTTKRP " --path '0,3;0,1'"),
	REFUSE("path: '0,1' ends, or has no ';', where 2 tensors are left",
	       "run " MTTKRP " --path 0,1"),
	REFUSE("path: '0,1;0': found '', expected places",
	       "run " MTTKRP " --path '0,1;0'"),
	REFUSE("path: '0,1;0,1;': found ';', expected places",
	       "run " MTTKRP " --path '0,1;0,1;'"),
	REFUSE("path and --way: found both",
	       "run " MTTKRP " --path '0,1;0,1' --way direct"),
	REFUSE("way: gram is for one array that is given twice",
	       "run einsum --spec ki,kj->ij --dims i=4,j=4,k=4 --way gram"),
	REFUSE("way: gram is for one array that is given twice",
	       "run einsum --spec ik,kj->ij --dims i=4,j=4,k=4 --way gram "
	       "--twice"),
	REFUSE("twice: found --spec ki,kj->ij, expected two inputs of one "
	       "shape",
	       "run einsum --spec ki,kj->ij --dims i=4,j=5,k=4 --twice"),
	REFUSE("way: product is for two inputs each of whose indices",
	       "run einsum --spec ij,ij->i --dims i=4,j=4 --way product"),
	REFUSE("way: cuts is for two to 7 inputs, with up to 8 indices",
	       "run einsum --spec 'ij->i' --dims i=4,j=4 --way cuts"),
	REFUSE("way: cuts is for two to 7 inputs, with up to 8 indices",
	       "run " EINSUM CUBE " --way cuts --initial rank0"),
	REFUSE("way: cuts is for two to 7 inputs, with up to 8 indices",
	       "run einsum --spec abc,def,ghi-> --dims "
	       "a=2,b=2,c=2,d=2,e=2,f=2,g=2,h=2,i=2 --way cuts"),
	REFUSE("way: product does not begin with --initial rank0",
	       "run " EINSUM CUBE " --way product --initial rank0"),
	REFUSE("nothing fits into --memory-budget 9 words: the least need is",
	       "plan " EINSUM CUBE " --ranks 9 --memory-budget 9"),

	/* Out of core. */
	REFUSE("memory-budget is missing", OOC),
	REFUSE("memory-budget is missing",
	       "plan ooc-replication-outside --n 20"),
	REFUSE("the size is missing",
	       "run ooc-auto --cache 50 --memory-budget 300"),
	REFUSE("no tiles of ooc-auto fit into --memory-budget 40 words: [0-9]* "
	       "words would do, with a cache of 50",
	       OOC " --memory-budget 40"),
	REFUSE("no tiles of ooc-auto fit into --memory-budget 4 words: [0-9]* "
	       "words would do, with a cache of 3$",
	       "run ooc-auto --n 20 --memory-budget 4"),
	REFUSE("accounting: found apm",
	       OOC " --memory-budget 300 --accounting apm"),
	REFUSE("ranks: found 5000, expected 4096 at most",
	       OOC " --memory-budget 300 --ranks 5000 --store null"),
	REFUSE("memory-budget is missing", "plan ooc-auto --n 20 --table"),
	REFUSE("table: found --memory-budget 50 words and a cache of 48",
	       "plan ooc-auto --n 20 --memory-budget 50 --cache 48 --table"),
	REFUSE("table: found --spec of 3 inputs, expected two",
	       "plan ooc-auto --memory-budget 900 --table --spec ab,bc,cd->ad "
	       "--dims a=9,b=9,c=9,d=9"),
	REFUSE("table is not for auto, only for contraction out of core",
	       "plan --n 20 --table"),
	REFUSE("unknown option '--table'", OOC " --table"),
	REFUSE("ab-factor: found 0, which leaves nothing to multiply",
	       OOC " --memory-budget 300 --ab-factor 0"),
	REFUSE("c: found --c-factor 0, too, with which C is not read",
	       OOC " --memory-budget 300 --c A.npy --c-factor 0"),
	REFUSE_EACH("--#: found 'x', expected a number from -1e100 to 1e100",
		    OOC " --memory-budget 300 --@", "ab-factor x|c-factor x"),
	REFUSE("row.npy is 12 x 11, expected 20 x 20",
	       OOC " --memory-budget 300 --c row.npy"),
	REFUSE("--result and --c are the same file",
	       OOC " --memory-budget 300 --c A.npy --result A.npy"),
	REFUSE("c: --store null has no words",
	       OOC " --memory-budget 300 --c A.npy --store null"),
	REFUSE("operand: found --a, too",
	       "run ooc-auto --cache 50 --a A.npy --operand B.npy "
	       "--memory-budget 300"),
	REFUSE_EACH("--#: found --spec, too; expected --dims, or --operand",
		    "run ooc-auto --memory-budget 300 --spec 'ij,jk->ik'" CUBE
		    " --@",
		    "n 3|m 3|k 3|a A.npy|b B.npy"),
	REFUSE("dims: found no --spec",
	       "run ooc-auto --memory-budget 300 --n 9 --dims i=3"),
	REFUSE_EACH("spec: found .*; expected two inputs, each index in two of",
		    "run ooc-auto --memory-budget 300 --dims i=4,j=4 @",
		    "--spec ij,j->|--spec ij->i"),
	REFUSE("dims: .*'k'", "run ooc-auto --memory-budget 300 --spec "
			      "'ij,jk->ik' --dims i=4,j=4"),
	REFUSE("operand: found 1 file, but --spec ij,jk->ik has 2 inputs",
	       "run ooc-auto --memory-budget 300 --spec 'ij,jk->ik' "
	       "--operand A.npy"),
	REFUSE("operand: found a third, B.npy",
	       "run ooc-auto --cache 50 --operand A.npy --operand B.npy "
	       "--operand B.npy --memory-budget 300"),
	REFUSE("row.npy has 12 rows",
	       "run ooc-auto --cache 50 --a A.npy --b row.npy "
	       "--memory-budget 300"),
};

static const struct refusal places[] = {
	LACK("none: ", "run vomm --n 10 --nvm-dir none"),
	LACK("none/x.csv", "run vomm --n 10 --csv none/x.csv"),
	LACK("proc/none", "run vomm --n 10 --out /proc/none/x"),
	LACK("none/c.npy", "run vomm --n 10 --result none/c.npy"),
	LACK("none/x.json", "calibrate none/x.json"),
	REFUSE("/dev/null", "calibrate /dev/null"),
	REFUSE("out: .*\\. is not empty", "run vomm --n 10 --out ."),
	REFUSE("file", "run vomm --n 10 --out file"),
	REFUSE("/dev/null", "run vomm --n 10 --csv /dev/null"),
	REFUSE("c.txt", "run vomm --n 10 --result c.txt"),
	REFUSE("foreign is not empty", "run vomm --n 10 --out foreign"),
	REFUSE_EACH("suite: .*neither a suite .* nor a readable file",
		    "suite '@'", "nothing|./nothing.json||.|../suites/fig5"),
	REFUSE("which suite", "suite"),
	REFUSE("nowhere/runs.csv: No such file", "report nowhere"),
	REFUSE("foreign/runs.csv: line 1", "report foreign"),
	REFUSE("many/runs.csv: line 2: n: found 'many'", "report many"),
	REFUSE("empty/runs.csv: found no rows", "report empty"),
	REFUSE("blank/runs.csv: line 1", "report blank"),
	REFUSE("none/runs.csv: No such file", "compare a none"),

	/* What is read is not written. */
	REFUSE("4x5.npy.*5.*4x5.npy.*4", "run vomm --a 4x5.npy --b 4x5.npy"),
	REFUSE("--n.*7", "run vomm --a 4x5.npy --b 5x6.npy --n 7"),
	REFUSE("--m.*5", "run vomm --a 4x5.npy --b 5x6.npy --m 5"),
	REFUSE("n is missing", "run vomm --a 4x5.npy"),
	REFUSE("m is missing", "run vomm --b 5x6.npy"),
	REFUSE_EACH("@", "run vomm --n 2 --b @",
		    "single.npy|cube.npy|short8.npy|stub.npy|empty.npy|"
		    "noise.npy|word.mtx|few.mtx|none.mtx|alien.mtx|"
		    "missing.npy|file"),
	REFUSE("csv and --b are the same",
	       "run vomm --a 4x5.npy --b 5x6.npy --csv 5x6.npy"),
	REFUSE("csv and --b are the same",
	       "plan --a 4x5.npy --b 5x6.npy --csv link.npy"),
	REFUSE("csv and --a are the same",
	       "bounds --a 4x5.npy --b 5x6.npy --csv foreign/../4x5.npy"),
	REFUSE("result and --b are the same",
	       "run vomm --a 4x5.npy --b 5x6.npy --result link.npy"),
	REFUSE("csv and --result are the same",
	       "run vomm --a 4x5.npy --b 5x6.npy --csv new.npy "
	       "--result foreign/../new.npy"),
	REFUSE("csv and --profile are the same",
	       "run vomm --n 10 --profile slow.json --csv slow.json"),
};

/* ---- What is there ---- */

#define PUT(name, text) refusals_put(name, text, strlen(text))

static void put_long_arguments(void)
{
	char xs[LONG + 1];

	memset(xs, 'x', LONG);
	xs[LONG] = '\0';
	snprintf(long_argument, sizeof long_argument, "%s", xs);
	snprintf(long_csv, sizeof long_csv, "run vomm --n 10 --csv %s", xs);
	snprintf(long_out, sizeof long_out, "run vomm --n 10 --out %.4090s",
		 xs);
}

static void put_matrices(void)
{
	static const double hole[] = {0, 1, __builtin_nan("")};
	char bytes[1024];
	FILE *f;

	refusals_put_npy("4x5.npy", "<f8", "4, 5", 20);
	refusals_put_npy("5x6.npy", "<f8", "5, 6", 30);
	refusals_put_npy("A.npy", "<f8", "17, 13", 17 * 13);
	refusals_put_npy("B.npy", "<f8", "13, 11", 13 * 11);
	refusals_put_npy("row.npy", "<f8", "12, 11", 12 * 11);
	refusals_put_npy("cube.npy", "<f8", "23, 23, 23", 23 * 23 * 23);
	refusals_put_npy("x.npy", "<f8", "23, 1", 23);
	refusals_put_npy("short.npy", "<f8", "22, 1", 22);
	refusals_put_npy("single.npy", "<f4", "17, 13", 17 * 13);
	refusals_put_npy("short8.npy", "<f8", "5, 6", 29);
	refusals_put_npy("holed.npy", "<f8", "13, 11", 13 * 11 - 3);
	refusals_put_npy("crooked.npy", "<f8", "23, 23, 23", 23 * 23 * 23 - 3);
	for (const char *name = "holed.npy"; name;
	     name = *name == 'h' ? "crooked.npy" : NULL) {
		f = fopen(name, "a");
		fwrite(*name == 'h' ? hole : (double[]){1, 2, 1}, 8, 3, f);
		fclose(f);
	}
	for (int i = 0; i < 256; i++)
		bytes[i] = (char)i;
	refusals_put("noise.npy", bytes, 256);
	refusals_put("stub.npy", "\x93NUMPY\x01", 7);
	PUT("empty.npy", "");
	PUT("no.npy", "not NumPy's\n");
}

static void put_texts(void)
{
	static const char head[] =
		"%%MatrixMarket matrix array real general\n2 2\n1\n2\n";
	char text[128];

	snprintf(text, sizeof text, "%sthree\n4\n", head);
	PUT("word.mtx", text);
	snprintf(text, sizeof text, "%s3\n", head);
	PUT("few.mtx", text);
	PUT("none.mtx", "");
	PUT("alien.mtx", "%%MatrixMarket graph\n1 1\n1\n");
	PUT("few.tns", "1 1 1 2.5\n2 2 2 1\n");
	PUT("broken", "1 2 3 4\n1 2 3 5\n");
	PUT("file", "");
	PUT("slow.json",
	    "{\"name\": \"slow\", \"source\": \"none\", \"figures\": {"
	    "\"read\": {\"value\": 50, \"unit\": \"ns/word\"},"
	    "\"write\": {\"value\": 150, \"unit\": \"ns/word\"},"
	    "\"net\": {\"value\": 200, \"unit\": \"ns/word\"}}}");
}

static void put_results(void)
{
	static const char *const names[] = {"foreign", "many", "empty",
					    "blank"};
	static const char *const texts[] = {"foreign\n", "schema,n\n1,many\n",
					    "schema,n\n", ""};
	char path[32];

	for (int i = 0; i < 4; i++) {
		mkdir(names[i], 0700);
		snprintf(path, sizeof path, "%s/runs.csv", names[i]);
		PUT(path, texts[i]);
	}
	refusals_do("run vomm --n 9 --store dram --out a");
	refusals_do("run vomm --n 9 --store dram --out b");
}

#define TRY(table) refusals_try(table, sizeof table / sizeof *table)

int main(void)
{
	struct stat kept, foreign;

	refusals_begin();
	put_long_arguments();
	put_matrices();
	put_texts();
	put_results();
	if (symlink("5x6.npy", "link.npy") || stat("5x6.npy", &kept) ||
	    stat("foreign/runs.csv", &foreign))
		return 1;
	TRY(commands);
	TRY(mistyped);
	TRY(values);
	TRY(others);
	TRY(together);
	TRY(symmetric);
	TRY(contractions);
	TRY(places);
	refusals_unchanged("5x6.npy", &kept);
	refusals_unchanged("foreign/runs.csv", &foreign);
	return refusals_end();
}
