# fig5.awk -- compare rows of the suite fig5 with the figure
#
#	awk -f fig5.awk fig5-golden.csv sim.csv [real.csv]
#
# A joint cost Q = r B_r + w B_w + beta B_h differs from the figure's for reasons
# that can be calculated one by one, each step from one formula to the next:
#
#   horizontal	grid	the paper's formula on the integer grid
#		steps	collectives as they are: a rank keeps its own share, and
#			only the root of a broadcast or reduction moves 2 (1 - 1/p)
#		rest	whole rounds, tiles and shares
#   vertical	grid	the paper's formula on the integer grid
#		tile	VOMM's tile is floor(sqrt(S/3)) wide; COWE reads C back
#			wherever it has cut k, which the paper leaves out
#		rest	blocks that tiles do not divide; COWE's uneven halves
#
# The methods must be in the figure's order, except in pairs with 25d-cowe, of
# whose cost the figure has only the leading term.  For a pair in another order
# the parts of both costs are printed.  Methods that cost the same in the figure
# may differ by 5%.
BEGIN {
	FS = ","
	command["JOMMA"] = "jomma"
	command["2.5DL3ooL2"] = "25d-mml3ool2"
	command["2.5D-COWE"] = "25d-cowe"
	command["SUMMAL3ooL2"] = "summa-l3ool2"
	methods = split("jomma 25d-mml3ool2 25d-cowe summa-l3ool2", method, " ")
	ours = 4 + 1
	method[ours] = "fused"
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
		about[$1] = "P " $3 ", S " $4 ", M " $5 ", r " $6 ", w " $7 \
			", beta " $8 ", " $9 " memory"
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
	joint[at] = $column["q_apm_max"] + 0
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

# VOMM's tile has whole words; COWE reads C back.
function tile_v(p, n, m, g,   c) {
	if (m != "25d-cowe")
		return paper_writes(p, n, m, g) + \
			2 * r[p] * volume(p, n, g) * sqrt(S[p]) / int(sqrt(S[p] / 3))
	c = (w[p] / r[p]) ^ (2 / 3)
	return (2 * r[p] + (r[p] + w[p]) / c) * sqrt(2 * c + 1) * volume(p, n, g)
}

# ---- Where a difference comes from ----

# Fill part[1..6], which add up to the measured cost minus the figure's.
function take_apart(part, p, n, m,   at, g, h1, h2, v1, v2) {
	at = p SUBSEP n SUBSEP m
	split(grid[at], g, "x")
	h1 = paper_h(p, n, m, g); h2 = steps_h(p, n, m, g)
	v1 = paper_v(p, n, m, g); v2 = tile_v(p, n, m, g)
	part[1] = h1 - gold_h[at]; part[2] = h2 - h1
	part[3] = horizontal[at] - h2
	part[4] = v1 - gold_v[at]; part[5] = v2 - v1
	part[6] = vertical[at] - v2
}

# Rounded, and no -0.
function signed(x) {
	x = x < 0 ? -int(0.5 - x) : int(x + 0.5)
	return sprintf("%+d", x == 0 ? 0 : x)
}

function tell(p, n, m,   part) {
	take_apart(part, p, n, m)
	printf "%7d %-12s  horizontal %s = grid %s, steps %s, rest %s\n", n, m, \
		signed(part[1] + part[2] + part[3]), signed(part[1]), \
		signed(part[2]), signed(part[3])
	printf "%7s %-12s  vertical %s = grid %s, %s %s, rest %s\n", "", "", \
		signed(part[4] + part[5] + part[6]), signed(part[4]), \
		m == "25d-cowe" ? "C read back" : "tile", signed(part[5]), \
		signed(part[6])
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
	printf "%5d %-12s  %-7s %-16s %10d %10d %10d", n, m, grid[at], \
		m == "fused" ? "-" : gold_grid[at], horizontal[at], vertical[at], \
		joint[at]
	if (m == "fused")
		printf " %11s %6s   %5.3f %8d\n", "-", "-", \
			joint[at] / joint[base], memory[at]
	else
		printf " %11.1f %6.3f%s  %5.3f %8d\n", gold[at], \
			joint[at] / gold[at], is_off(at) ? "*" : " ", \
			joint[at] / joint[base], memory[at]
}

function is_off(at) {
	return joint[at] > 1.15 * gold[at] || joint[at] < 0.85 * gold[at]
}

function print_panel(p,   i, j, any) {
	printf "\n(%s) %s\n\n", p, about[p]
	printf "%5s %-12s  %-7s %-16s %10s %10s %10s %11s %6s   %5s %8s\n", "n", \
		"method", "grid", "figure's grid", "beta B_h", "rB_r+wB_w", "Q", \
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
			}
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
	if (x != "25d-cowe" && y != "25d-cowe") {
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
	printf "\n%d cases%s; %d of %d pairs of methods in another order than in " \
		"the figure, all with 25d-cowe%s\n", rows[file], \
		file == 3 ? ", run and simulated" : ", simulated", turned, pairs, \
		has_fused ? sprintf("; fused at most %.3f of jomma", worst_fused) : ""
	for (i = 1; i <= failures; i++)
		print "FAILED: " failure[i]
	if (!failures)
		print "All checks passed."
	exit failures > 0
}
