// kernels.cc: kernels.cu as the double runs it, compiled once for each PTX image: EMU_TARGET is 70, 80 or 90.
#include "mma.h"

#define IMAGE_(target) sm_##target
#define IMAGE(target) IMAGE_(target)

namespace IMAGE(EMU_TARGET) {
#include "../../kernels.cu"
}
