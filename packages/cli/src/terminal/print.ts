import { fstatSync } from 'node:fs'
import { writeAllSync } from '@kith/ir/internal'

/**
 * Prints to standard output. Node writes to a file once and ignores how many bytes were written: where a
 * disk is full or a limit reached, the other bytes would be lost without an error.
 */
export function print(text: string): void {
  if (isFile()) writeAllSync(1, Buffer.from(text), null, 'standard output')
  else process.stdout.write(text)
}

function isFile(): boolean {
  try {
    return fstatSync(1).isFile()
  } catch {
    return false
  }
}
