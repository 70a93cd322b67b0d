// ptx.h: the instructions of PTX as C++, for what cuda/double/ptx2cc makes of the committed images.
// PTX ISA, "Instruction Set"; each function is named after its opcode. Compile with -fwrapv
// -fno-strict-aliasing: integers wrap here. With -ffp-contract=off each mul and add rounds; with
// =fast some are fused, as ptxas may do unless they say .rn.
#pragma once
#include "access.h"
#include "mma.h"
#include <algorithm>
#include <limits>

namespace ptx {

template <class To, class From>
inline To bits(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  memcpy(&to, &from, sizeof to);
  return to;
}

// Numbers that are rounded here and now, so that no fused multiply-add can take them in.
template <class T>
inline T rounded(T v) {
  asm("" : "+x"(v));
  return v;
}

// rough is the upper word of a number, as the approximations of doubles take and leave it; 0 where
// it is subnormal.
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
inline T min(T a, T b) { return a != a ? b : b != b || below(a, b) ? a : b; }
template <class T>
inline T max(T a, T b) { return a != a ? b : b != b || below(b, a) ? a : b; }

// A shift by the width or more gives what is shifted in.
template <class T>
inline T shl(T v, uint32_t n) { return n < sizeof(T) * 8 ? (T)(v << n) : 0; }
template <class T>
inline T shr(T v, uint32_t n) { return n < sizeof(T) * 8 ? (T)(v >> n) : (T)(v < 0 ? -1 : 0); }

// PTX leaves a division by zero open, so that it is a fault here. The smallest number by −1 wraps.
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
  using Wide = std::conditional_t<std::is_signed_v<T>, __int128, unsigned __int128>;
  return (T)((Wide)a * (Wide)b >> sizeof(T) * 8);
}

// bfe is the field of n bits from bit at; of a signed type it extends the field's highest bit, or
// the number's own.
template <class T>
inline T bfe(T v, uint32_t at, uint32_t n) {
  const unsigned width = sizeof(T) * 8;
  at &= 255, n &= 255;
  if (!n) return 0;
  if (at >= width) return shr<T>(v, width); // nothing but the sign
  if (at + n >= width) return v >> at;
  return (T)shl<T>(v, width - at - n) >> (width - n);
}
// bfi puts the n low bits of v at bit at of base.
template <class T>
inline T bfi(T v, T base, uint32_t at, uint32_t n) {
  at &= 255, n &= 255;
  T mask = shl<T>(n < sizeof(T) * 8 ? (T)(shl<T>(1, n) - 1) : (T)-1, at);
  return (base & ~mask) | (shl<T>(v, at) & mask);
}

// The comparisons of setp: those without u are false where one is NaN, those with it true.
template <class T>
inline bool unordered(T a, T b) { return a != a || b != b; }
template <class T>
inline bool ne(T a, T b) { return a < b || a > b; }
template <class T>
inline bool equ(T a, T b) { return !ne(a, b); }

// Rounding modes of cvt: to the nearest, toward zero, down, up.
enum Rounding { RN, RZ, RM, RP };

// narrow rounds a number that a long double holds exactly.
template <class T>
inline T narrow(long double exact, Rounding mode) {
  T r = (T)exact;
  const T infinity = std::numeric_limits<T>::infinity();
  if (mode == RZ) mode = exact < 0 ? RP : RM;
  if (mode == RM && r > exact) return std::nextafter(r, -infinity);
  if (mode == RP && r < exact) return std::nextafter(r, infinity);
  return r;
}

template <class T>
inline T integral(T v, Rounding mode) {
  return mode == RN ? std::nearbyint(v) : mode == RZ ? std::trunc(v) : mode == RM ? std::floor(v) : std::ceil(v);
}

// whole is a float as an integer, limited to its range. A NaN is 0, or 1 in the highest bit where a
// type of 64 bits takes part.
template <class To, class From>
inline To whole(From v, Rounding mode) {
  using Limits = std::numeric_limits<To>;
  if (v != v) return sizeof(From) < 8 && sizeof(To) < 8 ? 0 : (To)(1ull << (sizeof(To) * 8 - 1));
  v = integral(v, mode);
  if (v < (From)Limits::min()) return Limits::min();
  if (v >= std::ldexp((From)1, Limits::digits)) return Limits::max();
  return (To)v;
}

// The source lane of each kind of shfl; c has the last lane of a segment and its mask.
enum Shuffle { UP, DOWN, BFLY, IDX };
inline uint32_t shfl(Shuffle kind, uint32_t v, uint32_t by, uint32_t c, uint32_t mask) {
  int lane = emu::current->lane, segment = c >> 8 & 31, last = (lane & segment) | (c & 31 & ~segment);
  by &= 31;
  int from = kind == UP ? lane - (int)by : kind == DOWN ? lane + (int)by : kind == BFLY ? lane ^ (int)by : (lane & segment) | ((int)by & ~segment);
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
inline void set(char *p, T v) { memcpy(p, &v, sizeof v); }

// at is an address that may be read or written by the instruction at a line of the PTX; a depot is
// the function's local memory.
template <emu::Space space, bool write, int bytes>
inline char *at(uint64_t address, int line) {
  emu::place = line;
  emu::access(space, (char *)address, bytes, write);
  return (char *)address;
}
template <int bytes, size_t n>
inline char *local(char (&depot)[n], uint64_t address, int line) {
  emu::place = line;
  if (address < (uint64_t)depot || address + bytes > (uint64_t)depot + n) emu::violation("uses local memory outside its function's");
  if (address % bytes) emu::violation("uses a misaligned address");
  return (char *)address;
}

} // namespace ptx
