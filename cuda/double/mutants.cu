// mutants.cu: kernels that are wrong on purpose, one for each class of fault that the double must find, and some that
// are right. Only the double has them; cuda/double_test.go launches each.
#include "../kernels/device.cuh"

#define MUTANT(name) PLAIN_KERNEL(64, name, (float *x))

// Half of a block never reaches the barrier.
MUTANT(mutant_divergent) {
  if (threadIdx.x & 1) __syncthreads();
  x[threadIdx.x] = 1;
}

// Both halves wait, at different barriers.
MUTANT(mutant_two_barriers) {
  if (threadIdx.x & 1) __syncthreads();
  else __syncthreads();
  x[threadIdx.x] = 1;
}

// Half of a warp waits for lanes that are at the barrier.
MUTANT(mutant_warp) {
  if (threadIdx.x & 1) __syncthreads();
  else __syncwarp();
  x[threadIdx.x] = 1;
}

// A neighbour's value is read before a barrier after its write.
MUTANT(mutant_no_barrier) {
  SHARED(float, s, [64]);
  s[threadIdx.x] = (float)threadIdx.x;
  x[threadIdx.x] = s[(threadIdx.x + 1) & 63];
}

// The thread past the end has no guard.
MUTANT(mutant_past_end) { x[threadIdx.x + 1] = 1; }

// One element before the array; the page there is not mapped.
MUTANT(mutant_null) {
  float *nothing = nullptr;
  x[threadIdx.x] = nothing[threadIdx.x + 4];
}

// One row too many of a shared array.
MUTANT(mutant_shared) {
  SHARED(float, s, [64]);
  s[threadIdx.x] = 0;
  // the compiler does not see that this is 64
  if (threadIdx.x == 63) s[threadIdx.x + gridDim.x] = 1;
  x[threadIdx.x] = s[threadIdx.x];
}

// A write to one element after the last: on the device, to the padding behind a tensor, or to the next tensor.
MUTANT(mutant_one_more) {
  if (threadIdx.x <= 62 + gridDim.x) x[threadIdx.x] = 1; // x has 63 elements
}

// A read of memory that no thread has written.
MUTANT(mutant_unwritten) {
  SHARED(float, s, [64]);
  if (threadIdx.x < 63) s[threadIdx.x] = 0;
  x[threadIdx.x] = s[threadIdx.x];
}

// A neighbour's value is written while it may still be read.
MUTANT(mutant_race) {
  SHARED(float, s, [64]);
  s[threadIdx.x] = 0;
  __syncthreads();
  float v = s[(threadIdx.x + 1) & 63];
  s[threadIdx.x] = v + 1;
  x[threadIdx.x] = v;
}

// A sum over blocks in one number.
MUTANT(mutant_blocks) {
  if (threadIdx.x == 0) x[0] += 1;
}

// The same for dynamic shared memory, of which the launch requested 60,000 bytes.
MUTANT(mutant_dynamic) {
  DYN_SHARED(float, s);
  s[threadIdx.x] = 0;
  if (threadIdx.x == 63) s[60000 / 4] = 1;
  x[threadIdx.x] = s[threadIdx.x];
}

// A correct kernel for the test of the missing wait.
MUTANT(mutant_fill) { x[threadIdx.x] = 1; }

// Correct kernels for the tests of limits, without shared memory and with 256 bytes.
MUTANT(mutant_touch) { x[threadIdx.x] = 2; }
MUTANT(mutant_fixed) {
  SHARED(float, s, [64]);
  s[threadIdx.x] = 2;
  x[threadIdx.x] = s[threadIdx.x];
}
