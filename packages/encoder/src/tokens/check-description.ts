import { FileError } from '@kith/base'
import { isObject, type JsonObject } from '../json.ts'

/*
 * A tokenizer file may come from anywhere, and the library executes it. These limits are far
 * above the needs of every published encoder, and keep time and memory in proportion to the text.
 */

/**
 * Maximum length of a vocabulary piece in characters: the search tries pieces up to this length at
 * each position.
 */
const LONGEST_PIECE = 256
/** Maximum length of a BPE piece in characters; BPE joins pieces pair by pair. */
const LONGEST_BPE_PIECE = 1024
/**
 * Maximum length of a word for WordPiece in characters; the time grows with the third power of the
 * length.
 */
const LONGEST_WORD = 256
/** Maximum number of characters that a step inserts, or that mark a part of a word. */
const LONGEST_INSERT = 64
const LONGEST_PATTERN = 2000
/** Maximum nesting of steps, and maximum number of steps. */
const DEEPEST = 8
const MOST_STEPS = 200
/** The maximum factor by which a text may grow. */
const MOST_GROWTH = 8192
const MOST_ADDED = 100_000

/** The factor by which each step can lengthen a text; other steps do not lengthen it. */
const GROWTH: Record<string, (step: JsonObject) => number> = {
  Replace: ({ content }) => lengthOf(content) + 1,
  Metaspace: ({ replacement, str_rep }) =>
    Math.max(lengthOf(replacement), lengthOf(str_rep), 1) + 1,
  ByteLevel: () => 3,
  Precompiled: () => LONGEST_INSERT,
}

/** Checks that a tokenizer's description is within the limits; the error names the field. */
export function checkDescription(file: string, description: JsonObject, config: JsonObject): void {
  const fail = (problem: string): never => {
    throw new FileError(file, '', problem)
  }
  const { model, added_tokens, normalizer, pre_tokenizer, post_processor } = description
  if (isObject(model)) checkModel(model, fail)
  const { additional_special_tokens } = config
  for (const [name, list] of Object.entries({ added_tokens, additional_special_tokens })) {
    if (!Array.isArray(list)) continue
    if (list.length > MOST_ADDED)
      fail(`${name} has ${list.length} tokens, the limit is ${MOST_ADDED}`)
    for (const token of list) {
      checkLength(name, isObject(token) ? token['content'] : token, LONGEST_PIECE, fail)
    }
  }
  let [count, growth] = [0, 1]
  const look = (value: unknown, name: string, depth: number): void => {
    if (Array.isArray(value)) for (const entry of value) look(entry, name, depth)
    if (!isObject(value)) return
    if (++count > MOST_STEPS || depth > DEEPEST) {
      fail(`${name} must have at most ${MOST_STEPS} steps, nested at most ${DEEPEST} deep`)
    }
    const { type } = value
    growth *= GROWTH[String(type)]?.(value) ?? 1
    for (const [key, entry] of Object.entries(value)) {
      if (key === 'Regex' || key === 'String') checkLength(key, entry, LONGEST_PATTERN, fail)
      else if (key !== 'precompiled_charsmap') checkLength(key, entry, LONGEST_INSERT, fail)
      look(entry, name, depth + 1)
    }
    if (type === 'FixedLength') checkCount('length', value['length'], LONGEST_PATTERN, fail)
    if (type === 'TemplateProcessing') checkTemplate(value, fail)
  }
  for (const [name, part] of Object.entries({ normalizer, pre_tokenizer, post_processor })) {
    look(part, name, 0)
  }
  if (growth > MOST_GROWTH) {
    fail(`the steps can make a text ${growth} times as long, the limit is ${MOST_GROWTH}`)
  }
}

type Fail = (problem: string) => never

function checkModel(model: JsonObject, fail: Fail): void {
  const { vocab, merges, max_input_chars_per_word: word } = model
  const longest = merges === undefined ? LONGEST_PIECE : LONGEST_BPE_PIECE
  if (word !== undefined) checkCount('max_input_chars_per_word', word, LONGEST_WORD, fail)
  for (const [key, value] of Object.entries(model)) {
    if (typeof value === 'string') checkLength(key, value, LONGEST_INSERT, fail)
  }
  const pieces = Array.isArray(vocab)
    ? vocab.map((entry) => (Array.isArray(entry) ? entry[0] : entry))
    : Object.keys(isObject(vocab) ? vocab : {})
  for (const piece of pieces) checkLength('the vocabulary', piece, longest, fail)
  for (const merge of Array.isArray(merges) ? merges : []) {
    const whole = Array.isArray(merge) ? merge.join('') : merge
    checkLength('merges', whole, longest + 1, fail)
  }
}

/** Checks that a template contains each text once: each repetition would add its tokens again. */
function checkTemplate({ single, pair }: JsonObject, fail: Fail): void {
  for (const [name, items] of Object.entries({ single, pair })) {
    const texts = (Array.isArray(items) ? items : [])
      .filter((item) => isObject(item) && isObject(item['Sequence']))
      .map((item) => item['Sequence'].id)
    if (new Set(texts).size < texts.length) fail(`the template ${name} contains a text twice`)
  }
}

function checkLength(name: string, value: unknown, most: number, fail: Fail): void {
  if (lengthOf(value) > most) {
    fail(`${name} contains a text of ${lengthOf(value)} characters, the limit is ${most}`)
  }
}

function checkCount(name: string, value: unknown, most: number, fail: Fail): void {
  if (Number.isInteger(value) && (value as number) >= 1 && (value as number) <= most) return
  fail(`${name} must be a whole number from 1 to ${most}, got ${JSON.stringify(value)}`)
}

function lengthOf(value: unknown): number {
  return typeof value === 'string' ? value.length : 0
}

/** A space at which a text can be split, with the character before it. */
const CUT = /\S (?=[^\s\p{M}])/gu

/**
 * Returns the end of a piece of a text with at least `least` characters. A piece without a space is
 * split after `most` characters, but not inside a character.
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
 * Returns whether splitting a text before a single space never changes its tokens. That holds if
 * every step of a tokenizer sees only words, with at most the space before them.
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

/** Returns the steps of a sequence, or a single step; empty without a step. */
function stepsOf(step: unknown, key: string): unknown[] {
  if (step === null || step === undefined) return []
  const inner = isObject(step) && step['type'] === 'Sequence' ? step[key] : undefined
  return Array.isArray(inner) ? inner : [step]
}

function keepsWords(step: unknown): boolean {
  if (typeIn(step, [...NORMALIZERS, 'Precompiled'])) return true
  if (!typeIn(step, ['Replace'])) return false
  // Several spaces become one: a piece ends before a single space.
  const { pattern, content } = step as JsonObject
  return isObject(pattern) && pattern['Regex'] === ' {2,}' && content === ' '
}

function typeIn(step: unknown, types: readonly string[]): boolean {
  return isObject(step) && types.includes(String(step['type']))
}
