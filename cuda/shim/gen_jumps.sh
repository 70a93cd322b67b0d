#!/bin/sh
# gen_jumps.sh < names > jumps.S
# One jump through a table for each driver entry point, so that no signature is needed. The three
# entry points that must answer without a driver are in shim.c.
count=0
names=
echo '	.section .note.GNU-stack,"",@progbits'
echo '	.text'
while read -r name; do
  case $name in ''|cuInit|cuDeviceGetCount|cuDriverGetVersion) continue;; esac
  at=$((8 * count))
  printf '\t.globl %s\n\t.hidden %s\n\t.type %s,@function\n%s:\n' "$name" "$name" "$name" "$name"
  printf '#if defined(__x86_64__)\n\tjmp *shim_slot+%d(%%rip)\n' $at
  printf '#elif defined(__aarch64__)\n\tadrp x16, shim_slot+%d\n\tldr x16, [x16, :lo12:shim_slot+%d]\n' $at $at
  printf '\tbr x16\n#else\n#error "no jump for this processor"\n#endif\n'
  names="$names $name"
  count=$((count + 1))
done
printf '\t.data\n\t.globl shim_count\n\t.hidden shim_count\n\t.balign 8\nshim_count: .quad %d\n' $count
printf '\t.globl shim_slot\n\t.hidden shim_slot\nshim_slot:\n'
i=0
while [ $i -lt $count ]; do
  echo '	.quad shim_no_driver'
  i=$((i + 1))
done
printf '\t.section .rodata\n\t.globl shim_name\n\t.hidden shim_name\nshim_name:\n'
for name in $names; do printf '\t.asciz "%s"\n' "$name"; done
