# libmd: message digests (SHA-256) as in the BSDs. Debian: libmd-dev.
find_path(LibMD_INCLUDE_DIR sha2.h)
# Static where there is one: a runner is copied to hosts that have nothing else.
find_library(LibMD_LIBRARY NAMES libmd.a md)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibMD
  REQUIRED_VARS LibMD_LIBRARY LibMD_INCLUDE_DIR
  REASON_FAILURE_MESSAGE "install libmd-dev (Debian) or libmd-devel (Fedora)")
if(LibMD_FOUND AND NOT TARGET LibMD::LibMD)
  add_library(LibMD::LibMD UNKNOWN IMPORTED)
  set_target_properties(LibMD::LibMD PROPERTIES
    IMPORTED_LOCATION "${LibMD_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${LibMD_INCLUDE_DIR}")
endif()
