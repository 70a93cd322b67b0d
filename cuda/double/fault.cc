// fault.cc: while a kernel runs, a SIGSEGV calls a function of ours, and the process goes on.
#include "fault.h"
#include <csignal>
#include <pthread.h>
#include <ucontext.h>

namespace emu {

static void *address;
static bool was_write;
static void (*go_on)();
static struct sigaction before;
static pthread_t runner;
alignas(16) static char stack[64 << 10];

void *fault_address() { return address; }
bool fault_was_write() { return was_write; }

static void handle(int signal, siginfo_t *info, void *context) {
  if (!pthread_equal(pthread_self(), runner)) { // a fault of the host's, on another thread
    before.sa_sigaction(signal, info, context);
    return;
  }
  auto &registers = ((ucontext_t *)context)->uc_mcontext.gregs;
  address = info->si_addr;
  was_write = registers[REG_ERR] & 2;
  registers[REG_RIP] = (greg_t)go_on;
  registers[REG_RSP] = (greg_t)(stack + sizeof stack - 8); // as after a call
}

void catch_faults(void (*landing)()) {
  go_on = landing;
  runner = pthread_self();
  struct sigaction action = {};
  action.sa_sigaction = handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  sigaction(SIGSEGV, &action, &before);
}

void leave_faults() { sigaction(SIGSEGV, &before, nullptr); }

} // namespace emu
