// kernels.cu: the device code, in the order in which data flows through the model. Three compilers take it: clang++
// writes cuda/kernels_sm*.ptx (`make ptx`), g++ makes the driver test double (`make double`), and nvcc tries it (`make
// nvcc`). The first six files are for all others.
#include "cuda/kernels/device.cuh"
#include "cuda/kernels/math.cuh"
#include "cuda/kernels/live.cuh"
#include "cuda/kernels/philox.cuh"
#include "cuda/kernels/reduce.cuh"
#include "cuda/kernels/tensor.cuh"

#include "cuda/kernels/movement.cuh"

#include "cuda/kernels/gemm.cuh"
#include "cuda/kernels/triangle.cuh"

#include "cuda/kernels/ard.cuh"
#include "cuda/kernels/mix.cuh"
#include "cuda/kernels/sparse.cuh"
#include "cuda/kernels/potrf.cuh"
#include "cuda/kernels/whiten.cuh"
#include "cuda/kernels/moments.cuh"
#include "cuda/kernels/samplef.cuh"

#include "cuda/kernels/features_tile.cuh"
#include "cuda/kernels/features_tensor.cuh"
#include "cuda/kernels/features.cuh"
#include "cuda/kernels/features_draw.cuh"
#include "cuda/kernels/features_forward.cuh"
#include "cuda/kernels/features_backward.cuh"
#include "cuda/kernels/features_fold.cuh"
#include "cuda/kernels/frequencies.cuh"
#include "cuda/kernels/features_moments.cuh"
#include "cuda/kernels/features_moments_backward.cuh"
#include "cuda/kernels/features_covariance.cuh"
#include "cuda/kernels/outputnoise.cuh"

#include "cuda/kernels/likelihood.cuh"
#include "cuda/kernels/noise.cuh"
#include "cuda/kernels/counts.cuh"
#include "cuda/kernels/ordinal.cuh"
#include "cuda/kernels/kl.cuh"

#include "cuda/kernels/adam.cuh"
#include "cuda/kernels/natural.cuh"

#include "cuda/kernels/probe.cuh"
