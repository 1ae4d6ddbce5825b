#!/usr/bin/env bash
# command_hwc.sh -- hardware counters: figures where there are any, else why not
#
# Of a recorded machine of two sockets with DRAM and Optane every figure is
# known.  Of this one only that a run goes on without counters, and says why.
set -u
. "$(dirname "$0")/help/command.sh"

# record DIR: two controllers, read and written by each socket and medium
record() {
	local devices=$1/sys/bus/event_source/devices cpus=$1/sys/devices/system/cpu
	local i cpu config device
	mkdir -p "$1/proc/sys/kernel" "$1/counts" "$cpus/cpu0/cache/index0"
	echo 64 >"$cpus/cpu0/cache/index0/coherency_line_size"
	for cpu in 0 9; do
		mkdir -p "$cpus/cpu$cpu/topology"
		echo $((cpu / 9)) >"$cpus/cpu$cpu/topology/physical_package_id"
	done
	printf '%s\n' 'vendor_id : GenuineIntel' 'cpu family : 6' \
		'model : 85' 'stepping : 7' >"$1/proc/cpuinfo"
	for i in 0 1; do
		device=$devices/uncore_imc_$i
		mkdir -p "$device/events" "$device/format"
		echo $((30 + i)) >"$device/type"
		echo 0,9 >"$device/cpumask"
		echo config:0-7 >"$device/format/event"
		echo config:8-15 >"$device/format/umask"
		echo event=0x04,umask=0x03 >"$device/events/cas_count_read"
		echo event=0x04,umask=0x0c >"$device/events/cas_count_write"
		for config in read write; do
			echo 6.103515625e-5 >"$device/events/cas_count_$config.scale"
			echo MiB >"$device/events/cas_count_$config.unit"
		done
		# cas_count_read and _write; reads and writes of Optane
		for cpu in 0 9; do
			count "$1" $((30 + i)).772.$cpu 10000
			count "$1" $((30 + i)).3076.$cpu 1000
			count "$1" $((30 + i)).227.$cpu 100
			count "$1" $((30 + i)).231.$cpu 10
		done
	done
	count "$1" 0.3.-1 7
	# Energy: half a joule a count of packages, a quarter of DRAM.
	device=$devices/power
	mkdir -p "$device/events" "$device/format"
	echo 40 >"$device/type"
	echo 0,9 >"$device/cpumask"
	echo config:0-7 >"$device/format/event"
	echo event=0x02 >"$device/events/energy-pkg"
	echo event=0x03 >"$device/events/energy-ram"
	echo 0.5 >"$device/events/energy-pkg.scale"
	echo 0.25 >"$device/events/energy-ram.scale"
	for config in pkg ram; do
		echo Joules >"$device/events/energy-$config.unit"
	done
	for cpu in 0 9; do
		count "$1" 40.2.$cpu 20
		count "$1" 40.3.$cpu 8
	done
}

# count DIR EVENT N: in every repetition; the first two, and half of the time
count() {
	printf '5 10 10\n%d 20 20\n' $(($3 + 5)) >"$1/counts/$2"
	printf '0 30 30\n%d 50 40\n' "$3" >>"$1/counts/$2"
}

# Fields of runs.csv that nobody measures must not depend on counters.
counted() {
	"$python" - "$1" <<'PYTHON'
import csv, os, sys
measured = os.environ["measured"].split()
for row in csv.DictReader(open(sys.argv[1])):
    print([v for k, v in row.items() if k not in measured])
PYTHON
}

# ---- A recorded machine ----

record "$work/recorded"
export ASLANT_HWC_RECORDED=$work/recorded

