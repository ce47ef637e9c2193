# ordo_flags: how every file of this project is compiled. Users of the library never see it.
#
# Results must be the same bytes on every machine, so no option here may change arithmetic:
# products are not contracted into fused multiply-adds, and nothing is tuned to the machine that
# happens to build (the fast kernels are chosen at run time, see cmake/isa.cmake).
add_library(ordo_flags INTERFACE)
target_compile_options(ordo_flags INTERFACE
    -ffp-contract=off -fno-math-errno -fvisibility=hidden
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion
    $<$<CONFIG:Release>:-g1> # CMake's own Release adds -O3 and -DNDEBUG
    $<$<BOOL:${ORDO_WERROR}>:-Werror>)

if(ORDO_SANITIZE)
    target_compile_options(ordo_flags INTERFACE
        -fsanitize=${ORDO_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(ordo_flags INTERFACE -fsanitize=${ORDO_SANITIZE})
endif()
