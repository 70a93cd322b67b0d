// A libmpi_abi for tests: the functions that package mpi calls, with the handles of ABI 1.0 of MPI 5,
// on top of the MPICH of this machine. Distributions do not have such a library yet.
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

typedef void *handle;

static void *function(const char *name) {
	static void *mpich;
	if (!mpich)
		mpich = dlopen("libmpich.so.12", RTLD_NOW | RTLD_GLOBAL);
	return dlsym(mpich, name);
}

// code is MPICH's value of a handle. Any other handle is a fault of the caller.
static int code(handle h) {
	switch ((uintptr_t)h) {
	case 0x101: return 0x44000000; // MPI_COMM_WORLD
	case 0x214: return 0x4c00080b; // MPI_DOUBLE
	case 0x247: return 0x4c00010d; // MPI_BYTE
	case 0x21: return 0x58000003;  // MPI_SUM
	case 0x142: return 0x54000001; // MPI_ERRORS_RETURN
	}
	abort();
}

// place is MPICH's form of MPI_IN_PLACE.
static void *place(void *p) { return p == (void *)1 ? (void *)-1 : p; }

#define CALL(name, ...) ((int (*)())function(name))(__VA_ARGS__)

int MPI_Abi_get_version(int *major, int *minor) { return *major = 1, *minor = 0, 0; }
int MPI_Get_library_version(char *text, int *n) { return CALL("MPI_Get_library_version", text, n); }
int MPI_Finalize(void) { return CALL("MPI_Finalize"); }
int MPI_Abort(handle c, int status) { return CALL("MPI_Abort", code(c), status); }
int MPI_Comm_rank(handle c, int *rank) { return CALL("MPI_Comm_rank", code(c), rank); }
int MPI_Comm_size(handle c, int *size) { return CALL("MPI_Comm_size", code(c), size); }
int MPI_Comm_set_errhandler(handle c, handle e) {
	return CALL("MPI_Comm_set_errhandler", code(c), code(e));
}
int MPI_Error_string(int e, char *text, int *n) { return CALL("MPI_Error_string", e, text, n); }
int MPI_Barrier(handle c) { return CALL("MPI_Barrier", code(c)); }
int MPI_Bcast(void *p, int n, handle type, int root, handle c) {
	return CALL("MPI_Bcast", p, n, code(type), root, code(c));
}
int MPI_Allreduce(void *from, void *to, int n, handle type, handle op, handle c) {
	return CALL("MPI_Allreduce", place(from), to, n, code(type), code(op), code(c));
}

// 1024, 2048 and 4096 are MPI_THREAD_FUNNELED and what is above it.
int MPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
	if (required != 1024)
		abort();
	int e = CALL("MPI_Init_thread", argc, argv, 1, provided);
	*provided *= 1024;
	return e;
}
