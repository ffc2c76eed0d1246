import type { Command } from '../options/command.ts'
import { firstWords, twoWords, wordsOf } from './words.ts'

/** The program for fish: commands and options with what they are for, and files where files are meant. */
export function fishCompletion(commands: readonly Command[]): string {
  const words = wordsOf(commands)
  const lines = firstWords(words).map(({ name, summary }) => word('', name, summary))
  for (const { name, next, options } of words) {
    for (const one of next) lines.push(word(name, one, summaryOf(commands, `${name} ${one}`)))
    for (const [option, { value, help, file }] of Object.entries(options)) {
      const takes = value === undefined ? '' : file ? ' -r -F' : ' -x'
      lines.push(`${condition(name)} -l ${option}${takes} -d ${quoted(help)}`)
    }
  }
  return `# Completion of kith for fish: kith completion fish > ~/.config/fish/completions/kith.fish
function __kith_command
    set -l words (commandline -opc)
    set -e words[1]
    set -l two "$words[1] $words[2]"
    if contains -- $two ${twoWords(words).map(quoted).join(' ')}
        echo $two
    else
        echo $words[1]
    end
end
function __kith_is
    set -l command (__kith_command)
    test "$command" = "$argv"
end
${condition('')} -f
${lines.join('\n')}
`
}

function word(command: string, next: string, summary: string): string {
  return `${condition(command)} -a ${quoted(next)} -d ${quoted(summary)}`
}

function condition(command: string): string {
  return `complete -c kith -n ${quoted(`__kith_is ${command}`.trim())}`
}

function summaryOf(commands: readonly Command[], name: string): string {
  return commands.find((command) => command.name === name)?.summary ?? ''
}

/** A text in single quotes. */
function quoted(text: string): string {
  return `'${text.replace(/['\\]/g, '\\$&')}'`
}
