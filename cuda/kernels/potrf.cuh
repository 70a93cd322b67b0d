// potrf.cuh: batches of Cholesky factorisations with the inverses of the factors, L Lᵀ = c +
// jitter·I and L⁻¹, CPU twin device/cpu/potrf.go.
//
// Elimination of the columns of c + jitter·I makes L of it, and L⁻ᵀ of an identity below it, by the
// same steps. A block takes 64 columns of 64 rows of either, with the 64 rows on the diagonal above
// them, which all blocks of a panel factor at the same time: rows of L⁻ᵀ as far as the diagonal,
// where those of L are zeros, and of L below. So a launch is a panel of 64 columns,
//
//	rows ← (rows − Σ_{p<j0} rows_p L_pᵀ) D⁻ᵀ    D Dᵀ = c_diagonal + jitter·I − Σ_{p<j0} L_p L_pᵀ
//
// The first rung of the jitter ladder is for the whole card. Then potrf_ladder has one block for
// each matrix, which ends at once if the matrix is factored. No rung waits for the host.
#pragma once

// eliminate makes columns of L of 128 rows by 256 threads, where the first 64 rows are those on the
// diagonal: thread (r, g) has columns g, g + 2, … of row r, and a barrier a column hands the
// pivot's column and the reciprocal of the pivot round. Roots are taken at the end, all at once. It
// returns the column that failed, or −1, to every thread.
__device__ __forceinline__ int eliminate(double (&row)[TILE / 2], int r, int g) {
  SHARED(double, column, [2][TALL]);
  SHARED(double, scale, [TILE]);
  int pivot = -1;
#pragma unroll
  for (int c = 0; c < TILE / 2; c++) {
#pragma unroll 1
    for (int h = 0; h < 2; h++) {
      int j = 2 * c + h;
      double *of = column[h];
      if (g == h) of[r] = row[c];
      if (g == h && r == j) scale[j] = 1 / row[c];
      __syncthreads();
      double v = scale[j], u = of[r] * v;
      if (pivot < 0 && !(v > 0 && v < infinity<double>())) pivot = j;
      if (g > h) row[c] = fused(-u, of[2 * c + g], row[c]);
#pragma unroll
      for (int q = c + 1; q < TILE / 2; q++) row[q] = fused(-u, of[2 * q + g], row[q]);
    }
  }
  __syncthreads();
  if (g == 0 && r < TILE) scale[r] = square_root(scale[r]);
  __syncthreads();
#pragma unroll
  for (int c = 0; c < TILE / 2; c++) {
    int j = 2 * c + g;
    row[c] = r < TILE && j > r ? 0.0 : row[c] * scale[j];
  }
  return pivot;
}

// potrf_rows makes columns j0 … j0+63 of 64 rows of L from i0 on, and, where i0 ≤ j0, of rows of
// L⁻ᵀ: 64 columns of L⁻¹ from i0 on, which are stored in x by rows. It returns the pivot that
// failed, or −1. Products before column `from` are in before, for L, and in x. s is a tile.
__device__ __forceinline__ int potrf_rows(double *s, int m, int i0, int j0, int from, double rung, double *l, double *x, const double *c, const double *before) {
  bool inverse = i0 <= j0;
  // of the rows: those of the diagonal come first
  int t = (int)threadIdx.x, half = t / TILE_THREADS;
  bool upper = inverse & (half == 1);
  const double *of = upper ? x : l;
  int first = half == 0 ? j0 : i0 - TILE, begin = upper ? i0 : 0, by_row = upper ? 1 : m, by_column = upper ? m : 1;
  // A row beyond the last is the last one again: its sums are not used.
  auto read_rows = [&](int i, int p) { return ((p >= begin) & (p < j0)) ? of[smaller(first + i, m - 1) * by_row + p * by_column] : 0.0; };
  auto read_diagonal = [&](int j, int p) { return p < j0 ? l[smaller(j0 + j, m - 1) * m + p] : 0.0; };
  double sum[ROWS][COLUMNS] = {};
  tile_sums<false, false, TALL>(sum, from, j0, 1, read_rows, read_diagonal, [] {});

  // From fragments of a product to rows, those of the diagonal first: s has room for one of the
  // two.
  int r = t % TILE, g = t / TILE % 2;
  double(&row)[TILE / 2] = reinterpret_cast<double(&)[TILE / 2]>(sum);
#pragma unroll 1
  for (int h = 0; h < 2; h++) {
    __syncthreads(); // s may still be read
    if (half == h) {
#pragma unroll
      for (int p = 0; p < ROWS * COLUMNS; p++) s[tile_row(p / COLUMNS) % TILE * BLOCK_LD + tile_column(p % COLUMNS)] = row[p];
    }
    __syncthreads();
    bool other = inverse && h == 1;
#pragma unroll 4
    for (int q = t; q < TILE * TILE; q += 2 * TALL) {
      int i = (h == 0 ? j0 : i0) + q / TILE, j = j0 + q % TILE;
      double &number = s[q / TILE * BLOCK_LD + q % TILE], eye = i == j ? 1.0 : 0.0;
      if (other) {
        number = eye - (i < from && j < m ? x[j * m + i] : 0.0) - number;
      } else if (j <= i && i < m) {
        number = c[i * m + j] + rung * eye - (from > 0 ? before[i * m + j] : 0.0) - number;
      } else {
        number = i < m ? 0.0 : eye; // rows beyond the last are those of the identity
      }
    }
    __syncthreads();
    if (half == h) {
#pragma unroll
      for (int p = 0; p < TILE / 2; p++) row[p] = s[r * BLOCK_LD + 2 * p + g];
    }
  }

  int pivot = eliminate(row, half * TILE + r, g);
  if (inverse) {
#pragma unroll
    for (int p = 0; p < TILE / 2; p++) {
      int i = i0 + r, j = j0 + 2 * p + g;
      if (half == 1 && i < m && j < m) x[j * m + i] = row[p];
    }
  }
  if (half == (inverse ? 0 : 1)) {
#pragma unroll
    for (int p = 0; p < TILE / 2; p++) s[r * BLOCK_LD + 2 * p + g] = i0 < j0 ? 0.0 : row[p];
  }
  __syncthreads();
  for (int q = t; q < TILE * TILE; q += 2 * TALL) {
    int i = i0 + q / TILE, j = j0 + q % TILE;
    if (i < m && j < m) l[i * m + j] = s[q / TILE * BLOCK_LD + q % TILE];
  }
  return pivot;
}

