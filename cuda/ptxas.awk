# ptxas.awk: what `ptxas -v` says of each kernel, one line each: kernel, registers, spilled bytes,
# static shared memory. Anything else that it says is an error, and is printed.
/Compiling entry function/ { split($0, part, "'"); kernel = part[2]; next }
/bytes stack frame/ { spills = $5 + $9; next }
/Used [0-9]+ registers/ {
  registers = 0; shared = 0
  for (i = 1; i <= NF; i++) {
    if ($(i) == "registers,") registers = $(i - 1)
    if ($(i) == "smem," || $(i) == "smem") shared = $(i - 2)
  }
  printf "%-8s %-32s %3d registers %5d bytes spilled %6d bytes shared\n", arch, kernel, registers, spills, shared
  seen++
  next
}
/^ptxas info/ || /^ *Function properties/ { next }
{ print; bad = 1 }
END { exit bad || !seen }
