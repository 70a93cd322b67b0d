// fiber.h: fibers for x86-64. (The switch of ucontext makes a system call: it is 40 times slower.)
#pragma once
#include <cstddef>
#include <cstdlib>
#include <sys/mman.h>
#include <vector>

namespace emu {

static const size_t stack_bytes = 128 << 10, page = 4096;

// switch_to saves the place of the caller in *save and continues at to, a place that was saved before or made by fresh.
void switch_to(void **save, void *to) asm("emu_switch");
asm(R"(
  .text
  .type emu_switch,@function
  .hidden emu_switch
emu_switch:
  push %rbp
  push %rbx
  push %r12
  push %r13
  push %r14
  push %r15
  mov %rsp, (%rdi)
  mov %rsi, %rsp
  pop %r15
  pop %r14
  pop %r13
  pop %r12
  pop %rbx
  pop %rbp
  ret
)");

// fresh is the place where entry starts on a stack. entry never returns.
static void *fresh(void *stack, void (*entry)()) {
  void **s = (void **)((char *)stack + stack_bytes) - 1; // aligned as after a call: 8 below a multiple of 16
  *s = nullptr; // entry has no caller
  *--s = (void *)entry; // the switch returns here
  for (int i = 0; i < 6; i++) *--s = nullptr;
  return s;
}

static std::vector<void *> idle;

// take_stack takes a stack, with a guard page below it.
static void *take_stack() {
  const int count = 64;
  if (idle.empty()) {
    char *p = (char *)mmap(nullptr, count * stack_bytes, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (p == MAP_FAILED) abort();
    for (int i = count - 1; i >= 0; i--) {
      mprotect(p + i * stack_bytes, page, PROT_NONE);
      idle.push_back(p + i * stack_bytes);
    }
  }
  void *s = idle.back();
  idle.pop_back();
  return s;
}

// give_stack may be called by the fiber that still runs on it, if it takes none before it has switched away.
static void give_stack(void *s) { idle.push_back(s); }

} // namespace emu