// potrf_panel makes columns j0 … j0+63 of L, with zeros above the diagonal, and the rows of x = L⁻¹
// with these numbers; l, x, c and before [K,M,M]. jitter[k] is the rung, or −1−pivot of the first
// pivot that failed. Grid (⌈M/64⌉, K), 256 threads, 33 KiB of dynamic shared memory. A block has
// 2·128·64·(j0−from) FLOP in products, and 64²·128 to eliminate: bound by the latency of 64
// columns.
__device__ __forceinline__ void potrf_panel(int m, int j0, int from, double rung, double *l, double *x, double *jitter, const double *c, const double *before) {
  DYN_SHARED(double, s);
  int k = (int)blockIdx.y, i0 = (int)blockIdx.x * TILE;
  long long at = (long long)k * m * m;
  int pivot = potrf_rows(s, m, i0, j0, from, rung, l + at, x + at, c + at, before + at);
  if (i0 != j0 || threadIdx.x > 0) return;
  if (j0 == 0) jitter[k] = pivot < 0 ? rung : -1 - pivot;
  if (j0 > 0 && pivot >= 0 && jitter[k] >= 0) jitter[k] = -1 - (j0 + pivot);
}
PRODUCT_KERNEL(2 * TALL, potrf_panel_f64,
               (int m, int j0, int from, double rung, double *l, double *x, double *jitter, const double *c, const double *before),
               potrf_panel(m, j0, from, rung, l, x, jitter, c, before))

// potrf_attempt is a whole factorisation by one block: −1, or the pivot that failed.
__device__ __forceinline__ int potrf_attempt(double *s, int m, double rung, double *l, double *x, const double *c) {
  for (int j0 = 0; j0 < m; j0 += TILE) {
    for (int i0 = 0; i0 < m; i0 += TILE) {
      int pivot = potrf_rows(s, m, i0, j0, 0, rung, l, x, c, c);
      __syncthreads(); // the rows are written
      if (pivot >= 0) return j0 + pivot; // all threads have it
    }
  }
  return -1;
}

// potrf_ladder climbs the other rungs with each matrix that the first did not help. jitter [K] gets
// the rung that did, or −1−pivot, and then l and x are NaN. Grid K, 256 threads, 33 KiB of dynamic
// shared memory. 4·M³/3 FLOP a rung, all on one multiprocessor: it is rare.
__device__ __forceinline__ void potrf_ladder(int m, double rung1, double rung2, double rung3, double rung4, double *l, double *x, double *jitter, const double *c) {
  DYN_SHARED(double, s);
  int k = (int)blockIdx.x, pivot = -1;
  if (jitter[k] >= 0) return; // the whole block
  long long at = (long long)k * m * m;
  double rung = rung1;
  for (int i = 1; i <= 4; i++) {
    rung = i == 1 ? rung1 : i == 2 ? rung2 : i == 3 ? rung3 : rung4;
    pivot = potrf_attempt(s, m, rung, l + at, x + at, c + at);
    if (pivot < 0) break;
  }
  if (pivot >= 0) {
    for (int q = (int)threadIdx.x; q < m * m; q += 2 * TALL) l[at + q] = x[at + q] = not_a_number<double>();
  }
  __syncthreads(); // every thread has read jitter[k]
  if (threadIdx.x == 0) jitter[k] = pivot < 0 ? rung : -1 - pivot;
}
DOUBLE_KERNEL(2 * TALL, potrf_ladder,
              (int m, double rung1, double rung2, double rung3, double rung4, double *l, double *x, double *jitter, const double *c),
              (m, rung1, rung2, rung3, rung4, l, x, jitter, c))
