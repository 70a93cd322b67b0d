// mma.h: the products of tensor cores, for which the 32 lanes of a warp bring their fragments together. PTX ISA,
// "Matrix Fragments for mma.m8n8k4 with .f64", "for mma.m16n8k4 with .f64" and "for mma.m16n8k8 with .tf32".
#pragma once
#include "emu.h"

namespace emu {

// Lane 4i + p brings a(i, p) and b(p, i), and has c(i, 2p) and c(i, 2p+1). With two rows, a and c of row i + 8 come
// second.
template <int rows>
struct Doubles : Part {
  double a[rows], b, c[2 * rows];
  static void all(Part *const lanes[32]) {
    auto lane = [=](int i, int p) { return (Doubles *)lanes[4 * i + p]; };
    for (int i = 0; i < 8 * rows; i++)
      for (int j = 0; j < 8; j++)
        for (int p = 0; p < 4; p++) {
          double &c = lane(i % 8, j / 2)->c[i / 8 * 2 + j % 2];
          c = std::fma(lane(i % 8, p)->a[i / 8], lane(j, p)->b, c);
        }
  }
};
inline void mma(double &c0, double &c1, double a, double b) {
  Doubles<1> d{{Doubles<1>::all}, {a}, b, {c0, c1}};
  together(d);
  c0 = d.c[0], c1 = d.c[1];
}
inline void mma(double &c0, double &c1, double &c2, double &c3, double a0, double a1, double b) {
  Doubles<2> d{{Doubles<2>::all}, {a0, a1}, b, {c0, c1, c2, c3}};
  together(d);
  c0 = d.c[0], c1 = d.c[1], c2 = d.c[2], c3 = d.c[3];
}

// Lane 4i + p brings a(i, p), a(i+8, p), a(i, p+4), a(i+8, p+4), b(p, i) and b(p+4, i), and has c(i, 2p), c(i, 2p+1),
// c(i+8, 2p) and c(i+8, 2p+1). Only the first 10 bits of a mantissa count. A GPU may lose bits of a sum of 8 products
// and may round it in any way. Here the sum is exact, and rounded toward zero, which is the worst rounding seen on a
// GPU.
struct Single : Part {
  float a[4], b[2], c[4];
  static float read(float v) { return __int_as_float(__float_as_int(v) & ~0x1fff); }
  static void all(Part *const lanes[32]) {
    double a[16][8], b[8][8];
    for (int l = 0; l < 32; l++) {
      const Single *f = (Single *)lanes[l];
      int i = l / 4, p = l % 4;
      for (int q = 0; q < 4; q++) a[i + q % 2 * 8][p + q / 2 * 4] = read(f->a[q]);
      for (int q = 0; q < 2; q++) b[p + q * 4][i] = read(f->b[q]);
    }
    for (int i = 0; i < 16; i++) {
      double sum[8];
      for (int j = 0; j < 8; j++) sum[j] = ((Single *)lanes[i % 8 * 4 + j / 2])->c[i / 8 * 2 + j % 2];
      for (int p = 0; p < 8; p++)
        for (int j = 0; j < 8; j++) sum[j] += a[i][p] * b[p][j];
      for (int j = 0; j < 8; j++) ((Single *)lanes[i % 8 * 4 + j / 2])->c[i / 8 * 2 + j % 2] = toward_zero(sum[j]);
    }
  }
  static float toward_zero(double v) {
    float f = (float)v;
    return std::fabs((double)f) > std::fabs(v) ? __int_as_float(__float_as_int(f) - 1) : f;
  }
};
inline void mma(float &c0, float &c1, float &c2, float &c3, float a0, float a1, float a2, float a3, float b0,
                float b1) {
  Single s{{Single::all}, {a0, a1, a2, a3}, {b0, b1}, {c0, c1, c2, c3}};
  together(s);
  c0 = s.c[0], c1 = s.c[1], c2 = s.c[2], c3 = s.c[3];
}

// The nearest number with 10 bits of mantissa. If two are equally near, the one farther from zero.
inline float to_tf32(float v) { return std::isfinite(v) ? __int_as_float((__float_as_int(v) + 0x1000) & ~0x1fff) : v; }

} // namespace emu
