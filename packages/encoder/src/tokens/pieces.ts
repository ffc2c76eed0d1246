import { isObject, type JsonObject } from '../json.ts'

/** A space at which a text can be cut, with the character before it. */
const CUT = /\S (?=[^\s\p{M}])/gu

/**
 * Where the piece of a text ends that has at least so many characters. A piece without a space is cut
 * after `most` characters, but not inside a character.
 */
export function endOfPiece(text: string, from: number, least: number, most: number): number {
  CUT.lastIndex = from + least
  const found = CUT.exec(text.length - from > most ? text.slice(0, from + most) : text)
  if (found) return found.index + found[0].length - 1
  if (text.length - from <= most) return text.length
  const inside = isHighSurrogate(text, from + most - 1)
  return from + most - (inside ? 1 : 0)
}

function isHighSurrogate(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= 0xd800 && code < 0xdc00
}

const NORMALIZERS = ['BertNormalizer', 'NFC', 'NFKC', 'NFD', 'NFKD', 'Lowercase', 'StripAccents']
const PRE_TOKENIZERS = ['BertPreTokenizer', 'ByteLevel', 'Metaspace', 'WhitespaceSplit']

/**
 * Whether a text can be cut before a single space without changing its tokens. It can, where every
 * step of a tokenizer looks at words only, with the space before them at most.
 */
export function splitsAtSpaces({ normalizer, pre_tokenizer, added_tokens }: JsonObject): boolean {
  const added = Array.isArray(added_tokens) ? added_tokens : []
  return (
    stepsOf(normalizer, 'normalizers').every(keepsWords) &&
    stepsOf(pre_tokenizer, 'pretokenizers').every((step) => typeIn(step, PRE_TOKENIZERS)) &&
    isObject(pre_tokenizer) &&
    !added.some((token) => !isObject(token) || token['rstrip'] || /\s/.test(`${token['content']}`))
  )
}

/** A step, or the steps of a sequence; none where there is none. */
function stepsOf(step: unknown, key: string): unknown[] {
  if (step === null || step === undefined) return []
  const inner = isObject(step) && step['type'] === 'Sequence' ? step[key] : undefined
  return Array.isArray(inner) ? inner : [step]
}

function keepsWords(step: unknown): boolean {
  if (typeIn(step, [...NORMALIZERS, 'Precompiled'])) return true
  if (!typeIn(step, ['Replace'])) return false
  // Several spaces become one: a piece ends before a single one.
  const { pattern, content } = step as JsonObject
  return isObject(pattern) && pattern['Regex'] === ' {2,}' && content === ' '
}

function typeIn(step: unknown, types: readonly string[]): boolean {
  return isObject(step) && types.includes(String(step['type']))
}
