// driver.h: what the parts of the driver double share. It answers as the CUDA driver does, and
// more strictly: a mistake that a GPU would forgive at times is an error here each time.
//
// Environment: EMU_ORDER (see run.cc), EMU_EAGER (work on a stream runs at once, not when somebody
// waits), EMU_LOG (each refused call is explained), EMU_DEVICES, EMU_MEMORY (MiB of each),
// EMU_CAPABILITY ("9.0"), EMU_LOST (the driver is lost at launch number n), EMU_FULL (another
// program has taken all memory at allocation number n), EMU_GRAPHS (0: a driver without graphs),
// EMU_CUBINS (0: a driver that is older than any machine code), EMU_KERNELS (each launch is named),
// EMU_EARLY (work of a second captured stream comes as early in the graph as it may, not as late),
// EMU_MUTANT (the wrong kernel of this number takes its place), EMU_NAME (that of the GPU, such as
// a real one's). CUDA_VISIBLE_DEVICES is as in the driver.
#pragma once
#include "run.h"
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

enum Result {
  OK = 0, INVALID_VALUE = 1, OUT_OF_MEMORY = 2, INVALID_DEVICE = 101, INVALID_IMAGE = 200, INVALID_CONTEXT = 201, NO_BINARY = 209, UNSUPPORTED_VERSION = 222, ILLEGAL_STATE = 401,
  INVALID_HANDLE = 400, NOT_FOUND = 500, NOT_READY = 600, OUT_OF_RESOURCES = 701, LAUNCH_FAILED = 719,
  CAPTURE_UNSUPPORTED = 900, CAPTURE_INVALIDATED = 901, CAPTURE_UNJOINED = 904, CAPTURE_ISOLATION = 905, CAPTURE_WRONG_THREAD = 908, UNKNOWN = 999
};
typedef unsigned long long Address;
#define API extern "C" __attribute__((visibility("default"))) int

namespace fake {

// Work that a stream or a graph holds.
typedef std::function<int()> Work;

// A graph that is being made. A stream that waits for one that is captured is captured, too. Its
// work comes after as much of the first one's as it has waited for, and becomes part of that when
// the first waits for it.
enum CaptureMode { GLOBAL, THREAD_LOCAL, RELAXED };
struct Stream;
struct Captured {
  Work work;
  size_t after; // on a second stream: how much of the first one's own work comes before it
  bool guest;   // of the second stream, on the first
};
struct Capture {
  int number; // of all so far
  int mode;
  std::thread::id thread;
  Stream *origin; // where the capture began, if that is another
  std::vector<Captured> work;
  size_t own = 0;    // of the work, that is no guest
  size_t waited = 0; // after, for the work that comes next
  size_t met = 0;    // how much of the work the origin has
  bool apart = false; // there is more, or a wait, that the origin has not waited for
  bool lost = false;
  Capture(int mode, std::thread::id thread, Stream *origin) : mode(mode), thread(thread), origin(origin) {
    static int captures = 0;
    number = ++captures;
  }
  void put(Work w) {
    work.push_back({std::move(w), waited, false});
    own++;
    apart = true;
  }
};

struct Stream {
  unsigned flags;
  std::list<Work> queue;
  Capture *capture; // or nullptr
};
struct Context {
  int device;
  int users;
};

extern std::recursive_mutex mutex;
extern thread_local Context *bound; // of this OS thread
extern int sticky;                  // an error of a kernel stays until the process ends
extern std::string detail;          // its words

// Limits of a GPU of a compute capability, 75 for 7.5; memory in bytes.
struct Limits {
  int capability;
  size_t shared_block, shared_multiprocessor;
  int threads_multiprocessor, blocks_multiprocessor;
};
const Limits &limits(); // of the one that EMU_CAPABILITY names

// static_shared_of is the shared memory that a kernel of the PTX has without asking, in bytes.
size_t static_shared_of(const std::string &ptx, const emu::Kernel &);

// A kernel of machine code, and all of it, for a GPU of a compute capability and later ones with
// the same major number.
struct CodeEntry {
  std::vector<size_t> sizes; // of its parameters, in bytes
  unsigned threads;
  size_t shared; // static, in bytes
};
struct MachineCode {
  int capability;
  std::map<std::string, CodeEntry> kernels;
};
bool is_cubin(const void *image);
MachineCode read_cubin(const void *image);

// default_shared is what static and dynamic shared memory of a block may be together, until a
// kernel asks for more.
const size_t default_shared = 48 << 10;

// refused is the error of a launch that a GPU would not take, or OK: of a kernel with fixed bytes
// of static shared memory, dynamic ones, and as many of these as it is allowed.
int refused(const emu::Kernel &, dim3 grid, dim3 block, size_t fixed, size_t dynamic, size_t allowed);

int refuse(int result, const char *call, const char *why);
int setting(const char *name, int otherwise);

// submit puts work on a stream; the NULL stream runs it when the blocking streams are done.
int submit(Stream *, Work);
int drain(Stream *);
int drain_all();
void each_stream(const std::function<void(Stream *)> &);

// wait_captured is a wait of a stream for so much work of a capture, by its number.
int wait_captured(Stream *, int capture, size_t after);

// lose counts a launch, of a kernel or a graph, and is the error of the one at which the driver is
// lost.
int lose();

// within says whether bytes at an address are inside one device allocation.
bool within(Address, size_t bytes);
// leaks is what is still allocated, in words; "" if nothing is.
std::string leaks();
std::string graph_leaks();
// trampled is which allocation was written past its end, in words.
std::string trampled();

// spoil_captures says whether this thread must not wait now or change memory, because it captures a
// stream; the capture is then lost.
bool spoil_captures();

} // namespace fake

// As in the driver: a call from an OS thread with no current context fails, and after an error of a
// kernel everything does.
#define ENTER \
  std::lock_guard<std::recursive_mutex> lock(fake::mutex); \
  if (!fake::bound) return fake::refuse(INVALID_CONTEXT, __func__, "no context is current on this OS thread"); \
  if (fake::sticky) return fake::sticky;

#define NOT_IN_CAPTURE \
  if (fake::spoil_captures()) return fake::refuse(CAPTURE_UNSUPPORTED, __func__, "not while this thread captures a stream");
#define NOT_CAPTURED(s) \
  if ((s) && (s)->capture) { \
    (s)->capture->lost = true; \
    return fake::refuse(CAPTURE_UNSUPPORTED, __func__, "not while the stream is captured"); \
  }
