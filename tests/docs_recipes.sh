#!/bin/bash
# docs_recipes.sh -- what CONTRIBUTING.md says of adding to aslant works, and fails
#
# An algorithm copied from em-jomma, a transport from mpi, a profile from dram: with
# the lines that the recipes name they compile, run and pass the tests named there;
# with a mistake planted these tests say where it is.  Then --load: a shared object
# that works, and those that are refused.  ASLANT is the command, of the build BUILD.
set -u

root=$(cd "$(dirname "$0")/.." && pwd)
build=${BUILD:?}
. "$root/tests/help/command.sh"

mkdir -p tree/lib/multiply tree/net

# edit FILE TO SED-COMMANDS...: a file of the tree, changed
edit() {
	local from=$root/$1 to=tree/$2
	shift 2
	sed "${@/#/-e}" "$from" >"$to"
	! cmp -s "$from" "$to" || fail "$to: nothing was edited"
}

# compile LIKE FILE...: files of the tree as that one, to objects
compile() {
	local like=$1 file
	shift
	for file; do
		"$python" - "$build/compile_commands.json" "$root/$like" "$work/tree" \
			"$work/tree/$file" <<'PYTHON' >command || return
import json, shlex, sys
commands, like, tree, file = sys.argv[1:]
(entry,) = [x for x in json.load(open(commands)) if x["file"] == like]
words = shlex.split(entry["command"])
at = words.index("-o")
words[at + 1] = file[:-2] + ".o"
words = [file if x == like else x for x in words]
words.insert(1, "-I" + tree)
print("cd", shlex.quote(entry["directory"]), "&&", shlex.join(words))
PYTHON
		bash command >log 2>&1 || {
			fail "$file: $(head -5 log)"
			return 1
		}
	done
}

# link FOLDER TARGET NAME OBJECTS...: that program of the build with other objects
link() {
	local folder=$1 target=$2 name=$3
	shift 3
	(cd "$build/$folder" &&
		sed "s| -o [^ ]* | ${*/#/$work/tree/} -o $work/$name |" \
			"CMakeFiles/$target.dir/link.txt" | bash) >log 2>&1 ||
		fail "$name: $(head -5 log)"
}

# ---- An algorithm ----

export ASLANT_TEST_CASES=3

# algorithm NAME SED-COMMANDS...: the copy, with these edits
algorithm() {
	local name=$1
	shift
	edit lib/multiply/em_jomma.c lib/multiply/mine.c 's/em_jomma/mine/g' \
		's/"em-jomma"/"mine"/' "$@"
	edit lib/multiply/multiply.c lib/multiply/multiply.c \
		's/^extern const struct asl_algorithm /&asl_multiply_mine, /' \
		's/^\t&asl_multiply_vomm,$/\t\&asl_multiply_mine,\n&/'
	compile lib/multiply/multiply.c lib/multiply/mine.c lib/multiply/multiply.c
	link bench aslant-command "$name" lib/multiply/mine.o lib/multiply/multiply.o
	link tests multiply_counts "$name-counts" lib/multiply/mine.o \
		lib/multiply/multiply.o
}

run=(run mine --n 60 --ranks 12 --grid 2x2x3 --cache 500)
algorithm right
aslant=$work/right expect 0 "${run[@]}"
says 'Every counter of every rank is as predicted'
./right-counts >out 2>&1 || fail "the copy has other counts: $(tail -5 out)"

# A term too many, and a result of which a part is missing.
algorithm miscounted 's/^\tasl_predict_reduce(/\tout->in[ASL_REDUCE].of[ASL_NET_SEND]++;\n&/'
aslant=$work/miscounted expect 1 "${run[@]}"
./miscounted-counts >out 2>&1 && fail "a term too many is not noticed"
says 'rank [0-9]* reduce net_send.*: counted [0-9]*, predicted [0-9]*'
says 'case [0-9]*: mine m='
algorithm wrong 's/^\tasl_brick_sum(r, .*/\tif (x.along_k.me) asl_give(r, \&C);/' \
	's/^\tasl_predict_reduce(/\tif (plan->ranks < 0)\n&/'
aslant=$work/wrong expect 1 "${run[@]}"
says 'THE PRODUCT IS WRONG'
./wrong-counts >out 2>&1 && fail "a sum that is missing is not noticed"
says 'case [0-9]*: mine m='

# ---- A transport ----

# transport NAME SED-COMMANDS...
transport() {
	local name=$1
	shift
	edit net/mpi.c net/mine.c 's/asl_net_mpi/asl_net_mine/' 's/"mpi"/"mine"/' "$@"
	edit net/provider.h net/provider.h 's/asl_net_mpi;/asl_net_mpi, asl_net_mine;/'
	edit net/net.c net/net.c 's/^\t&asl_net_mpi,$/&\n\t\&asl_net_mine,/'
	compile net/mpi.c net/mine.c
	compile net/net.c net/net.c
	link tests net_messages "$name-messages" net/mine.o net/net.o
	link bench aslant-command "$name" net/mine.o net/net.o
}

