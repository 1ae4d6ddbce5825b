# shellcheck shell=bash disable=SC2154
# timing.sh -- what programs print and rows say; did others use the cores?
#
# To be sourced.  But for medians and columns `work` names a directory, and for the use of
# cores `cores` says how many there are.

# The median of numbers, a line each.
median() {
	sort -g | awk '{ x[NR] = $1 }
		END { print (x[int((NR + 1) / 2)] + x[int(NR / 2) + 1]) / 2 }'
}

# columns FILE NAME...: these of a CSV, without their names
columns() {
	awk -F, -v names="${*:2}" '
		NR == 1 {
			count = split(names, name, " ")
			for (i = 1; i <= NF; i++)
				at[$i] = i - NF # texts with commas come first
			next
		}
		{
			for (i = 1; i <= count; i++)
				printf "%s%s", $(NF + at[name[i]]), (i < count ? "," : "\n")
		}' "$1"
}

# side_by_side COUNT PROGRAM...: what so many of it print at once, each on its core
side_by_side() {
	local i

	for ((i = 0; i < $1; i++)); do
		taskset -c "$i" "${@:2}" >"$work/side.$i" &
	done
	wait
	cat "$work"/side.*
	rm "$work"/side.*
}

# used: seconds of all cores that were not idle, those of our children of them, and now
used() {
	awk -v hz="$(getconf CLK_TCK)" \
		'$1 == "cpu" { print ($2 + $3 + $4 + $7 + $8 + $9) / hz }' /proc/stat
	times >"$work/times"
	awk '{ gsub(/[ms]/, " "); sum += 60 * $1 + $2 + 60 * $3 + $4 }
		END { print sum }' "$work/times"
	date +%s.%N
}

busy_begin() {
	used >"$work/used"
}

# Sets `busy`: "  busy" where others used more than 4% of the cores since then, or took
# them away.  Not in a subshell, whose own times these would be.
# shellcheck disable=SC2034
busy_end() {
	used >>"$work/used"
	busy=$(awk -v cores="$cores" '
		{ x[NR] = $1 }
		END {
			others = (x[4] - x[1]) - (x[5] - x[2])
			print (others > 0.04 * cores * (x[6] - x[3]) ? "  busy" : "")
		}' "$work/used")
}
