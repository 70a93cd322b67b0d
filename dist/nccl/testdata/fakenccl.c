// A stand-in for libnccl.so.2 beside the driver double, for tests on a machine without GPUs. The ranks
// are processes of this machine, and meet in shared memory. Sums are in the order of the ranks. As in
// NCCL, a call only puts work on the stream, and what waits for a rank that is gone waits until its
// process ends; ncclCommGetAsyncError tells of it meanwhile.
//
// FAKE_NCCL is a fault, "KIND RANK NUMBER", in work number NUMBER of rank RANK, from 0:
//   die    the process is killed
//   hang   it waits forever
//   error  the call that puts it on the stream fails
//   start  it never joins the others, whatever the number
// and "early" is a library whose sums do not wait for the stream, whatever the numbers.
// FAKE_NCCL_VERSION is another version than 2.27.3, as ncclGetVersion gives it.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { OK, CUDA_ERROR, SYSTEM_ERROR, INTERNAL_ERROR, INVALID_ARGUMENT, INVALID_USAGE, REMOTE_ERROR };
enum { FLOAT32 = 7, FLOAT64 = 8, SUM = 0 };
enum { RANKS = 8, WINDOW = 1 << 18 };

struct room {
	atomic_int here, turn; // a barrier: number of ranks that have come, and number of times that all have
	atomic_int pid[RANKS];
	char window[RANKS][WINDOW];
};

struct comm {
	struct room *room;
	int rank, size;
	atomic_int error;
	int put, done; // amounts of work: queued and done
};

struct work {
	struct comm *c;
	const char *from;
	char *to;
	size_t count;
	int type, root; // root is -1 for a sum
};

// fault tells whether number n of this rank is to go wrong in some way.
static int fault(const char *kind, struct comm *c, int n) {
	char name[20];
	int rank = 0, number = 0;
	const char *text = getenv("FAKE_NCCL");
	if (!text || sscanf(text, "%19s %d %d", name, &rank, &number) < 1 || strcmp(name, kind)) return 0;
	return !strcmp(kind, "early") || (rank == c->rank && number == n);
}

static int gone(struct room *room, int rank) { return kill(room->pid[rank], 0) && errno == ESRCH; }

static void barrier(struct comm *c) {
	struct room *room = c->room;
	int turn = room->turn;
	if (atomic_fetch_add(&room->here, 1) == c->size - 1) {
		room->here = 0;
		room->turn++;
		return;
	}
	for (long spin = 0; room->turn == turn; spin++) {
		if (spin < 100) continue;
		nanosleep(&(struct timespec){0, 50000}, NULL);
		for (int r = 0; spin % 100 == 0 && r < c->size; r++)
			if (gone(room, r) && room->turn == turn) c->error = REMOTE_ERROR;
	}
}

static void add(struct room *room, int size, char *to, size_t bytes, int type) {
	for (size_t i = 0; type == FLOAT32 && i < bytes / 4; i++) {
		float sum = 0;
		for (int r = 0; r < size; r++) sum = r ? sum + ((float *)room->window[r])[i] : ((float *)room->window[r])[i];
		((float *)to)[i] = sum;
	}
	for (size_t i = 0; type == FLOAT64 && i < bytes / 8; i++) {
		double sum = 0;
		for (int r = 0; r < size; r++) sum = r ? sum + ((double *)room->window[r])[i] : ((double *)room->window[r])[i];
		((double *)to)[i] = sum;
	}
}

static void run(void *data) {
	struct work *w = data;
	struct comm *c = w->c;
	int number = c->done++;
	if (fault("die", c, number)) kill(getpid(), SIGKILL);
	while (fault("hang", c, number)) pause();
	size_t bytes = w->count * (w->type == FLOAT32 ? 4 : 8);
	for (size_t at = 0; at < bytes; at += WINDOW) {
		size_t n = bytes - at < WINDOW ? bytes - at : WINDOW;
		memcpy(c->room->window[c->rank], w->from + at, n);
		barrier(c);
		if (w->root < 0) add(c->room, c->size, w->to + at, n, w->type);
		else memcpy(w->to + at, c->room->window[w->root], n);
		barrier(c);
	}
}

// put puts work on a stream of the driver double. A graph may hold it, so that it is never freed.
static int put(struct work work, void *stream) {
	static int (*host_function)(void *, void (*)(void *), void *);
	struct comm *c = work.c;
	if (c->error) return c->error;
	if (fault("error", c, c->put++)) return SYSTEM_ERROR;
	if (work.type != FLOAT32 && work.type != FLOAT64) return INVALID_ARGUMENT;
	struct work *w = malloc(sizeof *w);
	*w = work;
	if (!host_function) {
		void *driver = dlopen(getenv("GPDRF_CUDA_DRIVER"), RTLD_NOW | RTLD_NOLOAD);
		if (driver) *(void **)&host_function = dlsym(driver, "cuLaunchHostFunc");
		if (!host_function) return CUDA_ERROR;
	}
	if (w->root < 0 && fault("early", c, 0)) {
		run(w);
		return OK;
	}
	return host_function(stream, run, w) ? CUDA_ERROR : OK;
}

int ncclGetVersion(int *version) {
	const char *text = getenv("FAKE_NCCL_VERSION");
	*version = text ? atoi(text) : 22703;
	return OK;
}

struct id { char bytes[128]; };

int ncclGetUniqueId(struct id *id) {
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	memset(id, 0, sizeof *id);
	snprintf(id->bytes, sizeof id->bytes, "/fakenccl-%d-%ld", getpid(), now.tv_nsec);
	return OK;
}

int ncclCommInitRank(void **comm, int size, struct id id, int rank) {
	if (size < 1 || size > RANKS || rank < 0 || rank >= size) return INVALID_ARGUMENT;
	int file = shm_open(id.bytes, O_CREAT | O_RDWR, 0600);
	if (file < 0 || ftruncate(file, sizeof(struct room))) return SYSTEM_ERROR;
	struct comm *c = calloc(1, sizeof *c);
	c->room = mmap(NULL, sizeof(struct room), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	close(file);
	if (c->room == MAP_FAILED) return SYSTEM_ERROR;
	c->rank = rank, c->size = size;
	c->room->pid[rank] = getpid();
	while (fault("start", c, 0)) pause();
	barrier(c);
	shm_unlink(id.bytes);
	*comm = c;
	return OK;
}

int ncclAllReduce(const void *from, void *to, size_t count, int type, int op, void *comm, void *stream) {
	return op == SUM ? put((struct work){comm, from, to, count, type, -1}, stream) : INVALID_ARGUMENT;
}

int ncclBroadcast(const void *from, void *to, size_t count, int type, int root, void *comm, void *stream) {
	return put((struct work){comm, from, to, count, type, root}, stream);
}

int ncclGroupStart(void) { return OK; }
int ncclGroupEnd(void) { return OK; }

int ncclCommGetAsyncError(void *comm, int *error) {
	*error = ((struct comm *)comm)->error;
	return OK;
}

int ncclCommDestroy(void *comm) {
	struct comm *c = comm;
	munmap(c->room, sizeof *c->room);
	return OK; // work of graphs may name it yet
}

const char *ncclGetErrorString(int code) {
	static const char *const words[] = {"no error", "unhandled cuda error", "unhandled system error", "internal error",
	                                    "invalid argument", "invalid usage", "remote process exited"};
	return code >= 0 && code < 7 ? words[code] : "unknown result code";
}

const char *ncclGetLastError(void *comm) {
	(void)comm;
	return "";
}
