# ordo-bench: the benchmarks, a program of its own that `ordo bench` runs. It opens the peers
# (cmake/peers.cmake, cmake/cuda_peers.cmake) as modules where they are built.
file(GLOB bench_sources CONFIGURE_DEPENDS bench/main.c bench/harness/*.c bench/subjects/*.c)
add_executable(ordo_bench ${bench_sources} $<TARGET_OBJECTS:ordo_cli>)
target_include_directories(ordo_bench PRIVATE .)
target_link_libraries(ordo_bench PRIVATE ordo ordo_flags Threads::Threads m ${CMAKE_DL_LIBS})
ordo_program(ordo_bench ordo-bench)

# ordo-race compares two builds of the library, ordo-ranks times calls over many ranks, and ordo-texts
# writes texts to measure with. They are tools for developers and are not installed.
if(ORDO_BUILD_TESTS)
    add_executable(ordo_ranks bench/ranks.c)
    target_include_directories(ordo_ranks PRIVATE .)
    target_link_libraries(ordo_ranks PRIVATE ordo ordo_flags)
    set_target_properties(ordo_ranks PROPERTIES OUTPUT_NAME ordo-ranks)
    add_executable(ordo_texts bench/texts.c)
    target_link_libraries(ordo_texts PRIVATE ordo_flags)
    set_target_properties(ordo_texts PROPERTIES OUTPUT_NAME ordo-texts)
    add_executable(ordo_ranks_strings bench/ranks_strings.c)
    target_include_directories(ordo_ranks_strings PRIVATE .)
    target_link_libraries(ordo_ranks_strings PRIVATE ordo ordo_flags)
    set_target_properties(ordo_ranks_strings PROPERTIES OUTPUT_NAME ordo-ranks-strings)
    file(GLOB race_sources CONFIGURE_DEPENDS bench/race/*.c)
    add_executable(ordo_race ${race_sources})
    target_include_directories(ordo_race PRIVATE .)
    target_link_libraries(ordo_race PRIVATE ordo_flags ordo_usage ${CMAKE_DL_LIBS})
    set_target_properties(ordo_race PROPERTIES OUTPUT_NAME ordo-race)
endif()
