# fig5.awk -- compare rows of the suite fig5 with the figure's formulas
#
#	awk -f fig5.awk fig5-golden.csv sim.csv [real.csv]
#
# Q is that along the critical path, as in the paper's section 3.  It differs from
# the figure's r B_r + w B_w + beta B_h for reasons that can be calculated one by
# one, each step from one formula to the next:
#
#   horizontal	grid	the paper's formula on the integer grid
#		steps	collectives as they are: a rank keeps its own share, and
#			only the root of a broadcast or reduction moves 2 (1 - 1/p)
#		rest	whole rounds, tiles and shares
#   vertical	grid	the paper's formula on the integer grid
#		tile	VOMM's tile is floor(sqrt(S/3)) wide
#		faces	COWE's leaf has three faces that fit into the cache
#		C again	COWE reads C back wherever it has cut k
#		rest	blocks that tiles do not divide; COWE's uneven halves
#   waiting		the path's cost beyond the busiest ranks' words
#
# The methods must be in the figure's order, except in pairs with 25d-cowe, whose
# curve in the figure no leaf can have (README.md), and in pairs that differ
# by less than 5% in the figure.  For a pair in another order the parts of both
# costs are printed.  Methods that cost the same in the figure may differ by 5%.
BEGIN {
	FS = ","
	command["JOMMA"] = "jomma"
	command["2.5DL3ooL2"] = "25d-mml3ool2"
	command["2.5D-COWE"] = "25d-cowe"
	command["SUMMAL3ooL2"] = "summa-l3ool2"
	methods = split("25d-mml3ool2 jomma summa-l3ool2 25d-cowe", method, " ")
	ours = 4 + 1
	method[ours] = "fused"
	title["a"] = "enough memory, 2 w / beta <= 1"
	title["b"] = "enough memory, 1 < 2 w / beta <= sqrt(P)"
	title["c"] = "enough memory, 2 w / beta >= sqrt(P)"
	title["d"] = "limited memory, w / beta <= 1"
	title["e"] = "limited memory, 1 < w / beta < n^2 / M"
	title["f"] = "limited memory, w / beta >= n^2 / M"
}

# ---- Reading ----

FNR == 1 {
	file++
	delete column
	for (i = 1; i <= NF; i++) {
		column[$i] = i
		name[file, i] = $i
	}
	next
}

file == 1 {
	at = $1 SUBSEP $2 SUBSEP command[$10]
	panel_of[$5, $7, $8] = $1
	if (!($1 in about)) {
		panel[++panels] = $1
		about[$1] = title[$1] "\n    P " $3 ", S " $4 ", M " $5 \
			", r " $6 ", w " $7 ", beta " $8
		M[$1] = $5; price[$7 / $6] = 1
		P[$1] = $3; S[$1] = $4; r[$1] = $6; w[$1] = $7; beta[$1] = $8
		enough[$1] = $9 == "enough"
	}
	if (!(($1, $2) in seen)) {
		seen[$1, $2] = 1
		size[$1, ++sizes[$1]] = $2
	}
	gold_grid[at] = sprintf("%.2fx%.2fx%.2f", $11, $12, $13)
	gold_h[at] = $14; gold_v[at] = $15; gold[at] = $16
	next
}

# Rows of the simulation, then those of processes, which the table shows.
{
	p = panel_of[$column["memory_words"], $column["w"], $column["beta"]]
	at = p SUBSEP $column["n"] SUBSEP $column["algorithm"]
	if (file == 3 && !(at in joint))
		fail(at, "was not simulated")
	grid[at] = $column["grid"]
	horizontal[at] = $column["beta"] * $column["bh_words_max"]
	vertical[at] = $column["r"] * $column["read_words_max"] + \
		$column["w"] * $column["write_words_max"]
	joint[at] = $column["q_apm_path"] + 0
	busiest[at] = $column["q_apm_max"] + 0
	memory[at] = $column["memory_high_words"] + 0
	rows[file]++
	if ($column["algorithm"] == "fused")
		has_fused = 1
	if ($column["predicted_equal"] != 1)
		fail(at, "is not counted as predicted")
	if (file == 3 && $column["verified"] != 1)
		fail(at, "is not verified")
	counted = ""
	for (i = column["nvm_read_words_max"]; i <= column["memory_high_words"]; i++)
		counted = counted " " $i
	if (file == 3 && counted != simulated[at])
		fail(at, "counts otherwise than simulated")
	simulated[at] = counted
}

