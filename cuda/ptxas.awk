# ptxas.awk: what `ptxas -v` says of each kernel, one line each: kernel, registers, bytes of its
# stack frame and of spills, static shared memory. What lies in a stack frame or is spilled lies in
# memory: that is an error, but in the kernels of tests. So is anything else that ptxas says.
/Compiling entry function/ { split($0, part, "'"); kernel = part[2]; next }
/bytes stack frame/ { stack = $1; spills = $5 + $9; next }
/Used [0-9]+ registers/ {
  registers = 0; shared = 0
  for (i = 1; i <= NF; i++) {
    if ($(i) == "registers,") registers = $(i - 1)
    if ($(i) == "smem," || $(i) == "smem") shared = $(i - 2)
  }
  printf "%-8s %-32s %3d registers %4d bytes of stack %5d bytes spilled %6d bytes shared\n", arch, kernel, registers, stack, spills, shared
  if (stack + spills && kernel !~ /^probe_/) {
    printf "%s: %s has registers in memory: %d bytes of stack, %d spilled\n", arch, kernel, stack, spills > "/dev/stderr"
    bad = 1
  }
  seen++
  next
}
/^ptxas info/ || /^ *Function properties/ { next }
{ print; bad = 1 }
END { exit bad || !seen }
