// gemm.cuh: products of matrices, most of the work of the GP layer; and tile_sums, with which they and ARD compute.
//
// Triangular solves are products, too, with the inverse of L (triangle.cuh), for l [K,M,M], a and b [K,M,B]:
//
//	a = L⁻¹ b,   db = L⁻ᵀ da,   dl −= tril(db aᵀ)
//
// device/cpu/trsm.go has inverses of 32×32 blocks only. It needs fewer operations, in steps that wait for each other.
#pragma once

// A block of 128 threads computes a tile of 64×64 sums, 4×8 a thread; one of 256 threads computes 128×64. Shared memory
// holds DEPTH of the numbers that are summed over, with neighbouring rows of the tile side by side.
constexpr int TILE = 64, DEPTH = 16, TILE_THREADS = 128, TALL = 128;
// From 9.0 on, shared memory has room for two buffers of 64×64 tiles: numbers go to one while those of the other are
// summed, with one barrier for DEPTH of them.
constexpr int TILE_BUFFERS = TARGET == 90 ? 2 : 1;
constexpr int ROWS = 4, COLUMNS = 8, SQUARES = COLUMNS / 2;
constexpr int TILE_LD = TILE + 4; // 4 numbers of depth and 8 rows lie in different banks

// Pair is two neighbours, which one instruction reads from shared memory.
template <typename T>
struct alignas(2 * sizeof(T)) Pair {
  T x, y;
};

// tile_row and tile_column are the rows and columns of this thread's sums. A warp has 32×32 sums, in squares of 8×8 as
// a tensor core holds them. A lane has two neighbours of a row.
__device__ __forceinline__ int tile_row(int r) {
  int t = (int)threadIdx.x;
  return t / 64 * 32 + t % 32 / 4 + r * 8;
}
__device__ __forceinline__ int tile_column(int c) {
  int t = (int)threadIdx.x;
  return t / 32 % 2 * 32 + t % 4 * 2 + c % 2 + c / 2 * 8;
}

// warp_squares is the number of squares beside each other that this thread's warp computes, for the tile at (i0, j0) of
// an m×n matrix. It is 0 if all lie outside the matrix, or its lower triangle.
__device__ __forceinline__ int warp_squares(int i0, int j0, int m, int n, bool lower) {
  int t = (int)threadIdx.x, i = i0 + t / 64 * 32, j = j0 + t / 32 % 2 * 32;
  bool inside = (i < m) & (j < n) & !(lower & (j > i + 31));
  return inside ? smaller(div_up(n - j, 8), SQUARES) : 0;
}

// tile_step adds the products of NUMBERS numbers of depth, in order, to the squares from `begin` to `end`, the same for
// a warp. LD_A and LD_B are the strides of depth in shared memory. Doubles are unrolled less: without tensor cores,
// their products take longer than the code around them.
template <int LD_A, int LD_B, int NUMBERS, int UNROLL = NUMBERS, typename T>
__device__ __forceinline__ void tile_step(T (&sum)[ROWS][COLUMNS], const T *a, const T *b, int begin, int end) {
  constexpr int unroll = sizeof(T) == 8 && UNROLL > 4 ? 4 : UNROLL;
  a += tile_row(0);
  b += tile_column(0);
#pragma unroll unroll
  for (int p = 0; p < NUMBERS; p++) {
    T va[ROWS];
    Pair<T> vb[SQUARES];
#pragma unroll
    for (int r = 0; r < ROWS; r++) va[r] = a[p * LD_A + r * 8];
#pragma unroll
    for (int c = 0; c < SQUARES; c++) vb[c] = *(const Pair<T> *)(b + p * LD_B + c * 8);
#pragma unroll
    for (int c = 0; c < SQUARES; c++) {
      if ((c < begin) | (c >= end)) continue;
#pragma unroll
      for (int r = 0; r < ROWS; r++) {
        sum[r][2 * c] = fused(va[r], vb[c].x, sum[r][2 * c]);
        sum[r][2 * c + 1] = fused(va[r], vb[c].y, sum[r][2 * c + 1]);
      }
    }
  }
}

#if TARGET == 80 || TARGET == 90
constexpr int UNROLL_FEW = DEPTH; // how far a step of fewer squares is unrolled