expect 0 list counters
says 'here: NOT MEASURED, recorded: dram and pmm of whole sockets$'
for how in '' '--launch'; do
	for name in perf off; do
		# shellcheck disable=SC2086
		expect 0 run 3d --n 48 --ranks 3 --seed 5 --hwc $name $how \
			--csv $name.csv
	done
	[ "$(counted perf.csv)" = "$(counted off.csv)" ] ||
		fail "$how: counters change what is counted"
	is hwc_backend perf perf.csv
	is hwc_read_bytes $((4 * 64 * 10100)) perf.csv
	is hwc_write_bytes $((4 * 64 * 1010)) perf.csv
	is energy_j 24 perf.csv
	is energy_source 'packages and DRAM' perf.csv
	is energy_j '' off.csv
	is hwc_note 'NOT MEASURED; recorded: dram and pmm of whole sockets' perf.csv
	is hwc_miss_bytes $((64 * 7 * (${#how} > 0 ? 3 : 1))) perf.csv
	is hwc_sockets '0/0/dram:1280000:128000;0/0/pmm:12800:1280;'`
		`'0/1/dram:1280000:128000;0/1/pmm:12800:1280' perf.csv
	for name in backend read_bytes write_bytes miss_bytes sockets; do
		is hwc_$name '' off.csv
	done
	is hwc_note 'not asked for' off.csv
done

expect 0 run 3d --n 48 --hwc perf --reps 2 --csv two.csv
is hwc_read_bytes $((2 * 4 * 64 * 10100)) two.csv
is hwc_note 'NOT MEASURED; recorded: dram and pmm of whole sockets; events '`
	`'took turns; and counted 50% of the time' two.csv
# There is no third repetition.
expect 0 run 3d --n 48 --hwc perf --reps 3 --csv three.csv
is hwc_read_bytes '' three.csv
is hwc_sockets '' three.csv
is hwc_note "rank 0: counters can't be read: No data available" three.csv

expect 0 run 3d --n 48 --hwc perf --cache 1728
says '^read  *2585600  *[0-9]*$'
says '^written  *258560  *[0-9]*$'
says '^cache misses  *448$'
says '^perf: NOT MEASURED'
says '^energy    24 J of packages and DRAM: .* W, .* GFLOP/s/W$'

# The report has them, too: 8 bytes a word counted are known from the columns.
expect 0 run 3d --n 48 --hwc perf --cache 1728 --out shown
expect 0 report shown --out shown.html
words=$(($(field nvm_read_words_total shown/runs.csv) +
	$(field dram_read_words_total shown/runs.csv)))
says "hardware read <b>$(awk "BEGIN { printf \"%.3g\", \
	4 * 64 * 10100 / (8 * $words) }") times</b> the bytes counted" shown.html
says 'joules a run' shown.html
says 'Counted was: NOT MEASURED; recorded: dram and pmm of whole sockets' \
	shown.html

echo '{"cases": [{"algorithm": "3d", "n": [16, 32], "hwc": ["off", "perf"]}]}' \
	>suite.json
expect 0 suite suite.json --csv suite.csv
is hwc_read_bytes $((4 * 64 * 10100)) suite.csv

expect 0 run 3d --n 48 --store null --hwc perf --csv null.csv
is hwc_note 'nothing was moved' null.csv
is hwc_backend '' null.csv

# ---- This machine ----

unset ASLANT_HWC_RECORDED
code=3
expect 0 list counters
for name in likwid perf; do
	if grep -A1 "^$name " out | grep -q 'not here: .'; then
		refused "no hardware counters by $name, which was asked for: ..*" \
			run 3d --n 8 --hwc $name
		refused "no hardware counters by $name, which was asked for: ..*" \
			run 3d --n 8 --hwc $name --ranks 2 --launch
	fi
done
wait

# no_counters FILE: none, and a reason for either backend
no_counters() {
	for name in backend read_bytes write_bytes miss_bytes sockets; do
		is hwc_$name '' "$1"
	done
	grep -q '"' "$1" && fail "something in $1 is quoted"
	case "$(field hwc_note "$1")" in
	"likwid: "?*"; perf: "?*) ;;
	*) fail "hwc_note is '$(field hwc_note "$1")'" ;;
	esac
}

expect 0 run 3d --n 48 --csv auto.csv
[ "$(grep -c 'not here' out)" -lt 2 ] || no_counters auto.csv
expect 0 run 3d --n 48
if grep -q '^bytes ' out && ! "$aslant" list counters | grep -q ' here: '; then
	fail "bytes that were not counted"
fi

# Nor is /sys needed: in some containers it is empty.
if unshare -m sh -c 'mount -t tmpfs none /sys' 2>/dev/null; then
	unshare -m sh -c 'mount -t tmpfs none /sys && exec "$@"' - \
		"$aslant" run 3d --n 48 --csv bare.csv 2>err ||
		fail "without /sys: $(cat err)"
	no_counters bare.csv
else
	echo "not checked without /sys: mounting is not permitted"
fi

[ ! -e failed ]
