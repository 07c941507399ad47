/* SPDX-License-Identifier: MIT */
/* The pairs of loops that levels with intrinsics have one loop for: the plan replaces them by it. */
#define FUSION(a, b, c) {NAME(a), NAME(b), NAME(c)},
#define COMMON_FUSIONS_OF(rounding)                                                                       \
    FUSION(float32_float16_exact, int_float_##rounding##_uint8_t, int_float16_##rounding##_uint8_t)       \
    FUSION(float32_float16_exact, int_float_##rounding##_uint16_t, int_float16_##rounding##_uint16_t)     \
    FUSION(float32_float16_exact, int_float_##rounding##_uint32_t, int_float16_##rounding##_uint32_t)     \
    FUSION(float32_float16_exact, uint32_float_##rounding, uint32_float16_##rounding)                     \
    FUSION(float32_float16_exact, small_##rounding, small_float16_##rounding)                             \
    FUSION(float32_float16_exact, bfloat16_float32_##rounding, bfloat16_float16_##rounding)               \
    FUSION(float32_bfloat16_exact, int_float_##rounding##_uint8_t, int_bfloat16_##rounding##_uint8_t)     \
    FUSION(float32_bfloat16_exact, int_float_##rounding##_uint16_t, int_bfloat16_##rounding##_uint16_t)   \
    FUSION(float32_bfloat16_exact, int_float_##rounding##_uint32_t, int_bfloat16_##rounding##_uint32_t)   \
    FUSION(float32_bfloat16_exact, uint32_float_##rounding, uint32_bfloat16_##rounding)                   \
    FUSION(float32_bfloat16_exact, wrap_float_##rounding##_uint8_t, wrap_bfloat16_##rounding##_uint8_t)   \
    FUSION(float32_bfloat16_exact, wrap_float_##rounding##_uint16_t, wrap_bfloat16_##rounding##_uint16_t) \
    FUSION(float32_bfloat16_exact, wrap_float_##rounding##_uint32_t, wrap_bfloat16_##rounding##_uint32_t) \
    FUSION(float32_bfloat16_exact, small_##rounding, small_bfloat16_##rounding)                           \
    FUSION(float32_bfloat16_exact, float16_##rounding, float16_bfloat16_##rounding)                       \
    FUSION(float32_int16_t, small_##rounding, small_int16_##rounding)                                     \
    FUSION(float32_int16_t, float16_##rounding, float16_int16_##rounding)                                 \
    FUSION(float32_int16_t, bfloat16_float32_##rounding, bfloat16_int16_##rounding)                       \
    FUSION(float32_uint16_t, small_##rounding, small_uint16_##rounding)                                   \
    FUSION(float32_uint16_t, float16_##rounding, float16_uint16_##rounding)                               \
    FUSION(float32_uint16_t, bfloat16_float32_##rounding, bfloat16_uint16_##rounding)                     \
    FUSION(float32_int32_5, float16_##rounding, float16_int32_##rounding)                                 \
    FUSION(float32_uint32_5, float16_##rounding, float16_uint32_##rounding)                               \
    FUSION(float64_float32_exact, int64_double_##rounding, int64_float_##rounding)                        \
    FUSION(float64_float32_exact, wrap_double_##rounding##_uint64_t, wrap64_float_##rounding)             \
    FUSION(float64_bfloat16_exact, int64_double_##rounding, int64_bfloat16_##rounding)                    \
    FUSION(float64_bfloat16_exact, wrap_double_##rounding##_uint64_t, wrap64_bfloat16_##rounding)

/* Integers of 32 and 64 bits are clamped on their way to small floats, which rounding to odd makes needless. */
#define COMMON_FUSIONS                                                            \
    FUSION(float32_int8_t, float16_1, float16_int8_1)                             \
    FUSION(float32_uint8_t, float16_1, float16_uint8_1)                           \
    FUSION(float32_int8_t, bfloat16_exact, bfloat16_int8)                         \
    FUSION(float32_uint8_t, bfloat16_exact, bfloat16_uint8)                       \
    FUSION(float32_bfloat16_exact, float64_float32_exact, float64_bfloat16_exact) \
    FUSION(clamp_int32_t_uint32_t, float32_int32_t, float32_int32_5)              \
    FUSION(clamp_uint32_t_uint32_t, float32_int32_t, float32_uint32_5)            \
    FUSION(clamp_int64_t_uint32_t, float32_int32_t, float32_int64_5)              \
    FUSION(clamp_uint64_t_uint32_t, float32_int32_t, float32_uint64_5)
