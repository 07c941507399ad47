/* SPDX-License-Identifier: MIT */
/*
 * Every codec, one line each: ZL_CODEC(symbol, have, name, needs). The file is src/codec/<symbol>.c and defines
 * `zl_codec_<symbol>`; it is compiled where `have` is 1, and its row stays where it is not, so that a message can say
 * which build option (`needs`) brings it. CMake reads this file too. Codecs that are always built may share a file.
 */
/* clang-format off */
ZL_CODEC(bytes,            1,                  "bytes",            NULL)
ZL_CODEC(transpose,        1,                  "transpose",        NULL)
ZL_CODEC(sharding_indexed, 1,                  "sharding_indexed", NULL)
ZL_CODEC(crc32c,           1,                  "crc32c",           NULL)
ZL_CODEC(gzip,             ZL_HAVE_LIBDEFLATE, "gzip",             "ZL_WITH_LIBDEFLATE")
ZL_CODEC(zstd,             ZL_HAVE_ZSTD,       "zstd",             "ZL_WITH_ZSTD")
ZL_CODEC(blosc,            ZL_HAVE_BLOSC,      "blosc",            "ZL_WITH_BLOSC")
ZL_CODEC(vlen_utf8,        1,                  "vlen-utf8",        NULL)
ZL_CODEC(vlen_bytes,       1,                  "vlen-bytes",       NULL)
ZL_CODEC(packbits,         1,                  "packbits",         NULL)
ZL_CODEC(bitround,         1,                  "bitround",         NULL)
ZL_CODEC(scale_offset,     1,                  "scale_offset",     NULL)
/* clang-format on */
