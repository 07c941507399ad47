/* SPDX-License-Identifier: MIT */
/*
 * Every codec, one line each: ZL_CODEC(symbol, have, name, needs). The file is src/codec/<symbol>.c and defines
 * `zl_codec_<symbol>`; it is compiled where `have` is 1, and its row stays where it is not, so that a message can say
 * which build option (`needs`) brings it. CMake reads this file too.
 */
