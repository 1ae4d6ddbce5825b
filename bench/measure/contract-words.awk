# contract-words.awk -- rows of the suites contractions and contractions-weak as tables
#
# Two metrics, each under its own name.  The busiest rank's words: what it sends or
# receives, if operands begin, and the result ends, spread over all ranks.  All
# words, the paper's: the slices that all ranks need and make, if all data begins and
# ends on rank 0; those are the words that all ranks send from even shares, and every
# operand and the result once more.  The bound on them is P times that on a rank's
# slices, which is the other one and the P-th part of all operands.
#
# Limits on the median, and on the case with 1000 ranks, are the busiest rank's; one
# more is on all words of a cube on 1000 ranks, which no grid cuts more evenly.  The
# paper's figures are in its text, which has no others: bytes measured on a cluster,
# in its own metric.
BEGIN {
	FS = ","
	cases = weak = 0
	add("i=1024;j=1024;k=1024", "MMM 1024^3", 1.05, 1.05, "1.00")
	add("i=1024;j=1024;k=1024;l=1024", "MTTKRP 1024^4", 1.15, 1.10, "1.4")
	add("i=1;j=16777216;k=1", "MMM 1x2^24x1", 0, 0, "more")
	add("i=2048;j=10;k=10;l=2048", "2048x10x10x2048", 0, 0, "1.15")
	name["weak MMM"] = "MMM S^3"
	name["weak MTTKRP"] = "MTTKRP S^4"
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

# Words of all operands and the result, by the sizes of their indices.
function operand_words(spec, dims,   part, terms, size, i, j, n, words, all) {
	n = split(dims, part, ";")
	for (i = 1; i <= n; i++)
		size[substr(part[i], 1, 1)] = substr(part[i], 3)
	sub("->", ";", spec)
	n = split(spec, terms, ";")
	for (i = 1; i <= n; i++) {
		words = 1
		for (j = 1; j <= length(terms[i]); j++)
			words *= size[substr(terms[i], j, 1)]
		all += words
	}
	return all
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

# Weak scaling has a row for each size S, the others one for each number of ranks.
{
	P = $at["ranks"]
	c = number[$at["dims"]]
	x = P
	if ($at["label"] in name) {
		c = $at["label"]
		split($at["dims"], sides, /[=;]/)
		x = sides[2]
		if (!(x in size_seen)) {
			size_seen[x] = 1
			side[++weak] = x
		}
	} else if (!(P in seen)) {
		seen[P] = 1
		rank[++sizes] = P
	}
	words[c, x] = $at["bh_words_max"]
	ratio[c, ++found[c]] = times[c, x] = $at["net_bound_ratio"]
	once = operand_words($at["spec"], $at["dims"])
	all[c, x] = $at["net_send_words_total"] + once
	all_times[c, x] = all[c, x] / (P * $at["net_bound_words"] + once)
	of = name[c] " on " P " ranks"
	if (c != number[$at["dims"]])
		of = of ", S = " x
	if ($at["predicted_equal"] != 1)
		failed(of " is not counted as predicted")
	if (times[c, x] < 1)
		failed(of " is below the bound")
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

function heads(first,   c) {
	printf "%6s", first
	for (c = 1; c <= cases; c++)
		printf "%20s", name[c]
}

function strong(   i, c) {
	print "Words of the busiest rank, all data spread over the ranks, and " \
	      "how many times\nthe lower bound:\n"
	heads("ranks")
	for (i = 1; i <= sizes; i++) {
		printf "\n%6d", rank[i]
		for (c = 1; c <= cases; c++)
			printf "%12d%8.3f", words[c, rank[i]], times[c, rank[i]]
	}
	printf "\n%6s", "median"
	for (c = 1; c <= cases; c++)
		printf "%20.3f", half[c] = median(c)
	print "\n\nA dot product's only word is received before it is passed " \
	      "on: two, where the\nbound is one.\n\n" \
	      "Figs. 1 to 4 of the paper, in its metric: words of all ranks, " \
	      "all data on rank 0,\nand how many times P times the least " \
	      "slices of a rank.  Idle ranks need none.\n"
	heads("ranks")
	for (i = 1; i <= sizes; i++) {
		printf "\n%6d", rank[i]
		for (c = 1; c <= cases; c++)
			printf "%12.5g%8.4f", all[c, rank[i]], \
				all_times[c, rank[i]]
	}
	printf "\n%6s", "paper"
	for (c = 1; c <= cases; c++)
		printf "%20s", papers[c]
	print "\n\nThe paper's are for 1000 ranks."
	check(1, "all words", all_times[1, rank[sizes]], 1.0005)
	for (c = 1; c <= cases; c++) {
		check(c, "median", half[c], most[c])
		check(c, "with " rank[sizes] " ranks", \
		      times[c, rank[sizes]], most_last[c])
	}
}

function weak_table(   i, n, c, x) {
	print "Figs. 5 and 6 of the paper: 1000 ranks, all indices of size S.  " \
	      "Words of the\nbusiest rank, all data spread; and, in the " \
	      "paper's metric, of all ranks, all data\non rank 0; each with " \
	      "its lower bound:\n"
	printf "%6s%44s%44s\n%6s", "", name["weak MMM"], name["weak MTTKRP"], "S"
	for (n = 1; n <= 2; n++)
		printf "%14s%8s%14s%8s", "busiest rank", "times", "all ranks", "times"
	for (i = 1; i <= weak; i++) {
		x = side[i]
		printf "\n%6d", x
		for (n = 1; n <= 2; n++) {
			c = n == 1 ? "weak MMM" : "weak MTTKRP"
			printf "%14d%8.4f%14.5g%8.4f", words[c, x], \
				times[c, x], all[c, x], all_times[c, x]
			check(c, "all words, S = " x, all_times[c, x], 1.0005)
		}
	}
	print ""
}

END {
	if (!sizes && !weak) {
		failed("no rows")
		exit code
	}
	if (sizes)
		strong()
	if (weak)
		weak_table()
	exit code
}
