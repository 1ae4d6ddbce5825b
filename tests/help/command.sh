# shellcheck shell=bash
# command.sh -- for scripts that test the command: runs it, and judges what it says
#
# To be sourced.  ASLANT is the command; the script goes on in an empty directory,
# with `python` one that has NumPy, and ends with [ ! -e failed ].  To preload
# tests/help/faults.c is to preload $faults.

# Columns of runs.csv that may differ whenever it is run again, for Python scripts.
export measured
measured=$(sed -nE 's/^(TEXT|COUNT|NUMBER)\((\w+), VARIES,.*/\2/p' \
	"$(dirname "${BASH_SOURCE[0]}")/../../bench/library/columns.def" | xargs)

aslant=${ASLANT:?}
work=$(mktemp -d)
trap '[ $BASHPID != $$ ] || rm -rf "$work"' EXIT # not in what it starts
cd "$work" || exit
mkdir said
sanitizer=$(ldd "$aslant" | awk '/libasan/ {print $3}')
faults="$sanitizer ${BUILD-}/tests/libfaults.so" # it has to be the first
cases=0
out=out err=err code=2

# The system's comes first: others may start by way of scripts.
for python in /usr/bin/python3 python3; do
	"$python" -c 'import numpy' 2>/dev/null && break
done

fail() {
	echo "$(basename "$0" .sh): $*" | tee -a failed
}

# expect CODE ARGUMENTS...: to $out and $err
expect() {
	local expected=$1 status
	shift
	timeout 60 "$aslant" "$@" >$out 2>$err </dev/null
	status=$?
	[ $status = "$expected" ] ||
		fail "$*: exit code $status, expected $expected: $(cat $err)"
}

# Exit code $code, one line, nothing on stdout.
refuse() {
	local pattern=$1
	shift
	expect "$code" "$@"
	[ "$(wc -l <$err)" = 1 ] || fail "$*: not one line on stderr"
	grep -q -e "^aslant: .*$pattern" $err ||
		fail "$*: found '$(cat $err)', expected '$pattern'"
	[ ! -s $out ] || fail "$*: something on stdout"
}

# until_true SECONDS COMMAND...: false if it is not true by then
until_true() {
	local until=$((SECONDS + $1))
	shift
	until "$@"; do
		[ $SECONDS -le $until ] || return 1
		sleep 0.01
	done
}

# ready PID SIGNAL: does this process catch it by now?  Before that, SIGNAL would
# end it without a word, or wait.
ready() {
	local bit=$((1 << ($(kill -l "$2") - 1))) status caught blocked
	# Before exec this is a shell, which catches signals, too: look in this order.
	[ "/proc/$1/exe" -ef "$aslant" ] &&
		status=$(cat "/proc/$1/status" 2>/dev/null) || return 1
	caught=$(sed -n 's/^SigCgt:[[:space:]]*//p' <<<"$status")
	blocked=$(sed -n 's/^SigBlk:[[:space:]]*//p' <<<"$status")
	[ $((0x${caught:-0} & bit)) != 0 ] && [ $((0x${blocked:-0} & bit)) = 0 ]
}

# refused PATTERN ARGUMENTS...; several at once
refused() {
	cases=$((cases + 1))
	while [ "$(jobs -rp | wc -l)" -ge 12 ]; do
		wait -n
	done
	out=said/$cases.out err=said/$cases.err
	refuse "$@" &
	out=out err=err
}

# field NAME FILE: of the last row; fields may be quoted.  (Python would take ten
# times as long, several hundred times.)
field() {
	awk -v name="$1" '
		# The row as cells 1, 2, ...; returns how many.
		function cut(row, cell, n, x, more) {
			for (more = 1; more; row = substr(row, RLENGTH + 2)) {
				if (match(row, /^"([^"]|"")*"/)) {
					x = substr(row, 2, RLENGTH - 2)
					gsub(/""/, "\"", x)
				} else {
					match(row, /^[^,]*/)
					x = substr(row, 1, RLENGTH)
				}
				more = substr(row, RLENGTH + 1, 1) == ","
				cell[++n] = x
			}
			return n
		}
		{ sub(/\r$/, "") }
		NR == 1 { head = $0 }
		{ last = $0 }
		END {
			cut(last, value)
			for (i = cut(head, names); i > 0; i--)
				if (names[i] == name) {
					print value[i]
					exit
				}
			print "there is no column " name >"/dev/stderr"
		}' "$2"
}

# is NAME EXPECTED FILE
is() {
	local found
	found=$(field "$1" "$3")
	[ "$found" = "$2" ] || fail "$3: $1 is '$found', expected '$2'"
}

says() {
	grep -q -e "$1" "${2:-out}" ||
		fail "expected '$1' in $(head -c 2000 "${2:-out}")"
}