// From compute capability 8.0 on, tensor cores multiply doubles, 8×4 times 4×8. Lane 4·i + p brings a(i, p) and b(i,
// p). A core sums four products in its own order. From 9.0 on, 16×4 times 4×8 is one instruction, which takes half as
// long. There a lane also brings a(i + 8, p).
template <int LD_A, int LD_B, int NUMBERS, int UNROLL = NUMBERS>
__device__ __forceinline__ void tile_step(double (&sum)[ROWS][COLUMNS], const double *a, const double *b, int begin,
                                          int end) {
  int t = (int)threadIdx.x;
  a += t % 4 * LD_A + tile_row(0);
  b += t % 4 * LD_B + t / 32 % 2 * 32 + t % 32 / 4;
#pragma unroll UNROLL
  for (int p = 0; p < NUMBERS; p += 4) {
    double va[ROWS], vb[SQUARES];
#pragma unroll
    for (int r = 0; r < ROWS; r++) va[r] = a[p * LD_A + r * 8];
#pragma unroll
    for (int c = 0; c < SQUARES; c++) vb[c] = b[p * LD_B + c * 8];
#pragma unroll
    for (int c = 0; c < SQUARES; c++) {
      if ((c < begin) | (c >= end)) continue;
#if TARGET == 80
#pragma unroll
      for (int r = 0; r < ROWS; r++) mma(sum[r][2 * c], sum[r][2 * c + 1], va[r], vb[c]);
#else
#pragma unroll
      for (int r = 0; r < ROWS; r += 2)
        mma(sum[r][2 * c], sum[r][2 * c + 1], sum[r + 1][2 * c], sum[r + 1][2 * c + 1], va[r], va[r + 1], vb[c]);
#endif
    }
  }
}
#else
constexpr int UNROLL_FEW = 1; // more would take too many registers
#endif

// Weighted is a number and its factor. Their product goes to shared memory. It is computed there, so that nothing waits
// for either number before.
template <typename T>
struct Weighted {
  T number, factor;
};
template <typename T>
__device__ __forceinline__ T value(T v) {
  return v;
}
template <typename T>
__device__ __forceinline__ T value(Weighted<T> v) {
  return v.number * v.factor;
}

// The patterns in which THREADS threads load SIDE×DEPTH numbers of an operand, `loads` each. A thread's number q is at
// row(t) + next_row(q) and depth(t) + next_depth(q) for thread t.
//
// AlongRows is for operands whose rows are neighbours in memory: a warp loads 32 neighbours.
template <int SIDE, int THREADS>
struct AlongRows {
  static constexpr int loads = SIDE * DEPTH / THREADS;
  static __device__ __forceinline__ int row(unsigned t) { return (int)(t % SIDE); }
  static __device__ __forceinline__ int depth(unsigned t) { return (int)(t / SIDE); }
  static __device__ __forceinline__ int next_row(int) { return 0; }
  static __device__ __forceinline__ int next_depth(int q) { return q * (DEPTH / loads); }
};
// AlongDepth is for operands whose depth is contiguous: a warp loads 4 neighbours of 8 rows.
template <int SIDE, int THREADS>
struct AlongDepth {
  static constexpr int loads = SIDE * DEPTH / THREADS;
  static __device__ __forceinline__ int row(unsigned t) { return (int)(t / 32 * (2 * loads) + t % 32 / 4); }
  static __device__ __forceinline__ int depth(unsigned t) { return (int)(t % 4); }
  static __device__ __forceinline__ int next_row(int q) { return q / 4 * 8; }
  static __device__ __forceinline__ int next_depth(int q) { return q % 4 * 4; }
};

// Loads is one of both, for a caller that chooses by a condition.
template <bool ALONG_ROWS>
struct Loads {
  template <int SIDE, int THREADS>
  using Pattern = AlongRows<SIDE, THREADS>;
};
template <>
struct Loads<false> {
  template <int SIDE, int THREADS>
  using Pattern = AlongDepth<SIDE, THREADS>;
};

// tile_sums adds Σ_p a(i, p) b(j, p) for begin ≤ p < end to the sums of this thread, p in order. It does so for each of
// `terms` pairs of matrices, and calls next() between two. The tile has HEIGHT rows, and the block 2·HEIGHT threads. A
// warp computes `squares` of its squares; with none it only loads numbers.
//
// The functions a and b read global memory. For p ≥ end, their product must be 0. They have no branches, so that the
// next numbers are loaded while the last ones are summed.
template <template <int, int> class LoadA, template <int, int> class LoadB, int HEIGHT = TILE, typename T, class A,
          class B, class Next>
