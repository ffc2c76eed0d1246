import type { Values } from './command.ts'

/** The command that makes a result again. */
export function commandLine(command: string, values: Values): string {
  const words = Object.entries(values).flatMap(([name, value]) => {
    if (value === undefined || name === 'rest') return []
    return [value]
      .flat()
      .map((one) => (one === true ? `--${name}` : `--${name} ${quoted(String(one))}`))
  })
  return `kith ${command} ${words.join(' ')}`
}

function quoted(word: string): string {
  return /^[\w./:=,@%+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
