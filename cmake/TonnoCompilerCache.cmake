# Compiles through ccache or sccache, if one is installed and no launcher is set.
# -DTONNO_COMPILER_CACHE= turns it off.
find_program(TONNO_COMPILER_CACHE NAMES ccache sccache DOC "Compiler cache; empty: none")
if(TONNO_COMPILER_CACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${TONNO_COMPILER_CACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${TONNO_COMPILER_CACHE})
  # ccache takes a precompiled header by its contents only if told to, and if the
  # compiler writes no time stamp into it.
  if(TONNO_COMPILER_CACHE MATCHES "/ccache$")
    list(PREPEND CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros)
  endif()
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
  endif()
endif()
