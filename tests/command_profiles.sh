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

# ---- Seconds ----

# seconds FIGURES STEP ARGUMENTS...: of a plan by time, place by place; STEP ns a word
seconds() {
	local figures=$1 step=$2 words ns
	shift 2
	words=$(seq -s, 1 14)
	ns=$(seq -s, "$step" "$step" $((14 * step)))
	profile "$r, $w, $b, $figures" \
		"\"source\": \"s\", \"steps\": {\"words\": [$words], \"ns\": [$ns]},"
	timeout 20 "$aslant" plan "$@" --profile mine.json --choose time \
		--csv - 2>err >out || fail "plan --choose time: $(cat err)"
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		NR > 1 { print $at["seconds"], $at["algorithm"], $at["bh_words_max"] }' out
}
flop='"product_flop": {"value": 1, "unit": "ns/flop"}'
call='"product_call": {"value": 1, "unit": "ns"}'

seconds "$flop, $call" 1 --n 60 --ranks 8 --top 20 >cheap
sort -s -g -k 1,1 -c cheap || fail "--choose time: $(cat cheap) are in another order"
[ "$(wc -l <cheap)" = 20 ] || fail "--choose time: $(wc -l <cheap) plans"
[ "$(awk '{ print $2 }' cheap | sort -u | wc -l)" -ge 4 ] ||
	fail "--choose time: of few algorithms: $(cat cheap)"
# No rank takes less than its flops: 2 n^3 / P.
awk '$1 < 2 * 60 ^ 3 / 8 * 1e-9 { exit 1 }' cheap || fail "too fast: $(cat cheap)"
# Where words take long, what sends few is the fastest.
seconds "$flop, $call" 1000000 --n 60 --ranks 8 --top 1 >dear
awk -v sent="$(awk '{ print $3 }' dear)" '$3 < sent { exit 1 }' cheap ||
	fail "slow steps: $(cat dear), but among $(cat cheap) one sends less"

# Who wants overlap gets it, unless times say what it is worth.
seconds "$flop, $call" 1 --n 60 --ranks 8 --top 60 --overlap >any
grep -q ' 3d ' any || fail "--overlap --choose time: only what overlaps: $(cat any)"
grep -q ' fused ' any || fail "--overlap --choose time: not all that overlaps: $(cat any)"
timeout 20 "$aslant" plan --n 60 --ranks 8 --top 60 --overlap --choose words >out
grep -q ' fused ' out || fail "--overlap --choose words: $(cat out)"
! grep -qE ' (3d|em-jomma|cuts) ' out || fail "--overlap: without it: $(cat out)"

# chosen COMMAND...: algorithm, kernel, grid and panels of its first row
chosen() {
	timeout 20 "$aslant" "$@" --csv - 2>err >out || fail "$*: $(cat err)"
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		NR == 2 { print $at["algorithm"], $at["kernel"], $at["grid"], $at["panels"] }' out
}
# Where ranks share cores, fewer of them are faster; each plan is there once.
used() {
	timeout 20 "$aslant" plan --n 2048 --ranks 16 --choose time --top 60 \
		--profile x86-64-avx512 --csv - "$@" 2>err >out || fail "$(cat err)"
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		NR > 1 && x[$at["algorithm"], $at["kernel"], $at["grid"]]++ { twice = 1 }
		NR == 2 { used = $at["ranks_used"] }
		END { print twice ? "twice" : used }' out
}
[ "$(used --cores 2)" = 2 ] || fail "ranks that share two cores: $(used --cores 2)"
[ "$(used --cores 16)" = 16 ] || fail "of ranks with a core each: $(used --cores 16)"

# What plan shows for this host's cores is what run chooses on them.
for case in "300 2" "300 8" "600 4" "600 8 --memory 30k" "1000 16 --choose words"; do
	# shellcheck disable=SC2086 # words
	set -- $case
	case="--n $1 --ranks $2 --write-cost 4 ${*:3}"
	# shellcheck disable=SC2086
	planned=$(chosen plan $case --cores auto) ran=$(chosen run auto $case --launch)
	[ "$planned" = "$ran" ] || fail "$case: planned $planned, ran $ran"
done
# Panels that are not asked for are where the fastest plan has them: in memory that is a
# pool, around what a rank owns, but not in a pool that takes words slowly.
least() {
	timeout 20 "$aslant" plan --n 2048 --ranks 4 --cores 4 --top 1 --csv - "$@" 2>err >out ||
		fail "$*: $(cat err)"
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		NR == 2 { print $at["seconds"], $at["panels"] }' out
}
mkdir slow
(cd slow && profile "$r, \"write\": {\"value\": 0.01, \"unit\": \"GB/s\"}, $b, $flop, $call,
	\"dram_write\": {\"value\": 4, \"unit\": \"GB/s\"}")
