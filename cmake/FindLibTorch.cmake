# SPDX-License-Identifier: GPL-3.0-or-later
# Finds LibTorch as its wheel or its official archive unpacks it and defines LibTorch::LibTorch: libtorch_cpu and libc10 only,
# so that neither Python nor a CUDA toolkit is asked for. LIBTORCH_ROOT names the folder that holds include/ and lib/;
# ./dev setup passes it. Sets LibTorch_FOUND, LibTorch_VERSION and, when not found, LibTorch_REASON.
find_path(LibTorch_INCLUDE_DIR ATen/ATen.h HINTS ${LIBTORCH_ROOT}/include $ENV{LIBTORCH_ROOT}/include)
find_library(LibTorch_CPU_LIBRARY torch_cpu HINTS ${LIBTORCH_ROOT}/lib $ENV{LIBTORCH_ROOT}/lib)
find_library(LibTorch_C10_LIBRARY c10 HINTS ${LIBTORCH_ROOT}/lib $ENV{LIBTORCH_ROOT}/lib)
mark_as_advanced(LibTorch_INCLUDE_DIR LibTorch_CPU_LIBRARY LibTorch_C10_LIBRARY)

if(LibTorch_INCLUDE_DIR AND EXISTS ${LibTorch_INCLUDE_DIR}/torch/headeronly/version.h)
  file(STRINGS ${LibTorch_INCLUDE_DIR}/torch/headeronly/version.h lines REGEX "define TORCH_VERSION_(MAJOR|MINOR|PATCH) ")
  string(REGEX REPLACE "[^0-9;]" "" lines "${lines}")
  string(REPLACE ";" "." LibTorch_VERSION "${lines}")
endif()
set(LibTorch_REASON "LibTorch was not found: ./dev setup fetches it, or pass -DLIBTORCH_ROOT=FOLDER (the one with include and lib)")

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(LibTorch
  REQUIRED_VARS LibTorch_CPU_LIBRARY LibTorch_C10_LIBRARY LibTorch_INCLUDE_DIR VERSION_VAR LibTorch_VERSION
  REASON_FAILURE_MESSAGE "${LibTorch_REASON}")

if(LibTorch_FOUND AND NOT TARGET LibTorch::LibTorch)
  add_library(LibTorch::c10 SHARED IMPORTED)
  set_target_properties(LibTorch::c10 PROPERTIES IMPORTED_LOCATION ${LibTorch_C10_LIBRARY})
  add_library(LibTorch::LibTorch SHARED IMPORTED)
  set_target_properties(LibTorch::LibTorch PROPERTIES
    IMPORTED_LOCATION ${LibTorch_CPU_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES "${LibTorch_INCLUDE_DIR};${LibTorch_INCLUDE_DIR}/torch/csrc/api/include"
    INTERFACE_LINK_LIBRARIES "LibTorch::c10"
    # libtorch_cpu needs the CUDA runtime and profiler libraries, which its own RPATH finds.
    INTERFACE_LINK_OPTIONS "LINKER:--allow-shlib-undefined")
endif()
