# SPDX-License-Identifier: MIT
# All files of src/, without the codecs whose library is not there (src/codec/codec_list.h says which that is), nor the ZIP
# store without libzip.
file(GLOB ZL_SOURCES CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/*/*.c")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/codec/codec_list.h")
file(STRINGS "${PROJECT_SOURCE_DIR}/src/codec/codec_list.h" zl_rows REGEX "^ZL_CODEC\\(")
foreach(row IN LISTS zl_rows)
  string(REGEX MATCH "^ZL_CODEC\\(([a-z0-9_]+), *([A-Z0-9_]+)" _ "${row}")
  set(symbol ${CMAKE_MATCH_1})
  set(have ${CMAKE_MATCH_2})
  if(have MATCHES "^ZL_HAVE_" AND NOT ${have})
    file(GLOB helpers "${PROJECT_SOURCE_DIR}/src/codec/${symbol}_*.c")
    list(REMOVE_ITEM ZL_SOURCES "${PROJECT_SOURCE_DIR}/src/codec/${symbol}.c" ${helpers})
  endif()
endforeach()
if(NOT ZL_HAVE_ZIP)
  file(GLOB helpers "${PROJECT_SOURCE_DIR}/src/store/zip_*.c")
  list(REMOVE_ITEM ZL_SOURCES "${PROJECT_SOURCE_DIR}/src/store/zip.c" ${helpers})
endif()
