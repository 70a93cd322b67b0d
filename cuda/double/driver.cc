// driver.cc: the device, its contexts, modules and launches. Kernels are host functions (emu.h).
#include "driver.h"
#include <cstdio>
#include <cstdlib>
#include <vector>

using namespace fake;

namespace fake {
std::recursive_mutex mutex;
thread_local Context *bound;
int sticky;
std::string detail;

int refuse(int result, const char *call, const char *why) {
  if (getenv("EMU_LOG")) fprintf(stderr, "double: %s: %s\n", call, why);
  return result;
}

int setting(const char *name, int otherwise) {
  const char *text = getenv(name);
  return text && *text ? atoi(text) : otherwise;
}

bool no_room(const char *name) {
  const char *text = getenv("EMU_NO_ROOM");
  return text && !strcmp(text, name);
}

int lose() {
  static int launches;
  int last = setting("EMU_LOST", 0);
  if (!last || ++launches < last) return OK;
  detail = "the driver was lost";
  return sticky = UNKNOWN;
}
} // namespace fake

// visible are the devices that CUDA_VISIBLE_DEVICES names by number, up to the first that does not exist. Without the
// variable all are visible.
static std::vector<int> visible() {
  int all = setting("EMU_DEVICES", 1);
  std::vector<int> found;
  const char *text = getenv("CUDA_VISIBLE_DEVICES");
  for (int i = 0; !text && i < all; i++) found.push_back(i);
  for (char *end; text && *text; text = *end == ',' ? end + 1 : "") {
    long i = strtol(text, &end, 10);
    if (end == text || i < 0 || i >= all) break;
    found.push_back((int)i);
  }
  return found;
}

static int devices() { return (int)visible().size(); }

API cuInit(unsigned) { return OK; }
API cuDriverGetVersion(int *v) {
  *v = 12040;
  return OK;
}
API cuDeviceGetCount(int *n) {
  *n = devices();
  return OK;
}
API cuDeviceGet(int *d, int i) {
  if (i < 0 || i >= devices()) return INVALID_DEVICE;
  *d = i;
  return OK;
}
API cuDeviceGetName(char *b, int n, int d) {
  if (d < 0 || d >= devices()) return INVALID_DEVICE;
  const char *name = getenv("EMU_NAME");
  if (!name || !*name) name = "driver test double";
  if (getenv("CUDA_VISIBLE_DEVICES")) snprintf(b, n, "%s number %d", name, visible()[d]);
  else snprintf(b, n, "%s", name);
  return OK;
}
API cuDeviceGetUuid_v2(unsigned char *uuid, int d) {
  if (d < 0 || d >= devices()) return INVALID_DEVICE;
  memset(uuid, 0, 16);
  uuid[15] = (unsigned char)(1 + visible()[d]);
  return OK;
}
API cuDeviceGetAttribute(int *v, int attribute, int) {
  const Limits &l = limits();
  const int shared = (int)l.shared_block, all = (int)l.shared_multiprocessor;
  const std::map<int, int> known = {{1, 1024},
                                    {2, 1024},
                                    {5, 2147483647},
                                    {6, 65535},
                                    {7, 65535},
                                    {8, (int)default_shared},
                                    {10, 32},
                                    {12, 65536},
                                    {16, 132},
                                    {39, l.threads_multiprocessor},
                                    {75, l.capability / 10},
                                    {76, l.capability % 10},
                                    {81, all},
                                    {82, 65536},
                                    {97, shared},
                                    {106, l.blocks_multiprocessor}};
  auto it = known.find(attribute);
  *v = it == known.end() ? 0 : it->second;
  return OK;
}

API cuGetErrorString(int code, const char **text) {
  static const std::map<int, const char *> words = {
      {1, "invalid argument"},
      {2, "out of memory"},
      {101, "invalid device ordinal"},
      {200, "device kernel image is invalid"},
      {201, "invalid device context"},
      {46, "CUDA-capable device(s) is/are busy or unavailable"},
      {209, "no kernel image is available for execution on the device"},
      {222, "the provided PTX was compiled with an unsupported toolchain."},
      {401, "the operation cannot be performed in the present state"},
      {400, "invalid resource handle"},
      {500, "named symbol not found"},
      {700, "an illegal memory access was encountered"},
      {701, "too many resources requested for launch"},
      {719, "unspecified launch failure"},
      {900, "operation not permitted when stream is capturing"},
      {901, "operation failed due to a previous error during capture"},
      {908, "attempt to terminate a thread-local capture sequence from another thread"},
      {999, "unknown error"}};
  auto it = words.find(code);
  *text = code == sticky && !detail.empty() ? detail.c_str() : it == words.end() ? "unknown error" : it->second;
  return OK;
}

