# Kernels for one instruction set are in files with avx2, avx512 or neon in their name
# (kernels_avx2.c). Only these files are compiled with the options of the set, and only for
# processors that may have it; the library checks the CPU before it calls them. -mfma is not among
# the options, because a fused product would round differently from the other kernels.
set(ordo_avx2_flags -mavx2 -mbmi -mbmi2 -mlzcnt -mpopcnt)
set(ordo_avx512_flags ${ordo_avx2_flags}
    -mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx512cd -mavx512vpopcntdq)

# Removes the files that the target processor cannot run from the list named by `sources`, and sets
# the options of the others. Options hold only in the calling directory, so each directory that
# compiles the sources calls this.
function(ordo_select_isa_sources sources)
    set(kept ${${sources}})
    if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
        list(FILTER kept EXCLUDE REGEX "[/_]avx(2|512)(_[^/]*)?\\.c$")
    endif()
    if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(aarch64|arm64)$")
        list(FILTER kept EXCLUDE REGEX "[/_]neon(_[^/]*)?\\.c$")
    endif()
    foreach(isa IN ITEMS avx2 avx512)
        set(files ${kept})
        list(FILTER files INCLUDE REGEX "[/_]${isa}(_[^/]*)?\\.c$")
        if(files)
            set_source_files_properties(${files} PROPERTIES COMPILE_OPTIONS "${ordo_${isa}_flags}")
        endif()
    endforeach()
    # The time of a few keys depends on where the loops begin. Cascade Lake, argsort of 16 keys u64, ns:
    # 217 with loops at multiples of 32, 238 and 263 with two layouts that the compiler chose.
    set(files ${kept})
    list(FILTER files INCLUDE REGEX "/small_n\\.c$")
    set_source_files_properties(${files} PROPERTIES COMPILE_OPTIONS -falign-loops=32)
    set(${sources} ${kept} PARENT_SCOPE)
endfunction()
