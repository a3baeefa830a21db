# tonno_precompiled_headers(<target> <set>)
#
# <set> is a list of headers of others, compiled once and given to each target
# that has it: half of a compilation went to parsing them, more of clang-tidy's
# work. Ours are never among them. What a file forgets to include may then go
# unseen: TONNO_PRECOMPILED_HEADERS=OFF shows it.
option(TONNO_PRECOMPILED_HEADERS "Compile the headers of MLIR and of other libraries once" ON)
set(TONNO_HEADERS_plain
  <algorithm> <chrono> <filesystem> <functional> <map> <nlohmann/json.hpp>
  <optional> <random> <set> <span> <sstream> <string> <thread> <variant> <vector>)
set(TONNO_HEADERS_mlir
  ${TONNO_HEADERS_plain}
  <llvm/ADT/STLExtras.h> <llvm/ADT/StringExtras.h> <llvm/IR/Module.h>
  <llvm/Support/raw_ostream.h>
  <mlir/Dialect/Affine/IR/AffineOps.h> <mlir/Dialect/AMDGPU/IR/AMDGPUDialect.h>
  <mlir/Dialect/Arith/IR/Arith.h> <mlir/Dialect/Bufferization/IR/Bufferization.h>
  <mlir/Dialect/Func/IR/FuncOps.h> <mlir/Dialect/GPU/IR/GPUDialect.h>
  <mlir/Dialect/LLVMIR/LLVMDialect.h> <mlir/Dialect/LLVMIR/NVVMDialect.h>
  <mlir/Dialect/Linalg/IR/Linalg.h> <mlir/Dialect/Linalg/Transforms/Transforms.h>
  <mlir/Dialect/Math/IR/Math.h> <mlir/Dialect/MemRef/IR/MemRef.h>
  <mlir/Dialect/NVGPU/IR/NVGPUDialect.h> <mlir/Dialect/SCF/IR/SCF.h>
  <mlir/Dialect/Tensor/IR/Tensor.h>
  <mlir/Dialect/Transform/IR/TransformOps.h> <mlir/Dialect/Vector/IR/VectorOps.h>
  <mlir/IR/Builders.h> <mlir/IR/BuiltinOps.h> <mlir/Pass/PassManager.h>)
set(TONNO_HEADERS_plain_test ${TONNO_HEADERS_plain} <gmock/gmock.h> <gtest/gtest.h>)
set(TONNO_HEADERS_mlir_test ${TONNO_HEADERS_mlir} <gmock/gmock.h> <gtest/gtest.h>)
function(tonno_precompiled_headers target set)
  if(NOT TONNO_PRECOMPILED_HEADERS)
    return()
  endif()
  set(holder tonno_headers_${set})
  if(NOT TARGET ${holder})
    set(empty ${PROJECT_BINARY_DIR}/headers/empty.cpp)
    file(CONFIGURE OUTPUT ${empty} CONTENT "")
    add_library(${holder} OBJECT ${empty})
    target_compile_options(${holder} PRIVATE ${TONNO_WARNING_FLAGS})
    target_link_libraries(${holder} PRIVATE tonno_options nlohmann_json::nlohmann_json)
    if(set MATCHES "test")
      target_link_libraries(${holder} PRIVATE GTest::gmock)
      target_compile_options(${holder} PRIVATE ${TONNO_UNIT_TEST_FLAGS})
    endif()
    if(set MATCHES "mlir")
      tonno_use_mlir_headers(${holder})
    endif()
    target_precompile_headers(${holder} PRIVATE ${TONNO_HEADERS_${set}})
  endif()
  target_precompile_headers(${target} REUSE_FROM ${holder})
endfunction()
