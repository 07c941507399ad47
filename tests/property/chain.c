/* SPDX-License-Identifier: MIT */
/*
 * Random chains of codecs.
 *
 * A new built-in codec joins with one line in `snippets`: its kind, its name, the data types it takes and a configuration
 * (several lines for several configurations). It must give back what it was given: any elements or bytes, or, for
 * array -> array codecs, the numbers 0 to 31 as a few others may have made them of 0 to 3. Lines of codecs that are not in
 * the build are passed over.
 */
#include "codec/chain.h"
#include "property.h"

typedef enum codec_kind { AA, AB, BB } codec_kind;

typedef struct snippet {
    codec_kind kind;
    const char *name;
    uint32_t flags;
    const char *configuration;
} snippet;

static const snippet snippets[] = {
    {AA, "bitround", PROP_INTEGER | PROP_FLOAT, "{\"keepbits\":6}"},
    {AA, "scale_offset", PROP_INTEGER | PROP_FLOAT, "{\"scale\":2}"},
    {AA, "scale_offset", PROP_INTEGER | PROP_FLOAT, "{\"scale\":4}"},
    {AA, "scale_offset", PROP_SIGNED | PROP_FLOAT, "{\"offset\":-1}"},
    {AA, "numcodecs.astype", PROP_INTEGER | PROP_FLOAT, "{\"encode_dtype\":\"<f8\"}"},
    {AA, "numcodecs.delta", PROP_SIGNED | PROP_FLOAT, "{}"},
    {AA, "numcodecs.fixedscaleoffset", PROP_INTEGER | PROP_FLOAT, "{\"offset\":-3,\"scale\":2}"},
    {AA, "numcodecs.quantize", PROP_FLOAT, "{\"digits\":1}"},
    {AB, "bytes", PROP_FIXED, "{\"endian\":\"little\"}"},
    {AB, "bytes", PROP_FIXED, "{\"endian\":\"big\"}"},
    {AB, "packbits", PROP_PACKS, "{}"},
    {AB, "packbits", PROP_PACKS, "{\"padding_encoding\":\"first_byte\"}"},
    {AB, "packbits", PROP_PACKS, "{\"padding_encoding\":\"last_byte\"}"},
    {AB, "zfp", PROP_ZFP, "{\"mode\":\"reversible\"}"},
    /* Lossless, and blocks of one size: regions fetch only some of them. */
    {AB, "zfp", PROP_ZFP, "{\"mode\":\"expert\",\"minbits\":16658,\"maxbits\":16658,\"maxprec\":64,\"minexp\":-1075}"},
    {AB, "vlen-utf8", PROP_STRING, "{}"},
    {AB, "vlen-bytes", PROP_BYTES, "{}"},
    {BB, "crc32c", PROP_ANY, "{}"},
    {BB, "conditional", PROP_ANY,
     "{\"codecs\":[{\"name\":\"numcodecs.shuffle\",\"configuration\":{\"elementsize\":1}},\"crc32c\",\"numcodecs.crc32\"]"
     "}"},
    {BB, "conditional", PROP_ANY, "{\"codecs\":[\"numcodecs.zlib\",\"numcodecs.zstd\"],\"header_bits\":24}"},
    {BB, "numcodecs.adler32", PROP_ANY, "{}"},
    {BB, "numcodecs.crc32", PROP_ANY, "{}"},
    {BB, "numcodecs.crc32c", PROP_ANY, "{\"location\":\"start\"}"},
    {BB, "numcodecs.fletcher32", PROP_ANY, "{}"},
    {BB, "numcodecs.jenkins_lookup3", PROP_ANY, "{\"initval\":0}"},
    {BB, "numcodecs.shuffle", PROP_ANY, "{\"elementsize\":1}"},
    {BB, "numcodecs.gzip", PROP_ANY, "{\"level\":1}"},
    {BB, "numcodecs.zlib", PROP_ANY, "{\"level\":1}"},
    {BB, "numcodecs.zstd", PROP_ANY, "{\"level\":1}"},
    {BB, "numcodecs.lz4", PROP_ANY, "{\"acceleration\":1}"},
    {BB, "numcodecs.bz2", PROP_ANY, "{\"level\":1}"},
    {BB, "numcodecs.lzma", PROP_ANY, "{\"preset\":0}"},
    {BB, "numcodecs.blosc", PROP_ANY, "{\"cname\":\"lz4\",\"clevel\":1,\"shuffle\":1,\"blocksize\":0}"},
    {BB, "gzip", PROP_ANY, "{\"level\":1}"},
    {BB, "zstd", PROP_ANY, "{\"level\":1,\"checksum\":true}"},
    {BB, "zstd", PROP_ANY, "{\"level\":-3,\"checksum\":false}"},
    {BB, "blosc", PROP_ANY, "{\"cname\":\"lz4\",\"clevel\":1,\"shuffle\":\"shuffle\",\"typesize\":4,\"blocksize\":0}"},
    {BB, "blosc", PROP_ANY, "{\"cname\":\"zstd\",\"clevel\":1,\"shuffle\":\"bitshuffle\",\"typesize\":2,\"blocksize\":0}"},
};

