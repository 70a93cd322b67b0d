// fault.h: memory faults of kernels as errors, as the driver reports them.
#pragma once

namespace emu {

// catch_faults makes a memory fault go on in landing, which never returns, on a stack of its own,
// until leave_faults.
void catch_faults(void (*landing)());
void leave_faults();

void *fault_address();
bool fault_was_write();

} // namespace emu