for case in "dram nvm --profile x86-64-avx512" "pmem dram --profile slow/mine.json"; do
	read -r store where options <<<"$case"
	options="--store $store $options"
	# shellcheck disable=SC2086 # words
	free=$(least $options)
	# shellcheck disable=SC2086
	either=$({ least $options --panels dram && least $options --panels nvm; } | sort -g | head -1)
	[ "$free" = "$either" ] || fail "$options: $free, but one of both panels has $either"
	[ "${free#* }" = "$where" ] || fail "$options: panels in ${free#* }, not $where"
done
[ "$(chosen plan --n 300 --ranks 2 --store dram --choose words | tail -c 5)" = dram ] ||
	fail "--choose words: panels in the pool"
# Eight ranks that share one core are slower than those that have one each.
small="plan --n 300 --ranks 8 --profile x86-64-avx2"
# shellcheck disable=SC2086
[ "$(chosen $small --cores 1)" != "$(chosen $small --cores 8)" ] ||
	fail "the same plan for one core and for eight: $(chosen $small --cores 1)"

# No part of a time is longer than all of it.
# shellcheck disable=SC2086
timeout 20 "$aslant" $small --cores 1 --top 99 --csv - 2>err >out || fail "$(cat err)"
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
	NR > 1 { split("arithmetic reading writing network copies", parts, " ")
		for (i in parts) if ($at[parts[i] "_s"] > $at["seconds"]) exit 1
	}' out || fail "a part that is longer than all: $(head -3 out)"

# A job of one rank knows all of it: so many flops, and one call at least.
"$aslant" run vomm --n 60 --store null --profile mine.json --csv - 2>err |
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		NR == 2 { t = $at["predicted_s"]; exit !(t > 432e-6 && t < 480e-6) }' ||
	fail "vomm: not 0.000432 s and a little more"
[ "$("$aslant" run 3d --n 60 --ranks 2 --launch --store dram --profile mine.json 2>&1 |
	grep -c -E '^predicted .* s, .* times as long$|^ +arithmetic .*, reading .*, copies ')" = 2 ] ||
	fail "run --launch: nothing is predicted"

numbers=$(seq -s , 14)
profile "$r, $w, $b, $flop" "\"source\": \"s\", \"steps\": {\"words\": [$numbers],
	\"ns\": [$numbers], \"crowded_row_ns\": \"7\"},"
! "$aslant" plan --n 60 --profile mine.json >out 2>err || fail "a step of '7' ns"
grep -qF 'steps: crowded_row_ns: expected a number, 0 or more' err ||
	fail "a step of '7' ns: $(cat err)"

# Out of core a disk's blocks begin, twice here and thrice, whatever a word costs.
begin() {
	profile "$r, $w, $b, $flop" "\"source\": \"s\", \"transfers\": {
		\"ranks\": $2, \"words\": [1, 2, 3, 4, 5, 6],
		\"read_ns\": [1, 1, 1, 1, 1, 1], \"write_ns\": [1, 1, 1, 1, 1, 1],
		\"alone_read_ns\": [1, 1, 1, 1, 1, 1],
		\"alone_write_ns\": [1, 1, 1, 1, 1, 1],
		\"read_begin_ns\": $1, \"write_begin_ns\": $1,
		\"alone_read_begin_ns\": $1, \"alone_write_begin_ns\": $1},"
	timeout 20 "$aslant" run ooc-accumulation-inside --n 60 --ranks 1 --store null \
		--memory-budget 3000 --cache 300 --profile mine.json --csv - \
		2>err >out || return
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
		NR == 2 { print $at["predicted_s"] }' out
}
! begin 1e6 0 || fail "transfers of no ranks"
grep -qF 'transfers: ranks: expected a whole number above 0' err ||
	fail "transfers of no ranks: $(cat err)"
for wrong in '"1e6"' -1 null; do
	! begin "$wrong" 2 || fail "transfers that begin in $wrong"
	grep -qF 'transfers: read_begin_ns: expected a number, 0 or more' err ||
		fail "transfers that begin in $wrong: $(cat err)"
done
short=$(begin 1e6 2) || fail "transfers: $(cat err)"
long=$(begin 3e6 2) || fail "transfers: $(cat err)"
awk -v x="$short" -v y="$long" 'BEGIN { exit !(x > 0.003 && y > 2.5 * x && y < 3.1 * x) }' ||
	fail "transfers that begin in 1 and 3 ms: $short s and $long s"

