import { isUtf8 } from 'node:buffer'

const NEWLINE = 10

/** The number of the first line that is not UTF-8, counted from 0; -1 where all are. */
export function firstBadLine(bytes: Buffer): number {
  if (isUtf8(bytes)) return -1
  let line = 0
  for (let from = 0; ; line++) {
    const to = bytes.indexOf(NEWLINE, from)
    if (to < 0 || !isUtf8(bytes.subarray(from, to))) return line
    from = to + 1
  }
}

/** The message for a line that is not UTF-8. */
export const notUtf8 = 'is not UTF-8: convert the file, such as with iconv -f LATIN1 -t UTF-8'

/** Whether a text has half a surrogate pair in it, for which UTF-8 has no bytes. */
export function isIllFormed(text: string): boolean {
  return /\p{Surrogate}/u.test(text)
}
