import { shownPath } from '@kith/pipelines/files'
import type { Options, Values } from './command.ts'

/** The command that makes a result again, in the same folder. */
export function commandLine(command: string, values: Values, options: Options): string {
  const words = Object.entries(values).flatMap(([name, value]) => {
    if (value === undefined || name === 'rest') return []
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
