#compdef gpdrf-gpu
# Completion of gpdrf-gpu for zsh. To load it: source <(gpdrf-gpu completion zsh)
_gpdrf_gpu() {
  local -a given found
  given=("${(@)words[1,CURRENT-1]}")
  if [[ $words[CURRENT] == -* ]]; then given+=("$words[CURRENT]"); fi
  found=("${(@f)$("${(@)given}" --generate-bash-completion 2>/dev/null)}")
  if [[ -n "$found[1]" ]]; then compadd -- "${(@)found}"; else _files; fi
}
compdef _gpdrf_gpu gpdrf-gpu
