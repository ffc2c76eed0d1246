import { isStandardInput } from '@kith/base'
import type { Values } from './command.ts'
import { UsageError } from './usage-error.ts'

/** Checks that at most one option reads standard input: a second would find nothing left in it. */
export function checkStandardInput(values: Values): void {
  const readers = Object.entries(values).flatMap(([name, value]) =>
    [value]
      .flat()
      .filter((file) => name !== 'out' && typeof file === 'string' && isStandardInput(file))
      .map((file) => (name === 'rest' ? `${file}` : `--${name} ${file}`)),
  )
  if (readers.length < 2) return
  throw new UsageError(`${readers.join(' and ')} both read standard input: name a file for one`)
}
