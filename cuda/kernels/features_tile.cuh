// features_tile.cuh: products of square tiles by one block, for the kernels of a random-feature layer.
#pragma once

namespace tile {

// A tile has side × side numbers. A stage has depth terms of a product. In float a block takes 47 KiB of shared memory,
// so that two share a multiprocessor with 100. In double it takes 27, since a block of compute capability 7.5 has 64 at
// most.
template <typename T>
constexpr int side = sizeof(T) == 4 ? 64 : 32;
template <typename T>
constexpr int depth = sizeof(T) == 4 ? 24 : 16;

// across is the number of threads of a row of a tile, each with four columns.
template <typename T>
constexpr int across = side<T> / 4;
template <typename T>
constexpr int threads = across<T> * across<T>;

// pitch is the stride of rows in shared memory. They start at different banks, aligned to four elements.
template <typename T>
constexpr int pitch = side<T> + 4;

// loads is the number of elements of a stage that a thread loads.
template <typename T>
constexpr int loads = depth<T> * side<T> / threads<T>;

// Buffers is the shared memory of a block: a stage of each operand, a and b, and two resident tiles, c and s.
template <typename T>
struct Buffers {
  T *a, *b, *c, *s;
  __device__ __forceinline__ explicit Buffers(T *memory)
      : a(memory), b(a + depth<T> * pitch<T>), c(b + depth<T> * pitch<T>), s(c + side<T> * pitch<T>) {}
};

// A thread owns rows 4y … 4y+3 and columns wide·x … of a tile. A warp has 4 × 8 threads; the policy of a product gives
// their x and y.

__device__ __forceinline__ void load4(const float *p, float v[4]) {
  float4 q = *reinterpret_cast<const float4 *>(p);
  v[0] = q.x, v[1] = q.y, v[2] = q.z, v[3] = q.w;
}
__device__ __forceinline__ void load4(const double *p, double v[4]) {
  double2 q = *reinterpret_cast<const double2 *>(p), r = *reinterpret_cast<const double2 *>(p + 2);
  v[0] = q.x, v[1] = q.y, v[2] = r.x, v[3] = r.y;
}
__device__ __forceinline__ void store4(float *p, const float v[4]) {
  *reinterpret_cast<float4 *>(p) = {v[0], v[1], v[2], v[3]};
}
__device__ __forceinline__ void store4(double *p, const double v[4]) {
  *reinterpret_cast<double2 *>(p) = {v[0], v[1]};
  *reinterpret_cast<double2 *>(p + 2) = {v[2], v[3]};
}

// The operands of a product Σ_k a(k, row) b(k, column). Down and Across are in global memory, with the terms k down a
// column or along a row. They have n rows or columns; others read as 0. Resident is a tile in shared memory. Each
// thread fetches its part of a stage into v, and places it in shared memory as the policy of the product wants it.
template <typename T>
struct Down {
  static constexpr int step = threads<T> / side<T>; // terms that a block reads at a time
  const T *at;
  int ld, n;
  __device__ __forceinline__ void fetch(int k0, int terms, T *v) const {
    unsigned t = thread();
    int j = (int)(t % side<T>), k = k0 + (int)(t / side<T>);
    const T *from = at + (k * ld + j);
    int remaining = j < n ? terms - k : 0;
#pragma unroll
    for (int i = 0; i < loads<T>; i++) v[i] = step * i < remaining ? from[(long long)ld * (step * i)] : (T)0;
  }
  template <class P>
  __device__ __forceinline__ void place(const T *v, T *stage) const {
    unsigned t = thread();
    T *to = stage + t / side<T> * pitch<T> + t % side<T>;
#pragma unroll
    for (int i = 0; i < loads<T>; i++) to[step * i * pitch<T>] = P::placed(v[i]);
  }
  __device__ __forceinline__ const T *terms(const T *stage, int) const { return stage; }
};
template <typename T>
struct Across {
  // A warp reads 8 terms of 4 rows at a time: whole sectors of memory, and 32 different banks.
  static constexpr int rows = threads<T> / 8, parts = side<T> / rows;
  const T *at;
  int ld, n;
  __device__ __forceinline__ void fetch(int k0, int terms, T *v) const {
    unsigned t = thread();
    int j = (int)(t / 8), k = k0 + (int)(t % 8);
    const T *from = at + (j * ld + k);
    int below = n - j, remaining = terms - k;
#pragma unroll
    for (int part = 0; part < parts; part++) {
#pragma unroll
      for (int i = 0; i < loads<T> / parts; i++)
        v[i * parts + part] = ((part * rows < below) & (8 * i < remaining)) ? from[8 * i] : (T)0;
      from += (long long)ld * rows;
    }
  }
  template <class P>
  __device__ __forceinline__ void place(const T *v, T *stage) const {
    unsigned t = thread();
    T *to = stage + t % 8 * pitch<T> + t / 8;
#pragma unroll
    for (int i = 0; i < loads<T>; i++) to[i / parts * 8 * pitch<T> + i % parts * rows] = P::placed(v[i]);
  }
  __device__ __forceinline__ const T *terms(const T *stage, int) const { return stage; }
};
template <typename T>
struct Resident {
  const T *at;
  __device__ __forceinline__ void fetch(int, int, T *) const {}
  template <class P>
  __device__ __forceinline__ void place(const T *, T *) const {}
  __device__ __forceinline__ const T *terms(const T *, int k0) const { return at + k0 * pitch<T>; }
};

// Fma is the policy of products by fused multiply-adds; Tensor, of those by tensor cores, has the same members:
//
//	x, y       the place of this thread in a tile
//	least      the least number of columns that a thread takes
//	brief      one code serves all numbers of columns, with and without local reparameterisation
//	placed     a number as it is stored in a tile
//	multiply   adds terms to a thread's sums, four or eight at a time; SQUARE squares a. Beyond the
//	           last term, one operand is 0 and the other a number.
//	ahead      the next stage is loaded during a multiplication, if registers suffice
template <bool AHEAD, bool BRIEF = false>
struct Fma {
  static constexpr bool ahead = AHEAD, brief = BRIEF;
  static constexpr int least = 1;

