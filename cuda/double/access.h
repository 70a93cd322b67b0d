// access.h: what the double knows of memory, and checks at each read and write of a kernel. A
// kernel's code calls access before it touches memory: what ptx2cc writes does so itself, and g++
// adds the calls to kernels.cu (access.cc).
#pragma once
#include <cstddef>

namespace emu {

enum Space { GLOBAL, SHARED_SPACE, GENERIC };

// access is a fault of the thread that runs if the bytes are not inside one tensor or shared array,
// if a shared one was not written since the block began, or if another thread may touch them at the
// same time.
void access(Space, char *p, size_t bytes, bool write);

// violation ends the thread that runs, with what it has done: "divides by zero".
[[noreturn]] void violation(const char *what);

// place is the line of the PTX that runs, or 0.
extern int place;

// A tensor is memory of the device that kernels may use, in pages of its own.
void know_tensor(char *p, size_t bytes);
void forget_tensor(char *p);

// A launch and its blocks begin, and a barrier lets all threads of a block go on: what comes after
// is ordered behind it.
void begin_launch_accesses();
void begin_block_accesses();
void order_accesses();

// Shared memory is one range for all blocks, of which a block uses the arrays that it has.
void know_shared(char *first, size_t bytes);
void know_shared_array(const char *name, char *p, size_t bytes);

} // namespace emu
