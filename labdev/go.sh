set -e
[ -f build/libordo_cuda.so ] && [ -z "$REBUILD" ] || { cmake -S . -B build -G Ninja -DORDO_CUDA=ON -DCMAKE_BUILD_TYPE=Release -DCMAKE_CUDA_ARCHITECTURES=90 -DORDO_BUILD_TESTS=OFF >/dev/null; cmake --build build --parallel 16 --target ordo_product >build.log 2>&1 || { tail -30 build.log; exit 1; }; }
nvcc -O2 -arch=sm_90 -Iinclude labdev/tl.cu -o labdev/tl -Lbuild -lordo -Xlinker -rpath=$PWD/build
