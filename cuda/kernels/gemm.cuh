// gemm.cuh: products of matrices, which is what most of the GP layer is; and the tile of sums that
// they and ARD are made of.
#pragma once

// A tile is 64×64 sums of one block of 128 threads, 4×8 of them in each thread, or 128×64 of 256
// threads; 16 of the numbers that are summed over are in shared memory at a time, with neighbouring
// rows of the tile side by side.
constexpr int TILE = 64, DEPTH = 16, TILE_THREADS = 128, TALL = 128;
// From 9.0 on products of 64×64 tiles wait for the second level of cache. Taller tiles read three
// quarters as much.
#if TARGET == 90
constexpr int TALLER = TALL, TALLER_BLOCKS = 2; // of gemm_nn or ard in a multiprocessor
#else
constexpr int TALLER = TILE, TALLER_BLOCKS = 3;
#endif
constexpr int ROWS = 4, COLUMNS = 8;
constexpr int TILE_LD = TILE + 4; // 4 numbers of depth and 8 rows meet no bank twice

// Pair is two neighbours, which one instruction reads from shared memory.
template <typename T>
struct alignas(2 * sizeof(T)) Pair {
  T x, y;
};

// The rows and columns of the tile that this thread has. A warp has 32×32, in squares of 8×8 as a
// tensor core holds them: a lane has two neighbours of a row.
__device__ __forceinline__ int tile_row(int r) {
  int t = (int)threadIdx.x;
  return t / 64 * 32 + t % 32 / 4 + r * 8;
}
__device__ __forceinline__ int tile_column(int c) {
  int t = (int)threadIdx.x;
  return t / 32 % 2 * 32 + t % 4 * 2 + c % 2 + c / 2 * 8;
}

// warp_squares is how many of the four squares beside each other, from the left, this thread's warp
// has in an m×n matrix, for the tile at (i0, j0); 0 if none of its elements are there, or in the
// lower triangle.
__device__ __forceinline__ int warp_squares(int i0, int j0, int m, int n, bool lower) {
  int t = (int)threadIdx.x, i = i0 + t / 64 * 32, j = j0 + t / 32 % 2 * 32;
  bool some = (i < m) & (j < n) & !(lower & (j > i + 31));
  return some ? smaller(div_up(n - j, 8), COLUMNS / 2) : 0;
}

