# Links with lld, if the compiler finds it: GNU ld takes most of the time of a
# rebuild after a small change.
include(CheckLinkerFlag)
check_linker_flag(CXX -fuse-ld=lld TONNO_HAS_LLD)
if(TONNO_HAS_LLD)
  add_link_options(-fuse-ld=lld)
endif()
# A program gets whole groups of sources (TonnoUnityBuild.cmake) from a library:
# what it does not call goes.
add_link_options(LINKER:--gc-sections)
