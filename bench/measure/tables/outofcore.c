/*
 * outofcore.c -- tables 9, 10 and 11 of the out-of-core paper, beside the model
 *
 *	tables-outofcore CELLS.csv
 *
 * A line a cell: what was printed, what the model gives, by how much that
 * differs, and why, where it is more than the last digit.
 * bench/measure/outofcore-tables knows where the cells are.
 */
#include "bench/measure/tables/cell.h"

static const char *tiles_text(const struct cell *c)
{
	if (strcmp(c->tiles, "ideal") == 0)
		return "real counts of tiles";
	if (strcmp(c->tiles, "beyond") == 0)
		return "counts floor(N) + 1; what fits is read once";
	return "the best whole counts of tiles";
}

static void head(const struct cell *c)
{
	printf("\nTable %s: %d words of 8 bytes a tile, %s\n\n", c->table,
	       (int)c->model.tile, tiles_text(c));
	printf("%-20s %-22s %-10s %14s %14s %9s\n", "problem", "method", "",
	       "paper", "model", "off");
}

static bool print_cell(const struct cell *c)
{
	double ours = cell_ours(c), paper = strtod(c->paper, NULL);
	bool agrees = cell_agrees(c, ours);

	printf("%-20s %-22s %c %-8s %14s %14.*f %8.2f%%", c->what, c->method,
	       *c->quantity, c->unit, c->paper,
	       (int)lrint(-log10(cell_unit(c))), ours,
	       100 * (ours / paper - 1));
	if (!agrees)
		printf("  %s", *c->why ? c->why : "unexplained");
	printf("\n");
	return agrees || *c->why;
}

int main(int argc, char **argv)
{
	FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
	struct cell c;
	char columns[512], table[8] = "";
	int cells = 0, known = 0, agree = 0;

	if (!file || !fgets(columns, sizeof columns, file)) {
		fprintf(stderr,
			"tables-outofcore: cannot read %s, expected a "
			"file of cells\n",
			argc == 2 ? argv[1] : "nothing");
		return 2;
	}
	while (cell_read(file, &c)) {
		if (strcmp(c.table, table) != 0)
			head(&c);
		snprintf(table, sizeof table, "%s", c.table);
		cells++;
		known += print_cell(&c);
		agree += cell_agrees(&c, cell_ours(&c));
	}
	fclose(file);
	printf("\n%d cells: %d as printed, %d differ\n", cells, agree,
	       cells - agree);
	return known == cells ? 0 : 1;
}
