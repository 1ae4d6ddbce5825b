#!/bin/bash
# docs_findings.sh -- what results/FINDINGS.md says holds
#
# scripts/findings --counted: every finding that needs no processes and no time.
# With ASLANT_TEST_CASES=all those too.  And it notices another number, another
# exit code, and a name that is not there.  ASLANT is the command.
set -u

root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
	echo "docs_findings: $*"
	exit 1
}

# expect CODE ARGUMENTS...: of scripts/findings, to out and err
expect() {
	local expected=$1 code=0
	shift
	"$root/scripts/findings" "$@" >"$work/out" 2>"$work/err" || code=$?
	[ $code = "$expected" ] ||
		fail "$*: exit code $code, expected $expected: $(cat "$work/out" "$work/err")"
}

counted=--counted
[ "${ASLANT_TEST_CASES-}" != all ] || counted=
found=$("$root/scripts/findings" --list | wc -l)
expect 0 $counted
[ "$(grep -c -E '^(holds|left out) ' "$work/out")" = "$found" ] ||
	fail "not all hold: $(cat "$work/out")"
[ "$(grep -c '^holds ' "$work/out")" -ge 10 ] ||
	fail "too many left out: $(cat "$work/out")"
[ "$(grep -c '^## ' "$root/results/FINDINGS.md")" = "$found" ] ||
	fail "a finding has no command: $("$root/scripts/findings" --list)"
# The table at its top has them all.
[ "$(grep -c '^| \[.*(#' "$root/results/FINDINGS.md")" = "$found" ] ||
	fail "the table does not name $found findings"

# ---- Would it notice? ----

sed 's/^    7 cuts 599800 /    7 cuts 599801 /' "$root/results/FINDINGS.md" >"$work/page.md"
expect 1 --page "$work/page.md" any-number
grep -q '^FAILED .* any-number-of-ranks$' "$work/out" || fail "another number: not noticed"
printf '## A\n\n    $ echo 1; false\n    1\n' >"$work/page.md"
expect 1 --page "$work/page.md"
grep -q '^exit code 1$' "$work/out" || fail "another exit code: not noticed"
expect 2 nonsense
[ "$(wc -l <"$work/err")" = 1 ] || fail "nonsense: $(cat "$work/err")"
expect 2 --page "$work/none.md"
expect 0 --help
expect 0 --counted --page "$work/page.md" --list
exit 0
