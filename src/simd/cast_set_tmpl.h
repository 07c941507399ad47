/* SPDX-License-Identifier: MIT */
/* The set of loops that cast_tmpl.h made, zl_cast_loops_<level>. */
#define BY_WIDTH(name) \
    { NAME(name##uint8_t), NAME(name##uint16_t), NAME(name##uint32_t), NAME(name##uint64_t) }
#define BY_INT(name)                                                                                                  \
    {                                                                                                                 \
        BY_WIDTH(name##int8_t_), BY_WIDTH(name##int16_t_), BY_WIDTH(name##int32_t_), BY_WIDTH(name##int64_t_),        \
            BY_WIDTH(name##uint8_t_), BY_WIDTH(name##uint16_t_), BY_WIDTH(name##uint32_t_), BY_WIDTH(name##uint64_t_) \
    }
#define BY_SHORT_INT(name)                                                                                             \
    {                                                                                                                  \
        NAME(name##int8_t), NAME(name##int16_t), NAME(name##int32_t), NULL, NAME(name##uint8_t), NAME(name##uint16_t), \
            NAME(name##uint32_t), NULL                                                                                 \
    }
#define BY_ROUNDING(name) \
    { NAME(name##0), NAME(name##1), NAME(name##2), NAME(name##3), NAME(name##4) }
#define BY_ROUNDING_OR_ODD(name) \
    { NAME(name##0), NAME(name##1), NAME(name##2), NAME(name##3), NAME(name##4), NAME(name##5) }
#define THREE(name) \
    { NAME(name##uint8_t), NAME(name##uint16_t), NAME(name##uint32_t) }
#define BY_ROUNDING_AND_THREE(name) \
    { THREE(name##0_), THREE(name##1_), THREE(name##2_), THREE(name##3_), THREE(name##4_) }
#define BY_ROUNDING_AND_WIDTH(name) \
    { BY_WIDTH(name##0_), BY_WIDTH(name##1_), BY_WIDTH(name##2_), BY_WIDTH(name##3_), BY_WIDTH(name##4_) }
#define BY_TWO_WIDTHS(name) \
    { BY_WIDTH(name##uint8_t_), BY_WIDTH(name##uint16_t_), BY_WIDTH(name##uint32_t_), BY_WIDTH(name##uint64_t_) }

const zl_cast_loops NAME(zl_cast_loops) = {
    .int_convert = BY_INT(convert_),
    .int_clamp = BY_INT(clamp_),
    .int_keep = NAME(keep),
    .int_float32 = BY_SHORT_INT(float32_),
    .int_float64 = BY_SHORT_INT(float64_),
    .wide_float32 = {BY_ROUNDING_OR_ODD(float32_float64_), BY_ROUNDING_OR_ODD(float32_int32_),
                     BY_ROUNDING_OR_ODD(float32_int64_), BY_ROUNDING_OR_ODD(float32_uint32_),
                     BY_ROUNDING_OR_ODD(float32_uint64_)},
    .wide_bfloat16 = {SOFT_SHORT([0] = BY_ROUNDING(bfloat16_float64_), [2] = BY_ROUNDING(bfloat16_int64_),
                                 [4] = BY_ROUNDING(bfloat16_uint64_), )[1] = BY_ROUNDING(bfloat16_int32_),
                      [3] = BY_ROUNDING(bfloat16_uint32_)},
    .int64_float64 = {BY_ROUNDING(float64_int64_), BY_ROUNDING(float64_uint64_)},
    .float16_float32 = NAME(float32_float16_exact),
    .bfloat16_float32 = NAME(float32_bfloat16_exact),
    .float32_float64 = NAME(float64_float32_exact),
    .float32_bfloat16 = BY_ROUNDING(bfloat16_float32_),
    .float32_bfloat16_exact = NAME(bfloat16_exact),
    .float32_float16 = BY_ROUNDING(float16_),
    .float32_small = BY_ROUNDING(small_),
    .float32_int = BY_ROUNDING_AND_THREE(int_float_),
    .float32_uint32 = BY_ROUNDING(uint32_float_),
    .float64_int = BY_ROUNDING_AND_THREE(int_double_),
    .float64_int64 = BY_ROUNDING(int64_double_),
    .float32_wrap = BY_ROUNDING_AND_THREE(wrap_float_),
    .float64_wrap = BY_ROUNDING_AND_WIDTH(wrap_double_),
    .lookup = BY_WIDTH(lookup_),
    .refused = NAME(refused),
    .hide = BY_WIDTH(hide_),
    .show = BY_TWO_WIDTHS(show_),
    .any = BY_WIDTH(any_),
    .stream = ZL_STREAM,
    .stream_end = ZL_STREAM_END,
    FUSIONS,
};