  // Shared memory gives each lane of a warp 32 bits a cycle. It gives 64 if lane and lane^1 read the same, or lane and
  // lane^2. The first two have the same y here, the others the same x.
  template <typename T>
  static __device__ __forceinline__ int x() {
    unsigned t = thread();
    return (int)(t % 2 + t / 4 % 2 * 2 + t / (4 * across<T>)*4);
  }
  template <typename T>
  static __device__ __forceinline__ int y() {
    unsigned t = thread();
    return (int)(t / 2 % 2 + t / 8 % (across<T> / 2) * 2);
  }

  template <typename T>
  static __device__ __forceinline__ T placed(T v) {
    return v;
  }

  template <int WIDE, bool SQUARE, typename T>
  static __device__ __forceinline__ void multiply(T sum[4][4], const T *a, const T *b, int terms) {
    constexpr int unroll = BRIEF ? 1 : 4;
    a += 4 * y<T>();
    b += WIDE * x<T>();
#pragma unroll 1
    for (int k0 = 0; k0 < terms; k0 += 4) {
#pragma unroll unroll
      for (int k = 0; k < 4; k++) {
        T u[4], v[4];
        load4(a + k * pitch<T>, u);
        if (WIDE == 4) {
          load4(b + k * pitch<T>, v);
        } else {
#pragma unroll
          for (int j = 0; j < WIDE; j++) v[j] = b[k * pitch<T> + j];
        }
#pragma unroll
        for (int i = 0; i < 4; i++) {
          if (SQUARE) u[i] *= u[i];
#pragma unroll
          for (int j = 0; j < WIDE; j++) sum[i][j] = fused(u[i], v[j], sum[i][j]);
        }
      }
      a += 4 * pitch<T>;
      b += 4 * pitch<T>;
    }
  }
};

// wide is the number of columns that a thread takes of a tile. multiply_wide is multiply for it.
template <class P, typename T>
__device__ __forceinline__ int wide(int columns) {
  return P::brief ? 4 : columns <= across<T> ? P::least : columns <= 2 * across<T> ? 2 : 4;
}
template <class P, bool SQUARE, typename T>
__device__ __forceinline__ void multiply_wide(int width, T sum[4][4], const T *a, const T *b, int terms) {
  if (P::brief || width == 4) P::template multiply<4, SQUARE>(sum, a, b, terms);
  else if (width == 1 && P::least == 1) P::template multiply<P::least, SQUARE>(sum, a, b, terms);
  else P::template multiply<2, SQUARE>(sum, a, b, terms);
}

// stages goes through the terms of a product by depth. It loads a stage of the operands a and b to m, and calls f(k0,
// count) for its terms. If P::ahead is set, it loads the next stage during f. Stages and resident tiles may be read
// until the next barrier.
template <class P, typename T, class A, class B, class F>
__device__ __forceinline__ void stages(Buffers<T> m, A a, B b, int terms, F f) {
  T fromA[loads<T>], fromB[loads<T>];
  if (P::ahead) a.fetch(0, terms, fromA), b.fetch(0, terms, fromB);
#pragma unroll 1
  for (int k0 = 0; k0 < terms; k0 += depth<T>) {
    if (!P::ahead) a.fetch(k0, terms, fromA), b.fetch(k0, terms, fromB);
    __syncthreads();
    a.template place<P>(fromA, m.a);
    b.template place<P>(fromB, m.b);
    __syncthreads();
    if (P::ahead) a.fetch(k0 + depth<T>, terms, fromA), b.fetch(k0 + depth<T>, terms, fromB);
    f(k0, smaller(depth<T>, terms - k0));
  }
}

// product is sum += Σ_k a(k, ·) b(k, ·) over all terms in order.
template <class P, bool SQUARE = false, typename T, class A, class B>
__device__ __forceinline__ void product(Buffers<T> m, int width, T sum[4][4], A a, B b, int terms) {
  stages<P>(m, a, b, terms, [=](int k0, int count) __attribute__((always_inline)) {
    multiply_wide<P, SQUARE>(width, sum, a.terms(m.a, k0), b.terms(m.b, k0), count);
  });
}

// join is sum += cᵀu + sᵀv, and share is ofC += cᵀu and ofS += sᵀu, for the resident tiles c and s: two products in the
// stages of one. Without both, those with s are left out.
template <class P, typename T>
__device__ __forceinline__ void join(Buffers<T> m, bool both, int width, T sum[4][4], Down<T> u, Down<T> v, int terms) {
  stages<P>(m, u, v, terms, [=](int k0, int count) __attribute__((always_inline)) {
    multiply_wide<P, false>(width, sum, m.c + k0 * pitch<T>, m.a, count);
    if (both) multiply_wide<P, false>(width, sum, m.s + k0 * pitch<T>, m.b, count);
  });
}
template <class P, typename T>
__device__ __forceinline__ void share(Buffers<T> m, bool both, int width, T ofC[4][4], T ofS[4][4], Down<T> u,
                                      int terms) {
  stages<P>(m, Resident<T>{m.c}, u, terms, [=](int k0, int count) __attribute__((always_inline)) {
    multiply_wide<P, false>(width, ofC, m.c + k0 * pitch<T>, m.b, count);
    if (both) multiply_wide<P, false>(width, ofS, m.s + k0 * pitch<T>, m.b, count);
  });
}

// Patch is a thread's part of a tile of n × columns numbers in memory: element (i, j) of the tile is at[i·down +
// j·right].
template <class P, typename T>
struct Patch {
  T *at;
  long long down, right;
  int n, columns;
  // each calls f(element in memory, i, j) for each element of the thread.
  template <class F>
  __device__ __forceinline__ void each(int width, F f) const {
    int i0 = 4 * P::template y<T>(), j0 = width * P::template x<T>();
#pragma unroll
    for (int i = 0; i < 4; i++) {
#pragma unroll
      for (int j = 0; j < 4; j++) {
        if (j < width && i0 + i < n && j0 + j < columns) f(at[(i0 + i) * down + (j0 + j) * right], i, j);
      }
    }
  }
  // add adds sum to the memory. If first is set, it overwrites the memory.
  __device__ __forceinline__ void add(bool first, int width, const T sum[4][4]) const {
    T before[4][4] = {}; // loaded together
    if (!first) each(width, [&](T &memory, int i, int j) { before[i][j] = memory; });
    each(width, [&](T &memory, int i, int j) { memory = before[i][j] + sum[i][j]; });
  }
};

template <typename T>
__device__ __forceinline__ void clear(T sum[4][4]) {
#pragma unroll
  for (int i = 0; i < 16; i++) sum[i / 4][i % 4] = 0;
}

} // namespace tile

// TILE_KERNEL is REAL_KERNEL for the threads of a tile. In float two blocks share a multiprocessor. In double the code
// is brief, and a thread may take all registers. The image of 80 has name_tf32 (features_tensor.cuh). ahead is that of
// the policies: features_gradients has no registers for it.
#define TILE_KERNEL(ahead, name, params, args) \
  namespace f32 { \
  using T = float; \
  BOUNDED_KERNEL(tile::threads<T>, 2, name##_f32, params, name<tile::Fma<ahead>> args) \
  TENSOR_ENTRY(ahead, name, params, args) \
  } \
  namespace f64 { \
  using T = double; \
  BOUNDED_KERNEL(tile::threads<T>, 1, name##_f64, params, (name<tile::Fma<false, true>> args)) \
  }

#if TARGET == 80
#define TENSOR_ENTRY(ahead, name, params, args) \
  BOUNDED_PRODUCT_KERNEL(tile::threads<T>, 2, name##_tf32, params, name<tile::Tensor<ahead>> args)
#else
#define TENSOR_ENTRY(ahead, name, params, args)
#endif
