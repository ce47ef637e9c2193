# ordo_peers: the sorts of other libraries that `ordo bench` measures beside ordo, as a module that
# the command opens when it is there (bench/peers, in C++17). Nothing else here needs C++. It is
# built on demand (make bench), from the libraries that are installed; without a C++ compiler the
# target only says so.
option(ORDO_PEERS "Describe the peers of the benchmarks, where there is a C++ compiler" ON)

set(peers_missing "no C++ compiler was found")
if(NOT ORDO_PEERS)
    set(peers_missing "ORDO_PEERS is OFF")
elseif(CMAKE_CROSSCOMPILING OR ORDO_SANITIZE OR NOT PROJECT_IS_TOP_LEVEL)
    set(peers_missing "this build is not one to measure")
else()
    include(CheckLanguage)
    if(NOT CMAKE_CXX_COMPILER)
        unset(CMAKE_CXX_COMPILER CACHE) # it may have been installed since
    endif()
    check_language(CXX)
    if(CMAKE_CXX_COMPILER)
        enable_language(CXX)
        set(peers_missing)
    endif()
endif()
if(peers_missing)
    add_custom_target(ordo_peers COMMAND ${CMAKE_COMMAND} -E echo
        "ordo bench will run without peers: ${peers_missing}")
    return()
endif()

set(peers_dir ${PROJECT_SOURCE_DIR}/bench/peers)
add_library(ordo_peers MODULE EXCLUDE_FROM_ALL
    ${peers_dir}/peers.cc ${peers_dir}/std.cc ${peers_dir}/lsd.cc)
set_target_properties(ordo_peers PROPERTIES
    CXX_STANDARD 17 CXX_STANDARD_REQUIRED ON CXX_EXTENSIONS OFF CXX_VISIBILITY_PRESET hidden
    EXPORT_COMPILE_COMMANDS OFF) # the checks of `make lint` are for C
target_include_directories(ordo_peers PRIVATE ${peers_dir} . include)
target_compile_options(ordo_peers PRIVATE -Wall -Wextra -Wshadow $<$<CONFIG:Release>:-O3>)
target_link_libraries(ordo_peers PRIVATE Threads::Threads)

include(CheckCXXSourceCompiles)
set(CMAKE_REQUIRED_QUIET ON)
set(CMAKE_CXX_STANDARD 17)

find_package(OpenMP QUIET COMPONENTS CXX)
if(OpenMP_CXX_FOUND)
    set(CMAKE_REQUIRED_LIBRARIES OpenMP::OpenMP_CXX)
    check_cxx_source_compiles("#include <parallel/algorithm>
        int main() { int a[2] = {2, 1}; __gnu_parallel::sort(a, a + 2); return a[0] - 1; }"
        ORDO_HAVE_PARALLEL_MODE)
    if(ORDO_HAVE_PARALLEL_MODE)
        target_sources(ordo_peers PRIVATE ${peers_dir}/parallel_mode.cc)
        target_link_libraries(ordo_peers PRIVATE OpenMP::OpenMP_CXX)
    endif()
endif()

find_package(TBB QUIET CONFIG)
if(TBB_FOUND)
    target_sources(ordo_peers PRIVATE ${peers_dir}/tbb.cc)
    target_link_libraries(ordo_peers PRIVATE TBB::tbb)
endif()

find_path(ORDO_BOOST_SORT_DIR boost/sort/block_indirect_sort/block_indirect_sort.hpp)
if(ORDO_BOOST_SORT_DIR)
    target_sources(ordo_peers PRIVATE ${peers_dir}/boost.cc)
    target_include_directories(ordo_peers SYSTEM PRIVATE ${ORDO_BOOST_SORT_DIR})
endif()

find_path(ORDO_DIVSUFSORT_DIR divsufsort.h)
find_library(ORDO_DIVSUFSORT divsufsort)
find_library(ORDO_DIVSUFSORT64 divsufsort64)
if(ORDO_DIVSUFSORT_DIR AND ORDO_DIVSUFSORT)
    target_sources(ordo_peers PRIVATE ${peers_dir}/divsufsort.cc)
    target_include_directories(ordo_peers SYSTEM PRIVATE ${ORDO_DIVSUFSORT_DIR})
    target_link_libraries(ordo_peers PRIVATE ${ORDO_DIVSUFSORT})
endif()

find_path(ORDO_SDSL_DIR sdsl/suffix_arrays.hpp)
find_library(ORDO_SDSL sdsl)
if(ORDO_SDSL_DIR AND ORDO_SDSL AND ORDO_DIVSUFSORT AND ORDO_DIVSUFSORT64)
    target_sources(ordo_peers PRIVATE ${peers_dir}/sdsl.cc)
    target_include_directories(ordo_peers SYSTEM PRIVATE ${ORDO_SDSL_DIR})
    target_link_libraries(ordo_peers PRIVATE ${ORDO_SDSL} ${ORDO_DIVSUFSORT} ${ORDO_DIVSUFSORT64})
endif()

find_path(ORDO_HIGHWAY_DIR hwy/contrib/sort/vqsort.h)
find_library(ORDO_HIGHWAY_SORT hwy_contrib)
find_library(ORDO_HIGHWAY hwy)
if(ORDO_HIGHWAY_DIR AND ORDO_HIGHWAY_SORT AND ORDO_HIGHWAY)
    set(CMAKE_REQUIRED_INCLUDES ${ORDO_HIGHWAY_DIR})
    set(CMAKE_REQUIRED_LIBRARIES ${ORDO_HIGHWAY_SORT} ${ORDO_HIGHWAY})
    set(CMAKE_REQUIRED_DEFINITIONS -DHWY_SHARED_DEFINE)
    check_cxx_source_compiles("#include <hwy/contrib/sort/vqsort.h>
        int main() { float a[2] = {2, 1}; hwy::Sorter()(a, 2, hwy::SortAscending()); }"
        ORDO_HAVE_VQSORT)
    check_cxx_source_compiles("#include <hwy/contrib/sort/vqsort.h>
        int main() { float a[2] = {2, 1}; hwy::VQSelect(a, 2, 1, hwy::SortAscending()); }"
        ORDO_HAVE_VQSELECT)
    if(ORDO_HAVE_VQSORT)
        target_sources(ordo_peers PRIVATE ${peers_dir}/highway.cc)
        target_include_directories(ordo_peers SYSTEM PRIVATE ${ORDO_HIGHWAY_DIR})
        target_compile_definitions(ordo_peers PRIVATE
            HWY_SHARED_DEFINE $<$<BOOL:${ORDO_HAVE_VQSELECT}>:PEERS_VQSELECT>)
        target_link_libraries(ordo_peers PRIVATE ${ORDO_HIGHWAY_SORT} ${ORDO_HIGHWAY})
    endif()
    unset(CMAKE_REQUIRED_INCLUDES)
    unset(CMAKE_REQUIRED_DEFINITIONS)
endif()
unset(CMAKE_REQUIRED_LIBRARIES)
