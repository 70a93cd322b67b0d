// Instructions that the Go assembler does not know. Each macro is named after the instruction and
// the shape of its registers, which are given by number. Operands stand in Go's order, the
// destination last.

#define FADD_S4(m, n, d) WORD $(0x4E20D400 | (m)<<16 | (n)<<5 | (d)) // fadd vd.4s, vn.4s, vm.4s
#define FSUB_S4(m, n, d) WORD $(0x4EA0D400 | (m)<<16 | (n)<<5 | (d)) // fsub vd.4s, vn.4s, vm.4s
#define FMUL_S4(m, n, d) WORD $(0x6E20DC00 | (m)<<16 | (n)<<5 | (d)) // fmul vd.4s, vn.4s, vm.4s
#define FDIV_S4(m, n, d) WORD $(0x6E20FC00 | (m)<<16 | (n)<<5 | (d)) // fdiv vd.4s, vn.4s, vm.4s
#define FMIN_S4(m, n, d) WORD $(0x4EA0F400 | (m)<<16 | (n)<<5 | (d)) // fmin vd.4s, vn.4s, vm.4s
#define FCMGE_S4(m, n, d) WORD $(0x6E20E400 | (m)<<16 | (n)<<5 | (d)) // fcmge vd.4s, vn.4s, vm.4s
#define FCMGT_S4(m, n, d) WORD $(0x6EA0E400 | (m)<<16 | (n)<<5 | (d)) // fcmgt vd.4s, vn.4s, vm.4s
#define FABS_S4(n, d) WORD $(0x4EA0F800 | (n)<<5 | (d)) // fabs vd.4s, vn.4s
#define FSQRT_S4(n, d) WORD $(0x6EA1F800 | (n)<<5 | (d)) // fsqrt vd.4s, vn.4s
#define SCVTF_S4(n, d) WORD $(0x4E21D800 | (n)<<5 | (d)) // scvtf vd.4s, vn.4s
// sshr vd.4s, vn.4s, #bits
#define SSHR_S4(bits, n, d) WORD $(0x4F000400 | (64-(bits))<<16 | (n)<<5 | (d))

#define FADD_D2(m, n, d) WORD $(0x4E60D400 | (m)<<16 | (n)<<5 | (d)) // fadd vd.2d, vn.2d, vm.2d
#define FSUB_D2(m, n, d) WORD $(0x4EE0D400 | (m)<<16 | (n)<<5 | (d)) // fsub vd.2d, vn.2d, vm.2d
#define FMUL_D2(m, n, d) WORD $(0x6E60DC00 | (m)<<16 | (n)<<5 | (d)) // fmul vd.2d, vn.2d, vm.2d
#define FDIV_D2(m, n, d) WORD $(0x6E60FC00 | (m)<<16 | (n)<<5 | (d)) // fdiv vd.2d, vn.2d, vm.2d
#define FMIN_D2(m, n, d) WORD $(0x4EE0F400 | (m)<<16 | (n)<<5 | (d)) // fmin vd.2d, vn.2d, vm.2d
#define FCMGT_D2(m, n, d) WORD $(0x6EE0E400 | (m)<<16 | (n)<<5 | (d)) // fcmgt vd.2d, vn.2d, vm.2d
#define FSQRT_D2(n, d) WORD $(0x6EE1F800 | (n)<<5 | (d)) // fsqrt vd.2d, vn.2d
// sshr vd.2d, vn.2d, #bits
#define SSHR_D2(bits, n, d) WORD $(0x4F000400 | (128-(bits))<<16 | (n)<<5 | (d))

// by one element i of vm
// fmla vd.4s, vn.4s, vm.s[i]
#define FMLA_S4_S(i, m, n, d) WORD $(0x4F801000 | ((i)&1)<<21 | ((i)>>1)<<11 | (m)<<16 | (n)<<5 | (d))
// fmla vd.2d, vn.2d, vm.d[i]
#define FMLA_D2_D(i, m, n, d) WORD $(0x4FC01000 | (i)<<11 | (m)<<16 | (n)<<5 | (d))

#define UMULL_D2(m, n, d) WORD $(0x2EA0C000 | (m)<<16 | (n)<<5 | (d)) // umull vd.2d, vn.2s, vm.2s
#define UMULL2_D2(m, n, d) WORD $(0x6EA0C000 | (m)<<16 | (n)<<5 | (d)) // umull2 vd.2d, vn.4s, vm.4s
