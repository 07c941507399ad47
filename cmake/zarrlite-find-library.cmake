# SPDX-License-Identifier: MIT
# Finds one system library as the target zarrlite::NAME; sets zarrlite_NAME_FOUND. Used by zarrlite's own build and by the
# programs that link its static library, so both look in the same places.
#
#   zarrlite_find_library(NAME pkg-config-module header library)      "-" = the library has no pkg-config module
function(zarrlite_find_library name module header library)
  set(zarrlite_${name}_FOUND 1 PARENT_SCOPE)
  if(TARGET zarrlite::${name})
    return()
  endif()
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND AND NOT module STREQUAL "-")
    pkg_check_modules(ZARRLITE_${name} QUIET IMPORTED_TARGET GLOBAL ${module})
    if(ZARRLITE_${name}_FOUND)
      add_library(zarrlite::${name} INTERFACE IMPORTED GLOBAL)
      target_link_libraries(zarrlite::${name} INTERFACE PkgConfig::ZARRLITE_${name})
      return()
    endif()
  endif()
  find_path(ZARRLITE_${name}_INCLUDE ${header})
  find_library(ZARRLITE_${name}_LIBRARY ${library})
  if(ZARRLITE_${name}_INCLUDE AND ZARRLITE_${name}_LIBRARY)
    add_library(zarrlite::${name} INTERFACE IMPORTED GLOBAL)
    target_include_directories(zarrlite::${name} INTERFACE ${ZARRLITE_${name}_INCLUDE})
    target_link_libraries(zarrlite::${name} INTERFACE ${ZARRLITE_${name}_LIBRARY})
  else()
    set(zarrlite_${name}_FOUND 0 PARENT_SCOPE)
  endif()
endfunction()
