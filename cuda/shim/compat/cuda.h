/* Before a toolkit's own cuda.h on the include path (`make build CUDA_INCLUDE=/usr/local/cuda/include`): for
 * CUDA 13 and later, the names whose parameters changed mean the older entry points, which
 * every driver still exports and which gorgonia.org/cu calls. */
#ifndef GPDRF_COMPAT_CUDA_H
#define GPDRF_COMPAT_CUDA_H
#include_next <cuda.h>
#if CUDA_VERSION >= 13000
#undef cuCtxCreate
#undef cuMemAdvise
#undef cuMemPrefetchAsync
#undef cuGraphAddDependencies
#undef cuGraphGetEdges
CUresult CUDAAPI cuCtxCreate_v2(CUcontext *, unsigned int, CUdevice);
CUresult CUDAAPI cuMemAdvise(CUdeviceptr, size_t, CUmem_advise, CUdevice);
CUresult CUDAAPI cuMemPrefetchAsync(CUdeviceptr, size_t, CUdevice, CUstream);
CUresult CUDAAPI cuGraphAddDependencies(CUgraph, const CUgraphNode *, const CUgraphNode *, size_t);
CUresult CUDAAPI cuGraphGetEdges(CUgraph, CUgraphNode *, CUgraphNode *, size_t *);
#define cuCtxCreate cuCtxCreate_v2
#endif
#endif