static std::map<int, Context> primaries;

API cuDevicePrimaryCtxRetain(Context **c, int d) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  if (d < setting("EMU_TAKEN", 0)) return DEVICE_UNAVAILABLE;
  Context &p = primaries[d];
  p.device = d;
  p.users++;
  *c = &p;
  return OK;
}

// Memory that is still allocated when the last context is released is a leak. A real driver frees it silently.
API cuDevicePrimaryCtxRelease_v2(int d) {
  std::lock_guard<std::recursive_mutex> lock(mutex);
  Context &p = primaries[d];
  if (p.users == 0) return refuse(INVALID_CONTEXT, __func__, "released more often than retained");
  p.users--;
  for (auto &[_, c] : primaries)
    if (c.users) return OK;
  if (sticky) return sticky;
  for (const std::string &s : {leaks(), graph_leaks()})
    if (!s.empty()) {
      fprintf(stderr, "double: %s\n", s.c_str());
      return ILLEGAL_STATE;
    }
  return OK;
}
API cuCtxSetCurrent(Context *c) {
  if (c && !c->users) return refuse(INVALID_CONTEXT, __func__, "that context has been released");
  bound = c;
  return OK;
}

// A kernel of a module, with its static shared memory and the largest size that a launch may add.
struct Function {
  const emu::Kernel *kernel;
  size_t fixed, allowed;
  int carveout; // preferred share of shared memory in percent, or -1
};
struct Module {
  std::string ptx;
  int target; // target of the PTX: 70 for ".target sm_70", or if the PTX names no target
  std::map<std::string, Function> functions;
  MachineCode code; // machine code, if the module has no PTX
};

// target_of is the target of the PTX from which machine code was made, by the names of its kernels.
static int target_of(const MachineCode &code) {
  if (code.kernels.count("set_live")) return 70;
  return code.kernels.count("features_forward_tf32") ? 80 : 90;
}

static int load_cubin(Module **m, const void *image) {
  MachineCode code = read_cubin(image);
  int own = limits().capability;
  if (code.capability / 10 != own / 10 || code.capability > own)
    return refuse(NO_BINARY, __func__, "the machine code is for another GPU");
  if (setting("EMU_CUBINS", 1) == 0)
    return refuse(UNSUPPORTED_VERSION, __func__, "the machine code is newer than the driver");
  *m = new Module{"", target_of(code), {}, code};
  return OK;
}

API cuModuleLoadData(Module **m, const void *image) {
  ENTER
  NOT_IN_CAPTURE
  if (image && is_cubin(image)) return load_cubin(m, image);
  const char *text = (const char *)image;
  if (!text || !strstr(text, ".version")) return refuse(INVALID_IMAGE, __func__, "neither PTX nor machine code");
  if (!strstr(text, ".entry")) return refuse(INVALID_PTX, __func__, "no PTX of kernels");
  const char *target = strstr(text, ".target sm_");
  int sm = target ? atoi(target + 11) : 70;
  if (sm > limits().capability) return refuse(NO_BINARY, __func__, "the PTX is for a newer GPU");
  *m = new Module{text, sm, {}, {}};
  return OK;
}
// Option 5 is the error log of the driver, and option 6 its size in bytes.
API cuModuleLoadDataEx(Module **m, const void *image, unsigned n, const int *options, void **values) {
  int code = cuModuleLoadData(m, image);
  char *log = nullptr;
  size_t room = 0;
  for (unsigned i = 0; i < n; i++) {
    if (options[i] == 5) log = (char *)values[i];
    if (options[i] == 6) room = (size_t)values[i];
  }
  const char *said = "";
  if (code == INVALID_IMAGE) said = "error   : Binary format for key='0', ident='' is not recognized";
  if (code == INVALID_PTX)
    said = "ptxas application ptx input, line 4; fatal   : Parsing error near 'no': syntax error\n"
           "ptxas fatal   : Ptx assembly aborted due to errors";
  if (log) snprintf(log, room, "%s", said);
  return code;
}
API cuModuleUnload(Module *m) {
  ENTER
  delete m;
  return OK;
}

