# ordo_cuda_peers: what `ordo bench --device cuda` measures with and against, as a module that the
# command opens: memory and clock of the GPU, CUB and Thrust (bench/cuda). Built on demand, by
# scripts/gpu-check, and by `make test` on a machine with a GPU; where the CUDA backend is not built
# the target only says so.
if(NOT TARGET ordo_cuda OR NOT PROJECT_IS_TOP_LEVEL)
    add_custom_target(ordo_cuda_peers COMMAND ${CMAKE_COMMAND} -E echo
        "ordo bench --device cuda cannot run: this build has no CUDA backend")
    return()
endif()

enable_language(CUDA)
find_package(CUDAToolkit REQUIRED)
file(GLOB cuda_peer_sources CONFIGURE_DEPENDS bench/cuda/*.cu)
set(cuda_paper_sources # bench/cuda/papers.cu measures parts of it
    lib/papers/median/dev_select_bitonic.cu)
add_library(ordo_cuda_peers MODULE EXCLUDE_FROM_ALL ${cuda_peer_sources} ${cuda_paper_sources})
target_include_directories(ordo_cuda_peers PRIVATE bench/cuda . include lib)
target_link_libraries(ordo_cuda_peers PRIVATE CUDA::cudart_static)
target_compile_options(ordo_cuda_peers PRIVATE --expt-extended-lambda -Xcompiler=-Wall,-Wextra)
set_target_properties(ordo_cuda_peers PROPERTIES
    CUDA_STANDARD 17 CUDA_STANDARD_REQUIRED ON CUDA_VISIBILITY_PRESET hidden
    EXPORT_COMPILE_COMMANDS OFF)

# ordo-ranks-cuda times calls over many ranks on arrays in GPU memory; also on demand.
add_executable(ordo_ranks_cuda EXCLUDE_FROM_ALL bench/cuda/ranks_cuda.c)
target_include_directories(ordo_ranks_cuda PRIVATE .)
target_include_directories(ordo_ranks_cuda SYSTEM PRIVATE ${CUDAToolkit_INCLUDE_DIRS})
target_link_libraries(ordo_ranks_cuda PRIVATE ordo ordo_flags CUDA::cudart_static)
set_target_properties(ordo_ranks_cuda PROPERTIES OUTPUT_NAME ordo-ranks-cuda LINKER_LANGUAGE C)
