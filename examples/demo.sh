# Compiles the example with the MPI that is found first, profiles it at 4 ranks and prints the summary.
set -eu
cd "$(dirname "$0")/.."
mkdir -p build/demo
mpicc -O2 -o build/demo/heat examples/heat/heat.c -lm

# Containers run as root and have few cores; Open MPI must be configured to allow both.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:OVERSUBSCRIBE

"$BIN/rankwise" run --force -o build/demo/heat.rankwise -- mpirun -n 4 build/demo/heat
