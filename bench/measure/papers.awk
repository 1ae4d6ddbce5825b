# papers.awk -- Q over the joint bound, a table for each memory and number of ranks
#
# Rows on stdin: memory ranks w beta algorithm kernel Q bound.
BEGIN {
	print "Tables 4 and 5: Q on the critical path over the joint bound, " \
	      "n = 512, S = 1024, r/beta = 1/4"
}

{
	name = $6 == "tight" && $5 != "fused" ? $5 "/tight" : $5
	where = $1 " " $2
	if (!((where, name) in known)) {
		known[where, name] = 1
		if (!(where in columns))
			place[++places] = where
		column[where, ++columns[where]] = name
	}
	x = $3 / $4
	if (!(x in seen)) {
		seen[x] = 1
		price[++prices] = x
	}
	ratio[where, name, x] = $7 / $8
}

END {
	for (p = 1; p <= places; p++) {
		split(place[p], words, " ")
		printf "\nM = %d, P = %d\n\n%7s", words[1], words[2], "w/beta"
		for (c = 1; c <= columns[place[p]]; c++)
			printf "%14s", column[place[p], c]
		for (i = 1; i <= prices; i++) {
			printf "\n%7g", price[i]
			for (c = 1; c <= columns[place[p]]; c++)
				printf "%14.3f", ratio[place[p], \
					column[place[p], c], price[i]]
		}
		print ""
	}
}
