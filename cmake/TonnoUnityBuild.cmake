# tonno_unity_build(<target>)
#
# Compiles the sources of a target in groups of at most TONNO_UNITY_SIZE, each
# the sources of one folder: most of a compilation goes to templates of MLIR, of
# JSON and of the standard library, which a group instantiates once. Functions
# of a group share one scope, so two files of a folder can't both define a
# static function of the same name and arguments.
option(TONNO_UNITY_BUILD "Compile sources in groups" ON)
set(TONNO_UNITY_SIZE 16 CACHE STRING "Most sources in a group")
mark_as_advanced(TONNO_UNITY_SIZE)
function(tonno_unity_build target)
  if(NOT TONNO_UNITY_BUILD)
    return()
  endif()
  set_target_properties(${target} PROPERTIES
    UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    cmake_path(GET source PARENT_PATH folder)
    string(MAKE_C_IDENTIFIER "_${folder}" group)
    # Value, Type, Attribute and Function mean others there than in mlir.
    file(STRINGS ${source} opens_llvm REGEX "^using namespace llvm;")
    if(opens_llvm)
      string(APPEND group _llvm)
    endif()
    list(APPEND groups ${group})
    list(APPEND of_${group} ${source})
  endforeach()
  list(REMOVE_DUPLICATES groups)
  foreach(group IN LISTS groups)
    list(LENGTH of_${group} size)
    # As many groups as it takes, of the same size or one less.
    math(EXPR parts "(${size} + ${TONNO_UNITY_SIZE} - 1) / ${TONNO_UNITY_SIZE}")
    set(index 0)
    foreach(source IN LISTS of_${group})
      math(EXPR part "${index} * ${parts} / ${size}")
      set_source_files_properties(${source} PROPERTIES UNITY_GROUP "${group}${part}")
      math(EXPR index "${index} + 1")
    endforeach()
  endforeach()
endfunction()
