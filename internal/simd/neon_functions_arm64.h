// Mathematical functions of the lanes of V0, the same operations in the same order as on amd64
// (gen/exp.go, gen/log.go, gen/trig.go). Constants come one by one from a table at R9, each the
// accumulator of its multiplication.

// LOG_HEAD splits x = V0 into 2ᵉ(1+f): f in V0 and e in V3. LOG_TAIL makes ln(1+f) + e ln 2 of
// them, in V0.
#define LOG_HEAD \
	VLD1R.P 4(R9), [V2.S4]; \
	VSUB V2.S4, V0.S4, V1.S4; \
	SSHR_S4(23, 1, 1); \
	SCVTF_S4(1, 3); \
	VSHL $23, V1.S4, V1.S4; \
	VSUB V1.S4, V0.S4, V0.S4; \
	VLD1R.P 4(R9), [V2.S4]; \
	FSUB_S4(2, 0, 0)

#define LOG_TAIL \
	VLD1R.P 4(R9), [V4.S4]; \
	VLD1R.P 4(R9), [V5.S4]; \
	VFMLA V4.S4, V0.S4, V5.S4; \
	VLD1R.P 4(R9), [V4.S4]; \
	VFMLA V5.S4, V0.S4, V4.S4; \
	VLD1R.P 4(R9), [V5.S4]; \
	VFMLA V4.S4, V0.S4, V5.S4; \
	VLD1R.P 4(R9), [V4.S4]; \
	VFMLA V5.S4, V0.S4, V4.S4; \
	VLD1R.P 4(R9), [V5.S4]; \
	VFMLA V4.S4, V0.S4, V5.S4; \
	VLD1R.P 4(R9), [V4.S4]; \
	VFMLA V5.S4, V0.S4, V4.S4; \
	VLD1R.P 4(R9), [V5.S4]; \
	VFMLA V4.S4, V0.S4, V5.S4; \
	VLD1R.P 4(R9), [V4.S4]; \
	VFMLA V5.S4, V0.S4, V4.S4; \
	FMUL_S4(0, 0, 5); \
	VFMLA V4.S4, V5.S4, V0.S4; \
	VLD1R.P 4(R9), [V4.S4]; \
	VFMLA V3.S4, V4.S4, V0.S4

// HALF_TURNS is the sine of r = V0 in V0 and the cosine in V4, both with the sign in V1.
#define HALF_TURNS \
	FMUL_S4(0, 0, 2); \
	VLD1R.P 4(R9), [V3.S4]; \
	VLD1R.P 4(R9), [V4.S4]; \
	VFMLA V3.S4, V2.S4, V4.S4; \
	VLD1R.P 4(R9), [V3.S4]; \
	VFMLA V4.S4, V2.S4, V3.S4; \
	VLD1R.P 4(R9), [V4.S4]; \
	VFMLA V3.S4, V2.S4, V4.S4; \
	FMUL_S4(0, 2, 3); \
	VFMLA V4.S4, V3.S4, V0.S4; \
	VLD1R.P 4(R9), [V4.S4]; \
	VLD1R.P 4(R9), [V3.S4]; \
	VFMLA V4.S4, V2.S4, V3.S4; \
	VLD1R.P 4(R9), [V4.S4]; \
	VFMLA V3.S4, V2.S4, V4.S4; \
	VLD1R.P 4(R9), [V3.S4]; \
	VFMLA V4.S4, V2.S4, V3.S4; \
	VLD1R.P 4(R9), [V4.S4]; \
	VFMLA V3.S4, V2.S4, V4.S4; \
	VEOR V1.B16, V0.B16, V0.B16; \
	VEOR V1.B16, V4.B16, V4.B16

// What the logarithm takes, in order.
DATA log32<>+0x00(SB)/4, $0x3f3504f3 // √½
DATA log32<>+0x04(SB)/4, $0x3f800000 // 1
DATA log32<>+0x08(SB)/4, $0xbd9c555e // p7
DATA log32<>+0x0c(SB)/4, $0x3e02a9a6 // p6
DATA log32<>+0x10(SB)/4, $0xbe06c1b3 // p5
DATA log32<>+0x14(SB)/4, $0x3e116d88 // p4
DATA log32<>+0x18(SB)/4, $0xbe2a3945 // p3
DATA log32<>+0x1c(SB)/4, $0x3e4cd000 // p2
DATA log32<>+0x20(SB)/4, $0xbe800113 // p1
DATA log32<>+0x24(SB)/4, $0x3eaaaaaa // p0
DATA log32<>+0x28(SB)/4, $0xbf000000 // −½
DATA log32<>+0x2c(SB)/4, $0x3f317218 // ln 2
GLOBL log32<>(SB), RODATA|NOPTR, $48

// The polynomials of sine and cosine.
DATA halfTurns<>+0x00(SB)/4, $0x362e67b0 // s3
DATA halfTurns<>+0x04(SB)/4, $0xb94fae68 // s2
DATA halfTurns<>+0x08(SB)/4, $0x3c08872c // s1
DATA halfTurns<>+0x0c(SB)/4, $0xbe2aaaa4 // s0
DATA halfTurns<>+0x10(SB)/4, $0x37c28612 // c4
DATA halfTurns<>+0x14(SB)/4, $0xbab59c0b // c3
DATA halfTurns<>+0x18(SB)/4, $0x3d2aa7d5 // c2
DATA halfTurns<>+0x1c(SB)/4, $0xbeffffe9 // c1
DATA halfTurns<>+0x20(SB)/4, $0x3f800000 // c0
GLOBL halfTurns<>(SB), RODATA|NOPTR, $36