transport message
timeout 60 mpiexec.mpich -n 3 ./message-messages mine >out 2>&1 ||
	fail "the copied transport: $(tail -5 out)"
timeout 60 mpiexec.mpich -n 4 ./message run cannon --n 60 --transport mine >out 2>&1 ||
	fail "cannon over the copied transport: $(tail -5 out)"
says '^network   mine'
transport lost 's/^\t\tmemcpy(op->in, h->packet.data, op->in_bytes);/\t\tmemset(op->in, 0, op->in_bytes);/'
timeout 60 mpiexec.mpich -n 3 ./lost-messages mine >out 2>&1 &&
	fail "messages of zeros are not noticed"
says 'net_messages.c:[0-9]*: rank [0-9] of 3: .* is .*, not '

# ---- A profile ----

sed 's/"name": "dram"/"name": "mine"/' "$root/bench/profiles/dram.json" >mine.json
expect 0 run cannon --n 60 --ranks 4 --profile mine.json
says '^profile   mine'
sed '/"source"/d' mine.json >nameless.json
refuse "profile: .*source" plan --n 60 --profile nameless.json
sed 's/"read": {"value": [^,]*/"read": {"value": -1/' mine.json >negative.json
refuse "profile: .*read" plan --n 60 --profile negative.json

# ---- An algorithm that is loaded ----

# module NAME SED-COMMANDS...: the example, with these edits
module() {
	local name=$1
	shift
	sed "${@/#/-e}" "$root/tests/example/algorithm.c" >"$name.c"
	cc -shared -fPIC -I"$root" "$name.c" -o "$name.so" 2>log ||
		fail "$name: $(head -5 log)"
}

run=(--n 60 --ranks 6 --load)
module mine 's/"strips"/"mine"/'
expect 0 run mine "${run[@]}" ./mine.so
says 'ranks     6 on a grid of 6x1x1'
expect 0 run mine "${run[@]}" mine.so --launch # without a slash, in every rank
expect 0 run mine --load ./mine.so --help
says '^mine: strips of rows'
expect 0 plan "${run[@]}" ./mine.so --top 1000
says '^ *[0-9]* *mine '
expect 0 suite quick --load ./mine.so --list
echo '{"cases": [{"algorithm": ["mine", "3d"], "n": 30, "ranks": 4}]}' >suite.json
expect 0 suite suite.json --load ./mine.so --out rows
expect 0 report rows
refuse "unknown algorithm 'mine'" run mine --n 60

module two 's/"strips"/"two"/' \
	's/^ASL_MODULE.*/static const struct asl_algorithm again = {.name = "3d"};\nASL_MODULE(\&strips, \&again)/'
module older 's/^ASL_MODULE/#undef ASL_MODULE_LAYOUT\n#define ASL_MODULE_LAYOUT .abi = 0\n&/'
module other 's/^ASL_MODULE/#undef ASL_MODULE_LAYOUT\n#define ASL_MODULE_LAYOUT .abi = ASL_MODULE_ABI, .plan_bytes = 8\n&/'
module hidden '/^ASL_MODULE/d'
module empty 's/^ASL_MODULE.*/ASL_MODULE(NULL)/'
module unknown 's/asl_brick_multiply/asl_brick_divide/g'
module noname 's/"strips"/"My Strips"/'
module norun '/\.run = /d'
module family 's/&asl_family_multiply/NULL/'
echo "not a module" >text.so
load=(run cannon --n 60 --load)
refuse "load: ./two.so: found an algorithm named 3d, which there is already" \
	"${load[@]}" ./two.so
refuse "load: ./mine.so: found an algorithm named mine" "${load[@]}" ./mine.so \
	--load ./mine.so
refuse "load: ./older.so: found an algorithm for interface 0 of aslant, expected" \
	"${load[@]}" ./older.so
refuse "load: ./other.so: found structs of other sizes" "${load[@]}" ./other.so
refuse "load: ./hidden.so: found no asl_module" "${load[@]}" ./hidden.so
refuse "load: ./empty.so: its asl_module has no algorithm" "${load[@]}" ./empty.so
refuse "load: .*/unknown.so: undefined symbol: asl_brick_divide" \
	"${load[@]}" ./unknown.so
refuse "load: ./noname.so: found an algorithm named 'My Strips'" \
	"${load[@]}" ./noname.so
refuse "load: ./norun.so: strips lacks predict and run" "${load[@]}" ./norun.so
refuse "load: ./family.so: strips lacks the family" "${load[@]}" ./family.so
refuse "load: .*/text.so: " "${load[@]}" ./text.so
refuse "load: ./none.so: No such file" "${load[@]}" ./none.so
# The harness finds what is wrong in one, too.
module miscounting 's/^\tasl_brick_predict(out/\tout->in[ASL_COMPUTE].of[ASL_FLOPS]++;\n&/'
ASLANT_TEST_LOAD=$work/miscounting.so "$build/tests/multiply_counts" >out 2>&1 &&
	fail "a loaded algorithm's flop too many is not noticed"
says 'rank [0-9]* compute flops: counted [0-9]*, predicted [0-9]*'

[ ! -e failed ]
