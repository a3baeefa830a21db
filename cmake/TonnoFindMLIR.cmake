# Finds LLVM and MLIR 22: MLIR_DIR where given, else Debian's packages.
# Only version 22 will do; find_package can't ask for a major version alone.
find_package(MLIR CONFIG HINTS /usr/lib/llvm-22/lib/cmake/mlir)
if(NOT MLIR_FOUND)
  message(FATAL_ERROR
    "MLIR 22 was not found. Install libmlir-22-dev, or give -DMLIR_DIR=<prefix>/lib/cmake/mlir.")
endif()
if(NOT LLVM_VERSION_MAJOR EQUAL 22)
  message(FATAL_ERROR
    "tonno needs LLVM/MLIR 22; ${MLIR_DIR} is version ${LLVM_PACKAGE_VERSION}. "
    "Give the MLIR_DIR of an LLVM/MLIR 22.")
endif()
message(STATUS "LLVM/MLIR ${LLVM_PACKAGE_VERSION} in ${MLIR_DIR}")
list(APPEND CMAKE_MODULE_PATH "${MLIR_CMAKE_DIR}" "${LLVM_CMAKE_DIR}")
separate_arguments(LLVM_DEFINITIONS_LIST NATIVE_COMMAND "${LLVM_DEFINITIONS}")
include(TableGen)
include(AddLLVM)
include(AddMLIR)
find_package(LLD CONFIG HINTS ${LLVM_DIR}/../lld)
if(NOT LLD_FOUND)
  message(FATAL_ERROR "lld's libraries were not found beside LLVM. Install liblld-22-dev.")
endif()
