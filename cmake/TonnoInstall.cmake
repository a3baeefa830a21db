# Install rules, and the package that find_package(Tonno) finds.
# Libraries, tools and plugin are installed where they are defined.
include(CMakePackageConfigHelpers)

get_property(TONNO_COMPONENTS GLOBAL PROPERTY TONNO_COMPONENTS)
get_property(TONNO_MLIR_COMPONENTS GLOBAL PROPERTY TONNO_MLIR_COMPONENTS)
set(TONNO_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/Tonno)

# The headers of what was built: those of other floors would not link.
set(header_patterns FILES_MATCHING PATTERN "*.h" PATTERN "*.h.inc" PATTERN "*.td"
  PATTERN "CMakeFiles" EXCLUDE)
foreach(component IN LISTS TONNO_COMPONENTS)
  # Schedule's headers are in a folder of Transforms.
  if(EXISTS ${PROJECT_SOURCE_DIR}/include/tonno/${component})
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/tonno/${component}
      DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/tonno ${header_patterns})
  endif()
endforeach()
if(TONNO_ENABLE_MLIR)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/include/tonno
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} ${header_patterns})
endif()

install(EXPORT TonnoTargets NAMESPACE Tonno:: DESTINATION ${TONNO_PACKAGE_DIR})
# A build tree can be used as an installed package is, by its folder package.
export(EXPORT TonnoTargets NAMESPACE Tonno:: FILE ${PROJECT_BINARY_DIR}/package/TonnoTargets.cmake)
configure_package_config_file(
  ${PROJECT_SOURCE_DIR}/cmake/TonnoConfig.cmake.in
  ${PROJECT_BINARY_DIR}/package/TonnoConfig.cmake
  INSTALL_DESTINATION ${TONNO_PACKAGE_DIR})
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/package/TonnoConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
  ${PROJECT_BINARY_DIR}/package/TonnoConfig.cmake
  ${PROJECT_BINARY_DIR}/package/TonnoConfigVersion.cmake
  ${PROJECT_SOURCE_DIR}/cmake/FindLibMD.cmake
  DESTINATION ${TONNO_PACKAGE_DIR})
install(FILES LICENSE THIRD_PARTY_NOTICES.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
