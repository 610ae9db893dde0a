# SPDX-License-Identifier: GPL-3.0-or-later
cmake_minimum_required(VERSION 3.25)
# Fails where clang-format would change a source.
execute_process(COMMAND git -C ${ROOT} ls-files *.h *.cpp *.cu OUTPUT_VARIABLE files RESULT_VARIABLE status)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "git could not list the files")
endif()
string(STRIP "${files}" files)
string(REPLACE "\n" ";" files "${files}")
execute_process(COMMAND ${CLANG_FORMAT} --dry-run -Werror --ferror-limit=1 ${files} WORKING_DIRECTORY ${ROOT} RESULT_VARIABLE status
  ERROR_VARIABLE text)
if(NOT status EQUAL 0)
  message(FATAL_ERROR "run ./dev format\n${text}")
endif()
