#include "textflag.h"
#include "neon_arm64.h"

// The micro-kernel in single precision: a tile of 8, 4 or 1 rows and a panel of 8 columns, two registers. Its sums are
// in V0 … V15, two registers for each row, the same operations in the same order as those of amd64.
//
//	R0 rows   R1 cols left   R2 k   R3 k left   R4 a   R5 lda   R6 b   R7 c   R8 ldc   R9 first
//	R10 … R17 rows of A   R19 row of C   V16 … V23 rows of B   V24 … V31 elements of A, then α in V24

// STEP8 is one k, element i of the registers of A, for 8 rows.
#define STEP8(i, b0, b1) \
	FMLA_S4_S(i, 24, b0, 0); \
	FMLA_S4_S(i, 24, b1, 1); \
	FMLA_S4_S(i, 25, b0, 2); \
	FMLA_S4_S(i, 25, b1, 3); \
	FMLA_S4_S(i, 26, b0, 4); \
	FMLA_S4_S(i, 26, b1, 5); \
	FMLA_S4_S(i, 27, b0, 6); \
	FMLA_S4_S(i, 27, b1, 7); \
	FMLA_S4_S(i, 28, b0, 8); \
	FMLA_S4_S(i, 28, b1, 9); \
	FMLA_S4_S(i, 29, b0, 10); \
	FMLA_S4_S(i, 29, b1, 11); \
	FMLA_S4_S(i, 30, b0, 12); \
	FMLA_S4_S(i, 30, b1, 13); \
	FMLA_S4_S(i, 31, b0, 14); \
	FMLA_S4_S(i, 31, b1, 15)

// ONE8 is one k with each element of A in all lanes.
#define ONE8 \
	VLD1.P 32(R6), [V16.S4, V17.S4]; \
	VLD1R.P 4(R10), [V24.S4]; \
	VLD1R.P 4(R11), [V25.S4]; \
	VLD1R.P 4(R12), [V26.S4]; \
	VLD1R.P 4(R13), [V27.S4]; \
	VLD1R.P 4(R14), [V28.S4]; \
	VLD1R.P 4(R15), [V29.S4]; \
	VLD1R.P 4(R16), [V30.S4]; \
	VLD1R.P 4(R17), [V31.S4]; \
	VFMLA V24.S4, V16.S4, V0.S4; \
	VFMLA V24.S4, V17.S4, V1.S4; \
	VFMLA V25.S4, V16.S4, V2.S4; \
	VFMLA V25.S4, V17.S4, V3.S4; \
	VFMLA V26.S4, V16.S4, V4.S4; \
	VFMLA V26.S4, V17.S4, V5.S4; \
	VFMLA V27.S4, V16.S4, V6.S4; \
	VFMLA V27.S4, V17.S4, V7.S4; \
	VFMLA V28.S4, V16.S4, V8.S4; \
	VFMLA V28.S4, V17.S4, V9.S4; \
	VFMLA V29.S4, V16.S4, V10.S4; \
	VFMLA V29.S4, V17.S4, V11.S4; \
	VFMLA V30.S4, V16.S4, V12.S4; \
	VFMLA V30.S4, V17.S4, V13.S4; \
	VFMLA V31.S4, V16.S4, V14.S4; \
	VFMLA V31.S4, V17.S4, V15.S4

// STEP4 is one k, element i of the registers of A, for 4 rows.
#define STEP4(i, b0, b1) \
	FMLA_S4_S(i, 24, b0, 0); \
	FMLA_S4_S(i, 24, b1, 1); \
	FMLA_S4_S(i, 25, b0, 2); \
	FMLA_S4_S(i, 25, b1, 3); \
	FMLA_S4_S(i, 26, b0, 4); \
	FMLA_S4_S(i, 26, b1, 5); \
	FMLA_S4_S(i, 27, b0, 6); \
	FMLA_S4_S(i, 27, b1, 7)

// ONE4 is one k with each element of A in all lanes.
#define ONE4 \
	VLD1.P 32(R6), [V16.S4, V17.S4]; \
	VLD1R.P 4(R10), [V24.S4]; \
	VLD1R.P 4(R11), [V25.S4]; \
	VLD1R.P 4(R12), [V26.S4]; \
	VLD1R.P 4(R13), [V27.S4]; \
	VFMLA V24.S4, V16.S4, V0.S4; \
	VFMLA V24.S4, V17.S4, V1.S4; \
	VFMLA V25.S4, V16.S4, V2.S4; \
	VFMLA V25.S4, V17.S4, V3.S4; \
	VFMLA V26.S4, V16.S4, V4.S4; \
	VFMLA V26.S4, V17.S4, V5.S4; \
	VFMLA V27.S4, V16.S4, V6.S4; \
	VFMLA V27.S4, V17.S4, V7.S4

