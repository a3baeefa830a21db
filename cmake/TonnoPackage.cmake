# The Debian package of the tools (component standalone); cpack makes it, run by
# scripts/package.sh.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME tonno)
set(CPACK_PACKAGE_CONTACT "The developers of tonno")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_PACKAGE_DESCRIPTION
  "tonno-tune, tonno-opt, tonno-compile and tonno-lsp-server, with the parts of LLVM and MLIR 22 that they need.")
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL standalone)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_STANDALONE_PACKAGE_NAME tonno)
set(CPACK_DEBIAN_STANDALONE_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
# Of its libraries; that in lib/tonno is its own.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR}/standalone/lib/tonno)
set(CPACK_STRIP_FILES OFF) # they are
install(FILES LICENSE DESTINATION share/doc/tonno RENAME copyright
  COMPONENT standalone EXCLUDE_FROM_ALL)
install(FILES THIRD_PARTY_NOTICES.md DESTINATION share/doc/tonno
  COMPONENT standalone EXCLUDE_FROM_ALL)
include(CPack)