# ---- Formulas ----

function fail(at, what,   part) {
	split(at, part, SUBSEP)
	failure[++failures] = sprintf("%s, n = %d, %s: %s", part[1], part[2], \
		part[3], what)
}

function up(x) {
	return x == int(x) ? x : int(x) + 1
}

# The paper's tables 6 and 7, on any grid.
function paper_h(p, n, m, g) {
	if (m == "summa-l3ool2")
		return beta[p] * 4 * sqrt(3) * n ^ 3 / (P[p] * sqrt(S[p]))
	if (enough[p])
		return beta[p] * n ^ 2 * (1 / (g[1] * g[3]) + 1 / (g[2] * g[3]) + \
			2 / (g[1] * g[2]))
	return beta[p] * n ^ 2 * (3 / (g[1] * g[2]) + 2 / (g[1] * g[3]) + \
		1 / (g[2] * g[3]))
}

function volume(p, n, g) {
	return n ^ 3 / (g[1] * g[2] * g[3] * sqrt(S[p]))
}

function paper_writes(p, n, m, g) {
	if (m == "summa-l3ool2" || enough[p])
		return w[p] * n ^ 2 / (g[1] * g[2])
	return w[p] * n ^ 2 / (g[1] * g[3])
}

function paper_v(p, n, m, g) {
	if (m == "25d-cowe")
		return 3 * sqrt(3) * r[p] ^ (2 / 3) * w[p] ^ (1 / 3) * volume(p, n, g)
	return paper_writes(p, n, m, g) + 2 * sqrt(3) * r[p] * volume(p, n, g)
}

# Collectives as they are implemented, on a grid that divides n.
function steps_h(p, n, m, g,   R, rounds) {
	if (m == "summa-l3ool2")
		return paper_h(p, n, m, g) / 4 * \
			((1 - 1 / g[1]) * (1 + 2 / g[1]) + \
			 (1 - 1 / g[2]) * (1 + 2 / g[2]))
	if (enough[p])
		return beta[p] * n ^ 2 * ((1 - 1 / g[2]) / (g[1] * g[3]) + \
			(1 - 1 / g[1]) / (g[2] * g[3]) + \
			2 * (1 - 1 / g[3]) / (g[1] * g[2]))
	# A rank is the root of one round in Py; of the others it only sends.
	R = up(g[1] / g[3])
	rounds = R * (1 - 1 / g[2]) * (1 + 2 / g[2])
	if (g[2] == 1)
		rounds = 0
	return beta[p] * n ^ 2 * ((2 * (1 - 1 / g[3]) + 1 + R) / (g[1] * g[2]) + \
		rounds / g[1] ^ 2)
}

# VOMM's tile has whole words; COWE's leaves, of depth c times their width, fit.
function tile_v(p, n, m, g,   c) {
	if (m != "25d-cowe")
		return paper_writes(p, n, m, g) + \
			2 * r[p] * volume(p, n, g) * sqrt(S[p]) / int(sqrt(S[p] / 3))
	c = (w[p] / r[p]) ^ (2 / 3)
	return leaf(r[p], w[p], c) * volume(p, n, g)
}

# What a leaf s x s x c s costs a multiplication, times sqrt(S).
function leaf(r, w, c) {
	return (2 * r + w / c) * sqrt(2 * c + 1)
}

function again_v(p, n, m, g,   c) {
	c = (w[p] / r[p]) ^ (2 / 3)
	return m == "25d-cowe" ? r[p] / c * sqrt(2 * c + 1) * volume(p, n, g) : 0
}

# ---- Where a difference comes from ----

