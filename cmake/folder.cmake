# muster_folder(NAME LINKS … TEST_LINKS …): src/NAME becomes the static library muster_NAME; src/NAME/testing, which
# only tests may link, becomes muster_NAME_testing; the *_test.cc files become the test program NAME_test. Folders are
# named without the prefix in LINKS and TEST_LINKS. ONE_THREAD: its tests start no second thread, so that they are left
# out where races are looked for.
function(muster_folder name)
  cmake_parse_arguments(arg "ONE_THREAD" "" "LINKS;TEST_LINKS" ${ARGN})
  set(directory ${CMAKE_SOURCE_DIR}/src/${name})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${directory}/*.cc)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")
  set(testing ${sources})
  list(FILTER sources EXCLUDE REGEX "/${name}/testing/")
  list(FILTER testing INCLUDE REGEX "/${name}/testing/")

  if(sources)
    add_library(muster_${name} STATIC ${sources})
    muster_batch(muster_${name})
    target_link_libraries(muster_${name} PUBLIC muster_flags)
    if("api" IN_LIST arg_LINKS AND NOT name STREQUAL "server")  # which has its own
      muster_use_headers(muster_${name} muster_api)
    endif()
    muster_link(muster_${name} ${arg_LINKS})
  else()  # headers only
    add_library(muster_${name} INTERFACE)
    foreach(link flags ${arg_LINKS})
      target_link_libraries(muster_${name} INTERFACE muster_${link})
    endforeach()
  endif()
  if(testing)
    add_library(muster_${name}_testing STATIC ${testing})
    muster_batch(muster_${name}_testing)
    muster_link(muster_${name}_testing ${name})
  endif()

  if(arg_ONE_THREAD AND MUSTER_SANITIZE STREQUAL "thread")
    set(tests)
  endif()
  # The fuzz preset has no tests: its compiler is there for the fuzz targets only.
  if(tests AND NOT MUSTER_FUZZ)
    if(name STREQUAL "api" OR "api" IN_LIST arg_LINKS)
      set(headers kind_test_headers)
    else()
      set(headers plain_test_headers)
    endif()
    muster_test(${name}_test SOURCES ${tests} LINKS muster_${name} HEADERS ${headers})
    muster_link(${name}_test ${name}_testing ${arg_TEST_LINKS})
  endif()
endfunction()

# Links folders, named without the prefix, or other libraries. A folder that does not have a testing part is no error.
function(muster_link target)
  foreach(link IN LISTS ARGN)
    if(TARGET muster_${link})
      target_link_libraries(${target} PUBLIC muster_${link})
    elseif(NOT link MATCHES "_testing$")
      target_link_libraries(${target} PUBLIC ${link})
    endif()
  endforeach()
endfunction()

# muster_test(NAME SOURCES … LINKS … HEADERS …): a GoogleTest program, each test a ctest entry of its own. HEADERS: its
# precompiled headers, plain_test_headers or, when it links api, kind_test_headers.
function(muster_test name)
  cmake_parse_arguments(arg "" "HEADERS" "SOURCES;LINKS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  muster_batch(${name})
  target_link_libraries(${name} PUBLIC muster_flags ${arg_LINKS} GTest::gtest GTest::gmock GTest::gtest_main)
  target_compile_options(${name} PRIVATE ${MUSTER_TEST_OPTIONS})
  if(arg_HEADERS)
    muster_use_headers(${name} ${arg_HEADERS})
  endif()
  include(GoogleTest)
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 300)
endfunction()

# Tests take longer to optimise than to run. Lines of the source are for sanitizers; a debugger finds them in build/asan.
set(MUSTER_TEST_OPTIONS -O0)
if(NOT MUSTER_SANITIZE)
  list(APPEND MUSTER_TEST_OPTIONS -g0)
endif()

# muster_batch(TARGET): its sources are compiled MUSTER_BATCH at a time. Names in unnamed namespaces of a folder's sources must
# differ; a test file's names stand in a namespace that is named after the file.
function(muster_batch target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${MUSTER_UNITY} UNITY_BUILD_BATCH_SIZE ${MUSTER_BATCH})
endfunction()

# muster_precompile(TARGET HEADERS…): what nearly every source of a target includes is read once. The declarations of
# the kinds take a compiler two seconds, which is more than most sources have of their own. It is worth it for targets
# of three batches or more.
function(muster_precompile target)
  target_precompile_headers(${target} PRIVATE ${ARGN})
  muster_precompiled_options(${target})
endfunction()

# muster_use_headers(TARGET OTHER): the precompiled headers of another target. Both have the same options and, as far as
# those headers ask, the same definitions, or GCC refuses (-Winvalid-pch).
function(muster_use_headers target other)
  target_precompile_headers(${target} REUSE_FROM ${other})
  muster_precompiled_options(${target})
endfunction()

# muster_test_headers(NAME LINKS … HEADERS …): precompiled headers for test programs, GoogleTest among them.
function(muster_test_headers name)
  if(MUSTER_FUZZ)
    return()
  endif()
  cmake_parse_arguments(arg "" "" "LINKS;HEADERS" ${ARGN})
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/${name}.cc CONTENT "")
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/${name}.cc)
  target_link_libraries(${name} PRIVATE muster_flags ${arg_LINKS} GTest::gtest GTest::gmock)
  target_compile_options(${name} PRIVATE ${MUSTER_TEST_OPTIONS})
  muster_precompile(${name} <gmock/gmock.h> <gtest/gtest.h> ${arg_HEADERS})
endfunction()

function(muster_precompiled_options target)
  if(NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
    target_compile_options(${target} PRIVATE -fpch-preprocess)  # what ccache needs
  endif()
  # GCC 12 sees overruns in std::string that are not there, and headers read in advance are not system headers to it.
  target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-restrict -Wno-stringop-overflow)
endfunction()
