/**
 * Tokenizer files that were made to harm. `test/faults/fuzz.slow.test.ts` opens all of
 * `test/faults/hostile-tokenizers.mjs`; here are the errors, and the patterns of published models.
 */
import { Tokenizer } from '@huggingface/tokenizers'
import { KithError } from '@kith/core'
import { expect, test } from 'vitest'
import { hostileTokenizers } from '../../../test/faults/hostile-tokenizers.mjs'
import { TextTokenizer } from '../src/tokens/text-tokenizer.ts'
import { texts, tokenizers } from './fixtures.ts'

const file = 'tokenizer.json'
const LIMIT = 128

function encode(attack: string): number[] {
  const { description, text } = hostileTokenizers.find(({ name }) => name === attack)!
  return new TextTokenizer(file, description, {}, LIMIT).encode(text).ids
}

test.for([
  ['nested quantifiers', 'the patterns, such as "(a+)+$", took longer than 5.05 s for 1001 char'],
  ['a pattern without end', 'Regex contains a text of 100000 characters, the limit is 2000'],
  ['words without a limit', 'max_input_chars_per_word must be a whole number from'],
  ['words of no length', 'max_input_chars_per_word must be a whole number from 1 to 256, got 0'],
  [
    'a long mark of continued words',
    'continuing_subword_prefix contains a text of 100000 characters',
  ],
  [
    'longer pieces inside each other',
    'the vocabulary contains a text of 257 characters, the limit is 256',
  ],
  [
    'longer merges inside each other',
    'the vocabulary contains a text of 1025 characters, the limit is 1024',
  ],
  ['parts of no length', 'length must be a whole number from 1 to 2000, got 0'],
  ['steps that double an added token', 'the steps can make a text'],
  ['a long replacement', 'content contains a text of 100000 characters, the limit is 64'],
  ['steps inside each other', 'normalizer must have at most 200 steps, nested at most 8 deep'],
  ['a template that doubles a text', 'the template single contains a text twice'],
  ['a long added token', 'added_tokens contains a text of 100001 characters, the limit is 256'],
] as const)('refuses %s with the name of the file', ([attack, problem]) => {
  let error: unknown
  try {
    encode(attack)
  } catch (thrown) {
    error = thrown
  }
  expect(error).toBeInstanceOf(KithError)
  expect((error as Error).message).toContain(`${file}: `)
  expect((error as Error).message).toContain(problem)
})

test.for(['pieces inside each other', 'merges inside each other', 'a megabyte without a space'])(
  'truncates %s to the maximum number of tokens',
  (attack) => {
    expect(encode(attack).length).toBe(LIMIT)
  },
)

test('refuses a replacement without an end, with the name of the file', () => {
  const { description } = tokenizers['Unigram']!
  // The table has one entry, for "a", whose replacement is the rest of the file.
  const units = new Uint32Array(0x62)
  units[0x61] = (0x61 << 10) | 0x100 | 0x61
  const table = Buffer.concat([
    Buffer.from(Uint32Array.of(units.byteLength).buffer),
    Buffer.from(units.buffer),
    Buffer.alloc(1000, 'x'),
  ])
  const normalizer = { type: 'Precompiled', precompiled_charsmap: table.toString('base64') }
  expect(() => new TextTokenizer(file, { ...description, normalizer }, {}, 512)).toThrow(
    expect.objectContaining({
      code: 'BAD_FILE',
      message: expect.stringContaining('precompiled_charsmap'),
    }),
  )
})

test('tokenizes a truncated long word as the whole text', () => {
  for (const { description } of Object.values(tokenizers)) {
    const text = `first ${'検索ab🇫🇷'.repeat(8000)} last`
    const { ids } = new TextTokenizer(file, description, {}, 1000).encode(text)
    const { ids: whole } = new TextTokenizer(file, description, {}, 1e6).encode(text)
    expect(ids.slice(0, 999)).toEqual(whole.slice(0, 999))
  }
})

/** The patterns of published tokenizers: GPT-2, CLIP, GPT-4, Qwen, BLOOM. */
const published = [
  "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+",
  "<\\|startoftext\\|>|<\\|endoftext\\|>|'s|'t|'re|'ve|'m|'ll|'d|[\\p{L}]+|[\\p{N}]|[^\\s\\p{L}\\p{N}]+",
  "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
  "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
  ' ?[^(\\s|[.,!?…。，、।۔،])]+',
]

test.for(published)('tokenizes as the library does with the pattern %s', (Regex) => {
  const { description } = tokenizers['byte-level BPE']!
  const pretokenizers = [
    { type: 'Split', pattern: { Regex }, behavior: 'Isolated', invert: false },
    { type: 'ByteLevel', add_prefix_space: false, use_regex: false },
  ]
  const changed = { ...description, pre_tokenizer: { type: 'Sequence', pretokenizers } }
  const ours = new TextTokenizer(file, changed, {}, 1e6)
  const theirs = new Tokenizer(changed, {})
  const hard = [' ', '\n', 'a', '!', '1', ' a'].map((unit) => `${unit.repeat(20_000)}b`)
  for (const text of [...texts, ...hard]) {
    expect(ours.encode(text).ids).toEqual(theirs.encode(text).ids)
  }
})
