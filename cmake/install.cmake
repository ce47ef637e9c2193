# What `make install` puts where: the command, the library, its headers, manual pages,
# completion scripts, the CMake package and the pkg-config file. Both of the last two find the rest relative to
# themselves, so the prefix may still change at installation.
include(CMakePackageConfigHelpers)

set(ordo_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/ordo)
install(TARGETS ordo_command ordo_bench RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS ordo ordo_usage EXPORT ordo LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET ordo_cuda) # found beside the library
    install(TARGETS ordo_cuda LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
# What goes into a Python wheel, as python/ordo/_lib.py and __main__.py look for it: the library by
# its soname; the command, the doors to Polars, PyTorch and DuckDB and the CUDA backend beside it. The plugin is a component of its own,
# because it can also be a wheel of its own (python/cuda).
install(FILES $<TARGET_FILE:ordo> DESTINATION ordo RENAME libordo.so.0
        COMPONENT python EXCLUDE_FROM_ALL)
install(PROGRAMS $<TARGET_FILE:ordo_command> DESTINATION ordo RENAME ordo-command
        COMPONENT python EXCLUDE_FROM_ALL)
install(FILES $<TARGET_FILE:ordo_polars> $<TARGET_FILE:ordo_torch> DESTINATION ordo
        COMPONENT python EXCLUDE_FROM_ALL)
if(TARGET ordo_duckdb)
    install(FILES $<TARGET_FILE:ordo_duckdb> DESTINATION ordo COMPONENT python EXCLUDE_FROM_ALL)
endif()
if(TARGET ordo_cuda)
    install(FILES $<TARGET_FILE:ordo_cuda> DESTINATION ordo COMPONENT python_cuda EXCLUDE_FROM_ALL)
endif()
if(ORDO_BUILD_STATIC)
    install(TARGETS ordo_static EXPORT ordo ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
endif()
install(FILES include/ordo.h include/ordo.hpp include/ordo_bz.h include/ordo_dist.h include/ordo_dist_external.h include/ordo_dist_strings.h
        include/ordo_external.h include/ordo_external_lines.h
        include/ordo_gen.h include/ordo_groups.h
        include/ordo_machine.h include/ordo_measure.h include/ordo_mpi.h include/ordo_records.h include/ordo_report.h include/ordo_segments.h include/ordo_sets.h
        include/ordo_strings.h include/ordo_text.h include/ordo_windows.h
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY include/ordo DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
# Manual pages and completion scripts, made by cmake/manual.cmake.
install(DIRECTORY ${ordo_manual}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR} OPTIONAL)
foreach(program ordo ordo-mpi) # those of ordo-mpi exist if it was built
    install(FILES ${ordo_manual}/completion/${program}.bash OPTIONAL
            DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME ${program})
    install(FILES ${ordo_manual}/completion/_${program} OPTIONAL
            DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
    install(FILES ${ordo_manual}/completion/${program}.fish OPTIONAL
            DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endforeach()

install(EXPORT ordo NAMESPACE ordo:: DESTINATION ${ordo_cmake_dir} FILE ordo-targets.cmake)
configure_package_config_file(cmake/ordo-config.cmake.in
    ${PROJECT_BINARY_DIR}/ordo-config.cmake INSTALL_DESTINATION ${ordo_cmake_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/ordo-config-version.cmake
    COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/ordo-config.cmake
              ${PROJECT_BINARY_DIR}/ordo-config-version.cmake DESTINATION ${ordo_cmake_dir})

if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}" OR IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
    set(ordo_pc_prefix ${CMAKE_INSTALL_PREFIX})
    set(ordo_pc_libdir ${CMAKE_INSTALL_FULL_LIBDIR})
    set(ordo_pc_includedir ${CMAKE_INSTALL_FULL_INCLUDEDIR})
else()
    file(RELATIVE_PATH pc_to_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
    string(REGEX REPLACE "/$" "" pc_to_prefix "${pc_to_prefix}")
    set(ordo_pc_prefix "\${pcfiledir}/${pc_to_prefix}")
    set(ordo_pc_libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
    set(ordo_pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
endif()
configure_file(cmake/ordo.pc.in ${PROJECT_BINARY_DIR}/ordo.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/ordo.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
