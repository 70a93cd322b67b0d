#include "textflag.h"
#include "neon_arm64.h"

#include "neon_functions_arm64.h"

// What the normals take, in order.
DATA normals<>+0x00(SB)/4, $0xd2511f53 // multipliers of Philox
DATA normals<>+0x04(SB)/4, $0xcd9e8d57
DATA normals<>+0x08(SB)/4, $0x00000004 // lanes
DATA normals<>+0x0c(SB)/4, $0x33800000 // 2⁻²⁴
DATA normals<>+0x10(SB)/4, $0xc0000000 // −2
DATA normals<>+0x14(SB)/4, $0x40000000 // ¼ turn
DATA normals<>+0x18(SB)/4, $0x80000000 // sign
DATA normals<>+0x1c(SB)/4, $0x34c90fdb // 2π·2⁻²⁴
GLOBL normals<>(SB), RODATA|NOPTR, $32

// BOX_MULLER is √(−2 ln u1)·(cos, sin)(2πu2) for the words V0 and V11, with the root in V10, the sine in V0 and the
// cosine in V4.
#define BOX_MULLER \
	MOVD $log32<>(SB), R9; \
	VUSHR $8, V0.S4, V0.S4; \
	SCVTF_S4(0, 0); \
	VORR V16.B16, V16.B16, V1.B16; \
	VFMLA V16.S4, V0.S4, V1.S4; \
	VORR V1.B16, V1.B16, V0.B16; \
	LOG_HEAD; \
	LOG_TAIL; \
	FMUL_S4(17, 0, 0); \
	FSQRT_S4(0, 10); \
	VADD V18.S4, V11.S4, V1.S4; \
	VAND V19.B16, V1.B16, V1.B16; \
	VSHL $1, V11.S4, V0.S4; \
	SSHR_S4(9, 0, 0); \
	SCVTF_S4(0, 0); \
	FMUL_S4(31, 0, 0); \
	MOVD $halfTurns<>(SB), R9; \
	HALF_TURNS

// func normals32NEON(blocks int, dst *float32, keys *[20]uint32, c0, c1 *[16]uint32, c2, c3 uint32)
TEXT ·normals32NEON(SB), NOSPLIT, $0-48
	MOVD blocks+0(FP), R0
	MOVD dst+8(FP), R1
	MOVD keys+16(FP), R2
	MOVD c0+24(FP), R3
	MOVD c1+32(FP), R4
	MOVWU c2+40(FP), R5
	VDUP R5, V26.S4
	MOVWU c3+44(FP), R5
	VDUP R5, V27.S4
	VLD1 (R3), [V24.S4]
	VLD1 (R4), [V25.S4]
	MOVD $normals<>(SB), R9
	VLD1R.P 4(R9), [V29.S4]
	VLD1R.P 4(R9), [V30.S4]
	VLD1R.P 4(R9), [V28.S4]
	VLD1R.P 4(R9), [V16.S4]
	VLD1R.P 4(R9), [V17.S4]
	VLD1R.P 4(R9), [V18.S4]
	VLD1R.P 4(R9), [V19.S4]
	VLD1R.P 4(R9), [V31.S4]
block:
	VORR V24.B16, V24.B16, V0.B16
	VORR V25.B16, V25.B16, V1.B16
	VORR V26.B16, V26.B16, V2.B16
	VORR V27.B16, V27.B16, V3.B16
	MOVD R2, R6
	MOVD $10, R7
round:
	UMULL_D2(29, 0, 4)
	UMULL2_D2(29, 0, 5)
	UMULL_D2(30, 2, 6)
	UMULL2_D2(30, 2, 7)
	VLD1R.P 4(R6), [V8.S4]
	VLD1R.P 4(R6), [V9.S4]
	VEOR V1.B16, V8.B16, V8.B16
	VEOR V3.B16, V9.B16, V9.B16
	VUZP2 V7.S4, V6.S4, V0.S4      // high words
	VUZP2 V5.S4, V4.S4, V2.S4
	VUZP1 V7.S4, V6.S4, V1.S4      // low words
	VUZP1 V5.S4, V4.S4, V3.S4
	VEOR V8.B16, V0.B16, V0.B16
	VEOR V9.B16, V2.B16, V2.B16
	SUBS $1, R7
	BNE round
	VORR V1.B16, V1.B16, V11.B16
	VORR V2.B16, V2.B16, V12.B16
	VORR V3.B16, V3.B16, V13.B16
	BOX_MULLER
	FMUL_S4(4, 10, 20)
	FMUL_S4(0, 10, 21)
	VORR V12.B16, V12.B16, V0.B16
	VORR V13.B16, V13.B16, V11.B16
	BOX_MULLER
	FMUL_S4(4, 10, 22)
	FMUL_S4(0, 10, 23)
	VST4.P [V20.S4, V21.S4, V22.S4, V23.S4], 64(R1)
	VADD V28.S4, V24.S4, V24.S4
	SUBS $1, R0
	BNE block
	RET
