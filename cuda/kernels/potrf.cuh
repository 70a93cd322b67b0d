// potrf.cuh: batches of Cholesky factorisations with the inverses of the factors, L Lᵀ = c + jitter·I and L⁻¹, CPU twin
// device/cpu/potrf.go.
//
// Elimination of the columns of c + jitter·I turns it into L. The same steps turn an identity below it into L⁻ᵀ. A
// launch makes a panel of 64 columns from column j0 on,
//
//	rows ← (rows − Σ_{p<j0} rows_p L_pᵀ) D⁻ᵀ    D Dᵀ = c_diagonal + jitter·I − Σ_{p<j0} L_p L_pᵀ
//
// and a block 64 rows of it: rows of L⁻ᵀ down to the diagonal, where L is zero, and rows of L below. Every block also
// factors the 64 rows on the diagonal, for itself.
//
// The whole card tries the first rung of the jitter ladder. Then potrf_ladder has one block for each matrix, which ends
// at once if the matrix is factored. No rung waits for the host.
#pragma once

// A block eliminates 8 columns of 128 rows at a time. Shared memory holds them by columns.
constexpr int NARROW = 8, COLUMN_LD = TALL + 4, COLUMN_SIZE = NARROW * COLUMN_LD;

// Columns is the shared memory of a block: 8 columns before their own elimination (raw), after it (done), and after it
// divided by −pivot (scaled); and the pivots of all columns. There are two places for done: the last 8 columns are
// stored while the next 8 are eliminated.
struct Columns {
  double *raw, *scaled, *done[2], *pivots;
  __device__ __forceinline__ explicit Columns(double *s)
      : raw(s), scaled(s + COLUMN_SIZE), done{s + 2 * COLUMN_SIZE, s + 3 * COLUMN_SIZE}, pivots(s + 4 * COLUMN_SIZE) {}
};

// eliminate_columns eliminates columns j … j+7, a row a thread. Each warp also eliminates rows j … j+7, on the
// diagonal, in its lanes, so that no warp waits for another. Every lane computes the next pivot, since all wait for its
// reciprocal. No square overflows: c has correlations.
__device__ __forceinline__ void eliminate_columns(Columns s, int j, double *done) {
  int t = (int)threadIdx.x;
  double row[NARROW], corner[NARROW];
#pragma unroll
  for (int k = 0; k < NARROW; k++) {
    row[k] = s.raw[k * COLUMN_LD + t];
    corner[k] = s.raw[k * COLUMN_LD + j + t % NARROW];
  }
  double pivot = __shfl_sync(~0u, corner[0], 0);
#pragma unroll
  for (int p = 0; p < NARROW; p++) {
    double v = reciprocal(pivot), u = row[p] * v, w = corner[p] * v;
    if (t == 0) s.pivots[j + p] = pivot;
#pragma unroll
    for (int k = p + 1; k < NARROW; k++) {
      double of = __shfl_sync(~0u, corner[p], k);
      if (k == p + 1) pivot = fused(-of * of, v, __shfl_sync(~0u, corner[k], k));
      row[k] = fused(-u, of, row[k]);
      corner[k] = fused(-w, of, corner[k]);
    }
    s.scaled[p * COLUMN_LD + t] = -u;
    done[p * COLUMN_LD + t] = row[p];
  }
}

// Panel is the rows of a block: rows j0 … j0+63 on the diagonal, then 64 rows from i0 on, of L or, if i0 ≤ j0, of L⁻ᵀ.
// l and x = L⁻¹ have m rows.
struct Panel {
  int m, i0, j0;
  double *l, *x;
  __device__ __forceinline__ bool inverse() const { return i0 <= j0; }
};

// store_columns writes columns j … j+7 of the rows from i0 on, divided by the roots of the pivots: to x, or to l with
// zeros above the diagonal. The 128 threads that eliminate no rows call it.
__device__ __forceinline__ void store_columns(Panel p, Columns s, int j, const double *done) {
  int t = (int)threadIdx.x - TALL, k = t % NARROW;
  double pivot = s.pivots[j + k], root = reciprocal_root(pivot);
  done += k * COLUMN_LD;
  j += p.j0 + k;
#pragma unroll
  for (int q = 0; q < TILE; q += TALL / NARROW) {
    int r = q + t / NARROW, i = p.i0 + r;
    if (i >= p.m || j >= p.m) continue;
    if (p.inverse()) p.x[j * p.m + i] = root * done[TILE + r];
    p.l[i * p.m + j] = i < j ? 0.0 : root * (i == j ? pivot : done[p.inverse() ? r : TILE + r]);
  }
}