__device__ __forceinline__ void tile_sums(T (&sum)[ROWS][COLUMNS], int begin, int end, int terms, A a, B b, Next next,
                                          int squares = SQUARES) {
  using PatternA = LoadA<HEIGHT, 2 * HEIGHT>;
  using PatternB = LoadB<TILE, 2 * HEIGHT>;
  constexpr int LD = HEIGHT + 4, BUFFERS = HEIGHT == TILE ? TILE_BUFFERS : 1;
  SHARED(Pair<T>, tile_a, [BUFFERS * DEPTH][LD / 2]);
  SHARED(Pair<T>, tile_b, [BUFFERS * DEPTH][TILE_LD / 2]);
  T *of_tile_a = &tile_a[0][0].x, *of_tile_b = &tile_b[0][0].x;
  decltype(a(0, 0)) next_a[PatternA::loads];
  decltype(b(0, 0)) next_b[PatternB::loads];
  auto fetch = [&](int from) {
    // Tall tiles compute their addresses again. Kept ones would take the registers of a second block.
    unsigned t = HEIGHT == TALL ? thread() : threadIdx.x;
    int row_a = PatternA::row(t), depth_a = from + PatternA::depth(t);
    int row_b = PatternB::row(t), depth_b = from + PatternB::depth(t);
#pragma unroll
    for (int q = 0; q < PatternA::loads; q++) {
      next_a[q] = a(row_a + PatternA::next_row(q), depth_a + PatternA::next_depth(q));
      if (q < PatternB::loads) next_b[q] = b(row_b + PatternB::next_row(q), depth_b + PatternB::next_depth(q));
    }
  };
  fetch(begin);
  int from = begin;
  unsigned t = threadIdx.x;
  T *own_a = of_tile_a + PatternA::depth(t) * LD + PatternA::row(t);
  T *own_b = of_tile_b + PatternB::depth(t) * TILE_LD + PatternB::row(t);
  int buffer = 0, steps = begin < end ? div_up(end - begin, DEPTH) * terms : 0;
  auto place = [&] {
    T *to_a = own_a + buffer * DEPTH * LD, *to_b = own_b + buffer * DEPTH * TILE_LD;
#pragma unroll
    for (int q = 0; q < PatternA::loads; q++) {
      to_a[PatternA::next_depth(q) * LD + PatternA::next_row(q)] = value(next_a[q]);
      if (q < PatternB::loads) to_b[PatternB::next_depth(q) * TILE_LD + PatternB::next_row(q)] = value(next_b[q]);
    }
  };
  if (BUFFERS == 2 && steps > 0) {
    __syncthreads(); // the numbers of an earlier call are summed
    place();
  }
  for (; steps > 0; steps--) {
    __syncthreads(); // the numbers before are summed, and these are in the second buffer
    if (BUFFERS == 1) {
      place();
      __syncthreads();
    }
    if (steps > 1) {
      from += DEPTH;
      if (from >= end) {
        from = begin;
        next();
      }
      fetch(from);
    }
    const T *of_a = of_tile_a + buffer * DEPTH * LD, *of_b = of_tile_b + buffer * DEPTH * TILE_LD;
    if (squares == SQUARES) tile_step<LD, TILE_LD, DEPTH>(sum, of_a, of_b, 0, SQUARES);
    else if (squares > 0) tile_step<LD, TILE_LD, DEPTH, UNROLL_FEW>(sum, of_a, of_b, 0, smaller(squares, SQUARES - 1));
    if (BUFFERS == 2 && steps > 1) {
      buffer ^= 1;
      place();
    }
  }
}

// Flags of a product.
constexpr int A_LOWER = 1; // A, as it is stored, is a lower triangle: numbers above are not used
constexpr int B_LOWER = 2; // B, too
constexpr int C_LOWER = 4; // only the lower triangle of C is written
constexpr int C_MIRROR = 8; // the lower triangle of C is computed, and written on both sides

