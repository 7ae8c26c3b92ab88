#!/bin/sh
# Builds the Pinocchio driver: build.sh PYTHON OUTPUT, with PYTHON one that has the `pin` and
# `cmeel-eigen` packages (headers and libraries come with them). Takes a few minutes.
set -e
here=$(dirname "$0")
prefix=$("$1" -c 'import cmeel, os; print(os.path.join(os.path.dirname(os.path.dirname(cmeel.__file__)), "cmeel.prefix"))')
# the definitions are those that Pinocchio's CMake target asks for
c++ -std=c++17 -O3 -march=native -DNDEBUG \
    -DBOOST_MPL_LIMIT_LIST_SIZE=30 -DBOOST_MPL_LIMIT_VECTOR_SIZE=30 \
    -DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS -DBOOST_FUSION_INVOKE_MAX_ARITY=12 \
    -isystem "$prefix/include" -isystem "$prefix/include/eigen3" \
    "$here/pinocchio.cpp" -o "$2" \
    -L"$prefix/lib" -lboost_serialization -Wl,-rpath,"$prefix/lib"
