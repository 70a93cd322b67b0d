#include "textflag.h"

// func packRowsNEON(k int, src *byte, stride int, dst *byte)
TEXT ·packRowsNEON(SB), NOSPLIT, $0-32
	MOVD k+0(FP), R0
	MOVD src+8(FP), R1
	MOVD stride+16(FP), R2
	MOVD dst+24(FP), R3
row:
	VLD1 (R1), [V0.B16, V1.B16]
	VST1.P [V0.B16, V1.B16], 32(R3)
	ADD R2, R1
	SUBS $1, R0
	BNE row
	RET

// func transposeBand32NEON(cols int, r0, r1, r2, r3, dst *float32, ldd int)
TEXT ·transposeBand32NEON(SB), NOSPLIT, $0-56
	MOVD cols+0(FP), R0
	MOVD r0+8(FP), R1
	MOVD r1+16(FP), R2
	MOVD r2+24(FP), R3
	MOVD r3+32(FP), R4
	MOVD dst+40(FP), R5
	MOVD ldd+48(FP), R6
	SUB $4, R0
	MOVD $0, R7
square:
	ADD R7<<2, R1, R8
	VLD1 (R8), [V0.S4]
	ADD R7<<2, R2, R8
	VLD1 (R8), [V1.S4]
	ADD R7<<2, R3, R8
	VLD1 (R8), [V2.S4]
	ADD R7<<2, R4, R8
	VLD1 (R8), [V3.S4]
	VTRN1 V1.S4, V0.S4, V4.S4
	VTRN2 V1.S4, V0.S4, V5.S4
	VTRN1 V3.S4, V2.S4, V6.S4
	VTRN2 V3.S4, V2.S4, V7.S4
	VTRN1 V6.D2, V4.D2, V0.D2
	VTRN1 V7.D2, V5.D2, V1.D2
	VTRN2 V6.D2, V4.D2, V2.D2
	VTRN2 V7.D2, V5.D2, V3.D2
	MADD R7, R5, R6, R9            // dst + column·ldd
	VST1 [V0.S4], (R9)
	ADD R6, R9
	VST1 [V1.S4], (R9)
	ADD R6, R9
	VST1 [V2.S4], (R9)
	ADD R6, R9
	VST1 [V3.S4], (R9)
	CMP R0, R7                     // the next square, or the one that ends with the row
	BGE done
	ADD $4, R7
	CMP R0, R7
	CSEL GT, R0, R7, R7
	B square
done:
	RET

// func transposeBand64NEON(cols int, r0, r1, dst *float64, ldd int)
TEXT ·transposeBand64NEON(SB), NOSPLIT, $0-40
	MOVD cols+0(FP), R0
	MOVD r0+8(FP), R1
	MOVD r1+16(FP), R2
	MOVD dst+24(FP), R5
	MOVD ldd+32(FP), R6
	SUB $2, R0
	MOVD $0, R7
square:
	ADD R7<<3, R1, R8
	VLD1 (R8), [V0.D2]
	ADD R7<<3, R2, R8
	VLD1 (R8), [V1.D2]
	VTRN1 V1.D2, V0.D2, V2.D2
	VTRN2 V1.D2, V0.D2, V3.D2
	MADD R7, R5, R6, R9            // dst + column·ldd
	VST1 [V2.D2], (R9)
	ADD R6, R9
	VST1 [V3.D2], (R9)
	CMP R0, R7                     // the next square, or the one that ends with the row
	BGE done
	ADD $2, R7
	CMP R0, R7
	CSEL GT, R0, R7, R7
	B square
done:
	RET
