// triangle.cuh: blocks of lower triangular matrices, 64 rows at a time; and their inverses, with which every triangular
// solve is a product. CPU twin device/cpu/triangle.go.
#pragma once

// What one block factors or inverts, in dynamic shared memory: a square tile of doubles, and the inverse of a lower
// triangular one. The upper rows of the inverse have 32 columns, so that both fit the 64 KiB of a block of compute
// capability 7.5.
constexpr int HALF = TILE / 2, HALF_LD = HALF + 1, BLOCK_LD = TILE + 1, BLOCK_SIZE = TILE * BLOCK_LD;

// inverse_at is where the inverse has row i and column j. The upper rows end before column 32.
__device__ __forceinline__ int inverse_at(int i, int j) {
  return i < HALF ? i * HALF_LD + j : HALF * HALF_LD + (i - HALF) * BLOCK_LD + j;
}

// load_lower reads a lower triangle of n ≤ 64 rows, by 8 numbers of a thread at a time; outside of it is the identity.
__device__ __forceinline__ void load_lower(double *s, const double *l, int ld, int n) {
  int threads = (int)blockDim.x; // 128 or 256
#pragma unroll 1
  for (int from = (int)threadIdx.x; from < TILE * TILE; from += 8 * threads) {
    double v[8];
#pragma unroll
    for (int k = 0; k < 8; k++) {
      int i = (from + k * threads) / TILE, j = (from + k * threads) % TILE;
      v[k] = ((i < n) & (j <= i)) ? l[(long long)i * ld + j] : 0.0;
    }
#pragma unroll
    for (int k = 0; k < 8; k++) {
      int i = (from + k * threads) / TILE, j = (from + k * threads) % TILE;
      s[i * BLOCK_LD + j] = i >= n && i == j ? 1.0 : v[k];
    }
  }
  __syncthreads();
}

// invert_tile writes the inverse of a lower triangular tile to x: the two diagonal halves, a row a thread, then
//
//	[A 0; C B]⁻¹ = [A⁻¹ 0; −B⁻¹ (C A⁻¹) B⁻¹]
//
// with C A⁻¹ in the upper corner of s, which is zeros before and after.
__device__ __forceinline__ void invert_tile(double *x, double *s) {
  int t = (int)thread();
  if (t < TILE) {
    int first = t & 32, r = t & 31;
    const double *l = s + first * BLOCK_LD + first;
    double row[32]; // row r of the identity, and of the inverse from the right
#pragma unroll
    for (int j = 0; j < 32; j++) row[j] = j == r ? 1.0 : 0.0;
#pragma unroll
    for (int p = 31; p >= 0; p--) {
      row[p] /= l[p * BLOCK_LD + p];
#pragma unroll
      for (int j = 0; j < p; j++) row[j] = fused(-row[p], l[p * BLOCK_LD + j], row[j]);
    }
#pragma unroll
    for (int j = 0; j < 32; j++) x[inverse_at(t, first + j)] = row[j];
  }
  __syncthreads();
  double *corner = s + HALF;
  for (int q = t; q < 32 * 32; q += (int)blockDim.x) {
    int i = q / 32, j = q % 32;
    double v = 0;
    for (int p = j; p < 32; p++) v = fused(s[(32 + i) * BLOCK_LD + p], x[inverse_at(p, j)], v);
    corner[i * BLOCK_LD + j] = v;
  }
  __syncthreads();
  for (int q = t; q < 32 * 32; q += (int)blockDim.x) {
    int i = q / 32, j = q % 32;
    double v = 0;
    for (int p = 0; p <= i; p++) v = fused(-x[inverse_at(HALF + i, HALF + p)], corner[p * BLOCK_LD + j], v);
    x[inverse_at(HALF + i, j)] = v;
  }
  __syncthreads();
  for (int q = t; q < 32 * 32; q += (int)blockDim.x) corner[q / 32 * BLOCK_LD + q % 32] = 0;
  __syncthreads();
}

// store_inverse writes n rows and columns of an inverse, with zeros above.
__device__ __forceinline__ void store_inverse(double *to, int ld, const double *x, int n) {
  for (int q = (int)thread(); q < TILE * TILE; q += (int)blockDim.x) {
    int i = q / TILE, j = q % TILE;
    if (i < n && j < n) to[(long long)i * ld + j] = j <= i ? x[inverse_at(i, j)] : 0.0;
  }
}

// invert_diagonal writes the inverses of the 64×64 blocks on the diagonal of L to x; l, x [K,M,M]. Grid (⌈M/64⌉, K),
// 256 threads, 57 KiB of dynamic shared memory. It reads and writes 64·M numbers a matrix, 64²·M/3 FLOP: bound by the
// latency of 64 divisions. Sums from the last column to the first.
DOUBLE_KERNEL(256, invert_diagonal, (int m, double *x, const double *l)) {
  DYN_SHARED(double, s);
  int i0 = (int)blockIdx.x * TILE;
  long long at = ((long long)blockIdx.y * m + i0) * m + i0;
  load_lower(s, l + at, m, smaller(TILE, m - i0));
  invert_tile(s + BLOCK_SIZE, s);
  store_inverse(x + at, m, s + BLOCK_SIZE, smaller(TILE, m - i0));
}

// invert_join makes inverses of 2h rows of pairs of inverses of h, by two launches
//
//	T = C A⁻¹,  then x = −B⁻¹ T     for L = [A 0; C B]
//
// x, t and l [K,M,M]; t is scratch. Grid (h/64, h/64, K·pairs), shared memory of a product. h³ FLOP a pair and launch.
__device__ __forceinline__ void invert_join(int second, int m, int h, int pairs, double *x, double *t,
                                            const double *l) {
  int k = (int)blockIdx.z / pairs, o = (int)blockIdx.z % pairs * 2 * h, rows = smaller(h, m - o - h);
  int i0 = (int)blockIdx.y * TILE, j0 = (int)blockIdx.x * TILE;
  long long matrix = (long long)k * m * m, corner = matrix + (long long)(o + h) * m + o;
  if (i0 >= rows) return; // the whole block
  if (second) {
    gemm_tile<false, false>(A_LOWER, i0, j0, rows, h, rows, 1, -1.0, 0.0, x + corner + h, m, 0, t + corner, m, 0,
                            x + corner, m);
  } else {
    gemm_tile<false, false>(B_LOWER, i0, j0, rows, h, h, 1, 1.0, 0.0, l + corner, m, 0,
                            x + matrix + (long long)o * m + o, m, 0, t + corner, m);
  }
}
PRODUCT_KERNEL(TILE_THREADS, invert_join_f64,
               (int second, int m, int h, int pairs, double *x, double *t, const double *l),
               invert_join(second, m, h, pairs, x, t, l))
