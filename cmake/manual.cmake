# Manual pages and completion scripts: the command prints them, so that they say what --help says.
# A cross build cannot run the command, and with a leak check each of its runs takes seconds.
set(ordo_manual ${PROJECT_BINARY_DIR}/manual)
if(NOT CMAKE_CROSSCOMPILING AND NOT ORDO_SANITIZE)
    file(GLOB manual_details CONFIGURE_DEPENDS docs/man/*.mdoc)
    set(manual_mpi)
    if(TARGET ordo_mpi_command)
        set(manual_mpi $<TARGET_FILE:ordo_mpi_command>)
    endif()
    add_custom_command(OUTPUT ${ordo_manual}/made
        COMMAND ${PROJECT_SOURCE_DIR}/scripts/manual-pages $<TARGET_FILE:ordo_command> ${ordo_manual}
            ${manual_mpi}
        COMMAND ${CMAKE_COMMAND} -E touch ${ordo_manual}/made
        DEPENDS ordo_command ${manual_mpi} scripts/manual-pages ${manual_details}
        COMMENT "Manual pages and completion scripts" VERBATIM)
    add_custom_target(ordo_manual ALL DEPENDS ${ordo_manual}/made)
    add_dependencies(ordo_product ordo_manual)
endif()
