import { type Command, common, type Option, type Options } from '../options/command.ts'

/**
 * Builds the script for bash 3.2 and later. It completes commands, their second words, their
 * options, and file names otherwise.
 */
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

/**
 * Builds the script for zsh. It completes commands and options with their descriptions, and file
 * names if a file is expected.
 */
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

/** Formats an option as zsh's `_arguments` expects it. */
function optionSpec(name: string, { value, help, multiple, file }: Option): string {
  const told = `[${help.replace(/[[\]\\]/g, '\\$&')}]`
  const start = `${multiple ? '*' : ''}--${name}`
  if (value === undefined) return `${start}${told}`
  return `${start}=${told}:${value.replaceAll(':', '\\:')}:${file ? '_files' : ''}`
}

/**
 * Builds the script for fish. It completes commands and options with their descriptions, and file
 * names if a file is expected.
 */
export function fishCompletion(commands: readonly Command[]): string {
  const words = wordsOf(commands)
  const lines = firstWords(words).map(({ name, summary }) => fishWord('', name, summary))
  for (const { name, next, options } of words) {
    for (const one of next) lines.push(fishWord(name, one, summaryOf(commands, `${name} ${one}`)))
    for (const [option, { value, help, file }] of Object.entries(options)) {
      const takes = value === undefined ? '' : file ? ' -r -F' : ' -x'
      lines.push(`${condition(name)} -l ${option}${takes} -d ${quotedForFish(help)}`)
    }
  }
  return `# Completion of kith for fish: kith completion fish > ~/.config/fish/completions/kith.fish
function __kith_command
    set -l words (commandline -opc)
    set -e words[1]
    set -l two "$words[1] $words[2]"
    if contains -- $two ${twoWords(words).map(quotedForFish).join(' ')}
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

function fishWord(command: string, next: string, summary: string): string {
  return `${condition(command)} -a ${quotedForFish(next)} -d ${quotedForFish(summary)}`
}

function condition(command: string): string {
  return `complete -c kith -n ${quotedForFish(`__kith_is ${command}`.trim())}`
}

function summaryOf(commands: readonly Command[], name: string): string {
  return commands.find((command) => command.name === name)?.summary ?? ''
}

/** Puts a text in single quotes, for fish. */
function quotedForFish(text: string): string {
  return `'${text.replace(/['\\]/g, '\\$&')}'`
}

/** The words that may follow the name of a command. */
interface Words {
  /** The command's name, of one or two words. */
  name: string
  summary: string
  /**
   * Words that may directly follow the name: second words of commands, or the choices of an
   * argument.
   */
  next: string[]
  options: Options
}

/** Returns the words of every command, and of first words that are not a command by themselves. */
function wordsOf(commands: readonly Command[]): Words[] {
  const behind = (first: string): Command[] =>
    commands.filter(({ name }) => name.startsWith(`${first} `))
  const nextOf = (first: string): string[] =>
    behind(first).map(({ name }) => name.slice(first.length + 1))
  const whole = commands.map(({ name, summary, options, rest }): Words => {
    const choices = rest?.value.includes('|') ? rest.value.split('|') : []
    return {
      ...{ name, summary, next: [...nextOf(name), ...choices] },
      options: { ...options, ...common },
    }
  })
  const names = new Set(whole.map(({ name }) => name))
  const firsts = new Set([...names].map((name) => name.split(' ')[0]!))
  const parts = [...firsts]
    .filter((name) => !names.has(name))
    .map(
      (name): Words => ({
        name,
        summary: nextOf(name).join(', '),
        next: nextOf(name),
        options: {},
      }),
    )
  return [...whole, ...parts]
}

/** Returns the names of two words. */
function twoWords(words: readonly Words[]): string[] {
  return words.map(({ name }) => name).filter((name) => name.includes(' '))
}

/** Returns the entries with a name of one word, which may follow `kith` directly. */
function firstWords(words: readonly Words[]): Words[] {
  return words.filter(({ name }) => !name.includes(' '))
}

/** Puts a text in single quotes, for bash and zsh. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`
}
