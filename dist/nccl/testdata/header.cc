// Compiles only where NVIDIA's header has the functions and values of calls.h. Types may have other
// names, but must be passed alike: ncclUniqueId, above all, is a struct that is passed by value.
#include <nccl.h>

#include <type_traits>

#include "../calls.h"

template <class A, class B>
constexpr bool alike = sizeof(A) == sizeof(B) && alignof(A) == alignof(B) &&
                       std::is_class_v<A> == std::is_class_v<B> && std::is_pointer_v<A> == std::is_pointer_v<B>;

template <class R, class... A, class S, class... B> constexpr bool same(R (*)(A...), S (*)(B...)) {
	if constexpr (sizeof...(A) == sizeof...(B)) return (alike<R, S> && ... && alike<A, B>);
	return false;
}

#define SAME(ours, theirs) static_assert(same(decltype(ours){}, decltype(&theirs){}), #theirs)

SAME(get_version, ncclGetVersion);
SAME(get_unique_id, ncclGetUniqueId);
SAME(comm_init_rank, ncclCommInitRank);
SAME(all_reduce, ncclAllReduce);
SAME(broadcast, ncclBroadcast);
SAME(group_start, ncclGroupStart);
SAME(group_end, ncclGroupEnd);
SAME(comm_get_async_error, ncclCommGetAsyncError);
SAME(comm_destroy, ncclCommDestroy);
SAME(get_error_string, ncclGetErrorString);
SAME(get_last_error, ncclGetLastError);

static_assert(sizeof(unique_id) == sizeof(ncclUniqueId) && std::is_trivially_copyable_v<ncclUniqueId>);
static_assert(int(SUCCESS) == ncclSuccess && int(IN_PROGRESS) == ncclInProgress);
static_assert(int(FLOAT32) == ncclFloat32 && int(FLOAT64) == ncclFloat64 && int(SUM) == ncclSum);