# Nanoseconds of a contraction's arithmetic: FIGURES SPEC [SIZES]
arithmetic() {
	profile "$r, $w, $b, $flop$1"
	"$aslant" plan einsum --spec "$2" --dims "${3-a=30,b=40}" --ranks 1 --profile mine.json \
		--csv - 2>err | python3 -c 'import csv, sys
print(round(1e9 * float(next(csv.DictReader(sys.stdin))["arithmetic_s"])))'
}
times=', "product_left": {"value": 3, "unit": "ns/word"}, "product_right": {"value": 3, "unit": "ns/word"}'
# A word of a matrix times a vector takes its own time, if there is one.
own=', "product_vector": {"value": 2, "unit": "ns/word"}'
while read -r spec other; do
	[ "$(arithmetic "$times$own" "$spec") $(arithmetic "$times" "$spec")" = "2400 $other" ] ||
		fail "$spec: $(arithmetic "$times$own" "$spec"), $(arithmetic "$times" "$spec") ns: $(cat err)"
done <<-'END'
	ab,b->a 6120
	b,ab->a 6120
	ab,a->b 6090
END

# A word of C that nothing is added to is set to zero first.
zero=', "product_zero": {"value": 2, "unit": "ns/word"}'
for figures in "$times" "$times$zero"; do
	arithmetic "$figures" 'ab,bc->ac' a=30,b=40,c=50
done >ns
[ "$(paste -sd' ' ns | awk '{ print $2 - $1 }')" = 3000 ] ||
	fail "30 x 50 words set to zero: from $(paste -sd' ' ns) ns: $(cat err)"

# Whose times it chose by is said, unless they are the profile's own.
note="^aslant: note: auto chose by the times of a machine of this class"
for own in 0 1; do
	"$aslant" run auto --n 60 --ranks 2 --launch --store dram \
		$([ $own = 0 ] || echo --profile mine.json) >out 2>err </dev/null
	[ "$(grep -c "$note" err)" = $((1 - own)) ] || fail "auto: $(cat err)"
done

# Energies are those of all counted words and flops; they go with relative costs, too.
cat >joules.json <<'JSON'
{"name": "joules", "source": "made up", "figures": {
	"read": {"value": 1, "unit": "relative"}, "write": {"value": 4, "unit": "relative"},
	"net": {"value": 2, "unit": "relative"},
	"read_energy": {"value": 2.5, "unit": "pJ/bit"},
	"write_energy": {"value": 3, "unit": "nJ/word"},
	"dram_write_energy": {"value": 0.25, "unit": "nJ/word"},
	"net_energy": {"value": 5, "unit": "nJ/word"},
	"flop_energy": {"value": 20, "unit": "pJ/flop"}}}
JSON
for algorithm in "fused --n 60" "em-jomma --n 60 --panels nvm" "sttsv --n 30"; do
	asked="run $algorithm --ranks 4 --profile joules.json"
	# shellcheck disable=SC2086
	"$aslant" $asked >out 2>err && "$aslant" $asked --csv row >/dev/null 2>err ||
		fail "$algorithm: $(cat err)"
	python3 - row out <<-'END' || fail "joules: $algorithm"
		import csv, re, sys

		x = next(csv.DictReader(open(sys.argv[1])))
		total = lambda name: int(x[name + "_total"])
		reads = total("nvm_read_words") + total("nvm_lift_words")
		reads += total("dram_read_words") + total("bounce_read_words")
		parts = [0.16 * reads,
		         3 * (total("nvm_write_words") + total("nvm_land_words")) +
		         0.25 * (total("dram_write_words") + total("bounce_write_words")),
		         5 * total("net_send_words"), 0.02 * total("flops")]
		assert abs(float(x["predicted_energy_j"]) / sum(parts) / 1e-9 - 1) < 1e-9, x
		said = re.search(r"^energy +(\S+) J, by the profile: reading (\S+), writing (\S+), "
		                 r"network (\S+), arithmetic (\S+)$", open(sys.argv[2]).read(), re.M)
		for text, joules in zip(said.groups(), [sum(parts)] + parts):
		    assert abs(float(text) - 1e-9 * joules) <= 0.01 * 1e-9 * joules, (text, joules)
	END
done
sed 's,pJ/bit,GB/s,' joules.json >wrong.json
if "$aslant" run 3d --n 60 --profile wrong.json >out 2>err; then
	fail "an energy in GB/s was taken"
fi
grep -q "figure 'read_energy': unit: found \"GB/s\", expected nJ/word or pJ/bit\|expected nJ/word, pJ/bit" err ||
	fail "$(cat err)"
"$aslant" run 3d --n 60 --csv plain.csv >out 2>err || fail "$(cat err)"
python3 - <<-'END' || fail "joules without a profile's energies"
	import csv
	(row,) = csv.DictReader(open("plain.csv"))
	assert row["predicted_energy_j"] == "", row
END
