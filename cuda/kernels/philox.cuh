// philox.cuh: Philox4x32-10 and the normals made from it, twin of internal/philox. Words are equal to the bit; normals
// differ from philox.Normal by a few ulp in double, and by some 1e-6 in float.
#pragma once

// A stream of standard normals: device.Key as five words that a launcher passes, of which the step may be live. The
// element at (sample, row, column) is normal column mod 4 of the block with key {k0, k1} and counter {column/4, row,
// step, tail + sample·2¹⁶}. Strata is the number of points of a Latin hypercube of samples, or 0 for independent
// samples.
struct Key {
  unsigned k0, k1, step, tail, strata;
  __device__ __forceinline__ Key(unsigned k0, unsigned k1, unsigned step, unsigned tail, unsigned strata = 0)
      : k0(k0), k1(k1), step(step_of(step)), tail(tail), strata(strata) {}
};

struct Words {
  unsigned w[4];
};

// philox is ten rounds, the key bumped between rounds. UNROLL 1 takes longer, and fewer registers in a loop.
template <int UNROLL = 10>
__device__ __forceinline__ Words philox(unsigned k0, unsigned k1, unsigned x0, unsigned x1, unsigned x2, unsigned x3) {
#pragma unroll UNROLL
  for (int round = 0; round < 10; round++) {
    unsigned hi0 = __umulhi(x0, 0xD2511F53u), lo0 = x0 * 0xD2511F53u;
    unsigned hi1 = __umulhi(x2, 0xCD9E8D57u), lo1 = x2 * 0xCD9E8D57u;
    x0 = hi1 ^ x1 ^ k0;
    x1 = lo1;
    x2 = hi0 ^ x3 ^ k1;
    x3 = lo0;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return {{x0, x1, x2, x3}};
}

// box_muller makes two normals of two words:
//
//	u1 = ((w0>>8) + 1)·2⁻²⁴,  u2 = (w1>>8)·2⁻²⁴
//	z0 = √(−2 ln u1) cos 2πu2,  z1 = √(−2 ln u1) sin 2πu2
//
// The angle is reduced to ±π/4 as an integer, which loses nothing.
template <typename T>
__device__ __forceinline__ void box_muller(unsigned w0, unsigned w1, T *z0, T *z1) {
  T radius = square_root((T)-2 * logarithm((T)((w0 >> 8) + 1) * (T)0x1p-24));
  int angle = (int)(w1 >> 8);
  int quadrant = (angle + (1 << 21)) >> 22;
  T s, c;
  sine_cosine_octant((T)(angle - (quadrant << 22)) * (T)0x1.921fb54442d18p-22, &s, &c); // 2π·2⁻²⁴
  turn_quadrant(quadrant, &s, &c);
  *z0 = radius * c;
  *z1 = radius * s;
}

// latin is philox.Latin: columns 4·block … of point tail>>16 of a Latin hypercube. A point costs a Philox block, and
// one for each point behind it.
template <typename T>
__device__ __forceinline__ void latin(Key key, unsigned row, unsigned block, unsigned tail, T z[4]) {
  unsigned n = key.strata, s = (tail >> 16) % n, stratum[4], rest[4];
#pragma unroll 1
  for (unsigned t = s; t < n; t++, tail += 1u << 16) {
    Words x = philox<1>(key.k0, key.k1, block, row, key.step, tail);
#pragma unroll
    for (int i = 0; i < 4; i++) {
      unsigned place = __umulhi(x.w[i], t + 1);
      if (t == s) rest[i] = x.w[i] * (s + 1);
      stratum[i] = t == s ? place : stratum[i] + (place <= stratum[i]);
    }
  }
  // p = numerator/(2³³n), and 1 − p is as exact, since numerator and 2³³n are whole. A loop makes one normal at a time
  // and rotates the arrays: the kernels that draw have few registers.
  double whole = 0x1p33 * (double)n;
#pragma unroll 1
  for (int i = 0; i < 4; i++) {
    double numerator = 0x1p33 * (double)stratum[0] + (2 * (double)rest[0] + 1);
    T next = quantile((T)(numerator / whole), (T)((whole - numerator) / whole));
#pragma unroll
    for (int k = 0; k < 3; k++) {
      stratum[k] = stratum[k + 1];
      rest[k] = rest[k + 1];
      z[k] = z[k + 1];
    }
    z[3] = next;
  }
}

// normals is columns 4·block … 4·block+3 of a row.
template <typename T>
__device__ __forceinline__ void normals(Key key, unsigned sample, unsigned row, unsigned block, T z[4]) {
  unsigned tail = key.tail + (sample << 16);
  if (key.strata) {
    latin(key, row, block, tail, z);
    return;
  }
  Words x = philox(key.k0, key.k1, block, row, key.step, tail);
  box_muller(x.w[0], x.w[1], &z[0], &z[1]);
  box_muller(x.w[2], x.w[3], &z[2], &z[3]);
}