// STEP1 is one k, element i of the registers of A, for 1 row.
#define STEP1(i, b0, b1) \
	FMLA_S4_S(i, 24, b0, 0); \
	FMLA_S4_S(i, 24, b1, 1)

// ONE1 is one k with each element of A in all lanes.
#define ONE1 \
	VLD1.P 32(R6), [V16.S4, V17.S4]; \
	VLD1R.P 4(R10), [V24.S4]; \
	VFMLA V24.S4, V16.S4, V0.S4; \
	VFMLA V24.S4, V17.S4, V1.S4

#define ZERO(v) VEOR v.B16, v.B16, v.B16

// WRITE is a row of C = α·sum, ADDROW a row of C += α·sum.
#define WRITE(x, y) \
	FMUL_S4(24, x, 16); \
	FMUL_S4(24, y, 17); \
	VST1 [V16.S4, V17.S4], (R19); \
	ADD R8, R19

#define ADDROW(x, y) \
	VLD1 (R19), [V16.S4, V17.S4]; \
	VFMLA V24.S4, x.S4, V16.S4; \
	VFMLA V24.S4, y.S4, V17.S4; \
	VST1 [V16.S4, V17.S4], (R19); \
	ADD R8, R19

// func gemm32NEON(rows, cols, k int, alpha float32, a *float32, lda int, b, c *float32, ldc int, first int)
TEXT ·gemm32NEON(SB), 0, $256-80
	MOVD rows+0(FP), R0
	MOVD cols+8(FP), R1
	MOVD k+16(FP), R2
	MOVD a+32(FP), R4
	MOVD lda+40(FP), R5
	MOVD b+48(FP), R6
	MOVD c+56(FP), R7
	MOVD ldc+64(FP), R8
	MOVD first+72(FP), R9
	CMP $4, R0
	BEQ panel4
	BLT panel1

panel8:
	MOVD R4, R10
	ADD R5, R10, R11
	ADD R5, R11, R12
	ADD R5, R12, R13
	ADD R5, R13, R14
	ADD R5, R14, R15
	ADD R5, R15, R16
	ADD R5, R16, R17
	ZERO(V0)
	ZERO(V1)
	ZERO(V2)
	ZERO(V3)
	ZERO(V4)
	ZERO(V5)
	ZERO(V6)
	ZERO(V7)
	ZERO(V8)
	ZERO(V9)
	ZERO(V10)
	ZERO(V11)
	ZERO(V12)
	ZERO(V13)
	ZERO(V14)
	ZERO(V15)
	SUBS $4, R2, R3
	BLT rest8
loop8:
	VLD1.P 16(R10), [V24.S4]
	VLD1.P 16(R11), [V25.S4]
	VLD1.P 16(R12), [V26.S4]
	VLD1.P 16(R13), [V27.S4]
	VLD1.P 16(R14), [V28.S4]
	VLD1.P 16(R15), [V29.S4]
	VLD1.P 16(R16), [V30.S4]
	VLD1.P 16(R17), [V31.S4]
	VLD1.P 64(R6), [V16.S4, V17.S4, V18.S4, V19.S4]
	VLD1.P 64(R6), [V20.S4, V21.S4, V22.S4, V23.S4]
	STEP8(0, 16, 17)
	STEP8(1, 18, 19)
	STEP8(2, 20, 21)
	STEP8(3, 22, 23)
	SUBS $4, R3
	BGE loop8
rest8:
	ADDS $4, R3
	BEQ store8
one8:
	ONE8
	SUBS $1, R3
	BNE one8
store8:
	FMOVS alpha+24(FP), F24
	VDUP V24.S[0], V24.S4
	MOVD R7, R19
	CMP $8, R1
	BLT edge8
	CBZ R9, add8
	WRITE(0, 1)
	WRITE(2, 3)
	WRITE(4, 5)
	WRITE(6, 7)
	WRITE(8, 9)
	WRITE(10, 11)
	WRITE(12, 13)
	WRITE(14, 15)
	B next8
add8:
	ADDROW(V0, V1)
	ADDROW(V2, V3)
	ADDROW(V4, V5)
	ADDROW(V6, V7)
	ADDROW(V8, V9)
	ADDROW(V10, V11)
	ADDROW(V12, V13)
	ADDROW(V14, V15)