// failed_pivot is the first pivot without a reciprocal or a root, or −1, in every thread of a warp.
__device__ __forceinline__ int failed_pivot(const double *pivots) {
  const double least = power_of_two<double>(-1022), most = power_of_two<double>(1022);
  int lane = (int)threadIdx.x % 32, first = TILE;
#pragma unroll
  for (int q = 32; q >= 0; q -= 32) {
    double v = pivots[q + lane];
    first = v >= least && v <= most ? first : q + lane;
  }
#pragma unroll
  for (int step = 16; step > 0; step /= 2) first = smaller(first, __shfl_xor_sync(~0u, first, step));
  return first < TILE ? first : -1;
}

// eliminate turns the sums of 256 threads into 64 columns of L, and stores them. The first 64 of its 128 rows are those
// on the diagonal. For each 8 columns, the warps that have them write them to shared memory, and half of the threads
// eliminate a row each. Then all subtract the products with them from the columns on the right, if those of the warp
// count. It returns the pivot that failed, or −1.
__device__ __forceinline__ int eliminate(double (&sum)[ROWS][COLUMNS], Panel p, Columns s, bool counts) {
  int t = (int)threadIdx.x, side = t / 32 % 2;
#pragma unroll 1
  for (int half = 0; half < 2; half++) {
#pragma unroll
    for (int c = 0; c < TILE / 2; c += NARROW) {
      int j = half * (TILE / 2) + c, parity = c / NARROW % 2;
      if (side == half) {
#pragma unroll
        for (int q = 0; q < 2 * ROWS; q++)
          s.raw[(t % 4 * 2 + q % 2) * COLUMN_LD + tile_row(q / 2)] = sum[q / 2][c / 4 + q % 2];
      }
      __syncthreads();
      if (t < TALL) eliminate_columns(s, j, s.done[parity]);
      else if (j > 0) store_columns(p, s, j - NARROW, s.done[1 - parity]);
      __syncthreads();
      if (counts && side >= half)
        tile_step<COLUMN_LD, COLUMN_LD, NARROW>(sum, s.scaled, s.done[parity], side == half ? c / NARROW + 1 : 0,
                                                SQUARES);
    }
  }
  if (t >= TALL) store_columns(p, s, TILE - NARROW, s.done[1]);
  return failed_pivot(s.pivots);
}

// add_below adds a tile of the lower triangle of a matrix of m rows to the sums of the threads.
__device__ __forceinline__ void add_below(double (&sum)[ROWS][COLUMNS], const double *of, int i0, int j0, int m) {
#pragma unroll
  for (int r = 0; r < ROWS; r++) {
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
      int i = i0 + tile_row(r), j = j0 + tile_column(q);
      sum[r][q] += ((i < m) & (j <= i)) ? of[i * m + j] : 0.0;
    }
  }
}

// potrf_rows makes columns j0 … j0+63 of the rows of a panel. Rows of L⁻ᵀ are stored in x, as columns of L⁻¹. It
// returns the pivot that failed, or −1. The products before column `from` are given: in `before` for L, and in x for
// L⁻ᵀ.
__device__ __forceinline__ int potrf_rows(Columns s, Panel p, int from, double rung, const double *c,
                                          const double *before) {
  // The rows on the diagonal come first.
  int m = p.m, t = (int)threadIdx.x, own = t / TILE_THREADS;
  bool upper = p.inverse() & (own == 1);
  const double *of = upper ? p.x : p.l;
  int first = own ? p.i0 - TILE : p.j0, begin = upper ? p.i0 : 0, by_row = upper ? 1 : m, by_column = upper ? m : 1;
  // A row beyond the last is the last one again: its sums are not used.
  auto read_rows = [&](int i, int q) {
    return ((q >= begin) & (q < p.j0)) ? of[smaller(first + i, m - 1) * by_row + q * by_column] : 0.0;
  };
  auto read_diagonal = [&](int j, int q) { return q < p.j0 ? p.l[smaller(p.j0 + j, m - 1) * m + q] : 0.0; };
  // Above the diagonal nothing counts. Of L⁻ᵀ there is nothing before its first row.
  bool counts = t / 32 != 1, any = counts & !(upper & (begin == p.j0));
  double sum[ROWS][COLUMNS] = {};
  tile_sums<AlongDepth, AlongDepth, TALL>(sum, from, p.j0, 1, read_rows, read_diagonal, [] {}, any ? SQUARES : 0);
  // The products are subtracted from c, or for L⁻ᵀ from an identity. Rows beyond the last are those of the identity.
  const double *start = upper ? p.x : c;
  int rows = upper ? from : m;
  double sign = upper ? -1 : 1;
  if (from > 0 && !upper) add_below(sum, before, first, p.j0, m);
#pragma unroll
  for (int r = 0; r < ROWS; r++) {
    int i = first + tile_row(r), last = upper ? m - 1 : i;
    double v[COLUMNS], eye = (upper | (i >= m)) ? 1.0 : rung;
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
      int j = p.j0 + tile_column(q);
      v[q] = ((i < rows) & (j <= last)) ? start[i * by_row + j * by_column] : 0.0;
    }
#pragma unroll
    for (int q = 0; q < COLUMNS; q++)
      sum[r][q] = fused(sign, v[q], i == p.j0 + tile_column(q) ? eye : 0.0) - (i < m ? sum[r][q] : 0.0);
  }
  return eliminate(sum, p, s, counts);
}

