/* SPDX-License-Identifier: MIT */
/*
 * Every codec, one line each: ZL_CODEC(symbol, have, name, needs). The file is src/codec/<symbol>.c and defines
 * `zl_codec_<symbol>`; it is compiled where `have` is 1, and so are files <symbol>_*.c that help it. The row stays where
 * `have` is 0, so that a message can say which build option (`needs`) brings the codec. CMake reads this file too. Codecs
 * with the same `have` may share the file of one of them.
 */
/* clang-format off */
ZL_CODEC(bytes,            1,                  "bytes",            NULL)
ZL_CODEC(transpose,        1,                  "transpose",        NULL)
ZL_CODEC(reshape,          1,                  "reshape",          NULL)
ZL_CODEC(sharding_indexed, 1,                  "sharding_indexed", NULL)
ZL_CODEC(crc32c,           1,                  "crc32c",           NULL)
ZL_CODEC(gzip,             ZL_HAVE_LIBDEFLATE, "gzip",             "ZL_WITH_LIBDEFLATE")
ZL_CODEC(zstd,             ZL_HAVE_ZSTD,       "zstd",             "ZL_WITH_ZSTD")
ZL_CODEC(blosc,            ZL_HAVE_BLOSC,      "blosc",            "ZL_WITH_BLOSC")
ZL_CODEC(vlen_utf8,        1,                  "vlen-utf8",        NULL)
ZL_CODEC(vlen_bytes,       1,                  "vlen-bytes",       NULL)
ZL_CODEC(packbits,         1,                  "packbits",         NULL)
ZL_CODEC(bitround,         1,                  "bitround",         NULL)
ZL_CODEC(conditional,      1,                  "conditional",      NULL)
ZL_CODEC(n5_default,       1,                  "n5_default",       NULL)
ZL_CODEC(scale_offset,     1,                  "scale_offset",     NULL)
ZL_CODEC(cast_value,       1,                  "cast_value",       NULL)
ZL_CODEC(zfp,              ZL_HAVE_ZFP,        "zfp",              "ZL_WITH_ZFP")
/* Names of numcodecs, which older writers used: https://numcodecs.readthedocs.io */
ZL_CODEC(numcodecs_gzip,       ZL_HAVE_LIBDEFLATE, "numcodecs.gzip",       "ZL_WITH_LIBDEFLATE")
ZL_CODEC(numcodecs_zlib,       ZL_HAVE_LIBDEFLATE, "numcodecs.zlib",       "ZL_WITH_LIBDEFLATE")
ZL_CODEC(numcodecs_zstd,       ZL_HAVE_ZSTD,       "numcodecs.zstd",       "ZL_WITH_ZSTD")
ZL_CODEC(numcodecs_blosc,      ZL_HAVE_BLOSC,      "numcodecs.blosc",      "ZL_WITH_BLOSC")
ZL_CODEC(numcodecs_lz4,        ZL_HAVE_LZ4,        "numcodecs.lz4",        "ZL_WITH_LZ4")
ZL_CODEC(numcodecs_bz2,        ZL_HAVE_BZ2,        "numcodecs.bz2",        "ZL_WITH_BZ2")
ZL_CODEC(numcodecs_lzma,       ZL_HAVE_LZMA,       "numcodecs.lzma",       "ZL_WITH_LZMA")
ZL_CODEC(numcodecs_shuffle,    1,                  "numcodecs.shuffle",    NULL)
ZL_CODEC(numcodecs_adler32,    1,                  "numcodecs.adler32",    NULL)
ZL_CODEC(numcodecs_crc32,      1,                  "numcodecs.crc32",      NULL)
ZL_CODEC(numcodecs_crc32c,     1,                  "numcodecs.crc32c",     NULL)
ZL_CODEC(numcodecs_fletcher32, 1,                  "numcodecs.fletcher32", NULL)
ZL_CODEC(numcodecs_jenkins_lookup3, 1,             "numcodecs.jenkins_lookup3", NULL)
ZL_CODEC(numcodecs_astype,     1,                  "numcodecs.astype",     NULL)
ZL_CODEC(numcodecs_delta,      1,                  "numcodecs.delta",      NULL)
ZL_CODEC(numcodecs_fixedscaleoffset, 1,            "numcodecs.fixedscaleoffset", NULL)
ZL_CODEC(numcodecs_quantize,   1,                  "numcodecs.quantize",   NULL)
ZL_CODEC(numcodecs_packbits,   1,                  "numcodecs.packbits",   NULL)
ZL_CODEC(numcodecs_categorize, 1,                  "numcodecs.categorize", NULL)
ZL_CODEC(numcodecs_json2,      1,                  "numcodecs.json2",      NULL)
ZL_CODEC(numcodecs_msgpack2,   1,                  "numcodecs.msgpack2",   NULL)
ZL_CODEC(numcodecs_zfpy,       ZL_HAVE_ZFP,        "numcodecs.zfpy",       "ZL_WITH_ZFP")
ZL_CODEC(numcodecs_pcodec,     0,                  "numcodecs.pcodec",     "a well-kept C library, which does not exist")
/* clang-format on */
