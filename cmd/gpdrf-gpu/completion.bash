# Completion of gpdrf-gpu for bash. To load it: source <(gpdrf-gpu completion bash)
_gpdrf_gpu() {
  local cur="${COMP_WORDS[COMP_CWORD]}" words=("${COMP_WORDS[@]:1:COMP_CWORD-1}")
  if [[ $cur == -* ]]; then words+=("$cur"); fi
  COMPREPLY=($(compgen -W "$("${COMP_WORDS[0]}" "${words[@]}" --generate-bash-completion 2>/dev/null)" -- "$cur"))
  if [[ ${COMPREPLY[0]:-} == *= ]]; then compopt -o nospace; fi # a key of --set, before its value
}
complete -o bashdefault -o default -F _gpdrf_gpu gpdrf-gpu