// potrf_panel makes columns j0 … j0+63 of L, with zeros above the diagonal, and rows j0 … j0+63 of x = L⁻¹. l, x, c and
// before [K,M,M]. jitter[k] is the rung, or −1−pivot of the first pivot that failed. Grid (⌈M/64⌉, K), 256 threads, 33
// KiB of dynamic shared memory. 2·128·64·(j0−from) FLOP a block in products, and 64²·128 to eliminate: bound by the
// latency of 64 reciprocals.
__device__ __forceinline__ void potrf_panel(int m, int j0, int from, double rung, double *l, double *x, double *jitter,
                                            const double *c, const double *before) {
  DYN_SHARED(double, s);
  int k = (int)blockIdx.y, i0 = (int)blockIdx.x * TILE;
  long long at = (long long)k * m * m;
  int pivot = potrf_rows(Columns(s), Panel{m, i0, j0, l + at, x + at}, from, rung, c + at, before + at);
  if (i0 != j0 || threadIdx.x > 0) return;
  if (j0 == 0) jitter[k] = pivot < 0 ? rung : -1 - pivot;
  if (j0 > 0 && pivot >= 0 && jitter[k] >= 0) jitter[k] = -1 - (j0 + pivot);
}
PRODUCT_KERNEL(2 * TALL, potrf_panel_f64,
               (int m, int j0, int from, double rung, double *l, double *x, double *jitter, const double *c,
                const double *before),
               potrf_panel(m, j0, from, rung, l, x, jitter, c, before))

// potrf_attempt is a whole factorisation by one block: −1, or the pivot that failed.
__device__ __forceinline__ int potrf_attempt(double *s, int m, double rung, double *l, double *x, const double *c) {
  for (int j0 = 0; j0 < m; j0 += TILE) {
    for (int i0 = 0; i0 < m; i0 += TILE) {
      int pivot = potrf_rows(Columns(s), Panel{m, i0, j0, l, x}, 0, rung, c, c);
      __syncthreads(); // the rows are written
      if (pivot >= 0) return j0 + pivot; // all threads have it
    }
  }
  return -1;
}

// Rungs are those of a ladder after the first.
struct Rungs {
  double rung1, rung2, rung3, rung4;
  __device__ __forceinline__ double at(int i) const { return i == 1 ? rung1 : i == 2 ? rung2 : i == 3 ? rung3 : rung4; }
};

// potrf_ladder tries the other rungs with each matrix whose factorisation failed. jitter [K] gets the rung that helped,
// or −1−pivot, and then l and x are NaN. Grid K, 256 threads, 33 KiB of dynamic shared memory. 4·M³/3 FLOP a rung, all
// on one multiprocessor: it is rare, and has plain arithmetic on all GPUs.
DOUBLE_KERNEL(2 * TALL, potrf_ladder,
              (int m, double rung1, double rung2, double rung3, double rung4, double *l, double *x, double *jitter,
               const double *c)) {
  Rungs rungs{rung1, rung2, rung3, rung4};
  DYN_SHARED(double, s);
  int k = (int)blockIdx.x, pivot = -1;
  if (jitter[k] >= 0) return; // the whole block
  long long at = (long long)k * m * m;
  double rung = rungs.at(1);
  for (int i = 1; i <= 4; i++) {
    rung = rungs.at(i);
    pivot = potrf_attempt(s, m, rung, l + at, x + at, c + at);
    if (pivot < 0) break;
  }
  if (pivot >= 0) {
    for (int q = (int)threadIdx.x; q < m * m; q += 2 * TALL) l[at + q] = x[at + q] = not_a_number<double>();
  }
  __syncthreads(); // every thread has read jitter[k]
  if (threadIdx.x == 0) jitter[k] = pivot < 0 ? rung : -1 - pivot;
}
