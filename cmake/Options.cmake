# SPDX-License-Identifier: GPL-3.0-or-later
# Compile options that every target of the project takes: link actiscope_options.
add_library(actiscope_options INTERFACE)
target_include_directories(actiscope_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(actiscope_options INTERFACE
  $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wshadow;-Wconversion;-Wno-sign-conversion;-Werror>
  # The same bits on every machine: no fused multiply-add that the source does not ask for.
  $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 reports these falsely in std::vector and std::string at -O2.
  target_compile_options(actiscope_options INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Wno-array-bounds;-Wno-stringop-overflow;-Wno-restrict;-Wno-dangling-pointer;-Wno-psabi>)
endif()

if(ACTISCOPE_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
set(ACTISCOPE_SANITIZE "" CACHE STRING "Sanitizers to build with, as for -fsanitize=")
if(ACTISCOPE_SANITIZE)
  add_compile_options(-fsanitize=${ACTISCOPE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${ACTISCOPE_SANITIZE})
endif()

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Paths relative to the checkout, so that two checkouts share their objects.
  set(launcher ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${PROJECT_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${launcher})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${launcher})
endif()
