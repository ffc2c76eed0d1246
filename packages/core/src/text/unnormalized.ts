/**
 * What tells a normalized text (NFKC) from others without normalizing it: most texts are normalized, and
 * finding that out takes a table. The bits are the bits of the kernel's entries (src/kernel/word-entries.ts).
 */

/** A mark whose order among other marks normalization decides. */
export const NONSTARTER = 1 << 20
/** It can become one character with the character before it. */
export const COMPOSES = 1 << 21
/** Normalization makes other characters of it that a tokenizer reads otherwise. */
export const CHANGES = 1 << 22

/** Characters that compose with one before them (Unicode's NFC_Quick_Check=Maybe, first plane); a set that is closed. */
const SECONDS =
  /[\u0300-\u0304\u0306-\u030c\u030f\u0311\u0313\u0314\u031b\u0323-\u0328\u032d\u032e\u0330\u0331\u0338\u0342\u0345\u0653-\u0655\u093c\u09be\u09d7\u0b3e\u0b56\u0b57\u0bbe\u0bd7\u0c56\u0cc2\u0cd5\u0cd6\u0d3e\u0d57\u0dca\u0dcf\u0ddf\u102e\u1161-\u1175\u11a8-\u11c2\u1b35\u3099\u309a]/

/** The bits of a character. `isBreak` says whether a character stands between words. */
export function normalizationBits(code: number, isBreak: (code: number) => boolean): number {
  const character = String.fromCodePoint(code)
  let bits = 0
  const form = character.normalize('NFKC')
  // A space of another width, or three points for one, stand between words as before.
  const between = Array.from(form).every((part) => isBreak(part.codePointAt(0)!))
  const point = form === '.' || form === ','
  if (form !== character && (!between || point || !isBreak(code))) bits |= CHANGES
  if (SECONDS.test(character)) bits |= COMPOSES
  // Classes below 1 and above 240 would escape; there are none but 0.
  const after = `a${character}\u0334`
  const before = `a\u0345${character}`
  if (after.normalize('NFD') !== after || before.normalize('NFD') !== before) bits |= NONSTARTER
  return bits
}

const composed = new Map<number, boolean>()

/** Whether two characters side by side become others together than each on its own. */
export function composePair(first: number, second: number): boolean {
  const key = first * 0x10000 + second
  let known = composed.get(key)
  if (known === undefined) {
    const [one, other] = [String.fromCharCode(first), String.fromCharCode(second)]
    known = (one + other).normalize('NFC') !== one.normalize('NFC') + other.normalize('NFC')
    composed.set(key, known)
  }
  return known
}
