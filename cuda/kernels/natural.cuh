// natural.cuh: steps of q(F̄) along its natural gradient, CPU twin device/cpu/natural.go. With B = I − size·2sᵀdS s,
// where 2sᵀdS s is the lower triangle G of sᵀds on both sides, the new covariance is s B⁻¹ sᵀ. Matrices are transposed
// at the other diagonal, a˜[i,c] = a[M−1−c, M−1−i], which keeps a lower triangle lower:
//
//	L Lᵀ = B˜ (potrf.cuh),   s˜ = L⁻¹ s˜,   m += size·s (sᵀdm)
//
// m, dm [J,M]; s, ds and all matrices [J,M,M]. The size may be live. To see whether the step is too long, B −
// ½(1−size)·I is factored first, up NaturalLadder. A rung that helped makes the step 1 + 2·rung times smaller, and B as
// many times larger. If none helped, rung is negative and q stays.
#pragma once

// natural_begin: sigma = s˜ and b = ½(1+size)·I − size·G˜, lower triangles with zeros above, n = J·M². Grid ⌈n/256⌉.
// 32·n bytes.
DOUBLE_KERNEL(256, natural_begin,
              (int n, int m, double size, double *sigma, double *b, const double *s, const double *g)) {
  int q = global_thread();
  if (q >= n) return;
  int i = q / m % m, c = q % m;
  bool below = c <= i;
  long long from = (long long)(q / (m * m)) * m * m + (long long)(m - 1 - c) * m + m - 1 - i;
  size = number_of(size, live.natural);
  sigma[q] = below ? s[from] : 0.0;
  b[q] = below ? (c == i ? 0.5 * (1 + size) : 0.0) - size * g[from] : 0.0;
}

// natural_shift: b = (1 + 2·rung)·I − size·G˜ from the matrix of natural_begin, n = J·M. Grid ⌈n/256⌉. 16·n bytes.
DOUBLE_KERNEL(256, natural_shift, (int n, int m, double size, double *b, const double *rung)) {
  int q = global_thread();
  if (q < n) b[(long long)q * m + q % m] += 2 * rung[q / m] + 0.5 * (1 - number_of(size, live.natural));
}

// natural_project: u = sᵀdm for the new s without its scale, from y = s˜ [J,M,M]. A warp a row, grid (⌈M/8⌉, J), 256
// threads. 4·M² bytes a latent.
DOUBLE_KERNEL(256, natural_project, (int m, double *u, const double *y, const double *dm)) {
  int i = (int)(blockIdx.x * 8 + threadIdx.x / 32), j = (int)blockIdx.y, lane = (int)threadIdx.x % 32;
  double sum = 0;
  if (i < m) {
    const double *row = y + ((long long)j * m + i) * m;
    for (int c = lane; c <= i; c += 32) sum = fused(row[c], dm[j * m + m - 1 - c], sum);
  }
  sum = warp_sum(sum);
  if (i < m && lane == 0) u[j * m + m - 1 - i] = sum;
}

// natural_update: s from y = s˜, with zeros above, and m += size·s u; unless rung or done [J], that of B itself, is
// negative. A warp a row, grid (⌈M/8⌉, J), 256 threads; y is read by columns. 12·M² bytes a latent.
DOUBLE_KERNEL(256, natural_update,
              (int m, double size, double *mean, double *s, const double *y, const double *u, const double *rung,
               const double *done)) {
  int i = (int)(blockIdx.x * 8 + threadIdx.x / 32), j = (int)blockIdx.y, lane = (int)threadIdx.x % 32;
  double grown = 1 + 2 * rung[j], sum = 0;
  if (grown < 1 || done[j] < 0) return; // the whole block
  double scale = square_root(grown);
  if (i < m) {
    long long at = (long long)j * m * m, row = at + (long long)i * m;
    for (int c = lane; c < m; c += 32) {
      double v = c <= i ? scale * y[at + (long long)(m - 1 - c) * m + m - 1 - i] : 0.0;
      s[row + c] = v;
      sum = fused(v, c <= i ? scale * u[j * m + c] : 0.0, sum);
    }
  }
  sum = warp_sum(sum);
  if (i < m && lane == 0) mean[j * m + i] += number_of(size, live.natural) / grown * sum;
}

// natural_diagonal: the whole step for diagonals s, ds [n], where G is s ds. Grid ⌈n/256⌉. 48·n bytes, 10 FLOP an
// element.
DOUBLE_KERNEL(256, natural_diagonal,
              (int n, double size, double rung1, double rung2, double rung3, double rung4, double *mean, double *s,
               const double *dm, const double *ds)) {
  Rungs rungs{rung1, rung2, rung3, rung4};
  int q = global_thread();
  if (q >= n) return;
  double step = number_of(size, live.natural), v = s[q], less = step * v * ds[q];
  for (int i = 0; i <= 4; i++) {
    double rung = i == 0 ? 0.0 : rungs.at(i), grown = 1 + 2 * rung;
    double judged = 0.5 * (1 + step) + rung - less;
    if (!(judged > 0 && judged < infinity<double>())) continue;
    v *= square_root(grown / (grown - less));
    s[q] = v;
    mean[q] += step / grown * v * v * dm[q];
    return;
  }
}