# Fill part[1..8], which add up to the measured cost minus the figure's.
function take_apart(part, p, n, m,   at, g, h1, h2, v1, v2, v3) {
	at = p SUBSEP n SUBSEP m
	split(grid[at], g, "x")
	h1 = paper_h(p, n, m, g); h2 = steps_h(p, n, m, g)
	v1 = paper_v(p, n, m, g); v2 = tile_v(p, n, m, g)
	v3 = v2 + again_v(p, n, m, g)
	part[1] = h1 - gold_h[at]; part[2] = h2 - h1
	part[3] = horizontal[at] - h2
	part[4] = v1 - gold_v[at]; part[5] = v2 - v1
	part[6] = v3 - v2; part[7] = vertical[at] - v3
	part[8] = joint[at] - horizontal[at] - vertical[at]
}

# Rounded, and no -0.
function signed(x) {
	x = x < 0 ? -int(0.5 - x) : int(x + 0.5)
	return sprintf("%+d", x == 0 ? 0 : x)
}

function tell(p, n, m,   part) {
	take_apart(part, p, n, m)
	printf "%7d %-12s  horizontal %s = grid %s, steps %s, rest %s; " \
		"waiting %s\n", n, m, signed(part[1] + part[2] + part[3]), \
		signed(part[1]), signed(part[2]), signed(part[3]), \
		signed(part[8])
	printf "%7s %-12s  vertical %s = grid %s, %s %s%s, rest %s\n", "", "", \
		signed(part[4] + part[5] + part[6] + part[7]), \
		signed(part[4]), m == "25d-cowe" ? "faces" : "tile", \
		signed(part[5]), \
		m == "25d-cowe" ? ", C again " signed(part[6]) : "", \
		signed(part[7])
}

# Steps and waiting are of the same collectives.  The reason that moves the cost most in the direction in which it is off.
function why(p, n, m,   part, at, g, i, most, side, block) {
	take_apart(part, p, n, m)
	at = p SUBSEP n SUBSEP m
	side = joint[at] > gold[at] ? 1 : -1
	part[1] += part[4]; part[4] = 0
	part[2] += part[8]
	part[3] += part[7]; part[7] = 0
	most = 1
	for (i = 2; i <= 6; i++)
		if (side * part[i] > side * part[most])
			most = i
	split(grid[at], g, "x")
	block = up(n / g[1])
	if (most == 1)
		return "sqrt(P/c) is no integer: " grid[at] " instead of " \
			gold_grid[at]
	if (most == 5 && m == "25d-cowe")
		return "the figure's leaf does not fit into the cache"
	if (most == 6)
		return "the figure leaves out that C is read back"
	if (most == 3 && m == "25d-cowe")
		return "halves of " block " leave part of the cache empty"
	if (most == 3)
		return "tiles of " int(sqrt(S[p] / 3)) " do not divide blocks of " \
			block
	return most == 2 ? "steps of collectives" : "VOMM's tile is narrower"
}

# ---- Tables ----

function print_row(p, n, m,   at, base) {
	at = p SUBSEP n SUBSEP m
	base = p SUBSEP n SUBSEP "jomma"
	if (!(at in joint)) {
		if (m != "fused" || has_fused)
			fail(at, "there is no row")
		return
	}
	printf "%5d %-12s  %-7s %-16s %10d %10d %10d %10d", n, m, grid[at], \
		m == "fused" ? "-" : gold_grid[at], horizontal[at], vertical[at], \
		busiest[at], joint[at]
	if (m == "fused")
		printf " %11s %6s   %5.3f %8d\n", "-", "-", \
			joint[at] / joint[base], memory[at]
	else {
		bars++
		printf " %11.1f %6.3f%s  %5.3f %8d\n", gold[at], \
			joint[at] / gold[at], is_off(at) ? "*" : " ", \
			joint[at] / joint[base], memory[at]
	}
}

function is_off(at) {
	return joint[at] > 1.15 * gold[at] || joint[at] < 0.85 * gold[at]
}

