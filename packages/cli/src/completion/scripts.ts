import { COMPLETE_WORD, type Shell } from './complete-word.ts'

/** Each script asks the command for candidates, so that it need not be installed again after an update. */
export const COMPLETION_SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `# Completion of countersign for bash: eval "$(countersign completion bash)"
_countersign() {
  local line current="\${COMP_WORDS[COMP_CWORD]}"
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      compopt -o filenames 2>/dev/null
      [[ $current == [=:] ]] && current=
      while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$current")
    else
      printf -v line %q "$line"
      COMPREPLY+=("$line")
    fi
  done < <("$1" ${COMPLETE_WORD} bash "\${COMP_WORDS[@]:1:COMP_CWORD}" </dev/null 2>/dev/null)
}
complete -F _countersign countersign`,

  zsh: `#compdef countersign
# Completion of countersign for zsh: eval "$(countersign completion zsh)", after compinit
_countersign() {
  local -a lines
  lines=("\${(@f)$("\${words[1]}" ${COMPLETE_WORD} zsh "\${(@)words[2,CURRENT]}" </dev/null 2>/dev/null)}")
  if [[ "\${lines[-1]}" == ":files" ]]; then
    _files
    return
  fi
  lines=(\${lines:#})
  (( \${#lines} )) && _describe -V 'countersign' lines
}
compdef _countersign countersign`,

  fish: `# Completion of countersign for fish: countersign completion fish | source
function __countersign_complete
  set -l words (commandline -opc)
  set -l current (commandline -ct)
  for line in (countersign ${COMPLETE_WORD} fish $words[2..-1] "$current" </dev/null 2>/dev/null)
    if test "$line" = ":files"
      __fish_complete_path "$current"
    else
      string replace -r '  ' \\t -- $line
    end
  end
end
complete -c countersign -f -a '(__countersign_complete)'`,
}
