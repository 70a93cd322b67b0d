// mutants.cu: kernels that are wrong on purpose, one for each class of fault that the double must
// find; cuda/double_test.go launches each. They are in the double alone. The last three measure it.
#include "../kernels/device.cuh"

// Half of a block never reaches the barrier.
__device__ void mutant_divergent_body(float *x) {
  if (threadIdx.x & 1) __syncthreads();
  x[threadIdx.x] = 1;
}
PLAIN_KERNEL(64, mutant_divergent, (float *x), (x))

// Both halves wait, at different barriers.
__device__ void mutant_two_barriers_body(float *x) {
  if (threadIdx.x & 1)
    __syncthreads();
  else
    __syncthreads();
  x[threadIdx.x] = 1;
}
PLAIN_KERNEL(64, mutant_two_barriers, (float *x), (x))

// Half of a warp waits for lanes that are at the barrier.
__device__ void mutant_warp_body(float *x) {
  if (threadIdx.x & 1)
    __syncthreads();
  else
    __syncwarp();
  x[threadIdx.x] = 1;
}
PLAIN_KERNEL(64, mutant_warp, (float *x), (x))

// A neighbour's value is read before anybody knows that it is written.
__device__ void mutant_no_barrier_body(float *x) {
  SHARED(float, s, [64]);
  s[threadIdx.x] = (float)threadIdx.x;
  x[threadIdx.x] = s[(threadIdx.x + 1) & 63];
}
PLAIN_KERNEL(64, mutant_no_barrier, (float *x), (x))

// The thread past the end has no guard.
__device__ void mutant_past_end_body(float *x) { x[threadIdx.x + 1] = 1; }
PLAIN_KERNEL(64, mutant_past_end, (float *x), (x))

// One element before the array; the page there is not mapped.
__device__ void mutant_null_body(float *x) {
  float *nothing = nullptr;
  x[threadIdx.x] = nothing[threadIdx.x + 4];
}
PLAIN_KERNEL(64, mutant_null, (float *x), (x))

// One row too many of a shared array.
__device__ void mutant_shared_body(float *x) {
  SHARED(float, s, [64]);
  s[threadIdx.x] = 0;
  // the compiler does not see that this is 64
  if (threadIdx.x == 63) s[threadIdx.x + gridDim.x] = 1;
  x[threadIdx.x] = s[threadIdx.x];
}
PLAIN_KERNEL(64, mutant_shared, (float *x), (x))

// The same of dynamic shared memory, for which the launch asked for 60,000 bytes.
__device__ void mutant_dynamic_body(float *x) {
  DYN_SHARED(float, s);
  s[threadIdx.x] = 0;
  if (threadIdx.x == 63) s[60000 / 4] = 1;
  x[threadIdx.x] = s[threadIdx.x];
}
PLAIN_KERNEL(64, mutant_dynamic, (float *x), (x))

// Right: what the missing wait is tried on.
__device__ void mutant_fill_body(float *x) { x[threadIdx.x] = 1; }
PLAIN_KERNEL(64, mutant_fill, (float *x), (x))

__device__ void speed_barriers_body(int n, float *x) {
  SHARED(float, s, [256]);
  float v = 0;
  for (int i = 0; i < n; i++) {
    s[threadIdx.x] = v;
    __syncthreads();
    v += s[(threadIdx.x + 1) & 255];
    __syncthreads();
  }
  x[threadIdx.x] = v;
}
PLAIN_KERNEL(256, speed_barriers, (int n, float *x), (n, x))

__device__ void speed_shuffles_body(int n, float *x) {
  float v = (float)threadIdx.x;
  for (int i = 0; i < n; i++) v = 0.5f * v + __shfl_xor_sync(0xffffffffu, v, 1);
  x[threadIdx.x] = v;
}
PLAIN_KERNEL(256, speed_shuffles, (int n, float *x), (n, x))
