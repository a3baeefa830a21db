# The shape of every target. A library states its floor; a link to a higher
# floor, or from floors 0 to 3 to MLIR, stops the configuration
# (docs/design/architecture.md draws the floors).

include(TonnoPrecompiledHeaders)
include(TonnoUnityBuild)

add_library(tonno_options INTERFACE)
target_compile_features(tonno_options INTERFACE cxx_std_20)
# Each comparison of anything would look at its conversions, too.
target_compile_definitions(tonno_options INTERFACE JSON_USE_IMPLICIT_CONVERSIONS=0)
target_include_directories(tonno_options INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
  $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

set(TONNO_WARNING_FLAGS -Wall -Wextra -Wno-unused-parameter)
set(TONNO_UNIT_TEST_FLAGS -O0)
if(TONNO_WARNINGS_AS_ERRORS)
  list(APPEND TONNO_WARNING_FLAGS -Werror)
endif()

# tonno_library(<Name> FLOOR <n> SOURCES <file>... [LINKS <target>...]
#               [PRIVATE_LINKS <target>...] [DEPENDS <target>...] [MLIR]
#               [ROOM_OF <Name>])
#
# Defines the static library Tonno<Name> in folder lib/<Name>. MLIR: its code
# includes MLIR; who links it gets MLIR too, except plugins, whose host brings
# it (property TONNO_MLIR_FROM_HOST). ROOM_OF: a folder in that library's, which
# links it though it is on the same floor.
function(tonno_library name)
  cmake_parse_arguments(ARG "MLIR" "FLOOR;ROOM_OF" "SOURCES;LINKS;PRIVATE_LINKS;DEPENDS" ${ARGN})
  set(target Tonno${name})
  if(ARG_MLIR AND ARG_FLOOR LESS 4)
    message(FATAL_ERROR "${target} is on floor ${ARG_FLOOR}: floors 0 to 3 contain no LLVM")
  endif()
  add_library(${target} STATIC ${ARG_SOURCES})
  tonno_unity_build(${target})
  add_library(Tonno::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name}
    TONNO_FLOOR ${ARG_FLOOR} TONNO_ROOM_OF "${ARG_ROOM_OF}")
  target_compile_options(${target} PRIVATE ${TONNO_WARNING_FLAGS}
    -ffunction-sections -fdata-sections) # for linkers to drop what is not used
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(${target} PUBLIC tonno_options)
  foreach(link IN LISTS ARG_LINKS ARG_PRIVATE_LINKS)
    if(link MATCHES "^Tonno::(.+)$")
      get_target_property(floor Tonno${CMAKE_MATCH_1} TONNO_FLOOR)
      get_target_property(room_of Tonno${CMAKE_MATCH_1} TONNO_ROOM_OF)
      if(floor GREATER_EQUAL ARG_FLOOR AND NOT room_of STREQUAL name)
        message(FATAL_ERROR
          "${target} (floor ${ARG_FLOOR}) links ${link} (floor ${floor}): dependencies point downward")
      endif()
    endif()
  endforeach()
  target_link_libraries(${target} PUBLIC ${ARG_LINKS})
  target_link_libraries(${target} PRIVATE ${ARG_PRIVATE_LINKS})
  if(ARG_DEPENDS)
    add_dependencies(${target} ${ARG_DEPENDS})
  endif()
  if(ARG_MLIR)
    tonno_use_mlir_headers(${target})
    tonno_precompiled_headers(${target} mlir)
    target_link_libraries(${target} INTERFACE
      $<$<NOT:$<BOOL:$<TARGET_PROPERTY:TONNO_MLIR_FROM_HOST>>>:MLIR>
      $<$<NOT:$<BOOL:$<TARGET_PROPERTY:TONNO_MLIR_FROM_HOST>>>:LLVM>)
  else()
    tonno_precompiled_headers(${target} plain)
  endif()
  set_property(GLOBAL APPEND PROPERTY TONNO_COMPONENTS ${name})
  if(ARG_MLIR)
    set_property(GLOBAL APPEND PROPERTY TONNO_MLIR_COMPONENTS ${name})
  endif()
  install(TARGETS ${target} EXPORT TonnoTargets
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endfunction()

# tonno_program(<name> SOURCES <file>... LINKS <target>... [MLIR] [HEADERS <set>])
#
# An executable with our warnings, groups and precompiled headers (those of
# <set>, if given). It is compiled as libraries are, with -fPIC, so that both
# share the precompiled headers.
function(tonno_program name)
  cmake_parse_arguments(ARG "MLIR" "HEADERS" "SOURCES;LINKS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  tonno_unity_build(${name})
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE -fPIC ${TONNO_WARNING_FLAGS})
  target_link_libraries(${name} PRIVATE tonno_options ${ARG_LINKS})
  set(headers plain)
  if(ARG_MLIR)
    tonno_use_mlir_headers(${name})
    set(headers mlir)
  endif()
  if(ARG_HEADERS)
    string(APPEND headers _${ARG_HEADERS})
  endif()
  tonno_precompiled_headers(${name} ${headers})
endfunction()

# Every tool, without the unit tests.
add_custom_target(tonno-tools)

# tonno_tool(<name> SOURCES <file>... LINKS <target>... [MLIR])
function(tonno_tool name)
  tonno_program(${name} ${ARGN})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/tools)
  add_dependencies(tonno-tools ${name})
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(FILES ${PROJECT_SOURCE_DIR}/docs/man/${name}.1
    DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
endfunction()

# tonno_unit_test(<Folder> SOURCES <file>... LINKS <target>... [MLIR] [TIMES])
#
# The GoogleTest executable of test/unit/<Folder>, known to CTest, which is
# how scripts/test.sh finds it. What it tests is optimised, its own code is
# not (TONNO_UNIT_TEST_FLAGS): that took a third of the time of a clean build.
# What TIMES real runs has nothing run beside it.
function(tonno_unit_test name)
  cmake_parse_arguments(ARG "TIMES" "" "" ${ARGN})
  set(target tonno-unit-${name})
  tonno_program(${target} ${ARG_UNPARSED_ARGUMENTS} HEADERS test)
  target_compile_options(${target} PRIVATE ${TONNO_UNIT_TEST_FLAGS})
  target_link_libraries(${target} PRIVATE GTest::gmock_main)
  tonno_register_suite(${target} unit-${name})
  set_tests_properties(${suites} PROPERTIES RUN_SERIAL ${ARG_TIMES})
endfunction()

# As one process; with ThreadSanitizer as eight, since what it keeps of each
# mapping there ever was makes the last tests of a long suite take for ever.
function(tonno_register_suite target name)
  set(suites ${name})
  if(NOT "thread" IN_LIST TONNO_SANITIZERS)
    add_test(NAME ${name} COMMAND ${target})
  else()
    set(suites)
    foreach(shard RANGE 7)
      add_test(NAME ${name}-${shard} COMMAND ${target})
      set_tests_properties(${name}-${shard} PROPERTIES
        ENVIRONMENT "GTEST_TOTAL_SHARDS=8;GTEST_SHARD_INDEX=${shard}")
      list(APPEND suites ${name}-${shard})
    endforeach()
  endif()
  set(suites ${suites} PARENT_SCOPE)
endfunction()

function(tonno_use_mlir_headers target)
  target_include_directories(${target} SYSTEM PUBLIC
    "$<BUILD_INTERFACE:${LLVM_INCLUDE_DIRS}>" "$<BUILD_INTERFACE:${MLIR_INCLUDE_DIRS}>")
  target_compile_definitions(${target} PRIVATE ${LLVM_DEFINITIONS_LIST})
  if(NOT LLVM_ENABLE_RTTI)
    target_compile_options(${target} PRIVATE -fno-rtti)
  endif()
endfunction()

install(TARGETS tonno_options EXPORT TonnoTargets)
