# TONNO_SANITIZERS: a list such as "address;undefined", for every target.
#
# The presets asan and tsan set it; scripts/sanitize.sh builds and runs them.
# Debian's libMLIR and libLLVM are not instrumented, hence two exceptions:
# - vptr is not checked, since LLVM has no RTTI;
# - LLVM's inline allocators poison memory in our code, while the code in its
#   libraries never lifts that: the tests are run with
#   ASAN_OPTIONS=allow_user_poisoning=0, as the presets do.
set(TONNO_SANITIZERS "" CACHE STRING "Sanitizers to build with: address;undefined or thread")
if(TONNO_SANITIZERS)
  list(JOIN TONNO_SANITIZERS "," sanitizers)
  add_compile_options(-fsanitize=${sanitizers} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${sanitizers})
  if("undefined" IN_LIST TONNO_SANITIZERS)
    add_compile_options(-fno-sanitize=vptr -fno-sanitize-recover=undefined)
    add_link_options(-fno-sanitize=vptr)
  endif()
endif()
