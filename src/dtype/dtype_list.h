/* SPDX-License-Identifier: MIT */
/* Every data type class, one line each: ZL_DTYPE_CLASS(symbol) stands for `zl_dtype_class_<symbol>`. */
