// fiber.h: stacks, and the switch between them.
#pragma once
#include <cstddef>

namespace emu {

// switch_to saves the place of the caller in *save and goes on at to, a place saved before or
// made by fresh.
void switch_to(void **save, void *to);

// fresh is the place where entry starts on a stack. entry never returns.
void *fresh(void *stack, void (*entry)());

// Stacks, with a guard page below each; give_stack may be called by the fiber that still runs on
// it, if it takes none before it has switched away.
void *take_stack();
void give_stack(void *);

// top is the highest address of a stack.
void *top(void *stack);

} // namespace emu
