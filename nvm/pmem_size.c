/*
 * pmem_size.c -- how large a pool must be
 *
 * A libpmemobj pool is a head with 1024 lanes, then zones of at most 65528
 * chunks of 256 KiB, each zone with 512 KiB in front that describe its chunks.
 * Objects of up to 1.5 chunks share runs of chunks with others of their size
 * class, and what fits depends on the mixture.  Pieces are therefore never
 * smaller than two chunks, and so are always whole chunks, of which 64 bytes
 * at most are libpmemobj's and 48 go to alignment:
 *
 *	chunks(w)	= max(2, ceil((8 w + 112) / 256 Ki))
 *	any split	< 8 words / 256 Ki + 2 pieces + chunks of the root
 *	pool		= 3.06 MiB + 512 KiB zones + 256 KiB chunks,
 *			  in full 2 MiB, at least 8 MiB
 *
 * A piece lies in one zone.  As long as one zone holds all, that is exact.
 * Beyond it, pieces leave gaps at the ends of zones: libpmemobj opens a zone
 * only for a piece that fits in none before, so any two of Z used zones hold
 * more than one zone's worth, C chunks, hence all of them T > C Z / 2, and
 * Z = ceil(2 T / C) - 1 zones are enough for every order and split.
 */
#include "nvm/pool.h"

#define CHUNK_BYTES (UINT64_C(256) << 10)
#define ZONE_HEAD_BYTES (UINT64_C(512) << 10)
#define ZONE_CHUNKS UINT64_C(65528)

/* Two pages of descriptions, the lanes, the heap's own head; pages of 64K. */
#define POOL_HEAD_BYTES (UINT64_C(49) << 16)

/* Blocks of a file are best had, and mapped, by huge pages. */
#define FILE_STEP_BYTES (UINT64_C(2) << 20)

/* No file is larger; and below it nothing here overflows. */
#define MOST_WORDS (UINT64_C(1) << 53)

/* libpmemobj's objects begin 16 bytes behind a multiple of 64. */
enum { ALIGN_BYTES = ASL_POOL_ALIGN - 16, HEAD_BYTES = 64 };

static uint64_t ceil_div(uint64_t a, uint64_t b)
{
	return a / b + (a % b != 0);
}

static uint64_t chunks(uint64_t bytes)
{
	uint64_t n = ceil_div(bytes + HEAD_BYTES, CHUNK_BYTES);

	return n < 2 ? 2 : n;
}

static uint64_t object_bytes(uint64_t bytes)
{
	uint64_t n = chunks(bytes);

	return n > ZONE_CHUNKS ? 0 : n * CHUNK_BYTES - HEAD_BYTES;
}

uint64_t asl_pool_root_bytes(int pieces)
{
	return object_bytes(sizeof(struct asl_pool) +
			    (uint64_t)pieces * sizeof(struct asl_pool_piece));
}

uint64_t asl_pool_piece_bytes(uint64_t words)
{
	if (words > MOST_WORDS)
		return 0;
	return object_bytes(words * sizeof(double) + ALIGN_BYTES);
}

uint64_t asl_pool_longest(void)
{
	return (PMEMOBJ_MAX_ALLOC_SIZE - ALIGN_BYTES) / sizeof(double);
}

uint64_t asl_pool_bytes(uint64_t words, int pieces)
{
	uint64_t root = asl_pool_root_bytes(pieces);
	uint64_t all, zones = 1, bytes;

	if (!root || words > MOST_WORDS ||
	    ceil_div(words, asl_pool_longest()) > (uint64_t)pieces)
		return 0;
	all = chunks(root) + words * sizeof(double) / CHUNK_BYTES +
	      2 * (uint64_t)pieces;
	if (all > ZONE_CHUNKS) {
		zones = ceil_div(2 * all, ZONE_CHUNKS) - 1;
		if (zones > (uint64_t)pieces + 1)
			zones = (uint64_t)pieces + 1;
		all = zones * ZONE_CHUNKS;
	}
	bytes = POOL_HEAD_BYTES + zones * ZONE_HEAD_BYTES + all * CHUNK_BYTES;
	bytes = ceil_div(bytes, FILE_STEP_BYTES) * FILE_STEP_BYTES;
	return bytes < PMEMOBJ_MIN_POOL ? PMEMOBJ_MIN_POOL : bytes;
}
