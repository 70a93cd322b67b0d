# kernelsdoc.awk: the table of make kernels-doc from the PTX (the threads of each kernel) and then the lines of ptxas.awk for
# sm_80 and sm_90.
/\.entry / { split($0, part, /[ (]+/); for (i in part) if (part[i] == ".entry") kernel = part[i + 1] }
/^\.maxntid / { threads[kernel] = $2 + 0 }
/registers .* bytes spilled/ { registers[$2, $1] = $3; stack[$2, $1] = $5; spilled[$2, $1] = $9; shared[$2] = $12; seen[$2] = 1 }
END {
  print "| kernel | threads | registers, sm_80 | sm_90 | stack frame, sm_80 | sm_90 | bytes spilled, sm_80 | sm_90 | bytes of static shared memory |"
  print "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
  for (k in seen)
    printf "| `%s` | %d | %d | %d | %d | %d | %d | %d | %d |\n", k, threads[k], registers[k, "sm_80"], registers[k, "sm_90"], stack[k, "sm_80"], stack[k, "sm_90"], spilled[k, "sm_80"], spilled[k, "sm_90"], shared[k] | "LC_ALL=C sort"
}
