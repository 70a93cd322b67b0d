// potrf.cuh: batches of Cholesky factorisations, L Lᵀ = c + jitter·I, CPU twin device/cpu/potrf.go.
//
// The first rung of the jitter ladder is for the whole card: panels of 64 columns, of which
// potrf_diagonal factors the block on the diagonal, and two products (gemm.cuh) do the rest,
//
//	L_below = c_below D⁻ᵀ,   c_after −= L_below L_belowᵀ
//
// Then potrf_ladder has one block for each matrix, which ends at once if the matrix is factored. No
// rung waits for the host.
#pragma once

// potrf_begin: l = lower triangle of c, + rung·I; jitter[k] = rung. l and c [K,M,M]; n = K·M². Grid
// ⌈n/256⌉. 16·n bytes.
__device__ __forceinline__ void potrf_begin(int n, int m, double rung, double *l, double *jitter, const double *c) {
  int q = global_thread();
  if (q >= n) return;
  int i = q / m % m, j = q % m;
  l[q] = j < i ? c[q] : j == i ? c[q] + rung : 0.0;
  if (i == 0 && j == 0) jitter[q / (m * m)] = rung;
}
DOUBLE_KERNEL(256, potrf_begin, (int n, int m, double rung, double *l, double *jitter, const double *c), (n, m, rung, l, jitter, c))

// potrf_diagonal factors the block of l on the diagonal at j0, in place, and writes its inverse
// [K,64,64]. A pivot that fails goes to jitter[k] as −1−pivot, the first one stays. Grid K, 256
// threads, 57 KiB of dynamic shared memory. 64³/3 FLOP each, bound by the latency of 64 columns.
__device__ __forceinline__ void potrf_diagonal(int m, int j0, double *l, double *jitter, double *inverse) {
  DYN_SHARED(double, s);
  int k = (int)blockIdx.x, n = smaller(TILE, m - j0);
  double *block = l + ((long long)k * m + j0) * m + j0;
  load_lower(s, block, m, n);
  int pivot = factor_tile<4>(s);
  invert_tile(s + BLOCK_SIZE, s);
  store_tile(block, m, s, n);
  store_inverse(inverse + (long long)k * TILE * TILE, TILE, s + BLOCK_SIZE, TILE);
  if (threadIdx.x == 0 && pivot >= 0 && jitter[k] >= 0) jitter[k] = -1 - (j0 + pivot);
}
DOUBLE_KERNEL(256, potrf_diagonal, (int m, int j0, double *l, double *jitter, double *inverse), (m, j0, l, jitter, inverse))

// potrf_tile is the tile of panel j0 at row i0: c + rung·I less the columns before, in s.
__device__ __forceinline__ void potrf_tile(double *s, int m, int i0, int j0, double rung, const double *l, const double *c) {
  double sum[ROWS][COLUMNS] = {};
  // A row beyond the last is the last one again: its sums are not used.
  auto read = [&](int first) {
    return [=](int i, int p) { return p < j0 ? l[smaller(first + i, m - 1) * m + p] : 0.0; };
  };
  tile_sums<false, false>(sum, 0, j0, 1, read(i0), read(j0), [] {});
  __syncthreads(); // s may still be read
#pragma unroll
  for (int r = 0; r < ROWS; r++) {
#pragma unroll
    for (int q = 0; q < COLUMNS; q++) {
      int i = i0 + tile_row(r), j = j0 + tile_column(q);
      double v = i == j ? 1.0 : 0.0;
      if (j <= i && i < m) v = c[(long long)i * m + j] + (i == j ? rung : 0.0) - sum[r][q];
      s[tile_row(r) * BLOCK_LD + tile_column(q)] = v;
    }
  }
  __syncthreads();
}

// potrf_attempt is a whole factorisation by one block, left-looking: −1, or the pivot that failed.
// s is shared, x is not: both would be too much beside the tiles of a product.
__device__ __forceinline__ int potrf_attempt(double *s, double *x, int m, double rung, double *l, const double *c) {
  for (int j0 = 0; j0 < m; j0 += TILE) {
    int n = smaller(TILE, m - j0);
    potrf_tile(s, m, j0, j0, rung, l, c);
    int pivot = factor_tile<2>(s);
    if (pivot >= 0) return j0 + pivot; // all threads have it
    store_tile(l + (long long)j0 * m + j0, m, s, n);
    invert_tile(x, s);
    for (int i0 = j0 + TILE; i0 < m; i0 += TILE) {
      potrf_tile(s, m, i0, j0, rung, l, c);
      for (int q = (int)thread(); q < TILE * TILE; q += TILE_THREADS) {
        int i = q / TILE, j = q % TILE;
        double v = 0;
        for (int p = 0; p <= j; p++) v = fused(s[i * BLOCK_LD + p], x[inverse_at(j, p)], v);
        if (i0 + i < m) l[(long long)(i0 + i) * m + j0 + j] = v;
      }
    }
    __syncthreads(); // the panel is written
  }
  return -1;
}

// potrf_ladder climbs the other rungs with each matrix that the first did not help. jitter [K] gets
// the rung that did, or −1−pivot, and then l is NaN. inverse [K,64,64] is scratch. Grid K, 33 KiB
// of dynamic shared memory. M³/3 FLOP a rung, all on one multiprocessor: it is rare.
__device__ __forceinline__ void potrf_ladder(int m, double rung1, double rung2, double rung3, double rung4, double *l, double *jitter, const double *c, double *inverse) {
  DYN_SHARED(double, s);
  int k = (int)blockIdx.x, pivot = -1;
  if (jitter[k] >= 0) return; // the whole block
  long long at = (long long)k * m * m;
  double rung = rung1;
  for (int i = 1; i <= 4; i++) {
    rung = i == 1 ? rung1 : i == 2 ? rung2 : i == 3 ? rung3 : rung4;
    pivot = potrf_attempt(s, inverse + (long long)k * TILE * TILE, m, rung, l + at, c + at);
    if (pivot < 0) break;
  }
  if (pivot >= 0) {
    for (int q = (int)threadIdx.x; q < m * m; q += TILE_THREADS) l[at + q] = not_a_number<double>();
  }
  __syncthreads(); // every thread has read jitter[k]
  if (threadIdx.x == 0) jitter[k] = pivot < 0 ? rung : -1 - pivot;
}
DOUBLE_KERNEL(TILE_THREADS, potrf_ladder,
              (int m, double rung1, double rung2, double rung3, double rung4, double *l, double *jitter, const double *c, double *inverse),
              (m, rung1, rung2, rung3, rung4, l, jitter, c, inverse))
