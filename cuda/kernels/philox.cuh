// philox.cuh: Philox4x32-10 and the normals made from it, twin of internal/philox. Words are
// equal to the bit; normals differ from philox.Normal by a few ulp in double, and by some 1e-6
// in float.
#pragma once

// A stream of standard normals: device.Key as four words that a launcher passes, of which the step may be live. The
// element at (sample, row, column) is normal column mod 4 of the block with key {k0, k1} and counter
// {column/4, row, step, tail + sample·2¹⁶}. Where bit 15 of tail is set, the stream is mirrored: the sample's number is
// halved, and an odd one changes the sign.
struct Key {
  unsigned k0, k1, step, tail;
  __device__ __forceinline__ Key(unsigned k0, unsigned k1, unsigned step, unsigned tail) : k0(k0), k1(k1), step(step_of(step)), tail(tail) {}
};

struct Words {
  unsigned w[4];
};

// philox is ten rounds, the key bumped between rounds.
__device__ __forceinline__ Words philox(unsigned k0, unsigned k1, unsigned x0, unsigned x1, unsigned x2, unsigned x3) {
#pragma unroll
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
  int turn = (int)(w1 >> 8);
  int quadrant = (turn + (1 << 21)) >> 22;
  T s, c;
  sine_cosine_octant((T)(turn - (quadrant << 22)) * (T)0x1.921fb54442d18p-22, &s, &c); // 2π·2⁻²⁴
  turn_quadrant(quadrant, &s, &c);
  *z0 = radius * c;
  *z1 = radius * s;
}

constexpr unsigned key_mirrored = 1u << 15;

// counter_tail is the fourth word of the counter for a sample, and whether its normals change their sign.
__device__ __forceinline__ unsigned counter_tail(Key key, unsigned sample, bool *negative) {
  unsigned tail = key.tail + (sample << 16);
  bool mirrored = tail & key_mirrored;
  *negative = mirrored && (tail & (1u << 16));
  return mirrored ? (tail >> 17 << 16) | (tail & (key_mirrored - 1)) : tail;
}

// normals is columns 4·block … 4·block+3 of a row.
template <typename T>
__device__ __forceinline__ void normals(Key key, unsigned sample, unsigned row, unsigned block, T z[4]) {
  bool negative;
  unsigned tail = counter_tail(key, sample, &negative);
  Words x = philox(key.k0, key.k1, block, row, key.step, tail);
  box_muller(x.w[0], x.w[1], &z[0], &z[1]);
  box_muller(x.w[2], x.w[3], &z[2], &z[3]);
#pragma unroll
  for (int i = 0; i < 4; i++) z[i] = negative ? -z[i] : z[i];
}

// normal is one element. Where neighbours are wanted too, normals costs a quarter.
template <typename T>
__device__ __forceinline__ T normal(Key key, unsigned sample, unsigned row, unsigned column) {
  bool negative;
  unsigned tail = counter_tail(key, sample, &negative);
  Words x = philox(key.k0, key.k1, column / 4, row, key.step, tail);
  T z0, z1;
  bool second = column & 2;
  box_muller(second ? x.w[2] : x.w[0], second ? x.w[3] : x.w[1], &z0, &z1);
  T z = column & 1 ? z1 : z0;
  return negative ? -z : z;
}
