import { characterClass, lowerCase, MARK, UNSPACED, WORD } from '../text/characters.ts'

/**
 * The kernel's entry of a character: the character as it is compared, and above it these bits; as in
 * assembly/characters.ts. 0 stands between words.
 */
export const IN_WORD_INSIDE = 1 << 16
export const IN_WORD = 2 << 16
const BEYOND = 1 << 23
export const GROUPS = 25
export const RARE = 1 << 31

/** The entry of a character that is not met yet. */
export const UNMET = RARE
/** The entry of a character that the kernel leaves to others. */
export const UNREADABLE = -1

/** The entry of a code point under a tokenizer for English or for no language. */
export function basicEntry(code: number): number {
  const kind = characterClass(code)
  if (code > 0xffff) return kind === WORD || kind === UNSPACED || kind === MARK ? UNREADABLE : 0
  if (isSurrogate(code)) return surrogateEntry(code)
  if (kind === UNSPACED) return RARE | (2 << GROUPS) | code
  if (kind !== WORD && kind !== MARK) return 0
  const lower = lowerCase(code)
  return lower === 0 ? UNREADABLE : lower | (kind === WORD ? IN_WORD : RARE | IN_WORD_INSIDE)
}

export function isSurrogate(code: number): boolean {
  return code >= 0xd800 && code < 0xe000
}

/** A second half stands between words, as its first half does. */
export function surrogateEntry(code: number): number {
  return code < 0xdc00 ? RARE | BEYOND : 0
}
