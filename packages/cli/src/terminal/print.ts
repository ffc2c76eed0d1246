import { fstatSync } from 'node:fs'
import { writeAllSync } from '@kith/ir/internal'

/**
 * Prints to standard output. Node gives a file all bytes at once and does not look how many it has
 * taken: where a disk is full or a limit reached, the rest would be lost without an error.
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
