// driver.h: declarations that the files of the driver double share. The double answers as the CUDA driver does, but
// more strictly: it reports each mistake that a GPU may forgive.
//
// Environment variables:
//
//	EMU_LOG=1            explain refused calls
//	EMU_ORDER            order of the threads of a block: 0, 1, or a seed
//	EMU_EAGER=1          run a stream at once, and not when the program waits for it
//	EMU_EARLY=1          work of a second stream comes as early in a graph as it may, in place of as late
//	EMU_CAPABILITY=7.5   a GPU of this capability, with its limits: 7.0, 7.5, 8.0, 8.6, 8.9, 9.0, 10.0 or 12.0
//	EMU_NAME             name of the GPU
//	EMU_DEVICES          number of GPUs
//	EMU_MEMORY           memory of each GPU, in MiB
//	EMU_TAKEN            number of GPUs, from the first on, that another program has to itself
//	EMU_GRAPHS=0         a driver without graphs
//	EMU_CUBINS=0         a driver that is older than the machine code of a release
//	EMU_IDLE=1           kernels that do nothing, for tests of memory alone
//	EMU_LOST             the launch at which the driver is lost
//	EMU_FULL             the allocation at which another program has taken all memory
//	EMU_NO_ROOM          the kernel, or "graph", for which there is no memory when it is loaded
//	EMU_MUTANT           number of a wrong kernel of mutants.cu that it runs
//
// CUDA_VISIBLE_DEVICES works as in the driver.
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
  OK = 0,
  INVALID_VALUE = 1,
  OUT_OF_MEMORY = 2,
  DEVICE_UNAVAILABLE = 46,
  INVALID_DEVICE = 101,
  INVALID_IMAGE = 200,
  INVALID_CONTEXT = 201,
  NO_BINARY = 209,
  INVALID_PTX = 218,
  UNSUPPORTED_VERSION = 222,
  ILLEGAL_STATE = 401,
  INVALID_HANDLE = 400,
  NOT_FOUND = 500,
  OUT_OF_RESOURCES = 701,
  LAUNCH_FAILED = 719,
  CAPTURE_UNSUPPORTED = 900,
  CAPTURE_INVALIDATED = 901,
  CAPTURE_UNJOINED = 904,
  CAPTURE_ISOLATION = 905,
  CAPTURE_WRONG_THREAD = 908,
  UNKNOWN = 999
};
typedef unsigned long long Address;
#define API extern "C" __attribute__((visibility("default"))) int

namespace fake {

// Work that a stream or a graph holds.
typedef std::function<int()> Work;

// A graph under capture. A second stream that waits for a captured one is captured, too. Its work comes after the part
// of the first stream's work that it has waited for. It becomes part of the first stream's work when that waits for it.
enum CaptureMode { GLOBAL, THREAD_LOCAL, RELAXED };
struct Stream;
struct Captured {
  Work work;
  size_t after; // on a second stream: the amount of the first stream's own work that comes before it
  bool guest; // work of the second stream, in the list of the first
};
struct Capture {
  int number; // number of the capture among all captures
  int mode;
  std::thread::id thread;
  Stream *origin; // the stream where the capture began, if it is another
  std::vector<Captured> work;
  size_t own = 0; // the amount of work that is no guest
  size_t waited = 0; // `after` of the work that comes next
  size_t met = 0; // the amount of work that the origin has waited for
  bool apart = false; // the origin has not waited for all work, or for a wait
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
extern thread_local Context *bound; // context that is bound to this OS thread
extern int sticky; // the error of a kernel, which stays until the process ends
extern std::string detail; // message of that error

// Limits of a GPU of a compute capability, 75 for 7.5; memory in bytes.
struct Limits {
  int capability;
  size_t shared_block, shared_multiprocessor;
  int threads_multiprocessor, blocks_multiprocessor;
};
const Limits &limits(); // limits of the compute capability that EMU_CAPABILITY names

// registers_of is the number of registers of a thread of a kernel on this GPU, or 0 for a mutant.
int registers_of(const emu::Kernel &);

// static_shared_of is the static shared memory of a kernel of the PTX, in bytes.
size_t static_shared_of(const std::string &ptx, const emu::Kernel &);

// A kernel of machine code; and the machine code, for GPUs of a compute capability and of later ones with the same
// major number.
struct CodeEntry {
  std::vector<size_t> sizes; // sizes of the kernel's parameters, in bytes
  unsigned threads;
  size_t shared; // static shared memory, in bytes
};
struct MachineCode {
  int capability;
  std::map<std::string, CodeEntry> kernels;
};
bool is_cubin(const void *image);
MachineCode read_cubin(const void *image);

// default_shared is the largest sum of static and dynamic shared memory of a block, until a kernel requests more.
const size_t default_shared = 48 << 10;

// refused is the error of a launch that a GPU would refuse, or OK. The kernel has `fixed` bytes of static shared
// memory, and `dynamic` bytes of at most `allowed`.
int refused(const emu::Kernel &, dim3 grid, dim3 block, size_t fixed, size_t dynamic, size_t allowed);

int refuse(int result, const char *call, const char *why);
int setting(const char *name, int otherwise);

// submit puts work on a stream; the NULL stream runs it when the blocking streams are done.
int submit(Stream *, Work);
int drain(Stream *);
int drain_all();
void each_stream(const std::function<void(Stream *)> &);

// wait_captured makes a stream wait for an amount of work of a capture, by its number.
int wait_captured(Stream *, int capture, size_t after);

// no_room is true if EMU_NO_ROOM names a kernel, or "graph", for which there is no memory.
bool no_room(const char *name);

// lose counts the launches of kernels and graphs. It returns an error for the launch of EMU_LOST.
int lose();

// within is true if bytes at an address are inside one device allocation.
bool within(Address, size_t bytes);
// leaks describes the memory that is still allocated, or is "".
std::string leaks();
std::string graph_leaks();
// trampled describes an allocation that was written past its ends, or is "".
std::string trampled();

// spoil_captures is true if this thread captures a stream, and so must not wait or change memory. The capture is then
// lost.
bool spoil_captures();

} // namespace fake

// As in the driver, a call from an OS thread with no current context fails, and after an error of a kernel every call
// fails.
#define ENTER \
  std::lock_guard<std::recursive_mutex> lock(fake::mutex); \
  if (!fake::bound) return fake::refuse(INVALID_CONTEXT, __func__, "no context is current on this OS thread"); \
  if (fake::sticky) return fake::sticky;

#define NOT_IN_CAPTURE \
  if (fake::spoil_captures()) \
    return fake::refuse(CAPTURE_UNSUPPORTED, __func__, "not while this thread captures a stream");
#define NOT_CAPTURED(s) \
  if ((s) && (s)->capture) { \
    (s)->capture->lost = true; \
    return fake::refuse(CAPTURE_UNSUPPORTED, __func__, "not while the stream is captured"); \
  }
