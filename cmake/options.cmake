# SPDX-License-Identifier: MIT
# Compiler flags of the project's own code, as the target zl_options.
# Nothing looks at floating-point exceptions; saying so lets gcc make vectors of rounding functions.
add_library(zl_options INTERFACE)
target_compile_options(zl_options INTERFACE -Wall -Wextra -Wconversion -Wshadow -Wvla -Wstrict-prototypes
  -Wmissing-prototypes -Wno-sign-conversion -ffp-contract=off -fno-math-errno -fno-trapping-math)
if(ZL_WERROR)
  target_compile_options(zl_options INTERFACE -Werror)
endif()
target_compile_definitions(zl_options INTERFACE _POSIX_C_SOURCE=200809L _DEFAULT_SOURCE _FILE_OFFSET_BITS=64)
if(ZL_SANITIZE)
  add_compile_options(-fsanitize=${ZL_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${ZL_SANITIZE})
endif()
