#!/bin/bash
# command_profiles.sh -- machine profiles: those that come along, and any file
#
# ASLANT is the command.
set -u

aslant=${ASLANT:?}
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
count=0

fail() {
	echo "command_profiles: $*"
	exit 1
}

# costs PROFILE: r w beta alpha gamma, as a row of a run has them
costs() {
	timeout 20 "$aslant" run 3d --n 10 --store null --profile "$1" \
		--csv - 2>err >out || fail "$1: $(cat err)"
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		NR == 2 { print $at["r"], $at["w"], $at["beta"],
			$at["alpha"], $at["gamma"] }' out
}

# near EXPECTED PROFILE: its costs, to nine digits
near() {
	awk -v a="$1" -v b="$(costs "$2")" 'BEGIN {
		count = split(a, x, " ")
		split(b, y, " ")
		for (i = 1; i <= count; i++)
			if ((x[i] - y[i]) ^ 2 > (1e-9 * x[i]) ^ 2)
				exit 1
	}' || fail "$2: costs $(costs "$2"), expected $1"
}

# ---- Those that come along ----

"$aslant" list profiles >list || fail "list profiles"
for name in dram dram-measured optane-100-nt optane-100-clwb optane-100-store \
	optane-200-nt optane-200-clwb optane-200-store cxl-dram-fpga \
	jomma-paper-min jomma-paper-max what-if-w2 what-if-w4 what-if-w8 \
	what-if-w16 what-if-w32; do
	grep -q "^$name " list || fail "list profiles: no $name"
