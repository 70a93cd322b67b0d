// mutants.cu: kernels that are wrong on purpose, one for each class of fault that the double must
// find, and some that are right. Only the double has them; cuda/double_test.go launches each.
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

// One element more than there are, which on the device is the padding behind a tensor, or the next
// tensor.
__device__ void mutant_one_more_body(float *x) {
  if (threadIdx.x <= 62 + gridDim.x) x[threadIdx.x] = 1; // of 63
}
PLAIN_KERNEL(64, mutant_one_more, (float *x), (x))

// A read of memory that no thread has written.
__device__ void mutant_unwritten_body(float *x) {
  SHARED(float, s, [64]);
  if (threadIdx.x < 63) s[threadIdx.x] = 0;
  x[threadIdx.x] = s[threadIdx.x];
}
PLAIN_KERNEL(64, mutant_unwritten, (float *x), (x))

// A neighbour's value is written while it may still be read.
__device__ void mutant_race_body(float *x) {
  SHARED(float, s, [64]);
  s[threadIdx.x] = 0;
  __syncthreads();
  float v = s[(threadIdx.x + 1) & 63];
  s[threadIdx.x] = v + 1;
  x[threadIdx.x] = v;
}
PLAIN_KERNEL(64, mutant_race, (float *x), (x))

// A sum over blocks in one number.
__device__ void mutant_blocks_body(float *x) {
  if (threadIdx.x == 0) x[0] += 1;
}
PLAIN_KERNEL(64, mutant_blocks, (float *x), (x))

// The same of dynamic shared memory, for which the launch asked for 60,000 bytes.
__device__ void mutant_dynamic_body(float *x) {
  DYN_SHARED(float, s);
  s[threadIdx.x] = 0;
  if (threadIdx.x == 63) s[60000 / 4] = 1;
  x[threadIdx.x] = s[threadIdx.x];
}
PLAIN_KERNEL(64, mutant_dynamic, (float *x), (x))

// A correct kernel for the test of the missing wait.
__device__ void mutant_fill_body(float *x) { x[threadIdx.x] = 1; }
PLAIN_KERNEL(64, mutant_fill, (float *x), (x))

// Correct kernels for the tests of limits, without shared memory and with 256 bytes.
__device__ void mutant_touch_body(float *x) { x[threadIdx.x] = 2; }
PLAIN_KERNEL(64, mutant_touch, (float *x), (x))
__device__ void mutant_fixed_body(float *x) {
  SHARED(float, s, [64]);
  s[threadIdx.x] = 2;
  x[threadIdx.x] = s[threadIdx.x];
}
PLAIN_KERNEL(64, mutant_fixed, (float *x), (x))
