// fault.h: memory faults of kernels as errors, as the driver reports them: while a kernel runs, a SIGSEGV calls a
// function of the double, and the process continues.
#pragma once
#include <csignal>
#include <pthread.h>
#include <ucontext.h>

namespace emu {

static void *fault_address;
static bool fault_was_write;
static void (*fault_landing)();
static struct sigaction before_faults;
static pthread_t fault_runner;
alignas(16) static char fault_stack[64 << 10];

static void handle_fault(int signal, siginfo_t *info, void *context) {
  if (!pthread_equal(pthread_self(), fault_runner)) { // a fault on another thread belongs to the host's code
    before_faults.sa_sigaction(signal, info, context);
    return;
  }
  auto &registers = ((ucontext_t *)context)->uc_mcontext.gregs;
  fault_address = info->si_addr;
  fault_was_write = registers[REG_ERR] & 2;
  registers[REG_RIP] = (greg_t)fault_landing;
  registers[REG_RSP] = (greg_t)(fault_stack + sizeof fault_stack - 8); // the stack is aligned as after a call
}

// catch_faults makes a memory fault continue in landing, until leave_faults. landing never returns, and runs on a
// separate stack.
static void catch_faults(void (*landing)()) {
  fault_landing = landing;
  fault_runner = pthread_self();
  struct sigaction action = {};
  action.sa_sigaction = handle_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  sigaction(SIGSEGV, &action, &before_faults);
}

static void leave_faults() { sigaction(SIGSEGV, &before_faults, nullptr); }

} // namespace emu