done
[ "$(wc -l <list)" = $(($(ls "$root"/bench/profiles/*.json | wc -l) + 1)) ] ||
	fail "list profiles: not as many as there are files"
"$aslant" list | grep -q '^optane-100-nt ' || fail "list: no optane-100-nt"
for file in "$root"/bench/profiles/*.json; do
	name=$(basename "$file" .json)
	grep -q "^  \"name\": \"$name\",$" "$file" ||
		fail "$file: has another name"
	[ "$(costs "$name")" = "$(costs "$file")" ] ||
		fail "$name: costs $(costs "$name"), of the file $(costs "$file")"
done

# Nanoseconds a word: 8 bytes over gigabytes a second, or gibibytes.
near "1 1 1 0 0" dram
near "1 16 1 0 0" what-if-w16
near "0.212765957447 0.64 0.32 0 0" optane-100-nt
near "0.212765957447 0.8 0.32 0 0" optane-100-clwb
near "0.174078985909 1.83964953010 0.32 0 0" optane-100-store
near "12.6984126984 40 0.32 0 0" jomma-paper-min
near "1.17647058824 3.63636363636 0.16 0 0" jomma-paper-max

# ---- Any file ----

# profile FIGURES [KEYS]: a file
profile() {
	echo "{\"name\": \"mine\", ${2:-\"source\": \"s\",} \"figures\": {$1}}" \
		>mine.json
}
r='"read": {"value": 2, "unit": "ns/word"}'
w='"write": {"value": 4, "unit": "GB/s"}'
b='"net": {"value": 1, "unit": "GiB/s", "source": "own"}'
profile "$r, $w, $b, \"latency\": {\"value\": 3, \"unit\": \"us\"},
	\"flop\": {\"value\": 50, \"unit\": \"GFLOP/s\"}"
near "2 2 7.45058059692 3000 0.02" "$work/mine.json"

timeout 20 "$aslant" run 3d --n 10 --store null --profile mine.json \
	--out result >out 2>err || fail "--out: $(cat err)"
for line in '"profile": "mine"' '"source": "s; own"' '"unit": "ns"' \
	'"dram_read_cost": 2.0' '"dram_write_cost": 2.0'; do
	grep -qF "$line" result/machine.json ||
		fail "machine.json: no $line: $(grep -F cost result/machine.json)"
done
"$aslant" run 3d --n 10 --store null --profile mine.json |
	grep -q '^profile   mine, costs in ns$' || fail "summary: no unit"

# bad PATTERN FIGURES [KEYS]: refused with one line that names file and field
bad() {
	local code=0

	profile "$2" "${3:-}"
	timeout 20 "$aslant" run vomm --n 10 --profile mine.json >out 2>err ||
		code=$?
	[ $code = 2 ] || fail "$*: exit code $code: $(cat err)"
	[ "$(wc -l <err)" = 1 ] || fail "$*: not one line: $(cat err)"
	grep -q -e "^aslant: --profile: mine.json: $1" err ||
		fail "$*: expected '$1': $(cat err)"
	count=$((count + 1))
}

bad "figure 'read' is missing" "$w, $b"
bad "figure 'write' is missing" "$r, $b"
bad "figure 'net' is missing" "$r, $w"
bad "unknown figure 'speed' (known: read, .*flop" "$r, $w, $b, \"speed\": {}"
bad "figure 'read': found 3, expected an object" "\"read\": 3, $w, $b"
for value in -1 -1e-9 1e400 '"2"' null '[2]' true 1e101; do
	bad "\(figure 'read': value: found\|line 1: real number\)" \
		"\"read\": {\"value\": $value, \"unit\": \"ns/word\"}, $w, $b"
done
for value in 0 -1 1e-100; do
	bad "figure 'net': value: found $value.*, expected a number above 0" \
		"$r, $w, \"net\": {\"value\": $value, \"unit\": \"GB/s\"}"
done
bad "line 1: invalid token near 'NaN'" \
	"\"read\": {\"value\": NaN, \"unit\": \"ns/word\"}, $w, $b"
bad "line 1: invalid token near 'Infinity'" \
	"\"read\": {\"value\": Infinity, \"unit\": \"ns/word\"}, $w, $b"
bad "line 1: duplicate object key near '\"read\"'" "$r, $w, $b, $r"
bad "line 1: duplicate object key near '\"source\"'" "$r, $w, $b" \
	'"source": "s", "source": "t",'
bad "key 'about': found \"x*, expected a text of 1 to 511 characters" \
	"$r, $w, $b" "\"about\": \"$(printf 'x%.0s' {1..9999})\","
bad "figure 'read': value is missing" "\"read\": {\"unit\": \"ns/word\"}, $w, $b"
bad "figure 'read': unit is missing, expected ns/word, GB/s, GiB/s, relative" \
	"\"read\": {\"value\": 2}, $w, $b"
bad "figure 'read': unit: found \"ns\", expected ns/word" \
	"\"read\": {\"value\": 2, \"unit\": \"ns\"}, $w, $b"
bad "figure 'read': unit: found 3" "\"read\": {\"value\": 2, \"unit\": 3}, $w, $b"
bad "figure 'latency': unit: found \"GB/s\", expected ns, us, relative" \
	"$r, $w, $b, \"latency\": {\"value\": 2, \"unit\": \"GB/s\"}"
bad "figure 'read_latency': unit: found \"relative\"" \
	"$r, $w, $b, \"read_latency\": {\"value\": 2, \"unit\": \"relative\"}"
bad "figure 'write' is relative, but figure 'read' is not" \
	"$r, \"write\": {\"value\": 2, \"unit\": \"relative\"}, $b"
bad "figure 'write' is GB/s, but figure 'read' is relative" \
	"\"read\": {\"value\": 2, \"unit\": \"relative\"}, $w, $b"
bad "figure 'read': source is missing" "$r, $w, $b" " "
bad "figure 'net': source: found 3, expected a text" \
	"$r, $w, \"net\": {\"value\": 2, \"unit\": \"GB/s\", \"source\": 3}"
bad "figure 'net': source: found \"\"" \
	"$r, $w, \"net\": {\"value\": 2, \"unit\": \"GB/s\", \"source\": \"\"}"
bad "figure 'net': unknown key 'sauce' (known: value, unit" \
	"$r, $w, \"net\": {\"value\": 2, \"unit\": \"GB/s\", \"sauce\": \"x\"}"
bad "figure 'net': low: found \"1\", expected a number" \
	"$r, $w, \"net\": {\"value\": 2, \"unit\": \"GB/s\", \"low\": \"1\"}"
bad "alone: figure 'read': unit is missing" "$r, $w, $b" \
	'"source": "s", "alone": {"read": {"value": 1}},'
for key in device access about source; do
	bad "key '$key': found 3, expected a text" "$r, $w, $b" "\"$key\": 3,"
done
bad "key 'persist': found \"nt\", expected nt-store, clwb" "$r, $w, $b" \
	'"source": "s", "persist": "nt",'
for value in 0 -6 1.5 '"6"' 1000001; do
	bad "key 'dimms': found $value, expected a whole number" "$r, $w, $b" \
		"\"source\": \"s\", \"dimms\": $value,"
done
bad "key 'provenance': found \[\]" "$r, $w, $b" '"provenance": [],'
bad "unknown key 'speed' (known: name, about" "$r, $w, $b" '"speed": 3,'
bad "unknown key 'a???'" "$r, $w, $b" '"a\u009b\u001b": 3,'
bad "key 'about': .*no control characters" "$r, $w, $b" \
	'"about": "a\u001b[31mb",'
bad "key 'about': .*no control characters" "$r, $w, $b" \
	'"about": "a\u009b31mb",'

# Without figures, without a name: what is not in the rest of the file.
# whole PATTERN TEXT
whole() {
	local code=0

	echo "$2" >mine.json
	timeout 20 "$aslant" plan --n 10 --profile mine.json >out 2>err || code=$?
	[ $code = 2 ] && [ "$(wc -l <err)" = 1 ] &&
		grep -q -e "^aslant: --profile: mine.json: $1" err ||
		fail "$2: exit code $code, expected '$1': $(cat err)"
	count=$((count + 1))
}
whole "key 'figures' is missing" '{"name": "x", "source": "y"}'
whole "key 'name' is missing" "{\"figures\": {$r, $w, $b}, \"source\": \"y\"}"
whole "key 'name': found \"\"" '{"name": ""}'
whole "key 'figures': found 3, expected an object" '{"name": "x", "figures": 3}'
whole "expected one JSON object" '[]'
whole "line 1: " 'no JSON'
whole "line 2: .* expected near end of file" ''
whole "line 3: unexpected token near '}'" '{"name": "x",
 "figures": [
 }'
whole "line 1: maximum parsing depth" "$(printf '[%.0s' {1..5000})"
echo "ok: $count files refused"
