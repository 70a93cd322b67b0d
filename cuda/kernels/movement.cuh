// movement.cuh: the operations that only move numbers, CPU twin device/cpu/movement.go. One element a thread, grid
// ⌈n/256⌉, no shared memory, no FLOPs but the additions, no sums: bound by memory, each element read and written once.
#pragma once

// gather: dst[b,c] = src[rows[b],c] for n = B·width elements; src [N,width]. gather_widen is the same to Double, and
// gather_int of integers. Grid ⌈n/256⌉.
template <typename To, typename From>
__device__ __forceinline__ void gather_rows(int n, int width, To *dst, const From *src, const int *rows) {
  int i = global_thread();
  if (i >= n) return;
  dst[i] = (To)src[(long long)rows[i / width] * width + i % width];
}
template <typename T>
__device__ __forceinline__ void gather(int n, int width, T *dst, const T *src, const int *rows) {
  gather_rows(n, width, dst, src, rows);
}
template <typename T>
__device__ __forceinline__ void gather_widen(int n, int width, double *dst, const T *src, const int *rows) {
  gather_rows(n, width, dst, src, rows);
}
REAL_KERNEL(256, gather, (int n, int width, T *dst, const T *src, const int *rows), (n, width, dst, src, rows))
REAL_KERNEL(256, gather_widen, (int n, int width, double *dst, const T *src, const int *rows),
            (n, width, dst, src, rows))

PLAIN_KERNEL(256, gather_int, (int n, int width, int *dst, const int *src, const int *rows)) {
  gather_rows(n, width, dst, src, rows);
}

// draw_rows: rows[i] = ⌊range·w_i/2³²⌋ for word i of row 0 of a stream; rows [n]. A thread has the four words of one
// Philox block, 100 integer instructions; grid ⌈n/1024⌉.
PLAIN_KERNEL(256, draw_rows, (int n, int range, unsigned k0, unsigned k1, unsigned step, unsigned tail, int *rows)) {
  Key key{k0, k1, step, tail};
  int first = 4 * global_thread();
  Words x = philox(key.k0, key.k1, (unsigned)first / 4, 0, key.step, key.tail);
  for (int i = first; i < smaller(first + 4, n); i++) rows[i] = (int)__umulhi(x.w[i - first], (unsigned)range);
}

// widen: dst[i] = src[i], Real to Double. Grid ⌈n/256⌉.
template <typename T>
__device__ __forceinline__ void widen(int n, double *dst, const T *src) {
  int i = global_thread();
  if (i < n) dst[i] = (double)src[i];
}
REAL_KERNEL(256, widen, (int n, double *dst, const T *src), (n, dst, src))

// narrow_add: dst[i] += src[i], Double into Real. Grid ⌈n/256⌉.
template <typename T>
__device__ __forceinline__ void narrow_add(int n, T *dst, const double *src) {
  int i = global_thread();
  if (i < n) dst[i] += (T)src[i];
}
REAL_KERNEL(256, narrow_add, (int n, T *dst, const double *src), (n, dst, src))

// concat: dst[row, column+…] = the rows row mod rows of a, b and c side by side, which have wa, wb and wc columns, for
// n = S·B·(wa+wb+wc) elements. dst has width columns, and a part has S·B rows, or B where it is the same for every s.
// Parts that are not there have no columns. Grid ⌈n/256⌉.
template <typename T>
__device__ __forceinline__ void concat(int n, int width, int column, T *dst, int wa, int rows_a, const T *a, int wb,
                                       int rows_b, const T *b, int wc, int rows_c, const T *c) {
  int i = global_thread();
  if (i >= n) return;
  int w = wa + wb + wc, row = i / w, at = i % w;
  T *to = dst + (long long)row * width + column + at;
  if (at < wa) *to = a[(long long)(row % rows_a) * wa + at];
  else if (at < wa + wb) *to = b[(long long)(row % rows_b) * wb + at - wa];
  else *to = c[(long long)(row % rows_c) * wc + at - wa - wb];
}
REAL_KERNEL(256, concat,
            (int n, int width, int column, T *dst, int wa, int rows_a, const T *a, int wb, int rows_b, const T *b,
             int wc, int rows_c, const T *c),
            (n, width, column, dst, wa, rows_a, a, wb, rows_b, b, wc, rows_c, c))

// add_columns: dst[row, to+c] += src[row, from+c] for n = rows·w elements, c < w; the rows of dst are wdst long, those
// of src wsrc. Grid ⌈n/256⌉.
template <typename T>
__device__ __forceinline__ void add_columns(int n, int w, int wdst, int to, int wsrc, int from, T *dst, const T *src) {
  int i = global_thread();
  if (i >= n) return;
  int row = i / w, c = i % w;
  dst[(long long)row * wdst + to + c] += src[(long long)row * wsrc + from + c];
}
REAL_KERNEL(256, add_columns, (int n, int w, int wdst, int to, int wsrc, int from, T *dst, const T *src),
            (n, w, wdst, to, wsrc, from, dst, src))
