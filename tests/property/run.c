/* SPDX-License-Identifier: MIT */
/*
 * One case: the same writes, of regions and of shards piece by piece, go to two stores, by one thread and by several. Reads
 * of both give what the reference has, and in the end both hold the same objects.
 */
#include "property.h"

#define THREADS 4

typedef struct side {
    zl_store *store;
    zl_array *array;
    char folder[ZT_PATH_MAX]; /* of a file store; "" for memory */
    int32_t most_threads;
    zl_store_class cls; /* of memory, with fewer abilities */
} side;

typedef struct run {
    prop_array array;
    prop_reference reference;
    zt_memory memory;
    zl_allocator allocator;
    zl_context *context;
    side sides[2];
    bool shared; /* the stores have other writers, so what lies beyond the array's edge is theirs */
    zl_error err;
    bool verbose;
} run;

static uint64_t below(run *r, uint64_t n) {
    return zt_random_below(&r->array.random, n);
}

static bool failed(run *r, const char *what) {
    printf("%s: %s: %s\n", what, zl_status_name(r->err.status), r->err.message);
    return false;
}

/* ---- opening */

static bool open_store(run *r, side *s, uint32_t caps, bool file) {
    s->folder[0] = '\0';
    if (file) {
        zt_temp_make(s->folder);
        return zl_store_open_file(&s->store, r->context, s->folder, NULL, &r->err) == ZL_OK;
    }
    void *self;
    s->cls = zl_store_memory;
    s->cls.caps = caps;
    return zl_store_memory_new(&self, &r->allocator, &r->err) == ZL_OK &&
           zl_store_new(&s->store, r->context, &s->cls, self, &r->err) == ZL_OK;
}

/* What a store can do changes how chunks are read and modified, not what is stored: but both sides must agree where the
 * engine has to be careful with others. */
static bool open_sides(run *r) {
    static const uint64_t limits[] = {1, 3000, 100000, 0};
    zl_context_options options = ZL_CONTEXT_OPTIONS_INIT;
    options.allocator = &r->allocator;
    options.threads = THREADS;
    options.memory_limit = limits[below(r, ZL_COUNT_OF(limits))];
    if (zl_context_new(&r->context, &options, &r->err) != ZL_OK || zt_model_add(r->context, &r->err) != ZL_OK)
        return failed(r, "context");
    const bool file = below(r, 12) == 0;
    uint32_t care = ZL_STORE_SHARED;
    if (!file) care = (uint32_t)below(r, 2) * ZL_STORE_SHARED | (uint32_t)below(r, 2) * ZL_STORE_CONDITIONAL;
    r->shared = care & ZL_STORE_SHARED;
    if (care & ZL_STORE_CONDITIONAL) care |= (uint32_t)below(r, 2) * ZL_STORE_CONDITIONAL_ERASE;
    for (int i = 0; i < 2; i++) {
        const uint32_t read = (uint32_t)below(r, 2) * ZL_STORE_LEND | (below(r, 4) ? ZL_STORE_RANGE : 0);
        side *s = &r->sides[i];
        s->most_threads = i == 0 ? 1 : THREADS;
        if (!open_store(r, s, ZL_STORE_WRITE | care | read, file && i == 1)) return failed(r, "store");
        const zl_status status = zl_array_create_from_metadata(&s->array, s->store, "a", ZL_CREATE_NEW, r->array.text,
                                                               r->array.text_size, &r->err);
        if (status != ZL_OK) return failed(r, "create");
    }
    return true;
}

static void close_sides(run *r) {
    for (int i = 0; i < 2; i++) {
        side *s = &r->sides[i];
        zl_array_close(s->array);
        (void)zl_store_close(s->store, NULL);
        if (s->folder[0] != '\0') zt_temp_remove(s->folder);
    }
    zl_context_free(r->context);
}

/* ---- writing and reading */

static void print_region(const run *r, const char *what, const prop_region *region, int32_t threads) {
    if (!r->verbose) return;
    printf("%s by %d:", what, (int)threads);
    for (int32_t i = 0; i < r->array.rank; i++)
        printf(" %lld+%lldx%lld", (long long)region->start[i], (long long)region->shape[i], (long long)region->step[i]);
    printf("\n");
}

