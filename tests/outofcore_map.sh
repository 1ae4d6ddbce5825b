#!/bin/bash
# outofcore_map.sh -- bench/measure/outofcore-map shows what plan ooc-auto chooses
#
# ASLANT is the command.
set -u

root=$(cd "$(dirname "$0")/.." && pwd)
: "${ASLANT:?}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export BUILD
BUILD=$(dirname "$ASLANT")

fail() {
	echo "outofcore_map: $*"
	exit 1
}

skinny=(--m 96 --n 96 --k 24576)
"$root/bench/measure/outofcore-map" "${skinny[@]}" >"$work/map" 2>"$work/err" ||
	fail "ends with $?: $(cat "$work/map" "$work/err")"
[ "$(grep -cE '^ +[0-9]+/[0-9]+( +[RrPpAa.]){5}$' "$work/map")" = 18 ] ||
	fail "not 3 maps of 6 rows: $(cat "$work/map")"

# An expensive network, and an expensive pool, on 4 ranks with 64 KiB.
for price in 1/16 64/1; do
	"$ASLANT" plan ooc-auto "${skinny[@]}" --ranks 4 --memory-budget 64KiB \
		--read-cost "${price%/*}" --write-cost "${price%/*}" \
		--net-cost "${price#*/}" --top 1 >"$work/plan" ||
		fail "plan ends with $?"
	case $(grep -o 'ooc-[a-z-]*' "$work/plan" | head -n 1) in
	ooc-rotation-inside) letter=R ;;
	ooc-rotation-outside) letter=r ;;
	ooc-replication-inside) letter=P ;;
	ooc-replication-outside) letter=p ;;
	ooc-accumulation-inside) letter=A ;;
	ooc-accumulation-outside) letter=a ;;
	esac
	grep -m 1 "^ *$price " "$work/map" | grep -q "^ *$price  *$letter " ||
		fail "$price: expected $letter in $(cat "$work/map")"
	echo "$letter" >>"$work/letters"
done
[ "$(sort -u "$work/letters" | wc -l)" = 2 ] ||
	fail "one method for all prices: $(cat "$work/map")"

"$root/bench/measure/outofcore-map" --n 12x >"$work/map" 2>"$work/err"
[ $? = 2 ] && grep -q "found '12x'" "$work/err" ||
	fail "a size that is no number: $(cat "$work/err")"
