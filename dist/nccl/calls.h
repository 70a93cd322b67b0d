// The functions and values of NCCL's C interface that are used here. It has not changed within the
// major version 2; testdata/header.cc compares it with NVIDIA's header.
#pragma once
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

enum { SUCCESS = 0, IN_PROGRESS = 7 };      // ncclResult_t
enum { FLOAT32 = 7, FLOAT64 = 8, SUM = 0 }; // ncclDataType_t and ncclRedOp_t

typedef struct { char bytes[128]; } unique_id; // it is passed by value

static int (*get_version)(int *);
static int (*get_unique_id)(unique_id *);
static int (*comm_init_rank)(void **, int, unique_id, int);
static int (*all_reduce)(const void *, void *, size_t, int, int, void *, void *);
static int (*broadcast)(const void *, void *, size_t, int, int, void *, void *);
static int (*group_start)(void);
static int (*group_end)(void);
static int (*comm_get_async_error)(void *, int *);
static int (*comm_destroy)(void *);
static const char *(*get_error_string)(int);
static const char *(*get_last_error)(void *); // NULL before version 2.13

// library_open opens the library and finds its functions. The answer is why it cannot, or "".
static const char *library_open(const char *path) {
	static char why[500];
	void *lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!lib) {
		snprintf(why, sizeof why, "%s", dlerror());
		return why;
	}
	struct { const char *name; void **to; } all[] = {
		{"ncclGetVersion", (void **)&get_version},
		{"ncclGetUniqueId", (void **)&get_unique_id},
		{"ncclCommInitRank", (void **)&comm_init_rank},
		{"ncclAllReduce", (void **)&all_reduce},
		{"ncclBroadcast", (void **)&broadcast},
		{"ncclGroupStart", (void **)&group_start},
		{"ncclGroupEnd", (void **)&group_end},
		{"ncclCommGetAsyncError", (void **)&comm_get_async_error},
		{"ncclCommDestroy", (void **)&comm_destroy},
		{"ncclGetErrorString", (void **)&get_error_string},
	};
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (!(*all[i].to = dlsym(lib, all[i].name))) {
			snprintf(why, sizeof why, "%s lacks %s", path, all[i].name);
			return why;
		}
	*(void **)&get_last_error = dlsym(lib, "ncclGetLastError");
	return "";
}

static int call_version(int *v) { return get_version(v); }
static int call_unique_id(void *id) { return get_unique_id((unique_id *)id); }
static int call_init(void **comm, int size, void *id, int rank) {
	return comm_init_rank(comm, size, *(unique_id *)id, rank);
}
static int call_all_reduce(void *at, size_t n, int type, void *comm, void *stream) {
	return all_reduce(at, at, n, type, SUM, comm, stream);
}
static int call_broadcast(void *at, size_t n, int type, int root, void *comm, void *stream) {
	return broadcast(at, at, n, type, root, comm, stream);
}
static int call_start(void) { return group_start(); }
static int call_end(void) { return group_end(); }
static int call_async(void *comm, int *code) { return comm_get_async_error(comm, code); }
static int call_destroy(void *comm) { return comm_destroy(comm); }
static const char *words_of(int code) { return get_error_string(code); }
static const char *last_words(void) { return get_last_error ? get_last_error(NULL) : ""; }