/* Bits that do not count, where the type has some. */
static void make_dirty(run *r, uint8_t *element) {
    const zl_dtype *dtype = r->array.dtype;
    if (!r->array.dirty || dtype->unit_count != 1 || dtype->size != 1) return;
    const zl_unit *unit = dtype->units;
    const uint8_t noise = (uint8_t)below(r, 256);
    if (unit->rule == ZL_UNIT_BOOL && *element) *element = noise | 1;
    if (unit->rule == ZL_UNIT_ZERO_EXTEND || unit->rule == ZL_UNIT_SIGN_EXTEND)
        *element = (uint8_t)((*element & ((1u << unit->bits) - 1)) | (unsigned)noise << unit->bits);
}

static void choose_elements(run *r, const prop_region *region, prop_view *view) {
    static const unsigned shares[] = {1, 50, 90, 100};
    prop_array *array = &r->array;
    const unsigned share = shares[below(r, ZL_COUNT_OF(shares))];
    int64_t at[ZL_MAX_RANK] = {0};
    prop_view_choose(array, region->shape, true, view);
    if (prop_is_empty(array->rank, region->shape)) return;
    do {
        char *element = prop_address(view, array->rank, at);
        prop_element(array, share, element);
        make_dirty(r, (uint8_t *)element);
    } while (prop_next(array->rank, region->shape, at));
}

/* The same elements elsewhere: what is stored does not depend on where they come from. */
static void copy_elements(run *r, const prop_region *region, const prop_view *from, prop_view *view) {
    prop_array *array = &r->array;
    int64_t at[ZL_MAX_RANK] = {0};
    prop_view_choose(array, region->shape, false, view);
    if (prop_is_empty(array->rank, region->shape)) return;
    do {
        memcpy(prop_address(view, array->rank, at), prop_address(from, array->rank, at), array->dtype->size);
    } while (prop_next(array->rank, region->shape, at));
}

/* Random elements; `writers`: a piece of a shard, NULL: any region. */
static bool write_region(run *r, const prop_region *region, zl_shard_writer *const *writers) {
    prop_view views[2];
    choose_elements(r, region, &views[0]);
    copy_elements(r, region, &views[0], &views[1]);
    const zl_region given = {r->array.rank, region->start, region->shape, region->step};
    const bool keep_fill = below(r, 8) == 0;
    const zl_conditional_policy policy = (zl_conditional_policy)below(r, ZL_CONDITIONAL_ASK);
    bool ok = true;
    for (int i = 0; i < 2 && ok; i++) {
        side *s = &r->sides[i];
        const prop_view *view = &views[r->array.dirty ? 0 : i];
        zl_write_options options = ZL_WRITE_OPTIONS_INIT;
        options.keep_fill = keep_fill;
        options.conditional = policy;
        options.threads = i == 0 ? 1 : 1 + (int32_t)below(r, (uint64_t)s->most_threads);
        print_region(r, writers ? "write piece" : "write", region, options.threads);
        const zl_const_view source = {view->data, view->stride, NULL};
        const zl_status status = writers ? zl_shard_writer_write(writers[i], &given, source, &options, &r->err)
                                         : zl_array_write(s->array, &given, source, &options, &r->err);
        if (status != ZL_OK) ok = failed(r, "write");
    }
    prop_reference_write(&r->reference, region, &views[0]);
    prop_view_clear(&views[0]);
    prop_view_clear(&views[1]);
    return ok;
}

static bool write_pieces(run *r, const prop_region *shard, zl_shard_writer *const *writers) {
    prop_region pieces[PROP_PIECES_MAX];
    const size_t count = prop_pieces_choose(&r->array, shard, zl_array_inner_chunk_shape(r->sides[0].array), pieces);
    prop_reference_replace(&r->reference, shard);
    for (size_t i = 0; i < count; i++) {
        if (!write_region(r, &pieces[i], writers)) return false;
    }
    for (int i = 0; i < 2; i++) {
        if (zl_shard_writer_commit(writers[i], &r->err) != ZL_OK) return failed(r, "commit");
    }
    return true;
}

/* A random shard, as a whole, in pieces. `*written` is false where chunks cannot be written so. */
static bool write_shard(run *r, bool *written) {
    zl_shard_writer *writers[2] = {NULL, NULL};
    zl_status status[2];
    int64_t coords[ZL_MAX_RANK];
    prop_region shard;
    *written = false;
    if (prop_is_empty(r->array.rank, r->array.shape)) return true;
    prop_chunk_choose(&r->array, coords, &shard);
    for (int i = 0; i < 2; i++)
        status[i] = zl_shard_writer_new(&writers[i], r->sides[i].array, coords, &r->err);
    *written = status[0] == ZL_OK;
    bool ok = status[0] == status[1] && (*written || status[0] == ZL_ERR_UNSUPPORTED);
    if (!ok) failed(r, "shard writer");
    if (ok && *written) ok = write_pieces(r, &shard, writers);
    zl_shard_writer_free(writers[0]);
    zl_shard_writer_free(writers[1]);
    return ok;
}

