# Our own code only: imported targets' headers are SYSTEM, so none of these flags reach them.
add_library(berth_warnings INTERFACE)
target_compile_options(berth_warnings INTERFACE -Wall -Wextra -Wconversion -Werror)
# With optimisation g++ 12 takes the unused half of a std::variant, and of a JSON value, for uninitialised; what
# really is so, the sanitizer builds find.
target_compile_options(berth_warnings INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
# In a unity unit g++ takes a source's unnamed namespace for a header's, and warns of types that use it.
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(berth_warnings INTERFACE -Wno-subobject-linkage)
endif()

# berth_library(name SOURCES a.cpp ... [LINKS public...] [PRIVATE_LINKS hidden...])
# One folder, one library. LINKS are the rooms and libraries its headers show, PRIVATE_LINKS those its
# sources hide: a C library is always hidden, so an include in the wrong folder does not compile.
function(berth_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINKS;PRIVATE_LINKS" ${ARGN})
  add_library(berth_${name} STATIC ${arg_SOURCES})
  target_include_directories(berth_${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_link_libraries(berth_${name} PUBLIC ${arg_LINKS} PRIVATE berth_warnings ${arg_PRIVATE_LINKS})
endfunction()

# berth_program(name SOURCES main.cpp ... LINKS rooms...)
add_custom_target(programs)  # what is installed, without the tests
function(berth_program name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINKS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE berth_warnings ${arg_LINKS})
  target_compile_definitions(${name} PRIVATE BERTH_VERSION="${PROJECT_VERSION}")
  add_dependencies(programs ${name})
endfunction()

# berth_test(room SOURCES ... LINKS ... [LABELS real]) -> program test_<room>, one ctest row per case.
# A case that runs a real engine or broker carries the tag of the part it needs: [docker] [podman] [nats].
function(berth_test room)
  cmake_parse_arguments(arg "" "" "SOURCES;LINKS;LABELS" ${ARGN})
  add_executable(test_${room} ${arg_SOURCES})
  target_link_libraries(test_${room} PRIVATE berth_warnings berth_test_support dep::catch_main ${arg_LINKS})
  add_test(NAME ${room} COMMAND test_${room})
  set_tests_properties(${room} PROPERTIES LABELS "${arg_LABELS}" TIMEOUT 1800)
endfunction()

# berth_embed(target namespace out_stem files...): each file becomes a string_view constant named by its stem.
function(berth_embed target namespace stem)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/generated/schema/${stem})
  add_custom_command(
    OUTPUT ${out}.h ${out}.cpp
    COMMAND ${CMAKE_COMMAND} -DOUT=${out} -DNAMESPACE=${namespace} -DSTEM=${stem} "-DFILES=${ARGN}"
            -P ${PROJECT_SOURCE_DIR}/cmake/Embed.cmake
    DEPENDS ${ARGN} ${PROJECT_SOURCE_DIR}/cmake/Embed.cmake VERBATIM)
  target_sources(${target} PRIVATE ${out}.cpp ${out}.h)
endfunction()
