#include "textflag.h"
#include "neon_arm64.h"

#include "neon_functions_arm64.h"

// The reduction by half turns.
DATA turns<>+0x00(SB)/4, $0x459c4000 // the largest |x|
DATA turns<>+0x04(SB)/4, $0x3ea2f983 // 1/π
DATA turns<>+0x08(SB)/4, $0x4b400000 // 1.5·2²³
DATA turns<>+0x0c(SB)/4, $0x40490fdb // π
DATA turns<>+0x10(SB)/4, $0xb3bbbd2e // the rest of π
GLOBL turns<>(SB), RODATA|NOPTR, $20

// func sinCos32NEON(n int, x, sin, cos *float32) (left int)
TEXT ·sinCos32NEON(SB), NOSPLIT, $0-40
	MOVD n+0(FP), R0
	MOVD x+8(FP), R1
	MOVD sin+16(FP), R2
	MOVD cos+24(FP), R3
	MOVD $halfTurns<>(SB), R10
	MOVD $turns<>(SB), R9
	VLD1R.P 4(R9), [V16.S4]
	VLD1R.P 4(R9), [V17.S4]
	VLD1R.P 4(R9), [V18.S4]
	VLD1R.P 4(R9), [V19.S4]
	VLD1R.P 4(R9), [V20.S4]
loop:
	VLD1 (R1), [V0.S4]
	FABS_S4(0, 1)
	FCMGE_S4(1, 16, 1)             // stop at a number beyond the limit, Inf or NaN
	VMOV V1.D[0], R11
	VMOV V1.D[1], R12
	AND R11, R12
	CMN $1, R12
	BNE stop
	ADD $16, R1
	MOVD R10, R9
	VORR V18.B16, V18.B16, V1.B16
	VFMLA V17.S4, V0.S4, V1.S4
	FSUB_S4(18, 1, 2)
	VFMLS V19.S4, V2.S4, V0.S4
	VFMLS V20.S4, V2.S4, V0.S4
	VSHL $31, V1.S4, V1.S4
	HALF_TURNS
	VST1.P [V0.S4], 16(R2)
	VST1.P [V4.S4], 16(R3)
	SUBS $4, R0
	BGT loop
stop:
	MOVD R0, left+32(FP)
	RET