static bool write_once(run *r) {
    prop_region region;
    bool written = false;
    if (zl_array_inner_chunk_shape(r->sides[0].array) && below(r, 3) == 0 && !write_shard(r, &written)) return false;
    if (written) return true;
    prop_region_choose(&r->array, &region);
    return write_region(r, &region, NULL);
}

static void print_hex(const void *data, size_t size) {
    for (size_t i = 0; i < size; i++)
        printf("%02x", ((const uint8_t *)data)[i]);
}

static bool wrong_element(const run *r, const int64_t *at, const char *got, const char *wanted) {
    const zl_dtype *dtype = r->array.dtype;
    printf("element (");
    for (int32_t i = 0; i < r->array.rank; i++)
        printf(i ? ", %lld" : "%lld", (long long)at[i]);
    printf(") is ");
    print_hex(got, dtype->size);
    printf(", not ");
    print_hex(wanted, dtype->size);
    printf("\n");
    return false;
}

/* Compares, and blanks the elements: then nothing else has changed. */
static bool check_view(const run *r, const prop_region *region, prop_view *view) {
    const prop_array *array = &r->array;
    int64_t at[ZL_MAX_RANK] = {0};
    if (!prop_is_empty(array->rank, region->shape)) {
        do {
            int64_t there[ZL_MAX_RANK];
            for (int32_t i = 0; i < array->rank; i++)
                there[i] = region->start[i] + at[i] * region->step[i];
            char *got = prop_address(view, array->rank, at);
            const char *wanted = prop_reference_at(&r->reference, there);
            if (!zl_dtype_same(array->dtype, got, wanted)) return wrong_element(r, there, got, wanted);
            memset(got, PROP_BLANK, array->dtype->size);
        } while (prop_next(array->rank, region->shape, at));
    }
    for (size_t i = 0; i < view->size; i++) {
        if ((uint8_t)view->memory[i] == PROP_BLANK) continue;
        printf("byte %zu of the caller's memory was changed between elements\n", i);
        return false;
    }
    return true;
}

static bool read_region(run *r, side *s, const prop_region *region) {
    prop_array *array = &r->array;
    prop_view view;
    prop_view_choose(array, region->shape, false, &view);
    zl_read_options options = ZL_READ_OPTIONS_INIT;
    options.threads = 1 + (int32_t)below(r, (uint64_t)s->most_threads);
    options.skip_checksums = below(r, 4) == 0;
    print_region(r, "read", region, options.threads);
    bool ok = !array->dtype->variable || zl_result_new(&options.result, r->context, &r->err) == ZL_OK;
    const zl_region given = {array->rank, region->start, region->shape, region->step};
    if (ok) ok = zl_array_read(s->array, &given, (zl_view){view.data, view.stride, NULL}, &options, &r->err) == ZL_OK;
    if (!ok)
        failed(r, "read");
    else
        ok = check_view(r, region, &view);
    zl_result_free(options.result);
    prop_view_clear(&view);
    return ok;
}

/* A handle that has seen nothing yet. */
static bool reopen(run *r, side *s) {
    zl_array_close(s->array);
    s->array = NULL;
    return zl_array_open(&s->array, s->store, "a", &r->err) == ZL_OK || failed(r, "open");
}

/* ---- stored bytes */

typedef struct comparison {
    run *run;
    const char *prefix;
    size_t count;
    bool ok;
} comparison;

static bool compare_below(comparison *all, const char *prefix, int which);

static bool compare_name(void *user, const char *name, bool is_prefix) {
    comparison *all = user;
    run *r = all->run;
    char path[512];
    snprintf(path, sizeof path, "%s%s%s", all->prefix, all->prefix[0] ? "/" : "", name);
    if (is_prefix) return compare_below(all, path, 0);
    zl_bytes bytes[2] = {{0}, {0}};
    for (int i = 0; i < 2 && all->ok; i++) {
        r->err = (zl_error){0};
        if (zl_store_get_all(r->sides[i].store, path, UINT64_MAX, &bytes[i], NULL, &r->err) == ZL_OK) continue;
        printf("by one thread there is %s, by several: ", path);
        all->ok = failed(r, "get");
    }
    if (all->ok && (bytes[0].size != bytes[1].size || memcmp(bytes[0].data, bytes[1].data, bytes[0].size) != 0)) {
        printf("%s has other bytes by several threads (%zu and %zu bytes)\n", path, bytes[0].size, bytes[1].size);
        all->ok = false;
    }
    zl_bytes_release(&bytes[0]);
    zl_bytes_release(&bytes[1]);
    all->count++;
    return all->ok;
}

