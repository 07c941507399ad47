/* SPDX-License-Identifier: MIT */
#include "zt_kernels.h"

#include <sys/mman.h>
#include <unistd.h>

size_t zt_kernel_levels(zl_kernels levels[ZT_LEVELS_MAX], unsigned names[ZT_LEVELS_MAX]) {
    const unsigned have = zl_cpu_flags();
    size_t count = 0;
    for (unsigned flags = 0; flags < 2 * ZL_CPU_AVX512; flags++) {
        if ((flags & ~have) != 0) continue;
        zl_kernels level;
        zl_kernels_select(flags, &level);
        size_t i = 0;
        while (i < count && memcmp(&levels[i], &level, sizeof level) != 0) {
            i++;
        }
        if (i < count) continue;
        assert_true(count < ZT_LEVELS_MAX);
        names[count] = flags;
        levels[count++] = level;
    }
    return count;
}

zt_guarded zt_guarded_new(size_t min_size) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    zt_guarded g = {.size = (min_size + page - 1) / page * page};
    g.map_size = g.size + 2 * page;
    g.map = mmap(NULL, g.map_size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(g.map, MAP_FAILED);
    g.begin = g.map + page;
    assert_int_equal(mprotect(g.begin, g.size, PROT_READ | PROT_WRITE), 0);
    return g;
}

void zt_guarded_free(zt_guarded *guarded) {
    munmap(guarded->map, guarded->map_size);
}

char *zt_guarded_at(const zt_guarded *guarded, size_t size, int place) {
    assert_true(size <= guarded->size);
    return place % 2 == 0 ? guarded->begin : guarded->begin + guarded->size - size;
}