// tile_step adds the products of NUMBERS numbers of depth, in order, to the squares from `begin` to
// `end` of those beside each other, the same for a warp. LD_A and LD_B are from one number of depth
// to the next.
template <int LD_A, int LD_B, int NUMBERS, int UNROLL = NUMBERS, typename T>
__device__ __forceinline__ void tile_step(T (&sum)[ROWS][COLUMNS], const T *a, const T *b, int begin, int end) {
  a += tile_row(0);
  b += tile_column(0);
#pragma unroll UNROLL
  for (int p = 0; p < NUMBERS; p++) {
    T va[ROWS];
    Pair<T> vb[COLUMNS / 2];
#pragma unroll
    for (int r = 0; r < ROWS; r++) va[r] = a[p * LD_A + r * 8];
#pragma unroll
    for (int c = 0; c < COLUMNS / 2; c++) vb[c] = *(const Pair<T> *)(b + p * LD_B + c * 8);
#pragma unroll
    for (int c = 0; c < COLUMNS / 2; c++) {
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
constexpr int PARTLY = DEPTH; // how far a step of a few squares is unrolled

// From compute capability 8.0 on, tensor cores multiply doubles: 8×4 times 4×8, of which lane 4·i +
// p brings a(i, p) and b(i, p), and which sums four products in its own order. From 9.0 on, 16×4
// times 4×8 is one instruction, and takes half as long; the lane brings a(i + 8, p), too.
template <int LD_A, int LD_B, int NUMBERS, int UNROLL = NUMBERS>
__device__ __forceinline__ void tile_step(double (&sum)[ROWS][COLUMNS], const double *a, const double *b, int begin, int end) {
  int t = (int)threadIdx.x;
  a += t % 4 * LD_A + tile_row(0);
  b += t % 4 * LD_B + t / 32 % 2 * 32 + t % 32 / 4;
#pragma unroll UNROLL
  for (int p = 0; p < NUMBERS; p += 4) {
    double va[ROWS], vb[COLUMNS / 2];
#pragma unroll
    for (int r = 0; r < ROWS; r++) va[r] = a[p * LD_A + r * 8];
#pragma unroll
    for (int c = 0; c < COLUMNS / 2; c++) vb[c] = b[p * LD_B + c * 8];
#pragma unroll
    for (int c = 0; c < COLUMNS / 2; c++) {
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
constexpr int PARTLY = 1; // there are too few registers for more
#endif

// Weighted is a number and its factor. They are multiplied when they are placed in shared memory:
// before that nothing waits for either.
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

// tile_sums adds Σ_p a(i, p) b(j, p) for begin ≤ p < end to the sums of this thread, p in order,
// for as many terms; next() is called between two terms. The functions a and b read global memory,
// also for p ≥ end, where the product of both must be 0; they have no branches, so that the next
// numbers are on their way while the last are summed. ROWS_A says that neighbouring i are
// neighbours in memory, else neighbouring p are. The tile has HEIGHT rows, and the block twice as
// many threads. A warp computes so many squares beside each other; one without any only brings
// numbers. AGAIN says that each step makes its addresses again: kept ones would take the registers
// of a second block.
template <bool ROWS_A, bool ROWS_B, int HEIGHT = TILE, bool AGAIN = false, typename T, class A, class B, class Next>
__device__ __forceinline__ void tile_sums(T (&sum)[ROWS][COLUMNS], int begin, int end, int terms, A a, B b, Next next, int squares = COLUMNS / 2) {
  constexpr int LD = HEIGHT + 4, LOADS_A = DEPTH / 2, LOADS_B = TILE * DEPTH / (2 * HEIGHT);
  SHARED(Pair<T>, tile_a, [DEPTH][LD / 2]);
  SHARED(Pair<T>, tile_b, [DEPTH][TILE_LD / 2]);
  T *to_a = &tile_a[0][0].x, *to_b = &tile_b[0][0].x;
  // The first number of a thread, in rows and in depth: all rows lie side by side, or 4 neighbours
  // in p. And how far number q is from it.
  auto row = [](unsigned t, bool rows, int loads) { return (int)(rows ? t % (2 * HEIGHT * loads / DEPTH) : t / 32 * (2 * loads) + t % 32 / 4); };
  auto depth = [](unsigned t, bool rows, int loads) { return (int)(rows ? t / (2 * HEIGHT * loads / DEPTH) : t % 4); };
  auto next_row = [](bool rows, int q) { return rows ? 0 : q / 4 * 8; };
  auto next_depth = [](bool rows, int loads, int q) { return rows ? q * (DEPTH / loads) : q % 4 * 4; };
  decltype(a(0, 0)) next_a[LOADS_A];
  decltype(b(0, 0)) next_b[LOADS_B];
  auto fetch = [&](int from) {
    unsigned t = AGAIN ? thread() : threadIdx.x;
    int row_a = row(t, ROWS_A, LOADS_A), depth_a = from + depth(t, ROWS_A, LOADS_A);
    int row_b = row(t, ROWS_B, LOADS_B), depth_b = from + depth(t, ROWS_B, LOADS_B);
#pragma unroll
    for (int q = 0; q < LOADS_A; q++) {
      next_a[q] = a(row_a + next_row(ROWS_A, q), depth_a + next_depth(ROWS_A, LOADS_A, q));
      if (q < LOADS_B) next_b[q] = b(row_b + next_row(ROWS_B, q), depth_b + next_depth(ROWS_B, LOADS_B, q));
    }
  };
  fetch(begin);
  int from = begin;
  unsigned t = threadIdx.x;
  T *own_a = to_a + depth(t, ROWS_A, LOADS_A) * LD + row(t, ROWS_A, LOADS_A);
  T *own_b = to_b + depth(t, ROWS_B, LOADS_B) * TILE_LD + row(t, ROWS_B, LOADS_B);
  for (int steps = begin < end ? div_up(end - begin, DEPTH) * terms : 0; steps > 0; steps--) {
    __syncthreads(); // the numbers before are summed
#pragma unroll
    for (int q = 0; q < LOADS_A; q++) {
      own_a[next_depth(ROWS_A, LOADS_A, q) * LD + next_row(ROWS_A, q)] = value(next_a[q]);
      if (q < LOADS_B) own_b[next_depth(ROWS_B, LOADS_B, q) * TILE_LD + next_row(ROWS_B, q)] = value(next_b[q]);
    }
    __syncthreads();
    if (steps > 1) {
      from += DEPTH;
      if (from >= end) {
        from = begin;
        next();
      }
      fetch(from);
    }
    if (squares == COLUMNS / 2) tile_step<LD, TILE_LD, DEPTH>(sum, to_a, to_b, 0, COLUMNS / 2);
    else if (squares > 0) tile_step<LD, TILE_LD, DEPTH, PARTLY>(sum, to_a, to_b, 0, smaller(squares, COLUMNS / 2 - 1));
  }
}

// What is known of the matrices of a product.
constexpr int A_LOWER = 1;  // A, as it is stored, is a lower triangle: what is above is not used
constexpr int B_LOWER = 2;  // B, too
constexpr int C_LOWER = 4;  // only the lower triangle of C is written
constexpr int C_MIRROR = 8; // the lower triangle of C is computed, and written on both sides

// gemm_tile is the tile of C at (i0, j0), of HEIGHT rows: C = α Σ_q op(A_q) op(B_q) + β C. C is
// m×n, op(A) m×k and op(B) k×n, each by rows. Where A or B is a triangle, the zeros are skipped by
// tiles. Within one matrix 32 bits count the elements. NARROW_N says that n may be small, or what
// is left of it: squares beyond it are left out.
template <bool TA, bool TB, int HEIGHT = TILE, bool NARROW_N = false>
__device__ __forceinline__ void gemm_tile(int flags, int i0, int j0, int m, int n, int k, int terms, double alpha, double beta,
                                          const double *a, int lda, int term_a, const double *b, int ldb, int term_b, double *c, int ldc) {
  int begin = 0, end = k;
  bool lower_a = flags & A_LOWER, lower_b = flags & B_LOWER;
  if (lower_a && TA) begin = i0;
  if (lower_a && !TA) end = smaller(end, i0 + HEIGHT);
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
  if (!NARROW_N && squares > 0) squares = COLUMNS / 2;
  tile_sums<TA, !TB, HEIGHT, HEIGHT == TALL>(sum, begin, end, terms, read_a, read_b, next, squares);
#pragma unroll
  for (int r = 0; r < ROWS; r++) {
    int i = i0 + tile_row(r), last = (flags & (C_LOWER | C_MIRROR)) ? smaller(n - 1, i) : n - 1;
    if (i >= m) continue;
    double before[COLUMNS] = {}; // on their way together
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
// where op is nothing (n) or a transposition (t), and the matrices of z and q begin at z·step +
// q·term: step 0 is one matrix for the whole batch. logs may be null: no factor. Grid (⌈n/64⌉,
// ⌈m/64⌉, batch), 128 threads, 17 KiB of shared memory; gemm_nn from 9.0 on (⌈n/64⌉, ⌈m/128⌉,
// batch), 256 threads, 25 KiB: by the model the others gain less than they lose where C is a
// triangle of few tiles. 2·m·n·k FLOP a product, half of that for
// each triangle among A, B and C; A is read ⌈n/64⌉ times and B ⌈m/64⌉ times, mostly from L2. Each
// element sums q, then p in order, where tensor cores multiply by fours that a core sums in its own
// order; zeros where a factor must not count. CPU twin internal/simd/gemm.go.
#define GEMM_PARAMS \
  int flags, int m, int n, int k, int terms, double alpha, double beta, const double *a, int lda, int step_a, int term_a, const double *b, int ldb, \
      int step_b, int term_b, double *c, int ldc, int step_c, const double *logs, double power
#define GEMM_ARGS flags, m, n, k, terms, alpha, beta, a, lda, step_a, term_a, b, ldb, step_b, term_b, c, ldc, step_c, logs, power
template <bool TA, bool TB, int HEIGHT>
__device__ __forceinline__ void gemm(GEMM_PARAMS) {
  int i0 = (int)blockIdx.y * HEIGHT, j0 = (int)blockIdx.x * TILE;
  long long z = (int)blockIdx.z;
  if ((flags & (C_LOWER | C_MIRROR)) && j0 > i0 + HEIGHT - TILE) return; // the whole block
  if (logs) alpha *= exponential(power * logs[z]);
  gemm_tile<TA, TB, HEIGHT, !TA && !TB>(flags, i0, j0, m, n, k, terms, alpha, beta, a + z * step_a, lda, term_a, b + z * step_b, ldb, term_b, c + z * step_c, ldc);
}
BOUNDED_PRODUCT_KERNEL(2 * TALLER, TALLER_BLOCKS, gemm_nn_f64, (GEMM_PARAMS), (gemm<false, false, TALLER>(GEMM_ARGS)))
PRODUCT_KERNEL(TILE_THREADS, gemm_nt_f64, (GEMM_PARAMS), (gemm<false, true, TILE>(GEMM_ARGS)))
PRODUCT_KERNEL(TILE_THREADS, gemm_tn_f64, (GEMM_PARAMS), (gemm<true, false, TILE>(GEMM_ARGS)))
