import { writeAllSync } from '@kith/base'
import { standardOutputIsFile } from './standard-output.ts'

/**
 * Prints to standard output. Node writes to a file once and ignores how many bytes were written: where a
 * disk is full or a limit reached, the other bytes would be lost without an error.
 */
export function print(text: string): void {
  if (standardOutputIsFile()) writeAllSync(1, Buffer.from(text), null, 'standard output')
  else process.stdout.write(text)
}