function print_panel(p,   i, j, any) {
	printf "\n(%s) %s\n\n", p, about[p]
	printf "%5s %-12s  %-7s %-16s %10s %10s %10s %10s %11s %6s   %5s %8s\n", "n", \
		"method", "grid", "figure's grid", "beta B_h", "rB_r+wB_w", "busiest Q", \
		"Q", \
		"figure's Q", "ratio", "jomma", "memory"
	for (i = 1; i <= sizes[p]; i++)
		for (j = 1; j <= ours; j++)
			print_row(p, size[p, i], method[j])
	for (i = 1; i <= sizes[p]; i++)
		for (j = 1; j <= methods; j++)
			if (is_off(p SUBSEP size[p, i] SUBSEP method[j])) {
				if (!any++)
					printf "\n   * off by more than 15%%, " \
						"because of\n"
				tell(p, size[p, i], method[j])
				printf "%7s %-12s  %s\n", "", "", \
					why(p, size[p, i], method[j])
				off[method[j]]++
				off_all++
			}
}

# ---- COWE's curve ----

# The least cost of a leaf that fits: where its derivative by c is 0.
function least_leaf(t,   c) {
	c = (t + sqrt(t * t + 8 * t)) / 4
	return leaf(1, t, c)
}

# A leaf of (S/3)^1.5 multiplications with c = w/r, as the figure has it.
function print_curve(   i, t, c, figure, ours) {
	printf "\nWhat COWE pays a multiplication between cache and memory, " \
		"times sqrt(S) / r\n\n%4s %9s %12s %12s %7s %9s %14s\n", "w/r", \
		"figure's", "its leaf, S", "least that", "ratio", "COWE's", \
		"of it C again"
	printf "%4s %9s %12s %12s\n", "", "", "", "fits"
	for (t = 2; t <= 32; t *= 2) {
		if (!(t in price))
			continue
		c = t ^ (2 / 3)
		figure = 3 * sqrt(3) * t ^ (1 / 3)
		ours = leaf(1, t, c) + sqrt(2 * c + 1) / c
		printf "%4d %9.3f %12.2f %12.3f %7.3f %9.3f %13.0f%%\n", t, \
			figure, (2 * t ^ (1 / 3) + t ^ (-2 / 3)) / 3, \
			least_leaf(t), least_leaf(t) / figure, ours, \
			100 * sqrt(2 * c + 1) / c / (ours - figure)
	}
}

# ---- The paper's sentences ----

# Over the sizes of a panel: the least and the most of a method's Q over jomma's.
function times_jomma(p, m,   i, x, low, high) {
	for (i = 1; i <= sizes[p]; i++) {
		x = gold[p, size[p, i], m] / gold[p, size[p, i], "jomma"]
		low = i == 1 || x < low ? x : low
		high = x > high ? x : high
	}
	return sprintf("%.2f to %.2f", low, high)
}

function print_sentences(   i, n, j, m) {
	printf "\nWhat the figure's formulas say of sentences about it\n\n"
	printf "%-46s (b) %s, (e) %s\n", "2.5DL3ooL2 costs 1.3 times jomma", \
		times_jomma("b", "25d-mml3ool2"), times_jomma("e", "25d-mml3ool2")
	printf "%-46s (c) %s, (f) %s\n", "SUMMAL3ooL2 costs 3 times jomma", \
		times_jomma("c", "summa-l3ool2"), times_jomma("f", "summa-l3ool2")
	printf "%-46s (c) %s, (f) %s\n", "2.5D-COWE costs 2.1 times jomma", \
		times_jomma("c", "25d-cowe"), times_jomma("f", "25d-cowe")
	printf "%-46s (c) %s, (f) %s\n", "2.5DL3ooL2 costs 1.3 times jomma", \
		times_jomma("c", "25d-mml3ool2"), times_jomma("f", "25d-mml3ool2")
	for (i = 1; i <= panels; i++)
		for (j = 1; j <= sizes[panel[i]]; j++)
			judge_size(panel[i], size[panel[i], j])
}

