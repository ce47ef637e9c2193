# The functions for DuckDB: the module ordo.duckdb_extension, which the statement LOAD of DuckDB takes.
# It uses version 1.2.0 of DuckDB's C interface, which later versions keep. The header is not part of
# this tree; scripts/duckdb-header puts it into the build folder.
find_path(ORDO_DUCKDB_INCLUDE duckdb_extension.h PATHS ${PROJECT_BINARY_DIR}/duckdb
          DOC "the folder of duckdb_extension.h and duckdb.h")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
    set(duckdb_platform linux_amd64)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
    set(duckdb_platform linux_arm64)
endif()
if(NOT EXISTS "${ORDO_DUCKDB_INCLUDE}/duckdb_extension.h")
    message(STATUS "Functions for DuckDB: not built, because duckdb_extension.h was not found; "
                   "scripts/duckdb-header fetches it")
    return()
elseif(ORDO_SANITIZE)
    message(STATUS "Functions for DuckDB: not built with a sanitizer")
    return()
elseif(NOT duckdb_platform)
    message(STATUS "Functions for DuckDB: not built for ${CMAKE_SYSTEM_PROCESSOR}")
    return()
endif()

file(GLOB duckdb_sources CONFIGURE_DEPENDS python/doors/duckdb*.c)
add_library(ordo_duckdb MODULE ${duckdb_sources} python/doors/contexts.c)
target_compile_definitions(ordo_duckdb PRIVATE DUCKDB_EXTENSION_API_VERSION_MAJOR=1
    DUCKDB_EXTENSION_API_VERSION_MINOR=2 DUCKDB_EXTENSION_API_VERSION_PATCH=0)
target_include_directories(ordo_duckdb SYSTEM PRIVATE ${ORDO_DUCKDB_INCLUDE})
target_link_libraries(ordo_duckdb PRIVATE ordo ordo_flags)
ordo_program(ordo_duckdb ordo)
# DuckDB finds the entry point by the name of the file.
set_target_properties(ordo_duckdb PROPERTIES PREFIX "" SUFFIX .duckdb_extension)
set(duckdb_footer ${PROJECT_SOURCE_DIR}/scripts/duckdb-footer)
add_custom_command(TARGET ordo_duckdb POST_BUILD COMMAND
    ${duckdb_footer} $<TARGET_FILE:ordo_duckdb> ${duckdb_platform} v${PROJECT_VERSION})
set_target_properties(ordo_duckdb PROPERTIES LINK_DEPENDS ${duckdb_footer})
set(ordo_duckdb_target ordo_duckdb)