next8:
	ADD $32, R7
	SUBS $8, R1
	BGT panel8
	RET
edge8:
	MOVD $sums-256(SP), R21
	VST1.P [V0.S4, V1.S4, V2.S4, V3.S4], 64(R21)
	VST1.P [V4.S4, V5.S4, V6.S4, V7.S4], 64(R21)
	VST1.P [V8.S4, V9.S4, V10.S4, V11.S4], 64(R21)
	VST1.P [V12.S4, V13.S4, V14.S4, V15.S4], 64(R21)
	B edge

panel4:
	MOVD R4, R10
	ADD R5, R10, R11
	ADD R5, R11, R12
	ADD R5, R12, R13
	ZERO(V0)
	ZERO(V1)
	ZERO(V2)
	ZERO(V3)
	ZERO(V4)
	ZERO(V5)
	ZERO(V6)
	ZERO(V7)
	SUBS $4, R2, R3
	BLT rest4
loop4:
	VLD1.P 16(R10), [V24.S4]
	VLD1.P 16(R11), [V25.S4]
	VLD1.P 16(R12), [V26.S4]
	VLD1.P 16(R13), [V27.S4]
	VLD1.P 64(R6), [V16.S4, V17.S4, V18.S4, V19.S4]
	VLD1.P 64(R6), [V20.S4, V21.S4, V22.S4, V23.S4]
	STEP4(0, 16, 17)
	STEP4(1, 18, 19)
	STEP4(2, 20, 21)
	STEP4(3, 22, 23)
	SUBS $4, R3
	BGE loop4
rest4:
	ADDS $4, R3
	BEQ store4
one4:
	ONE4
	SUBS $1, R3
	BNE one4
store4:
	FMOVS alpha+24(FP), F24
	VDUP V24.S[0], V24.S4
	MOVD R7, R19
	CMP $8, R1
	BLT edge4
	CBZ R9, add4
	WRITE(0, 1)
	WRITE(2, 3)
	WRITE(4, 5)
	WRITE(6, 7)
	B next4
add4:
	ADDROW(V0, V1)
	ADDROW(V2, V3)
	ADDROW(V4, V5)
	ADDROW(V6, V7)
next4:
	ADD $32, R7
	SUBS $8, R1
	BGT panel4
	RET
edge4:
	MOVD $sums-256(SP), R21
	VST1.P [V0.S4, V1.S4, V2.S4, V3.S4], 64(R21)
	VST1.P [V4.S4, V5.S4, V6.S4, V7.S4], 64(R21)
	B edge

panel1:
	MOVD R4, R10
	ZERO(V0)
	ZERO(V1)
	SUBS $4, R2, R3
	BLT rest1
loop1:
	VLD1.P 16(R10), [V24.S4]
	VLD1.P 64(R6), [V16.S4, V17.S4, V18.S4, V19.S4]
	VLD1.P 64(R6), [V20.S4, V21.S4, V22.S4, V23.S4]
	STEP1(0, 16, 17)
	STEP1(1, 18, 19)
	STEP1(2, 20, 21)
	STEP1(3, 22, 23)
	SUBS $4, R3
	BGE loop1
rest1:
	ADDS $4, R3
	BEQ store1
one1:
	ONE1
	SUBS $1, R3
	BNE one1
store1:
	FMOVS alpha+24(FP), F24
	VDUP V24.S[0], V24.S4
	MOVD R7, R19
	CMP $8, R1
	BLT edge1
	CBZ R9, add1
	WRITE(0, 1)
	B next1
add1:
	ADDROW(V0, V1)
next1:
	ADD $32, R7
	SUBS $8, R1
	BGT panel1
	RET
edge1:
	MOVD $sums-256(SP), R21
	VST1 [V0.S4, V1.S4], (R21)

// fewer columns than a panel has: element by element
edge:
	MOVD $sums-256(SP), R21
edgeRow:
	MOVD R21, R22
	MOVD R19, R23
	MOVD R1, R24
edgeElement:
	FMOVS.P 4(R22), F16
	CBZ R9, edgeAdd
	FMULS F24, F16, F17
	B edgeStore
edgeAdd:
	FMOVS (R23), F17
	FMADDS F24, F17, F16, F17
edgeStore:
	FMOVS.P F17, 4(R23)
	SUBS $1, R24
	BNE edgeElement
	ADD $32, R21
	ADD R8, R19
	SUBS $1, R0
	BNE edgeRow
	RET