# Lowest horizontal cost, VOMM below COWE, memory for the operands.
function judge_size(p, n,   h, v, x) {
	h = gold_h[p, n, "jomma"]; x = gold_h[p, n, "25d-mml3ool2"]
	if (h < x)
		printf "%-46s (%s) %d: jomma's is %.0f, 2.5D's %.0f\n", \
			"2.5D has the lowest horizontal cost", p, n, h, x
	v = gold_v[p, n, "25d-mml3ool2"]; x = gold_v[p, n, "25d-cowe"]
	if (v > x)
		printf "%-46s (%s) %d: VOMM's is %.0f, COWE's %.0f\n", \
			"VOMM's vertical cost is below COWE's", p, n, v, x
	x = 3 * n * n / P[p]
	if (x > M[p])
		printf "%-46s (%s) %d: 3 n^2 / P is %d, M %d\n", \
			"M >= 3 n^2 / P", p, n, x, M[p]
}

# ---- Checks ----

function check_jomma(p, n,   at) {
	at = p SUBSEP n SUBSEP "jomma"
	if (joint[at] > 1.15 * gold[at])
		fail(at, sprintf("%.0f is more than 15%% above the figure's %.0f", \
			joint[at], gold[at]))
}

function check_fused(p, n,   at, base) {
	at = p SUBSEP n SUBSEP "fused"
	base = p SUBSEP n SUBSEP "jomma"
	if (!(at in joint))
		return
	if (joint[at] > 0.68 * joint[base])
		fail(at, sprintf("%.0f is %.3f of jomma's, expected 0.68 at most", \
			joint[at], joint[at] / joint[base]))
	if (memory[at] > memory[base])
		fail(at, sprintf("held %d words, jomma %d", memory[at], memory[base]))
	if (joint[at] / joint[base] > worst_fused)
		worst_fused = joint[at] / joint[base]
}

# In the figure x costs no more than y.
function check_pair(p, n, x, y,   at, to) {
	at = p SUBSEP n SUBSEP x
	to = p SUBSEP n SUBSEP y
	pairs++
	if (gold[at] == gold[to]) {
		if (joint[at] > 1.05 * joint[to] || joint[to] > 1.05 * joint[at])
			fail(at, sprintf("%.0f is not about the same as %s's %.0f", \
				joint[at], y, joint[to]))
		return
	}
	if (joint[at] < joint[to])
		return
	if (x != "25d-cowe" && y != "25d-cowe" && \
	    gold[to] >= 1.05 * gold[at]) {
		fail(at, sprintf("%.0f is not less than %s's %.0f", joint[at], y, \
			joint[to]))
		return
	}
	if (!turned++)
		printf "\nIn another order than in the figure, because of\n"
	printf "\n(%s) %d: %s %.0f, %s %.0f; in the figure %.0f, %.0f\n", p, n, x, \
		joint[at], y, joint[to], gold[at], gold[to]
	tell(p, n, x)
	tell(p, n, y)
}

function check_order(p, n,   i, j, x, y) {
	for (i = 1; i <= methods; i++)
		for (j = i + 1; j <= methods; j++) {
			x = method[i]; y = method[j]
			if (gold[p, n, x] <= gold[p, n, y])
				check_pair(p, n, x, y)
			else
				check_pair(p, n, y, x)
		}
}

END {
	for (i = 1; i <= panels; i++)
		print_panel(panel[i])
	for (i = 1; i <= panels; i++)
		for (j = 1; j <= sizes[panel[i]]; j++) {
			check_jomma(panel[i], size[panel[i], j])
			check_fused(panel[i], size[panel[i], j])
			check_order(panel[i], size[panel[i], j])
		}
	if (file == 3 && rows[3] != rows[2])
		failure[++failures] = sprintf("%d rows, %d simulated", rows[3], \
			rows[2])
	print_curve()
	print_sentences()
	printf "\n%d of %d bars off the figure by more than 15%%", off_all, bars
	for (j = 1; j <= methods; j++)
		printf "%s %d of %s", j == 1 ? ":" : ",", off[method[j]], method[j]
	printf "\n%d cases%s; %d of %d pairs of methods in another order than in " \
		"the figure%s\n", rows[file], \
		file == 3 ? ", run and simulated" : ", simulated", turned, pairs, \
		has_fused ? sprintf("; fused at most %.3f of jomma", worst_fused) : ""
	for (i = 1; i <= failures; i++)
		print "FAILED: " failure[i]
	if (!failures)
		print "All checks passed."
	exit failures > 0
}
