#include "textflag.h"
#include "neon_arm64.h"

// eˣ: the same operations in the same order as those of AVX2 (gen/exp.go). The constants come one by one from a
// table, each the accumulator of its multiplication. n is a multiple of the lanes.

// What eˣ in single precision takes, in order.
DATA exp32<>+0x00(SB)/4, $0xc2cff1b6 // below, eˣ rounds to 0
DATA exp32<>+0x04(SB)/4, $0x42b20000 // above, it overflows
DATA exp32<>+0x08(SB)/4, $0x3fb8aa3b // 1/ln 2
DATA exp32<>+0x0c(SB)/4, $0x4b400000 // 1.5·2²³
DATA exp32<>+0x10(SB)/4, $0x3f317218 // ln 2
DATA exp32<>+0x14(SB)/4, $0xb102e308 // the rest of ln 2
DATA exp32<>+0x18(SB)/4, $0x3ab51207 // q4
DATA exp32<>+0x1c(SB)/4, $0x3c091cfd // q3
DATA exp32<>+0x20(SB)/4, $0x3d2aac79 // q2
DATA exp32<>+0x24(SB)/4, $0x3e2aaa49 // q1
DATA exp32<>+0x28(SB)/4, $0x3efffffe // q0
DATA exp32<>+0x2c(SB)/4, $0x3f800000 // 1
DATA exp32<>+0x30(SB)/4, $0x0000007f // bias of the exponent
GLOBL exp32<>(SB), RODATA|NOPTR, $52

// What eˣ in double takes, in order.
DATA exp64<>+0x00(SB)/8, $0xc0874910d5a5b963 // below, eˣ rounds to 0
DATA exp64<>+0x08(SB)/8, $0x4086300000000000 // above, it overflows
DATA exp64<>+0x10(SB)/8, $0x3ff71547652b82fe // 1/ln 2
DATA exp64<>+0x18(SB)/8, $0x4338000000000000 // 1.5·2⁵²
DATA exp64<>+0x20(SB)/8, $0x3fe62e42fefa39ef // ln 2
DATA exp64<>+0x28(SB)/8, $0x3c7abc9e3b39803f // the rest of ln 2
DATA exp64<>+0x30(SB)/8, $0x3e5af635f116e24d // q9
DATA exp64<>+0x38(SB)/8, $0x3e928b43b4eb75e6 // q8
DATA exp64<>+0x40(SB)/8, $0x3ec71ddf69838069 // q7
DATA exp64<>+0x48(SB)/8, $0x3efa0199386654bf // q6
DATA exp64<>+0x50(SB)/8, $0x3f2a01a01b015fac // q5
DATA exp64<>+0x58(SB)/8, $0x3f56c16c18611db6 // q4
DATA exp64<>+0x60(SB)/8, $0x3f8111111110f7ef // q3
DATA exp64<>+0x68(SB)/8, $0x3fa55555555503a0 // q2
DATA exp64<>+0x70(SB)/8, $0x3fc5555555555558 // q1
DATA exp64<>+0x78(SB)/8, $0x3fe0000000000009 // q0
DATA exp64<>+0x80(SB)/8, $0x3ff0000000000000 // 1
DATA exp64<>+0x88(SB)/8, $0x00000000000003ff // bias of the exponent
GLOBL exp64<>(SB), RODATA|NOPTR, $144

// EXP_S4 is V0 = eˣ for x = V0, with V31 = 0 and the table at R10.
#define EXP_S4 \
	MOVD R10, R9; \
	VLD1R.P 4(R9), [V1.S4]; \
	FCMGT_S4(0, 1, 7); \
	VBIT V7.B16, V31.B16, V0.B16; \
	VLD1R.P 4(R9), [V1.S4]; \
	FMIN_S4(1, 0, 0); \
	VLD1R.P 4(R9), [V2.S4]; \
	VLD1R.P 4(R9), [V6.S4]; \
	VORR V6.B16, V6.B16, V1.B16; \
	VFMLA V2.S4, V0.S4, V1.S4; \
	FSUB_S4(6, 1, 2); \
	VLD1R.P 4(R9), [V3.S4]; \
	VFMLS V3.S4, V2.S4, V0.S4; \
	VLD1R.P 4(R9), [V3.S4]; \
	VFMLS V3.S4, V2.S4, V0.S4; \
	VLD1R.P 4(R9), [V3.S4]; \
	VLD1R.P 4(R9), [V4.S4]; \
	VFMLA V3.S4, V0.S4, V4.S4; \
	VLD1R.P 4(R9), [V3.S4]; \
	VFMLA V4.S4, V0.S4, V3.S4; \
	VLD1R.P 4(R9), [V4.S4]; \
	VFMLA V3.S4, V0.S4, V4.S4; \
	VLD1R.P 4(R9), [V3.S4]; \
	VFMLA V4.S4, V0.S4, V3.S4; \
	FMUL_S4(0, 0, 5); \
	VFMLA V3.S4, V5.S4, V0.S4; \
	VLD1R.P 4(R9), [V3.S4]; \
	FADD_S4(3, 0, 0); \
	VSUB V6.S4, V1.S4, V1.S4; \
	SSHR_S4(1, 1, 2); \
	VSUB V2.S4, V1.S4, V1.S4; \
	VLD1R.P 4(R9), [V3.S4]; \
	VADD V3.S4, V2.S4, V2.S4; \
	VSHL $23, V2.S4, V2.S4; \
	FMUL_S4(2, 0, 0); \
	VADD V3.S4, V1.S4, V1.S4; \
	VSHL $23, V1.S4, V1.S4; \
	FMUL_S4(1, 0, 0); \
	VBIT V7.B16, V31.B16, V0.B16

