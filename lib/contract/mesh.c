/*
 * mesh.c -- cells, the groups that share a slice, and what they move
 */
#include "lib/contract/mesh.h"

#include "lib/rank/collective.h"

int asl_mesh_ranks(const struct asl_einsum *e, const struct asl_mesh *mesh)
{
	int ranks = 1;

	for (int i = 0; i < e->indices; i++)
		ranks *= mesh->p[i];
	return ranks;
}

struct asl_cell asl_mesh_cell(const struct asl_einsum *e,
			      const struct asl_mesh *mesh, int rank)
{
	struct asl_cell cell;

	for (int i = e->indices - 1; i >= 0; i--) {
		cell.at[i] = rank % mesh->p[i];
		cell.of[i] = asl_part(e->size[i], mesh->p[i], cell.at[i]);
		rank /= mesh->p[i];
	}
	return cell;
}

uint64_t asl_cell_words(const struct asl_cell *cell, const struct asl_term *t)
{
	uint64_t words = 1;

	for (int i = 0; i < t->count; i++)
		words *= cell->of[t->index[i]].count;
	return words;
}

/* The group of a cell's slice: how many there are, and which of them this is. */
static struct asl_group group_of(const struct asl_einsum *e,
				 const struct asl_mesh *mesh,
				 const struct asl_term *t,
				 const struct asl_cell *cell)
{
	struct asl_group g = {.stride = 1, .size = 1};

	for (int i = 0; i < e->indices; i++) {
		if (asl_term_has(t, i))
			continue;
		g.me = g.me * mesh->p[i] + cell->at[i];
		g.size *= mesh->p[i];
	}
	return g;
}

/* Add a dimension: ranks already there, once for every step along it. */
static void widen(int *list, int size, int parts, int stride)
{
	for (int i = size - 1; i >= 0; i--)
		for (int j = parts - 1; j >= 0; j--)
			list[i * parts + j] = list[i] + j * stride;
}

static void list_group(int *list, const struct asl_einsum *e,
		       const struct asl_mesh *mesh, const struct asl_term *t,
		       const struct asl_cell *cell)
{
	int stride = asl_mesh_ranks(e, mesh), size = 1;

	list[0] = 0;
	for (int i = 0; i < e->indices; i++) {
		stride /= mesh->p[i];
		if (asl_term_has(t, i)) {
			for (int j = 0; j < size; j++)
				list[j] += cell->at[i] * stride;
			continue;
		}
		widen(list, size, mesh->p[i], stride);
		size *= mesh->p[i];
	}
}

struct asl_group asl_mesh_group(const struct asl_einsum *e,
				const struct asl_mesh *mesh,
				const struct asl_term *t, int rank, int *list)
{
	struct asl_cell cell = asl_mesh_cell(e, mesh, rank);
	struct asl_group g = group_of(e, mesh, t, &cell);

	g.list = list;
	if (list)
		list_group(list, e, mesh, t, &cell);
	return g;
}

struct asl_range asl_mesh_share(const struct asl_einsum *e,
				const struct asl_mesh *mesh,
				const struct asl_term *t, int rank)
{
	struct asl_cell cell = asl_mesh_cell(e, mesh, rank);
	struct asl_group g = group_of(e, mesh, t, &cell);

	return asl_share(asl_cell_words(&cell, t), g.size, g.me);
}

uint64_t asl_mesh_words(const struct asl_einsum *e, const struct asl_mesh *mesh,
			int rank)
{
	struct asl_cell cell = asl_mesh_cell(e, mesh, rank);
	struct asl_counts x = {{0}};

	for (int i = 0; i <= e->inputs; i++) {
		const struct asl_term *t = &e->term[i];
		struct asl_group g = group_of(e, mesh, t, &cell);
		uint64_t W = asl_cell_words(&cell, t);

		if (i < e->inputs)
			asl_predict_allgather(&x, W, g.size, g.me, ASL_DRAM);
		else
			asl_predict_reduce_scatter(&x, W, g.size, g.me,
						   ASL_DRAM, ASL_DRAM);
	}
	return x.of[ASL_BH];
}

uint64_t asl_mesh_busiest(const struct asl_einsum *e,
			  const struct asl_mesh *mesh)
{
	int ranks = asl_mesh_ranks(e, mesh);
	uint64_t most = 0;

	for (int r = 0; r < ranks; r++)
		most = asl_larger(most, asl_mesh_words(e, mesh, r));
	return most;
}

uint64_t asl_mesh_volume(const struct asl_einsum *e,
			 const struct asl_mesh *mesh)
{
	uint64_t volume = 1;

	for (int i = 0; i < e->indices; i++)
		if (asl_einsum_all(e) >> i & 1)
			volume *=
				asl_ceil_div(e->size[i], (uint64_t)mesh->p[i]);
	return volume;
}
