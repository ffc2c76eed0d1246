import { fstatSync } from 'node:fs'

/** Whether standard output is a regular file. */
export function standardOutputIsFile(): boolean {
  try {
    return fstatSync(1).isFile()
  } catch {
    return false
  }
}