#define ZFP_AXES_MAX 4

/* Where the generator stands in a chain. */
typedef struct place {
    int32_t rank;
    int64_t dim[ZL_MAX_RANK];
    int32_t axis[ZL_MAX_RANK]; /* of the array; not known behind a codec that mixes elements */
    uint32_t flags;            /* of the data type */
    size_t width;              /* 4 or 8 where the test codecs of integers fit, otherwise 0 */
    bool mixed;                /* behind a codec that needs whole blocks */
    bool same;                 /* all chunks have this shape */
    int32_t depth;
    int32_t computing; /* how many built-in array -> array codecs may come yet */
} place;

static void print_list(prop_array *array, int32_t depth, place at);

static uint64_t below(prop_array *array, uint64_t n) {
    return zt_random_below(&array->random, n);
}

/* A random line of the table that fits. */
static const snippet *choose(prop_array *array, codec_kind kind, const place *at) {
    const snippet *chosen = NULL;
    uint64_t seen = 0;
    for (size_t i = 0; i < ZL_COUNT_OF(snippets); i++) {
        const snippet *line = &snippets[i];
        if (line->kind != kind || !(line->flags & at->flags) || zl_codec_available(line->name) != ZL_AVAILABLE) continue;
        if (line->flags == PROP_ZFP && at->rank > ZFP_AXES_MAX) continue;
        if (below(array, ++seen) == 0) chosen = line;
    }
    return chosen;
}

static void print_snippet(prop_array *array, const snippet *line) {
    prop_print(array, "{\"name\":\"%s\",\"configuration\":%s}", line->name, line->configuration);
}

void prop_table_check(void) {
    /* Made below, or left out: object types of version 2, or too much like another one. */
    static const char *const others[] = {"transpose",          "sharding_indexed",   "reshape",
                                         "cast_value",         "numcodecs.zfpy",     "numcodecs.categorize",
                                         "numcodecs.json2",    "numcodecs.msgpack2", "numcodecs.pcodec",
                                         "numcodecs.packbits", "n5_default"};
    const char *name;
    for (size_t i = 0; (name = zl_codec_name(i)) != NULL; i++) {
        bool listed = false;
        for (size_t k = 0; k < ZL_COUNT_OF(others); k++)
            listed = listed || strcmp(name, others[k]) == 0;
        for (size_t k = 0; k < ZL_COUNT_OF(snippets) && !listed; k++)
            listed = strcmp(snippets[k].name, name) == 0;
        if (!listed) printf("note: tests/property/chain.c has no line for codec \"%s\"\n", name);
    }
}

static void print_dims(prop_array *array, const int64_t *dim, int32_t rank) {
    prop_print(array, "[");
    for (int32_t i = 0; i < rank; i++)
        prop_print(array, i ? ",%d" : "%d", (int)dim[i]);
    prop_print(array, "]");
}

/* ---- array -> array */

