// ptx.h: the instructions of PTX as C++, for the code that cuda/ptx2cc makes of the committed images. Each function is
// named after its opcode; see the PTX ISA, "Instruction Set". Compile with -fwrapv -fno-strict-aliasing
// -ffp-contract=off: integers wrap, and each mul and add rounds.
#pragma once
#include "access.h"
#include "mma.h"
#include <algorithm>
#include <limits>

namespace ptx {

using emu::bits;

// rough is the upper word of a number, as in the arguments and results of the approximations of doubles; 0 for
// subnormal numbers.
inline double rough(double v) {
  if (std::fabs(v) < std::numeric_limits<double>::min()) return std::copysign(0.0, v);
  return v != v ? v : bits<double>(bits<uint64_t>(v) >> 32 << 32);
}

// The order of floats that are no NaN, with −0 below +0.
template <class T>
inline bool below(T a, T b) {
  if constexpr (std::is_floating_point_v<T>)
    if (a == b) return std::signbit(a) && !std::signbit(b);
  return a < b;
}
template <class T>
inline T min(T a, T b) {
  return a != a ? b : b != b || below(a, b) ? a : b;
}
template <class T>
inline T max(T a, T b) {
  return a != a ? b : b != b || below(b, a) ? a : b;
}

// A shift by the width or more gives only the bits that are shifted in.
template <class T>
inline T shl(T v, uint32_t n) {
  return n < sizeof(T) * 8 ? (T)(v << n) : 0;
}
template <class T>
inline T shr(T v, uint32_t n) {
  return n < sizeof(T) * 8 ? (T)(v >> n) : (T)(v < 0 ? -1 : 0);
}

// PTX does not define a division by zero, so that it is a fault here. The smallest number divided by −1 wraps.
template <class T>
inline T div(T a, T b) {
  if (!b) emu::violation("divides by zero");
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return 0 - a;
  return a / b;
}
template <class T>
inline T rem(T a, T b) {
  if (!b) emu::violation("divides by zero");
  if constexpr (std::is_signed_v<T>)
    if (b == -1) return 0;
  return a % b;
}

template <class T>
inline T mul_hi(T a, T b) {
  return (T)((uint64_t)a * (uint64_t)b >> sizeof(T) * 8);
}

// bfe is the field of n bits from bit at.
template <class T>
inline T bfe(T v, uint32_t at, uint32_t n) {
  n &= 255;
  return shr<T>(v, at & 255) & (n < sizeof(T) * 8 ? shl<T>(1, n) - 1 : (T)-1);
}

// ne is false if an operand is NaN.
template <class T>
inline bool ne(T a, T b) {
  return a < b || a > b;
}

// The source lane of each kind of shfl; c has the last lane of a segment and its mask.
enum Shuffle { UP, DOWN, BFLY, IDX };
inline uint32_t shfl(Shuffle kind, uint32_t v, uint32_t by, uint32_t c, uint32_t mask) {
  int lane = emu::current->lane, segment = c >> 8 & 31, last = (lane & segment) | (c & 31 & ~segment);
  by &= 31;
  int from = kind == UP     ? lane - (int)by
             : kind == DOWN ? lane + (int)by
             : kind == BFLY ? lane ^ (int)by
                            : (lane & segment) | ((int)by & ~segment);
  bool inside = kind == UP ? from >= last : from <= last;
  return emu::shuffle(mask, v, inside ? from : lane);
}

// An element of memory. The address has been checked, or is a parameter's.
template <class T>
inline T get(const char *p) {
  T v;
  memcpy(&v, p, sizeof v);
  return v;
}
template <class T>
inline void set(char *p, T v) {
  memcpy(p, &v, sizeof v);
}

// at is an address that may be read or written by the instruction at a line of the PTX; a depot is the function's local
// memory.
template <emu::Space space, bool write, int bytes>
inline char *at(uint64_t address, int line) {
  emu::place = line;
  emu::access(space, (char *)address, bytes, write);
  return (char *)address;
}
template <int bytes, size_t n>
inline char *local(char (&depot)[n], uint64_t address, int line) {
  emu::place = line;
  if (address < (uint64_t)depot || address + bytes > (uint64_t)depot + n)
    emu::violation("uses local memory outside its function's");
  if (address % bytes) emu::violation("uses a misaligned address");
  return (char *)address;
}

} // namespace ptx
