// features_tensor.cuh: products of tiles by tensor cores, in TF32.
#pragma once

#ifdef TENSOR_CORES
namespace tile {

// Tensor is the policy of products by tensor cores; Fma explains its members. A warp has 32 rows and 4·WIDE columns of
// a tile, and its lane 4g + t is at x = t, y = g. Fragments hold rows and terms in an order of our own, the same on
// both sides. In the fragment of rows p
//
//	rows g, g + 8     are 4g + 2p, 4g + 2p + 1 of the warp's rows      so that a lane reads four rows at once,
//	terms t, t + 4    are 2t, 2t + 1 of eight
//	columns 2t, 2t+1  are 4t + q, 4t + q + 2 for fragment q of 2, or 2t, 2t+1 where there is one
//
// With 68 numbers from term to term, two terms are 8 banks apart: the lanes that are served together read the banks 8t
// + 4g + (0 … 3) of a and 8t + 2g + (0, 1) of b, no bank twice.
template <bool AHEAD>
struct Tensor {
  static constexpr bool ahead = AHEAD, brief = false;
  template <typename T>
  static __device__ __forceinline__ int x() {
    return (int)(thread() % 4 + thread() / (4 * across<T>)*4);
  }
  template <typename T>
  static __device__ __forceinline__ int y() {
    return (int)(thread() / 4 % across<T>);
  }

  // a fragment has 8 columns, so that half of it is empty where the tile has 16
  static constexpr int least = 2;
  // a number is rounded once for a tile
  static __device__ __forceinline__ float placed(float v) { return to_tf32(v); }

  template <int WIDE, bool SQUARE>
  static __device__ __forceinline__ void multiply(float sum[4][4], const float *a, const float *b, int terms) {
    unsigned lane = thread() % 32, t = lane % 4, g = lane / 4;
    constexpr int pitch = tile::pitch<float>;
    a += 2 * t * pitch + 4 * y<float>();
    b += 2 * t * pitch + WIDE / 2 * (g + thread() / 64 * 8);
#pragma unroll 1
    for (int k0 = 0; k0 < terms; k0 += 8) {
      float u[2][4];
      float v[2][WIDE / 2];
#pragma unroll
      for (int k = 0; k < 2; k++) {
        load4(a + k * pitch, u[k]);
        if (WIDE == 4) {
          float2 columns = *reinterpret_cast<const float2 *>(b + k * pitch);
          v[k][0] = columns.x, v[k][WIDE / 2 - 1] = columns.y;
        } else {
          v[k][0] = b[k * pitch];
        }
      }
#pragma unroll
      for (int p = 0; p < 4; p += 2) {
        float rows[4];
#pragma unroll
        for (int i = 0; i < 4; i++)
          rows[i] = SQUARE ? placed(u[i / 2][p + i % 2] * u[i / 2][p + i % 2]) : u[i / 2][p + i % 2];
#pragma unroll
        for (int q = 0; q < WIDE / 2; q++) {
          mma(sum[p][q], sum[p][q + WIDE / 2], sum[p + 1][q], sum[p + 1][q + WIDE / 2], rows[0], rows[1], rows[2],
              rows[3], v[0][q], v[1][q]);
        }
      }
      a += 8 * pitch;
      b += 8 * pitch;
    }
  }
};

} // namespace tile
#endif
