import type { Command } from '../options/command.ts'
import { firstWords, quoted, twoWords, wordsOf } from './words.ts'

/** The program for bash, version 3.2 and later: commands, their second words, their options; else files. */
export function bashCompletion(commands: readonly Command[]): string {
  const words = wordsOf(commands)
  const cases = words.map(({ name, next, options }) => {
    const names = Object.keys(options).map((option) => `--${option}`)
    return `    ${quoted(name)}) options=${quoted(names.join(' '))} next=${quoted(next.join(' '))} ;;`
  })
  const firsts = firstWords(words).map(({ name }) => name)
  return `# Completion of kith for bash. In ~/.bashrc: eval "$(kith completion bash)"
_kith() {
  local word=\${COMP_WORDS[COMP_CWORD]} command=\${COMP_WORDS[1]} place=$COMP_CWORD options='' next=''
  case "$command \${COMP_WORDS[2]}" in
    ${twoWords(words).map(quoted).join(' | ')})
      if [ "$place" -gt 2 ]; then command="$command \${COMP_WORDS[2]}" place=$((place - 1)); fi ;;
  esac
  case $command in
${cases.join('\n')}
  esac
  if [ "$place" -eq 1 ]; then next=${quoted(firsts.join(' '))}
  elif [ "$place" -gt 2 ]; then next=''
  fi
  case $word in -*) next=$options ;; esac
  COMPREPLY=($(compgen -W "$next" -- "$word"))
}
complete -o default -F _kith kith
`
}
