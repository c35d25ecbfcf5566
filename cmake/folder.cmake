# muster_folder(NAME LINKS …): src/NAME becomes the static library muster_NAME; its *_test.cc files become the test
# program NAME_test. Folders are named without the prefix in LINKS.
function(muster_folder name)
  cmake_parse_arguments(arg "" "" "LINKS;TEST_LINKS" ${ARGN})
  set(directory ${CMAKE_SOURCE_DIR}/src/${name})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${directory}/*.cc)
  set(tests ${sources})
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  list(FILTER tests INCLUDE REGEX "_test\\.cc$")

  add_library(muster_${name} STATIC ${sources})
  target_link_libraries(muster_${name} PUBLIC muster_flags)
  foreach(link IN LISTS arg_LINKS)
    if(TARGET muster_${link})
      set(link muster_${link})
    endif()
    target_link_libraries(muster_${name} PUBLIC ${link})
  endforeach()

  if(tests)
    muster_test(${name}_test SOURCES ${tests} LINKS muster_${name} ${arg_TEST_LINKS})
  endif()
endfunction()

# muster_test(NAME SOURCES … LINKS …): a GoogleTest program, each test a ctest entry of its own.
function(muster_test name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LINKS} GTest::gtest GTest::gmock GTest::gtest_main)
  include(GoogleTest)
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST PROPERTIES TIMEOUT 300)
endfunction()