// described checks that the PTX has the kernel with the parameters and threads of the source.
static int described(const std::string &ptx, const emu::Kernel &k) {
  size_t at = ptx.find(".entry " + std::string(k.name) + "(");
  if (at == std::string::npos) return refuse(NOT_FOUND, k.name, "not in the PTX: make ptx");
  size_t end = ptx.find(')', at), n = 0;
  for (size_t p = at; (p = ptx.find(".param .", p + 1)) < end; n++) {
    size_t bytes = (size_t)atoi(ptx.c_str() + p + 9) / 8; // ".param .u32"
    if (n >= k.sizes.size() || bytes != k.sizes[n])
      return refuse(INVALID_IMAGE, k.name, "the PTX has other parameters than the source: make ptx");
  }
  if (n != k.sizes.size())
    return refuse(INVALID_IMAGE, k.name, "the PTX has other parameters than the source: make ptx");
  size_t threads = ptx.find(".maxntid ", end);
  if (threads > ptx.find('{', end) || (unsigned)atoi(ptx.c_str() + threads + 9) != k.threads)
    return refuse(INVALID_IMAGE, k.name, "the PTX has another number of threads than the source: make ptx");
  return OK;
}

// assembled checks the same for machine code.
static int assembled(const MachineCode &code, const emu::Kernel &k) {
  auto found = code.kernels.find(k.name);
  if (found == code.kernels.end()) return refuse(NOT_FOUND, k.name, "not in the machine code");
  const CodeEntry &e = found->second;
  if (e.threads != k.threads || !std::equal(e.sizes.begin(), e.sizes.end(), k.sizes.begin(), k.sizes.end()))
    return refuse(INVALID_IMAGE, k.name,
                  "the machine code has other parameters or threads than the source: make cubins");
  return OK;
}

API cuModuleGetFunction(Function **f, Module *m, const char *name) {
  ENTER
  const emu::Kernel *found = nullptr;
  for (auto &k : emu::kernels())
    if (k.target == m->target && !strcmp(k.name, name) && (!k.mutant || k.mutant == setting("EMU_MUTANT", 0)) &&
        (!found || k.mutant))
      found = &k;
  if (!found) return refuse(NOT_FOUND, name, "no such kernel");
  if (no_room(name)) return OUT_OF_MEMORY;
  if (!m->functions.count(name)) {
    auto entry = m->code.kernels.find(name);
    size_t fixed =
        m->ptx.empty() ? entry == m->code.kernels.end() ? 0 : entry->second.shared : static_shared_of(m->ptx, *found);
    m->functions[name] = {found, fixed, default_shared - fixed, -1};
  }
  *f = &m->functions[name];
  return m->ptx.empty() ? assembled(m->code, *found) : described(m->ptx, *found);
}

const int static_shared_bytes = 1, local_bytes = 3, registers = 4, max_dynamic_shared = 8, preferred_carveout = 9;

API cuFuncGetAttribute(int *value, int attribute, Function *f) {
  ENTER
  switch (attribute) {
  case static_shared_bytes:
    *value = (int)f->fixed;
    return OK;
  case local_bytes:
    *value = 0;
    return OK;
  case registers:
    *value = registers_of(*f->kernel);
    return OK;
  case max_dynamic_shared:
    *value = (int)f->allowed;
    return OK;
  case preferred_carveout:
    *value = f->carveout;
    return OK;
  }
  return refuse(INVALID_VALUE, f->kernel->name, "an attribute that this driver does not know");
}

API cuFuncSetAttribute(Function *f, int attribute, int value) {
  ENTER
  if (attribute == preferred_carveout) {
    if (value < -1 || value > 100) return refuse(INVALID_VALUE, f->kernel->name, "no percentage");
    f->carveout = value;
    return OK;
  }
  if (attribute != max_dynamic_shared || value < 0 || f->fixed + value > limits().shared_block)
    return refuse(INVALID_VALUE, f->kernel->name, "more shared memory than a block may have");
  f->allowed = value;
  return OK;
}

API cuLaunchKernel(Function *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, Stream *s, void **params, void **) {
  ENTER
  if (!f) return INVALID_HANDLE;
  if (int r = lose()) return r;
  const emu::Kernel *k = f->kernel;
  if (int r = refused(*k, {gx, gy, gz}, {bx, by, bz}, f->fixed, shared, f->allowed)) return r;
  emu::Launch l{k, {gx, gy, gz}, {bx, by, bz}, shared, {}};
  for (size_t i = 0; i < k->sizes.size(); i++) {
    uint64_t v = 0;
    memcpy(&v, params[i], k->sizes[i]);
    l.values.push_back(v);
  }
  return submit(s, [l] {
    emu::Fault f = emu::run(l);
    if (f.code) {
      detail = f.text;
      fprintf(stderr, "double: %s\n", f.text.c_str());
    }
    return f.code;
  });
}
