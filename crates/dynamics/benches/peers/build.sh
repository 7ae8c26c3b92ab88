#!/bin/sh
# Builds the Pinocchio driver: build.sh PYTHON OUTPUT [native], with PYTHON one that has the
# packages `pin` and `cmeel-eigen` (headers and libraries come with them).
#
# Without a third argument the driver calls the compiled library of the package, which like Rust's
# default target uses only baseline x86-64 instructions. With `native` the algorithms are compiled
# here with -march=native, which takes several minutes and 3 GB; compare that with our bench run
# under RUSTFLAGS="-C target-cpu=native".
set -e
here=$(dirname "$0")
prefix=$("$1" -c 'import cmeel, os; print(os.path.join(os.path.dirname(os.path.dirname(cmeel.__file__)), "cmeel.prefix"))')
if [ "$3" = native ]; then
    mode="-march=native"
    library=""
else
    mode="-DPINOCCHIO_ENABLE_TEMPLATE_INSTANTIATION"
    library="-lpinocchio_default"
fi
# the BOOST definitions are those that Pinocchio's CMake target asks for
c++ -std=c++17 -O3 -DNDEBUG $mode \
    -DBOOST_MPL_LIMIT_LIST_SIZE=30 -DBOOST_MPL_LIMIT_VECTOR_SIZE=30 \
    -DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS -DBOOST_FUSION_INVOKE_MAX_ARITY=12 \
    -isystem "$prefix/include" -isystem "$prefix/include/eigen3" \
    "$here/driver.cpp" -o "$2" \
    -L"$prefix/lib" $library -lboost_serialization -Wl,-rpath,"$prefix/lib"
