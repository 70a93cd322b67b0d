// live.cuh: the numbers that change from one training step to the next. A recorded graph keeps the arguments of its
// launches. An argument that must follow the step is a mark (device/gpu/replay.go). A kernel with a mark reads `live`
// instead, which set_live wrote before the graph was launched.
#pragma once

struct Live {
  double weight; // of the KL
  double size, root; // of adam
  double natural; // the size of natural steps
  unsigned step;
};
__device__ Live live;

// The marks: a step number that no training reaches, and a NaN that no arithmetic makes.
constexpr unsigned live_step = 0xfffffffeu;
constexpr long long live_number = 0x7ff86c6976650000;

__device__ __forceinline__ unsigned step_of(unsigned given) { return given == live_step ? live.step : given; }

// number_of is the given number, or `from` of live if it is the mark.
__device__ __forceinline__ double number_of(double given, const double &from) {
  return __double_as_longlong(given) == live_number ? from : given;
}

// set_live: grid of one block, of which a thread writes 36 bytes. No CPU twin: the CPU has no launches to replay.
PLAIN_KERNEL(32, set_live, (unsigned step, double weight, double size, double root, double natural)) {
  if (threadIdx.x == 0) live = {weight, size, root, natural, step};
}