static void print_transpose(prop_array *array, place *at) {
    int64_t order[ZL_MAX_RANK];
    const place before = *at;
    for (int32_t i = 0; i < at->rank; i++)
        order[i] = i;
    for (int32_t i = at->rank - 1; i > 0; i--) {
        const uint64_t other = below(array, (uint64_t)i + 1);
        const int64_t moved = order[i];
        order[i] = order[other];
        order[other] = moved;
    }
    for (int32_t i = 0; i < at->rank; i++) {
        at->dim[i] = before.dim[order[i]];
        at->axis[i] = before.axis[order[i]];
    }
    prop_print(array, "{\"name\":\"transpose\",\"configuration\":{\"order\":");
    print_dims(array, order, at->rank);
    prop_print(array, "}},");
}

/* Rows that lose something smear it over the block when they stand behind a codec that mixes elements. */
static void print_row(prop_array *array, place *at) {
    zt_row_kind kind = (zt_row_kind)below(array, at->mixed ? ZT_THIRD : ZT_PICKY);
    if (kind == ZT_WIDEN && at->width != 4) kind = ZT_ADD;
    const int64_t k = zt_random_between(&array->random, -9, 9);
    const size_t encoded = kind == ZT_WIDEN ? 8 : at->width;
    prop_print(array, "{\"name\":\"%s\",\"configuration\":{\"k\":%d}},", zt_row_name[kind], (int)k);
    if (!at->mixed) {
        array->rows[array->row_count++] = (prop_row){kind, k, at->width, encoded};
        array->levels[array->level_count - 1].rows_until = array->row_count;
    }
    at->width = encoded;
}

static void print_fold(prop_array *array, place *at) {
    int64_t count = 1;
    for (int32_t i = 0; i < at->rank; i++)
        count *= at->dim[i];
    switch (below(array, 3)) {
    case 0:
        at->rank = 1;
        at->dim[0] = count;
        break;
    case 1:
        at->rank++;
        at->dim[at->rank - 1] = 1;
        break;
    default:
        for (int32_t i = 0; i < at->rank / 2; i++) {
            const int64_t moved = at->dim[i];
            at->dim[i] = at->dim[at->rank - 1 - i];
            at->dim[at->rank - 1 - i] = moved;
        }
        break;
    }
    at->mixed = true;
    prop_print(array, "{\"name\":\"%s\",\"configuration\":{\"shape\":", below(array, 2) ? "test.fold" : "reshape");
    print_dims(array, at->dim, at->rank);
    prop_print(array, "}},");
}

/* The small numbers are in all of these types, whatever was computed before. */
static void print_cast(prop_array *array, place *at) {
    static const struct {
        const char *name;
        uint32_t flags;
    } into[] = {{"int16", PROP_INTEGER | PROP_SIGNED | PROP_PACKS | PROP_FIXED},
                {"int32", PROP_INTEGER | PROP_SIGNED | PROP_PACKS | PROP_FIXED | PROP_ZFP},
                {"float32", PROP_FLOAT | PROP_PACKS | PROP_FIXED | PROP_ZFP},
                {"float64", PROP_FLOAT | PROP_PACKS | PROP_FIXED | PROP_ZFP}};
    const uint64_t chosen = below(array, ZL_COUNT_OF(into));
    prop_print(array, "{\"name\":\"cast_value\",\"configuration\":{\"data_type\":\"%s\"}},", into[chosen].name);
    at->flags = into[chosen].flags;
}

static void print_computing(prop_array *array, place *at) {
    const snippet *line = choose(array, AA, at);
    print_snippet(array, line);
    prop_print(array, ",");
    if (strcmp(line->name, "numcodecs.delta") == 0) at->mixed = true;
    if (strcmp(line->name, "numcodecs.astype") == 0) at->flags = PROP_FLOAT | PROP_PACKS | PROP_FIXED | PROP_ZFP;
}

