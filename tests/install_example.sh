#!/bin/bash
# install_example.sh -- what is installed is all that somebody else needs
#
# Installs to a directory of its own, and there: builds the programs of
# tests/example by pkg-config and by find_package, as C and as C++, shared and
# static, and runs them; exports, manual pages, completions, suites, --help and
# --version are what they should be.
set -u

tests=$(cd "$(dirname "$0")" && pwd)
build=${BUILD:?}
. "$tests/help/command.sh"

prefix=$work/prefix
cmake --install "$build" --prefix "$prefix" >log 2>&1 || fail "$(tail -3 log)"
aslant=$prefix/bin/aslant
lib=$(dirname "$(find "$prefix" -name libaslant.so.0)")
export PKG_CONFIG_PATH=$lib/pkgconfig LD_LIBRARY_PATH=$lib
export MANPATH=$prefix/share/man

# ---- Programs ----

# Directories of others have no part in it, and --static is complete.
[ "$(pkg-config --cflags aslant | wc -w)" = 1 ] ||
	fail "pkg-config --cflags: $(pkg-config --cflags aslant)"
pkg-config --static --libs aslant >out
for library in pmemobj pmem hwloc jansson openblas csv; do
	says "-l$library"
done

# As the library was, which may need a sanitizer.
flags=$(sed -n 's/^CMAKE_C_FLAGS:STRING=//p' "$build/CMakeCache.txt")
export ASAN_OPTIONS=detect_leaks=0

# build NAME COMPILER SOURCE FLAGS...
build() {
	local name=$1
	shift
	# shellcheck disable=SC2086 # flags are words
	"$@" $flags -o "$name" >log 2>&1 || fail "$name: $(head -5 log)"
}

# shellcheck disable=SC2046 # flags are words
{
	build c cc -Wall -Werror "$tests/example/product.c" \
		$(pkg-config --cflags --libs aslant)
	build cpp c++ -Wall -Werror -x c++ "$tests/example/product.c" \
		$(pkg-config --cflags --libs aslant)
	build cpp17 c++ -Wall -Wextra -Werror -std=c++17 "$tests/example/tasks.cpp" \
		$(pkg-config --cflags --libs aslant)
	if command -v gfortran >/dev/null; then
		build f90 gfortran "$prefix/include/aslant/aslant.f90" \
			"$tests/example/product.f90" $(pkg-config --libs aslant)
	fi
	# A column that is mistyped does not compile, nor does one of another name.
	sed 's/column::bh_words_max/column::bh_word_max/' "$tests/example/tasks.cpp" >wrong.cpp
	c++ -std=c++17 -c -o wrong.o wrong.cpp $(pkg-config --cflags aslant) 2>log &&
		fail "a column that is mistyped compiles"
	grep -q 'bh_word_max' log || fail "a mistyped column: $(head -3 log)"
	build pool cc "$tests/example/pool.c" \
		$(pkg-config --cflags --libs aslant libpmemobj)
	build rows cc "$tests/example/rows.c" \
		$(pkg-config --cflags --libs aslant mpich)
}
cmake -S "$tests/example" -B found -DCMAKE_PREFIX_PATH="$prefix" \
	-DCMAKE_C_FLAGS="$flags" -DCMAKE_CXX_FLAGS="$flags" >log 2>&1 &&
	cmake --build found >log 2>&1 || fail "find_package: $(tail -5 log)"
fortran=
[ ! -e f90 ] || fortran=./f90
# pkg-config's flags say where the library is, and the program finds it there.
# shellcheck disable=SC2086 # none is none
for program in ./c ./cpp ./cpp17 $fortran found/product found/product_static found/product_cpp
do
	timeout 60 $program >out 2>err || fail "$program: $(cat err)"
	says 'em-jomma on a grid of .* words between ranks, right'
done
timeout 60 ./pool pool.obj >out 2>err || fail "pool: $(cat err)"
says 'medium of the ranks: '
timeout 60 mpiexec.mpich -n 5 ./rows >out 2>err || fail "rows: $(cat err)"
says '^5 ranks on a grid of .*, over mpi$'

# shellcheck disable=SC2046 # flags are words
build strips.so cc -Wall -Wextra -Werror -shared -fPIC "$tests/example/algorithm.c" \
	$(pkg-config --cflags aslant-algorithms)
expect 0 run strips --load strips.so --n 60 --ranks 6
says 'Every counter of every rank is as predicted'

# ---- The library ----

nm -D --defined-only "$lib/libaslant.so.0" | awk '{print $3}' |
	sed 's/@.*//' | sort | grep -v ^ASLANT_0$ >exported
sed -n 's/^ASL_API .*[ *]\(asl_[a-z_]*\)(.*/\1/p' \
	"$prefix/include/aslant/aslant.h" | sort >declared
diff declared exported || fail "exported is not what aslant.h declares"
[ "$(wc -l <declared)" -gt 15 ] || fail "aslant.h declares too little"
objdump -p "$lib/libaslant.so.0" | grep -q 'SONAME *libaslant.so.0$' ||
	fail "the soname is not libaslant.so.0"

# ---- Manual pages ----

# Without what makes letters bold.
plain() {
	sed 's/\\f[BIR]//g; s/\\//g' "$1"
}

