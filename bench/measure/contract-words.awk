# contract-words.awk -- rows of the suite contractions as a table
#
# Limits on the median, and on the case with 1000 ranks.  The paper's figures are
# in its text, which has no others; they are bytes measured on a cluster.
BEGIN {
	FS = ","
	cases = 0
	add("i=1024;j=1024;k=1024", "MMM 1024^3", 1.05, 1.05, "1.00")
	add("i=1024;j=1024;k=1024;l=1024", "MTTKRP 1024^4", 1.15, 1.10, "1.4")
	add("i=1;j=16777216;k=1", "MMM 1x2^24x1", 0, 0, "more")
	add("i=2048;j=10;k=10;l=2048", "2048x10x10x2048", 0, 0, "1.15")
}

function add(dims, title, median, last, paper) {
	number[dims] = ++cases
	name[cases] = title
	most[cases] = median
	most_last[cases] = last
	papers[cases] = paper
}

function failed(text) {
	print "FAILED: " text
	code = 1
}

# Commas within quotes do not separate fields.
{
	line = ""
	while (match($0, /"[^"]*"/)) {
		quoted = substr($0, RSTART + 1, RLENGTH - 2)
		gsub(",", ";", quoted)
		line = line substr($0, 1, RSTART - 1) quoted
		$0 = substr($0, RSTART + RLENGTH)
	}
	$0 = line $0
}

NR == 1 {
	for (i = 1; i <= NF; i++)
		at[$i] = i
	next
}

{
	c = number[$at["dims"]]
	P = $at["ranks"]
	if (!(P in seen)) {
		seen[P] = 1
		rank[++sizes] = P
	}
	words[c, P] = $at["bh_words_max"]
	ratio[c, ++found[c]] = times[c, P] = $at["net_bound_ratio"]
	if ($at["predicted_equal"] != 1)
		failed(name[c] " on " P " ranks is not counted as predicted")
	if (times[c, P] < 1)
		failed(name[c] " on " P " ranks is below the bound")
}

function median(c,   i, j, x) {
	for (i = 2; i <= found[c]; i++)
		for (j = i; j > 1 && ratio[c, j - 1] > ratio[c, j]; j--) {
			x = ratio[c, j]
			ratio[c, j] = ratio[c, j - 1]
			ratio[c, j - 1] = x
		}
	i = int((found[c] + 1) / 2)
	return (ratio[c, i] + ratio[c, found[c] + 1 - i]) / 2
}

function check(c, what, x, most) {
	if (most && !(x <= most))
		failed(sprintf("%s, %s: %.4f, to be at most %.2f", name[c], \
			       what, x, most))
}

END {
	if (!sizes) {
		failed("no rows")
		exit code
	}
	print "Words of the busiest rank, and how many times the lower bound:\n"
	printf "%6s", "ranks"
	for (c = 1; c <= cases; c++)
		printf "%18s", name[c]
	for (i = 1; i <= sizes; i++) {
		printf "\n%6d", rank[i]
		for (c = 1; c <= cases; c++)
			printf "%10d%8.3f", words[c, rank[i]], times[c, rank[i]]
	}
	printf "\n%6s", "median"
	for (c = 1; c <= cases; c++)
		printf "%18.3f", half[c] = median(c)
	printf "\n%6s", "paper"
	for (c = 1; c <= cases; c++)
		printf "%18s", papers[c]
	print "\n\nThe paper's are for 1000 ranks.  A dot product's only word " \
	      "is received before it\nis passed on: two, where the bound " \
	      "is one."
	for (c = 1; c <= cases; c++) {
		check(c, "median", half[c], most[c])
		check(c, "with " rank[sizes] " ranks", \
		      times[c, rank[sizes]], most_last[c])
	}
	exit code
}