static bool count_name(void *user, const char *name, bool is_prefix) {
    comparison *all = user;
    char path[512];
    snprintf(path, sizeof path, "%s%s%s", all->prefix, all->prefix[0] ? "/" : "", name);
    if (is_prefix) return compare_below(all, path, 1);
    all->count--;
    return true;
}

/* Store 0: compares each object; store 1: counts down. */
static bool compare_below(comparison *all, const char *prefix, int which) {
    const zl_store *store = all->run->sides[which].store;
    const zl_store_call call = {.size = sizeof call, .allocator = store->allocator, .err = &all->run->err};
    const char *before = all->prefix;
    all->prefix = prefix;
    const zl_status status = store->cls->list(store->self, prefix, which ? count_name : compare_name, all, &call);
    all->prefix = before;
    if (status != ZL_OK && status != ZL_ERR_NOT_FOUND) all->ok = failed(all->run, "list");
    return all->ok;
}

static bool compare_stores(run *r) {
    comparison all = {.run = r, .prefix = "", .ok = true};
    if (!compare_below(&all, "", 0) || !compare_below(&all, "", 1)) return false;
    if (all.count != 0) printf("several threads stored %d objects more than one\n", -(int)all.count);
    return all.count == 0;
}

/* ---- a case */

/* Gives the array another shape, as another process would; what is beyond its edge stays in the chunks. */
static bool change_shape(run *r, const int64_t *shape) {
    prop_array_reshape(&r->array, shape);
    if (r->verbose) printf("%.*s\n", (int)r->array.shape_end, r->array.text);
    for (int i = 0; i < 2; i++) {
        side *s = &r->sides[i];
        if (zl_store_set_all(s->store, "a/zarr.json", r->array.text, r->array.text_size, &r->err) != ZL_OK)
            return failed(r, "set");
        if (!reopen(r, s)) return false;
    }
    return true;
}

static bool shrink(run *r) {
    int64_t shape[ZL_MAX_RANK] = {0};
    for (int32_t i = 0; i < r->array.rank; i++)
        shape[i] = r->array.shape[i] ? 1 + (int64_t)below(r, (uint64_t)r->array.shape[i]) : 0;
    return change_shape(r, shape);
}

static bool act(run *r) {
    for (uint64_t writes = 1 + below(r, 4); writes > 0; writes--) {
        if (!write_once(r)) return false;
        for (int i = 0; i < 2; i++) {
            prop_region region;
            prop_region_choose(&r->array, &region);
            if (below(r, 4) == 0 && !reopen(r, &r->sides[i])) return false;
            if (below(r, 4) > 0 && !read_region(r, &r->sides[i], &region)) return false;
        }
        if (r->shared && below(r, 4) == 0 && !shrink(r)) return false;
    }
    if (memcmp(r->array.shape, r->reference.shape, sizeof r->array.shape) != 0 && !change_shape(r, r->reference.shape))
        return false;
    prop_region all = {0};
    for (int32_t i = 0; i < r->array.rank; i++) {
        all.shape[i] = r->array.shape[i];
        all.step[i] = 1;
    }
    return read_region(r, &r->sides[0], &all) && read_region(r, &r->sides[1], &all) && compare_stores(r);
}

bool prop_run(uint64_t seed, bool verbose) {
    static run r; /* large */
    memset(&r, 0, sizeof r);
    r.verbose = verbose;
    r.allocator = zt_allocator(&r.memory, 0);
    bool ok = prop_array_make(&r.array, seed, &r.allocator);
    if (ok) {
        if (verbose) printf("%s\n", r.array.text);
        prop_reference_init(&r.reference, &r.array);
        ok = open_sides(&r) && act(&r);
        close_sides(&r);
        prop_reference_clear(&r.reference);
        if (!ok && !verbose) printf("%s\n", r.array.text);
    }
    prop_array_clear(&r.array);
    if (ok && r.memory.blocks != 0) {
        printf("%zu blocks with %zu bytes were not freed\n", r.memory.blocks, r.memory.size);
        ok = false;
    }
    return ok;
}
