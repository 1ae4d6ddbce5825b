# emulation.awk -- compare measured times with counted words times cost, from
# rows of runs.csv with several repetitions a case; see bench/measure/emulation
BEGIN { FS = "," }
NR == 1 {
	for (i = 1; i <= NF; i++)
		column[$i] = i
	printf "%-16s %-20s %9s %9s %7s %9s %10s %6s\n", "profile",
		"algorithm", "memory s", "words s", "off", "wall s",
		"predicted", "error"
	next
}

function of(name) { return $(column[name]) }

function median(values, count,    i, j, x) {
	for (i = 2; i <= count; i++)
		for (j = i; j > 1 && values[j - 1] > values[j]; j--) {
			x = values[j]
			values[j] = values[j - 1]
			values[j - 1] = x
		}
	return count % 2 ? values[(count + 1) / 2] \
		: (values[count / 2] + values[count / 2 + 1]) / 2
}

function conclude(    memory, off, wall) {
	if (!count)
		return
	memory = median(io, count)
	wall = median(walls, count)
	off = memory / words - 1
	printf "%-16s %-20s %9.4f %9.4f %6.1f%% %9.4f %10.4f %5.1f%%\n",
		profile, algorithm, memory, words, 100 * off, wall, q,
		100 * median(errors, count)
	bad += off > 0.05 || off < -0.001
	if (profile == last_profile)
		wrong += (wall > last_wall) != (q > last_q)
	last_profile = profile
	last_wall = wall
	last_q = q
	count = 0
}

of("run_id") != run {
	conclude()
	run = of("run_id")
	profile = of("emulated")
	algorithm = of("algorithm") " " of("kernel")
	words = 1e-9 * (of("r") * (of("nvm_read_words_max") + \
		of("nvm_lift_words_max")) + of("w") * \
		(of("nvm_write_words_max") + of("nvm_land_words_max")))
	q = 1e-9 * of("predicted_q_full_max")
}

{
	count++
	io[count] = of("io_s") - of("io_queued_s")
	walls[count] = of("wall_s")
	errors[count] = of("emulation_error")
}

END {
	conclude()
	printf "\n%d off by more than 5%%, %d out of order\n", bad, wrong
	exit bad || wrong
}