if command -v scdoc >/dev/null; then
	plain "$MANPATH/man3/libaslant.3" >page
	while read -r name; do
		[ "$(grep -c "$name" page)" -ge 2 ] ||
			fail "libaslant(3) says too little about $name"
	done <declared
	"$aslant" --help | sed -n 's/^  \([a-z]*\)  .*/\1/p' >commands
	while read -r name; do
		"$aslant" "$name" --help=all >help 2>/dev/null ||
			"$aslant" "$name" --help >help
		grep -q "^Examples\?: aslant $name" help ||
			fail "$name --help has no example"
		plain "$MANPATH/man1/aslant-$name.1" >page ||
			fail "$name has no manual page"
		grep -o '^  --[a-z-]*' help | while read -r option; do
			grep -qe "$option" page ||
				echo "aslant-$name(1) lacks $option"
		done >lacking
		[ ! -s lacking ] || fail "$(cat lacking)"
	done <commands
	for page in 5/aslant-suites 5/aslant-profiles 1/aslant-submit; do
		[ -s "$MANPATH/man${page%%/*}/${page#*/}.${page%%/*}" ] ||
			fail "${page#*/} has no manual page"
	done
	[ -s "$MANPATH/man1/aslant.1" ] || fail "aslant has no manual page"
	for page in 1/aslant 1/aslant-run 1/aslant-submit 5/aslant-suites \
		5/aslant-profiles; do
		for section in EXAMPLES ENVIRONMENT; do
			awk -v heading=".SH $section" \
				'/^.SH/ { here = $0 == heading; next } here' \
				"$MANPATH/man${page%%/*}/${page#*/}.${page%%/*}" |
				grep -qi aslant || fail "${page#*/} has no $section"
		done
	done
	expect 0 run vomm --n 10 --csv runs.csv
	plain "$MANPATH/man5/aslant-csv.5" >page
	# X_max and X_total are said of X.
	head -1 runs.csv | tr , '\n' | while read -r column; do
		grep -qw -e "$column" -e "${column%_*}" page ||
			echo "aslant-csv(5) lacks $column"
	done >lacking
	[ ! -s lacking ] || fail "$(cat lacking)"
	if command -v man >/dev/null; then
		for page in "$MANPATH"/man?/*; do
			man --warnings -l "$page" 2>&1 >/dev/null
		done >warned
		[ ! -s warned ] || fail "man: $(head -3 warned)"
	fi
fi

# ---- Completions ----

bash -n "$prefix/share/bash-completion/completions/aslant" ||
	fail "the completion of bash cannot be read"
# complete WORDS...: of the last
complete_last() {
	bash -c '. "$1"; shift; COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		_aslant aslant "${@: -1}" "${@: -2:1}"
		printf "%s\n" "${COMPREPLY[@]}"' x \
		"$prefix/share/bash-completion/completions/aslant" "$@" >out
}
complete_last aslant su
says '^suite$'
complete_last aslant run em
says '^em-jomma$'
complete_last aslant plan --write
says '^--write-cost$'
complete_last aslant suite proc
says '^procurement$'
complete_last aslant plan --profile what-if-w1
says '^what-if-w16$'
mkdir -p shown/results
complete_last aslant report shown/res
says '^shown/results$'
complete_last aslant run 3d --store p
says '^pmem$'
complete_last aslant list prof
says '^profiles$'
# complete_submit WORD BEFORE: of aslant-submit
complete_submit() {
	PATH=$prefix/bin:$PATH bash -c '. "$1"; _aslant_submit aslant-submit "$2" "$3"
		printf "%s\n" "${COMPREPLY[@]}"' x \
		"$prefix/share/bash-completion/completions/aslant-submit" "$@" >out
}
complete_submit --pro aslant-submit
says '^--prologue$'
complete_submit proc aslant-submit
says '^procurement$'
complete_submit s --system
says '^sge$'
if command -v zsh >/dev/null; then
	zsh -n "$prefix/share/zsh/site-functions/_aslant-submit" ||
		fail "the completion of zsh cannot be read"
	zsh -n "$prefix/share/zsh/site-functions/_aslant" ||
		fail "the completion of zsh cannot be read"
fi

# ---- The command, where it is installed ----

expect 0 list suites
says '^fig5 '
expect 0 suite fig5 --store null --dry-run
expect 0 --version
for name in aslant libfabric MPICH libpmemobj hwloc jansson libcsv OpenBLAS
do
	says "^$name.* [0-9]"
done
if [ -d "$BUILD"/absent ]; then # what spares libfabric its wait for PSM
	LD_DEBUG=files "$prefix"/bin/aslant --version 2>&1 |
		grep -q "calling init: $prefix/.*aslant/libpsm" ||
		fail "PSM's stand-ins are not installed, or not found"
fi
for file in profiles/dram.json suites/fig5.json python/aslant/{__init__.py,py.typed}; do
	[ -e "$prefix/share/aslant/$file" ] || fail "$file is not installed"
done

# ---- Batch jobs ----

submit=$prefix/bin/aslant-submit
"$submit" --help >out 2>err || fail "aslant-submit --help: $(cat err)"
says '^Usage: aslant-submit SUITE'
grep -q scripts/submit out && fail "aslant-submit speaks of scripts/submit"
for system in slurm pbs sge lsf flux; do
	# Of the command beside it, with another one in PATH; through a link, too.
	ln -sf "$submit" ./linked
	PATH=/bin:/usr/bin ./linked fig5 --nodes 2 --ranks-per-node 32 \
		--system $system --out job --dry-run >out 2>err ||
		fail "aslant-submit --system $system: $(cat err)"
	says "^suite_command=($prefix/bin/aslant suite fig5 --launch "
	says 'wait "$suite"'
done
plain "$MANPATH/man1/aslant.1" >page
says 'aslant-submit' page

[ ! -e failed ]
