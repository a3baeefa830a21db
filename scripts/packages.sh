# The packages and why each is needed; read by setup.sh.
# shellcheck shell=bash disable=SC2034

# One per line: package, then its reason.
readonly mlir_packages='
libmlir-22-dev      MLIR 22: headers, libraries, CMake package
mlir-22-tools       mlir-tblgen for the dialect and the passes; mlir-opt-22
llvm-22-dev         LLVM 22: headers, libraries, FileCheck
liblld-22-dev       lld as a library: links tuned kernels
lld-22              the program, which the CMake package of that library expects
'
readonly build_packages='
clang-22            compiles tonno
g++                 brings the C++ standard library
cmake               configures the build
ninja-build         runs the build
nlohmann-json3-dev  JSON: records, protocol, launch plans
libeigen3-dev       dense linear algebra: Gaussian processes of the search
libmd-dev           SHA-256, from the library that dpkg itself uses
zlib1g-dev          recordings of tuning spaces, which are published compressed
'
readonly test_packages='
libgtest-dev        unit tests
libgmock-dev        unit tests
python3-venv        lit, pytest and the Python package, installed inside the build tree
python3-dev         headers for the extension of the Python package
libclang-rt-22-dev  sanitizer runtimes for the presets asan and tsan
opencl-headers      the floor OpenCL, which is only built where these three are
opencl-clhpp-headers  the C++ bindings of OpenCL
ocl-icd-opencl-dev  the loader of drivers for OpenCL
libomp-22-dev       OpenMP of LLVM, which kernels of several threads run by
pocl-opencl-icd     OpenCL on the CPU: the device that its tests run on
clang-format-22     the check of the format
clang-tidy-22       the check for common mistakes
mandoc              the check of the man pages
curl                brings libcurl, by which shared stores are read
openssl             certificates for the tests of shared stores
gcc                 tests of commands in C, and the linker of examples/workers
gfortran            tests of commands in Fortran
nginx               a server with WebDAV, for the tests of shared stores
'
readonly benchmark_packages='
libopenblas0-pthread  whom benchmarks/host compares products with; found when it runs
'
