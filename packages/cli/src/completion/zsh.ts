import type { Command, Option } from '../options/command.ts'
import { firstWords, quoted, twoWords, wordsOf } from './words.ts'

/** The program for zsh: commands and options with what they are for, and files where files are meant. */
export function zshCompletion(commands: readonly Command[]): string {
  const words = wordsOf(commands)
  const cases = words.map(({ name, next, options }) => {
    const lines = Object.entries(options).map(([option, of]) => quoted(optionSpec(option, of)))
    const first = next.length > 0 ? [quoted(`1: :(${next.join(' ')})`)] : []
    const specs = [...first, quoted('*:file:_files'), ...lines].join(' \\\n        ')
    return `    ${quoted(name)})\n      _arguments ${specs} ;;`
  })
  const firsts = firstWords(words).map(({ name, summary }) =>
    quoted(`${name}:${summary.replaceAll(':', '\\:')}`),
  )
  return `#compdef kith
# Completion of kith for zsh. In ~/.zshrc, behind compinit: eval "$(kith completion zsh)"
_kith() {
  local -a commands
  if (( CURRENT == 2 )); then
    commands=(
      ${firsts.join('\n      ')}
    )
    _describe command commands
    return
  fi
  local command=$words[2]
  case "$words[2] $words[3]" in
    ${twoWords(words).map(quoted).join(' | ')})
      if (( CURRENT > 3 )); then command="$words[2] $words[3]"; shift words; (( CURRENT-- )); fi ;;
  esac
  shift words
  (( CURRENT-- ))
  case $command in
${cases.join('\n')}
  esac
}
compdef _kith kith
`
}

/** An option as `_arguments` takes it. */
function optionSpec(name: string, { value, help, multiple, file }: Option): string {
  const told = `[${help.replace(/[[\]\\]/g, '\\$&')}]`
  const start = `${multiple ? '*' : ''}--${name}`
  if (value === undefined) return `${start}${told}`
  return `${start}=${told}:${value.replaceAll(':', '\\:')}:${file ? '_files' : ''}`
}
