# shellcheck shell=bash disable=SC2154
# timing.sh -- medians, and did other programs use the cores?
#
# To be sourced.  For the second `work` names a directory, `cores` a number.

# The median of numbers, a line each.
median() {
	sort -g | awk '{ x[NR] = $1 }
		END { print (x[int((NR + 1) / 2)] + x[int(NR / 2) + 1]) / 2 }'
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