// gemm_tile is the tile of C at (i0, j0): C = α Σ_q op(A_q) op(B_q) + β C. C is m×n, op(A) m×k and op(B) k×n, each by
// rows. Tiles of zeros of a triangle A or B are skipped. Within one matrix, 32 bits count the elements. NARROW_N is for
// products with few columns, or few in the last tile: squares beyond them are left out.
template <bool TA, bool TB, bool NARROW_N = false>
__device__ __forceinline__ void gemm_tile(int flags, int i0, int j0, int m, int n, int k, int terms, double alpha,
                                          double beta, const double *a, int lda, int term_a, const double *b, int ldb,
                                          int term_b, double *c, int ldc) {
  int begin = 0, end = k;
  bool lower_a = flags & A_LOWER, lower_b = flags & B_LOWER;
  if (lower_a && TA) begin = i0;
  if (lower_a && !TA) end = smaller(end, i0 + TILE);
  if (lower_b && !TB && begin < j0) begin = j0;
  if (lower_b && TB) end = smaller(end, j0 + TILE);
  double sum[ROWS][COLUMNS] = {};
  // A row beyond the last is the last one again: its sums are not written.
  auto read_a = [&](int i, int p) {
    i = smaller(i0 + i, m - 1);
    bool use = (p < end) & !(lower_a & (TA ? i > p : p > i));
    return use ? a[TA ? p * lda + i : i * lda + p] : 0.0;
  };
  auto read_b = [&](int j, int p) {
    j = smaller(j0 + j, n - 1);
    bool use = (p < end) & !(lower_b & (TB ? p > j : j > p));
    return use ? b[TB ? j * ldb + p : p * ldb + j] : 0.0;
  };
  auto next = [&] {
    a += term_a;
    b += term_b;
  };
  int squares = warp_squares(i0, j0, m, n, flags & (C_LOWER | C_MIRROR));
  if (!NARROW_N && squares > 0) squares = SQUARES;
  tile_sums<Loads<TA>::template Pattern, Loads<!TB>::template Pattern>(sum, begin, end, terms, read_a, read_b, next,
                                                                       squares);
#pragma unroll
  for (int r = 0; r < ROWS; r++) {
    int i = i0 + tile_row(r), last = (flags & (C_LOWER | C_MIRROR)) ? smaller(n - 1, i) : n - 1;
    if (i >= m) continue;
    double before[COLUMNS] = {}; // loaded together
    if (beta != 0.0) {
#pragma unroll
      for (int s = 0; s < COLUMNS; s++) {
        int j = j0 + tile_column(s);
        before[s] = j <= last ? c[i * ldc + j] : 0.0;
      }
    }
#pragma unroll
    for (int s = 0; s < COLUMNS; s++) {
      int j = j0 + tile_column(s);
      double v = alpha * sum[r][s];
      if (beta != 0.0) v += beta * before[s];
      if (j <= last) c[i * ldc + j] = v;
      if (j <= last && (flags & C_MIRROR)) c[j * ldc + i] = v;
    }
  }
}

// gemm_nn, gemm_nt and gemm_tn are batches of products, for the batch z of the grid
//
//	C_z = α e^(power·logs_z) Σ_q op(A_zq) op(B_zq) + β C_z
//
// where op is nothing (n) or a transposition (t). The matrices of z and q begin at z·step + q·term: step 0 is one
// matrix for the whole batch. Without logs there is no factor.
//
// Grid (⌈n/64⌉, ⌈m/64⌉, batch), 128 threads, 17 KiB of shared memory, 34 from 9.0 on. 2·m·n·k FLOP a product, half of
// that for each triangle among A, B and C. A is read ⌈n/64⌉ times and B ⌈m/64⌉ times, mostly from L2.
//
// Each element sums q, then p in order; tensor cores take p by fours. CPU twin internal/simd/gemm.go.
#define GEMM_PARAMS \
  int flags, int m, int n, int k, int terms, double alpha, double beta, const double *a, int lda, int step_a, \
      int term_a, const double *b, int ldb, int step_b, int term_b, double *c, int ldc, int step_c, \
      const double *logs, double power
#define GEMM_ARGS \
  flags, m, n, k, terms, alpha, beta, a, lda, step_a, term_a, b, ldb, step_b, term_b, c, ldc, step_c, logs, power
template <bool TA, bool TB>
__device__ __forceinline__ void gemm(GEMM_PARAMS) {
  int i0 = (int)blockIdx.y * TILE, j0 = (int)blockIdx.x * TILE;
  long long z = (int)blockIdx.z;
  if ((flags & (C_LOWER | C_MIRROR)) && j0 > i0) return; // the whole block
  if (logs) alpha *= exponential(power * logs[z]);
  gemm_tile<TA, TB, !TA && !TB>(flags, i0, j0, m, n, k, terms, alpha, beta, a + z * step_a, lda, term_a, b + z * step_b,
                                ldb, term_b, c + z * step_c, ldc);
}
BOUNDED_PRODUCT_KERNEL(TILE_THREADS, 3, gemm_nn_f64, (GEMM_PARAMS), (gemm<false, false>(GEMM_ARGS)))
PRODUCT_KERNEL(TILE_THREADS, gemm_nt_f64, (GEMM_PARAMS), (gemm<false, true>(GEMM_ARGS)))
PRODUCT_KERNEL(TILE_THREADS, gemm_tn_f64, (GEMM_PARAMS), (gemm<true, false>(GEMM_ARGS)))
