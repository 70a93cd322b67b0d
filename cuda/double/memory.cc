// memory.cc: device memory is host memory between guard pages, as near the upper one as 16-byte alignment lets it, and
// full of NaN. Writes to the bytes between are found when the memory is freed.
#include "access.h"
#include "driver.h"
#include <cstdio>
#include <cstdlib>
#include <sys/mman.h>

using namespace fake;

static const size_t page = 4096;
static std::map<Address, size_t> device, pinned;
static size_t used;

// another reports whether another program has taken the free memory, at the allocation that EMU_FULL names.
static bool another(bool allocating) {
  static int allocations;
  int last = setting("EMU_FULL", 0);
  if (allocating) allocations++;
  return last && allocations >= last;
}

static size_t limit() { return (size_t)setting("EMU_MEMORY", 4096) << 20; }
static size_t mapped(size_t n) { return (n + page - 1) / page * page; }
static size_t padded(size_t n) { return (n + 15) / 16 * 16; }

static Address guarded(size_t n) {
  size_t length = mapped(padded(n));
  char *p = (char *)mmap(nullptr, length + 2 * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (p == MAP_FAILED || mprotect(p + page, length, PROT_READ | PROT_WRITE)) return 0;
  memset(p + page, 0xff, length);
  return (Address)(p + page + length - padded(n));
}

static bool intact(Address p, size_t n) {
  for (size_t i = n; i < padded(n); i++)
    if (((unsigned char *)p)[i] != 0xff) return false;
  for (Address q = p / page * page; q < p; q++)
    if (*(unsigned char *)q != 0xff) return false;
  return true;
}

static void unmap(Address p, size_t n) { munmap((char *)(p / page * page) - page, mapped(padded(n)) + 2 * page); }

bool fake::within(Address p, size_t bytes) {
  auto it = device.upper_bound(p);
  if (it == device.begin()) return false;
  --it;
  return p >= it->first && p + bytes <= it->first + it->second;
}

std::string fake::leaks() {
  if (device.empty() && pinned.empty()) return "";
  char s[120];
  snprintf(s, sizeof s, "%zu device allocations (%zu bytes) and %zu pinned ones were never freed", device.size(), used,
           pinned.size());
  return s;
}

std::string fake::trampled() {
  for (auto &[p, n] : device)
    if (!intact(p, n)) return "an allocation of " + std::to_string(n) + " bytes was written beside its ends";
  return "";
}

#define DEVICE(p, n) \
  if (!within(p, n)) return refuse(INVALID_VALUE, __func__, "not device memory, or past its end");
// The GPU may read and write pinned memory long after the call; ordinary host memory is Go's.
#define PINNED(p, n) \
  { \
    auto it = pinned.upper_bound((Address)p); \
    if (it == pinned.begin() || (--it, (Address)p + n > it->first + it->second)) \
      return refuse(INVALID_VALUE, __func__, "an asynchronous copy with host memory that is not pinned"); \
  }

API cuMemAlloc_v2(Address *p, size_t n) {
  ENTER
  NOT_IN_CAPTURE
  if (!n) return refuse(INVALID_VALUE, __func__, "no bytes");
  if (another(true) || used + n > limit() || !(*p = guarded(n))) return OUT_OF_MEMORY;
  used += n;
  device[*p] = n;
  emu::know_tensor((char *)*p, n);
  return OK;
}

API cuMemFree_v2(Address p) {
  ENTER
  NOT_IN_CAPTURE
  auto it = device.find(p);
  if (it == device.end()) return refuse(INVALID_VALUE, __func__, "not the start of an allocation, or freed twice");
  if (int r = drain_all()) return r;
  if (!intact(p, it->second)) {
    detail = trampled();
    return sticky = LAUNCH_FAILED;
  }
  used -= it->second;
  emu::forget_tensor((char *)p);
  unmap(p, it->second); // a later use of the pointer is a fault
  device.erase(it);
  return OK;
}

API cuMemGetInfo_v2(size_t *free, size_t *total) {
  ENTER
  *free = another(false) ? 0 : limit() - used;
  *total = limit();
  return OK;
}

API cuDeviceTotalMem_v2(size_t *n, int) {
  *n = limit();
  return OK;
}

API cuMemHostAlloc(void **p, size_t n, unsigned) {
  ENTER
  NOT_IN_CAPTURE
  *p = (void *)guarded(n);
  pinned[(Address)*p] = n;
  return *p ? OK : OUT_OF_MEMORY;
}

API cuMemFreeHost(void *p) {
  ENTER
  NOT_IN_CAPTURE
  auto it = pinned.find((Address)p);
  if (it == pinned.end()) return refuse(INVALID_VALUE, __func__, "not pinned memory, or freed twice");
  if (int r = drain_all()) return r;
  unmap((Address)p, it->second);
  pinned.erase(it);
  return OK;
}

static int copy(void *to, const void *from, size_t n, Stream *s) {
  return submit(s, [=] {
    memmove(to, from, n);
    return (int)OK;
  });
}

API cuMemcpyHtoDAsync_v2(Address d, const void *s, size_t n, Stream *stream) {
  ENTER DEVICE(d, n) PINNED(s, n) return copy((void *)d, s, n, stream);
}
API cuMemcpyDtoHAsync_v2(void *d, Address s, size_t n, Stream *stream) {
  ENTER DEVICE(s, n) PINNED(d, n) return copy(d, (void *)s, n, stream);
}
API cuMemcpyDtoDAsync_v2(Address d, Address s, size_t n, Stream *stream) {
  ENTER DEVICE(s, n) DEVICE(d, n) return copy((void *)d, (void *)s, n, stream);
}
API cuMemsetD8Async(Address d, unsigned char v, size_t n, Stream *s) {
  ENTER
  DEVICE(d, n)
  return submit(s, [=] {
    memset((void *)d, v, n);
    return (int)OK;
  });
}