static void print_array_codec(prop_array *array, place *at) {
    const uint64_t wish = below(array, 8);
    if (array->small && wish < 4) {
        if (at->computing == 0) return;
        at->computing--;
        print_computing(array, at);
    } else if (at->width && wish < 4) {
        if (array->row_count < PROP_ROWS_MAX) print_row(array, at);
    } else if (array->small && wish == 4) {
        print_cast(array, at);
    } else if (at->width && wish == 4) {
        at->mixed = true;
        prop_print(array, "\"test.delta\",");
    } else if (wish == 5 && at->same) {
        print_fold(array, at);
    } else if (wish == 6 && at->mixed && at->rank < 8) {
        at->rank++; /* behind a codec that mixes, for levels of chunks have the array's axes here */
        memmove(&at->dim[1], &at->dim[0], (size_t)(at->rank - 1) * sizeof at->dim[0]);
        at->dim[0] = 1;
        prop_print(array, "\"test.lift\",");
    } else if (wish == 6) {
        prop_print(array, "\"test.flip\",");
    } else {
        print_transpose(array, at);
    }
}

/* ---- shards */

static void print_index_codecs(prop_array *array, int32_t rank) {
    prop_print(array, ",\"index_codecs\":[");
    if (below(array, 8) == 0) {
        place index = {.rank = rank + 1};
        print_transpose(array, &index);
    }
    prop_print(array, "{\"name\":\"bytes\",\"configuration\":{\"endian\":\"%s\"}}", below(array, 5) ? "little" : "big");
    for (uint64_t sums = below(array, 8); sums > 0; sums /= 3) /* most often one */
        prop_print(array, ",\"crc32c\"");
    prop_print(array, "],\"index_location\":\"%s\"}}", below(array, 3) ? "end" : "start");
}

static void print_shard(prop_array *array, const place *at) {
    place part = *at;
    for (int32_t i = 0; i < at->rank; i++) {
        do {
            part.dim[i] = 1 + (int64_t)below(array, (uint64_t)at->dim[i]);
        } while (at->dim[i] % part.dim[i] != 0);
    }
    part.depth++;
    part.same = true;
    prop_print(array, "{\"name\":\"sharding_indexed\",\"configuration\":{\"chunk_shape\":");
    print_dims(array, part.dim, part.rank);
    prop_print(array, ",\"codecs\":");
    print_list(array, part.depth, part);
    print_index_codecs(array, part.rank);
}

/* ---- all */

static void print_n5(prop_array *array, const place *at) {
    int64_t order[ZL_MAX_RANK];
    for (int32_t i = 0; i < at->rank; i++)
        order[i] = at->rank - 1 - i;
    prop_print(array, "{\"name\":\"n5_default\",\"configuration\":{\"codecs\":[{\"name\":\"transpose\",\"configuration\":"
                      "{\"order\":");
    print_dims(array, order, at->rank);
    prop_print(array, "}},{\"name\":\"bytes\",\"configuration\":{\"endian\":\"big\"}}%s]}}",
               below(array, 2) ? ",\"crc32c\"" : "");
}

static void print_list(prop_array *array, int32_t depth, place at) {
    if (!at.mixed) {
        prop_level *level = &array->levels[array->level_count++];
        level->rows_until = array->row_count;
        for (int32_t i = 0; i < at.rank; i++)
            level->cell[at.axis[i]] = at.dim[i];
    }
    prop_print(array, "[");
    for (uint64_t left = below(array, 4); left > 0; left--)
        print_array_codec(array, &at);
    if (depth < 2 && below(array, 5) < 2)
        print_shard(array, &at);
    else if ((at.flags & PROP_INTEGER) && below(array, 12) == 0)
        print_n5(array, &at);
    else
        print_snippet(array, choose(array, AB, &at));
    for (uint64_t left = below(array, 5) < 2 ? 0 : below(array, 3); left > 0; left--) {
        prop_print(array, ",");
        print_snippet(array, choose(array, BB, &at));
    }
    prop_print(array, "]");
}

void prop_chain_print(prop_array *array) {
    place at = {.rank = array->rank, .flags = array->flags, .computing = 2, .same = array->regular};
    for (int32_t i = 0; i < array->rank; i++) {
        at.dim[i] = array->chunk[i];
        at.axis[i] = i;
    }
    if (!array->small && (array->flags & (PROP_INT32 | PROP_INT64))) at.width = array->dtype->size;
    print_list(array, 0, at);
}
