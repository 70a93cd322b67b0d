// trsm.cuh: triangular solves have no kernel of their own. They are products (gemm.cuh) with the
// inverse of L (triangle.cuh), for l [K,M,M], a and b [K,M,B]:
//
//	a = L⁻¹ b,   db = L⁻ᵀ da,   dl −= tril(db aᵀ)
//
// M²·B FLOP a matrix each, in full tiles. Twin of device/cpu/trsm.go, which has inverses of 32×32
// blocks only: fewer operations, but steps that wait for each other.
#pragma once
