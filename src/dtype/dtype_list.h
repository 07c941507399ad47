/* SPDX-License-Identifier: MIT */
/* Every data type class, one line each: ZL_DTYPE_CLASS(symbol) stands for `zl_dtype_class_<symbol>`. */
ZL_DTYPE_CLASS(bool)
ZL_DTYPE_CLASS(int)
ZL_DTYPE_CLASS(float)
ZL_DTYPE_CLASS(complex)
ZL_DTYPE_CLASS(raw)
ZL_DTYPE_CLASS(time)
ZL_DTYPE_CLASS(string)
ZL_DTYPE_CLASS(bytes)
ZL_DTYPE_CLASS(utf32)
ZL_DTYPE_CLASS(fixed_bytes)
ZL_DTYPE_CLASS(struct)
ZL_DTYPE_CLASS(subarray)
