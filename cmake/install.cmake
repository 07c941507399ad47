# SPDX-License-Identifier: MIT
# Headers, libraries, and what other build systems need to find them.
include(CMakePackageConfigHelpers)
set(zl_package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/zarrlite")

set(zl_targets zarrlite_static)
if(ZL_BUILD_SHARED)
  list(APPEND zl_targets zarrlite_shared)
endif()
install(TARGETS ${zl_targets} EXPORT zarrlite-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/zarrlite DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT zarrlite-targets NAMESPACE zarrlite:: DESTINATION ${zl_package_folder})

configure_package_config_file(cmake/zarrlite-config.cmake.in zarrlite-config.cmake INSTALL_DESTINATION ${zl_package_folder})
write_basic_package_version_file(zarrlite-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/zarrlite-config.cmake" "${PROJECT_BINARY_DIR}/zarrlite-config-version.cmake"
  cmake/zarrlite-find-library.cmake DESTINATION ${zl_package_folder})

configure_file(cmake/zarrlite.pc.in zarrlite.pc @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/zarrlite.pc" DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