// EXP_D2 is EXP_S4 in double.
#define EXP_D2 \
	MOVD R10, R9; \
	VLD1R.P 8(R9), [V1.D2]; \
	FCMGT_D2(0, 1, 7); \
	VBIT V7.B16, V31.B16, V0.B16; \
	VLD1R.P 8(R9), [V1.D2]; \
	FMIN_D2(1, 0, 0); \
	VLD1R.P 8(R9), [V2.D2]; \
	VLD1R.P 8(R9), [V6.D2]; \
	VORR V6.B16, V6.B16, V1.B16; \
	VFMLA V2.D2, V0.D2, V1.D2; \
	FSUB_D2(6, 1, 2); \
	VLD1R.P 8(R9), [V3.D2]; \
	VFMLS V3.D2, V2.D2, V0.D2; \
	VLD1R.P 8(R9), [V3.D2]; \
	VFMLS V3.D2, V2.D2, V0.D2; \
	VLD1R.P 8(R9), [V3.D2]; \
	VLD1R.P 8(R9), [V4.D2]; \
	VFMLA V3.D2, V0.D2, V4.D2; \
	VLD1R.P 8(R9), [V3.D2]; \
	VFMLA V4.D2, V0.D2, V3.D2; \
	VLD1R.P 8(R9), [V4.D2]; \
	VFMLA V3.D2, V0.D2, V4.D2; \
	VLD1R.P 8(R9), [V3.D2]; \
	VFMLA V4.D2, V0.D2, V3.D2; \
	VLD1R.P 8(R9), [V4.D2]; \
	VFMLA V3.D2, V0.D2, V4.D2; \
	VLD1R.P 8(R9), [V3.D2]; \
	VFMLA V4.D2, V0.D2, V3.D2; \
	VLD1R.P 8(R9), [V4.D2]; \
	VFMLA V3.D2, V0.D2, V4.D2; \
	VLD1R.P 8(R9), [V3.D2]; \
	VFMLA V4.D2, V0.D2, V3.D2; \
	VLD1R.P 8(R9), [V4.D2]; \
	VFMLA V3.D2, V0.D2, V4.D2; \
	FMUL_D2(0, 0, 5); \
	VFMLA V4.D2, V5.D2, V0.D2; \
	VLD1R.P 8(R9), [V3.D2]; \
	FADD_D2(3, 0, 0); \
	VSUB V6.D2, V1.D2, V1.D2; \
	SSHR_D2(1, 1, 2); \
	VSUB V2.D2, V1.D2, V1.D2; \
	VLD1R.P 8(R9), [V3.D2]; \
	VADD V3.D2, V2.D2, V2.D2; \
	VSHL $52, V2.D2, V2.D2; \
	FMUL_D2(2, 0, 0); \
	VADD V3.D2, V1.D2, V1.D2; \
	VSHL $52, V1.D2, V1.D2; \
	FMUL_D2(1, 0, 0); \
	VBIT V7.B16, V31.B16, V0.B16

// func exp32NEON(n int, x, dst *float32)
TEXT ·exp32NEON(SB), NOSPLIT, $0-24
	MOVD n+0(FP), R0
	MOVD x+8(FP), R1
	MOVD dst+16(FP), R2
	MOVD $exp32<>(SB), R10
	VEOR V31.B16, V31.B16, V31.B16
loop:
	VLD1.P 16(R1), [V0.S4]
	EXP_S4
	VST1.P [V0.S4], 16(R2)
	SUBS $4, R0
	BGT loop
	RET

// func exp64NEON(n int, x, dst *float64)
TEXT ·exp64NEON(SB), NOSPLIT, $0-24
	MOVD n+0(FP), R0
	MOVD x+8(FP), R1
	MOVD dst+16(FP), R2
	MOVD $exp64<>(SB), R10
	VEOR V31.B16, V31.B16, V31.B16
loop:
	VLD1.P 16(R1), [V0.D2]
	EXP_D2
	VST1.P [V0.D2], 16(R2)
	SUBS $2, R0
	BGT loop
	RET

// func rbf64NEON(n int, dst, x, half *float64, own, scale float64)
TEXT ·rbf64NEON(SB), NOSPLIT, $0-48
	MOVD n+0(FP), R0
	MOVD dst+8(FP), R2
	MOVD x+16(FP), R1
	MOVD half+24(FP), R3
	FMOVD own+32(FP), F16
	FMOVD scale+40(FP), F17
	VDUP V16.D[0], V16.D2
	VDUP V17.D[0], V17.D2
	MOVD $exp64<>(SB), R10
	VEOR V31.B16, V31.B16, V31.B16
loop:
	VLD1.P 16(R1), [V0.D2]
	VLD1.P 16(R3), [V1.D2]
	FADD_D2(1, 16, 1)
	FSUB_D2(1, 0, 0)
	FMIN_D2(31, 0, 0)
	FMUL_D2(17, 0, 0)
	EXP_D2
	VST1.P [V0.D2], 16(R2)
	SUBS $2, R0
	BGT loop
	RET
