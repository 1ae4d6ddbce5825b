#!/bin/bash
# trust_shell.sh -- no text of a user, a suite or a result is ever run by a shell
#
# First in the sources: nothing there starts a shell.  Then names, labels, specs,
# profiles, launchers and options of a batch job that a shell would obey.
set -u

root=$(cd "$(dirname "$0")/.." && pwd)
# shellcheck source=tests/help/command.sh
. "$root/tests/help/command.sh"

found=$(grep -rnE --include='*.[ch]' \
	'\b(system|popen|wordexp|execl|execlp|execle|posix_spawnp?)\(' \
	"$root"/bench "$root"/lib "$root"/net "$root"/nvm)
[ -z "$found" ] || fail "a shell may be started: $found"
# What is started is named here: a launcher, a browser, this command itself, tar and
# sha256sum of pack, and rsvg-convert.
found=$(grep -rnE --include='*.c' '\bexecv[a-z]*\(' "$root"/bench "$root"/lib \
	"$root"/net "$root"/nvm | grep -vE \
	'bench/(library/launch|command/report/report).c:.*execvp\(args\[0\], args\)|bench/command/(pack|report/export).c:.*execvp\(program, argv\)|bench/command/(suite/suite|commands).c:.*execv\("/proc/self/exe", arg[sv]\)')
[ -z "$found" ] || fail "something else may be started: $found"
found=$(grep -rnE '\b(eval|source)\b|`|bash -c|sh -c' "$root"/scripts/submit \
	"$root"/scripts/batch | grep -v "shellcheck")
[ -z "$found" ] || fail "submit may run what it is given: $found"

# ---- The command ----

# shellcheck disable=SC2016 # a shell would obey these
evil=('$(touch owned)' '`touch owned`' 'x; touch owned' $'x\ntouch owned'
	"x'; touch owned; '" 'x"; touch owned; "')
# Most of a start is spent asleep: several at once.
try() {
	while [ "$(jobs -rp | wc -l)" -ge 12 ]; do
		wait -n
	done
	try_one "$@" &
}
try_one() {
	local status
	timeout 60 "$aslant" "$@" >>out 2>>err </dev/null
	status=$?
	[ $status -lt 4 ] || fail "$*: exit code $status"
	[ ! -e owned ] || fail "$*: was obeyed, or one near it"
}
mkdir evil
for text in "${evil[@]}"; do
	name=${text//\//_}
	try run "$text"
	try run vomm --n "$text"
	try run vomm --n 9 --store dram --csv "evil/$name.csv" \
		--result "evil/$name.npy" --out "evil/$name"
	wait # the next ones read that
	try run vomm --n 9 --a "evil/$name.npy" --store dram --csv -
	try report "evil/$name" --out "evil/$name.html" --figures "evil/$name.svg"
	try pack "evil/$name" --out "evil/$name.tar"
	try compare "evil/$name" "evil/$name" --mixed --busy --out "evil/$name.cmp.html"
	try run vomm --n 9 --store dram --profile "$text"
	mkdir -p "evil/$name.pools"
	try run vomm --n 9 --nvm-dir "evil/$name.pools" --keep
	try run einsum --spec "$text" --dims i=2,j=2,k=2
	try run einsum --spec 'ij,jk->ik' --dims "$text"
	try run sttsv --n 9 --steiner "$text"
	try run vomm --n 9 --provider "$text" --transport ofi
	try suite "$text"
	"$python" - "$text" >suite.json <<'PYTHON'
import json, sys
text = sys.argv[1]
print(json.dumps({"about": text, "cases": [
    {"label": text, "algorithm": "vomm", "n": 9, "store": "dram"}]}))
PYTHON
	try_one suite suite.json --out "evil/$name.suite"
	"$python" - "$text" >suite.json <<'PYTHON'
import json, sys
text = sys.argv[1]
print(json.dumps({"cases": [{"label": "a", "algorithm": "vomm", "n": 9,
                             "store": "dram", "profile": text}]}))
PYTHON
	try_one suite suite.json
	ASLANT_LAUNCH=$text try run vomm --n 9 --launch
done
wait
[ "$(find evil -name '*.csv' | wc -l)" -gt 9 ] || fail "nothing was written"

# ---- scripts/submit ----

submit=$root/scripts/submit
mkdir bin
for tool in sbatch qsub flux; do
	# Takes the job as a batch system would, and runs what it says.
	printf '#!/bin/bash\ncat >job\nexit 0\n' >bin/$tool
	chmod +x bin/$tool
done
export PATH=$work/bin:$PATH
for text in "${evil[@]}"; do
	for option in --time --account --queue --nvm-dir --out --launcher \
		--system; do
		rm -f job
		timeout 60 "$submit" quick --ranks-per-node 64 --aslant "$aslant" \
			--system slurm $option "$text" >>out 2>>err </dev/null
		code=$?
		[ ! -e owned ] || fail "submit $option '$text': was obeyed"
		[ $code = 2 ] || fail "submit $option '$text': exit code $code"
		[ ! -e job ] || fail "submit $option '$text': was submitted"
	done
	# Options of the suite are quoted: what a shell reads there is one word.
	rm -f job
	timeout 60 "$submit" quick --ranks-per-node 64 --aslant "$aslant" \
		--system slurm --out "$work/submitted" -- --profile "$text" \
		>>out 2>>err </dev/null
	[ ! -e job ] || {
		(
			suite_command=()
			eval "$(grep '^suite_command=' job)"
			printf '%s\n' "${suite_command[@]}"
		) >>out 2>&1
	}
	[ ! -e owned ] || fail "submit -- --profile '$text': was obeyed"
done

[ ! -e failed ]
