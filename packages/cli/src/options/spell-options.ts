import { shownPath } from '@kith/pipelines/files'
import type { Options, Values } from './command.ts'

/** Matches `missing: 'skip'`: a setting with its value, as a program writes it. */
const withValue = /\b([a-z][A-Za-z0-9]*): '([\w.-]+)'/g

/** Matches `setting trust`: a name after the word "setting". */
const called = /\bsetting ([a-z][A-Za-z0-9]*)\b/g

/**
 * Matches `maxTokens`: the name of a setting alone. A name without an inner capital could be any
 * word, and a path or a quoted id is not a setting.
 */
const alone = /(?<![\w./'"-])[a-z]+(?:[A-Z][a-z0-9]*)+(?![\w./'"-])/g

/**
 * Spells the settings that a message names as a command's options: `missing: 'skip'` becomes
 * `--missing skip`, `maxTokens` becomes `--max-tokens`, and `tokenizer: 'none'` becomes
 * `--set tokenizer=none`. Settings without an option stay.
 */
export function spellOptions(message: string, options: Options): string {
  const optionOf = (setting: string): string | undefined => {
    const name = setting.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    return Object.hasOwn(options, name) ? name : undefined
  }
  const spelled = (written: string, setting: string, value = ''): string => {
    const option = optionOf(setting)
    if (option !== undefined) return `--${option}${value && ` ${value}`}`
    const settable = options['set']?.settings
    return value && settable && Object.hasOwn(settable, setting)
      ? `--set ${setting}=${value}`
      : written
  }
  return message
    .replace(withValue, (written, setting: string, value: string) =>
      spelled(written, setting, value),
    )
    .replace(called, (written, setting: string) => spelled(written, setting))
    .replace('openStore with create: true', 'kith load')
    .replace(alone, (setting) => spelled(setting, setting))
}

/** Values that are not options of the command line. */
const notOptions = ['rest', 'filled', 'defaultTokenizer']

/** Returns the command line that reproduces a result in the same folder. */
export function commandLine(command: string, values: Values, options: Options): string {
  const words = Object.entries(values).flatMap(([name, value]) => {
    if (value === undefined || notOptions.includes(name)) return []
    const shown = (one: string): string => quoted(options[name]?.file ? shownPath(one) : one)
    return [value]
      .flat()
      .map((one) => (one === true ? `--${name}` : `--${name} ${shown(String(one))}`))
  })
  return `kith ${command} ${words.join(' ')}`
}

function quoted(word: string): string {
  return /^[\w./:=,@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
