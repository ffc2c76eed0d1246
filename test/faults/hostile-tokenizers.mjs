/**
 * Tokenizer files that were made to harm: each must end in an answer or in an error with the file's
 * name, in a time that does not multiply with the text. `fuzz.mjs` opens every one of them.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openModel } from '@kith/encoder'
import { smallModel, writeSmallModel } from './small-model.mjs'

/** More tokens than any of these tokenizers has. */
const TOKENS = 3000

const small = JSON.parse(smallModel()['tokenizer.json'])
const vocab = small.model.vocab
const letters = 'abcdefghijklmnopqrstuvwxyz'
/** a, aa, aaa, … */
const nested = (count) => Array.from({ length: count }, (_, i) => 'a'.repeat(i + 1))
const split = (Regex, more = {}) => ({
  pre_tokenizer: { type: 'Split', pattern: { Regex }, behavior: 'Isolated', ...more },
})
const replace = (Regex, content) => ({ type: 'Replace', pattern: { Regex }, content })
const wordPiece = (more) => ({ model: { ...small.model, ...more } })
const unigram = (pieces) => ({
  model: {
    type: 'Unigram',
    unk_id: 0,
    vocab: ['[UNK]', '[CLS]', '[SEP]', ...pieces].map((piece, i) => [piece, -i]),
  },
  pre_tokenizer: { type: 'Metaspace', replacement: '▁', prepend_scheme: 'always' },
})
const bpe = (pieces, merges) => ({
  model: {
    type: 'BPE',
    unk_token: '[UNK]',
    vocab: Object.fromEntries(['[UNK]', '[CLS]', '[SEP]', ...pieces].map((piece, i) => [piece, i])),
    merges,
  },
  pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, use_regex: true },
})
const template = (single) => ({ post_processor: { ...small.post_processor, single } })

const word = 'a'.repeat(1000)
const long = 'a'.repeat(100_000)

/** By name: what a description has in the place of a good one's, and the text that it is given. */
const attacks = {
  'nested quantifiers': [split('(a+)+$'), `${word}!`],
  'quantifiers that multiply': [split('a*a*a*a*a*a*a*a*c'), word],
  'a slow pattern for added tokens': [
    {
      normalizer: replace('(a+)+$', 'x'),
      added_tokens: [{ id: 5, content: `${'a'.repeat(200)}!`, normalized: true }],
    },
    'a',
  ],
  'a pattern without end': [split('a'.repeat(100_000)), word],
  'words without a limit': [wordPiece({ max_input_chars_per_word: 1e9 }), long],
  'words of no length': [wordPiece({ max_input_chars_per_word: 0 }), word],
  'words of a limit that is no number': [wordPiece({ max_input_chars_per_word: 'all' }), word],
  'the longest words, one piece for each letter': [
    wordPiece({
      max_input_chars_per_word: 256,
      vocab: { ...vocab, ...Object.fromEntries([...letters].map((l) => [`##${l}`, vocab['##s']])) },
    }),
    `dense${'abc'.repeat(80)}é `.repeat(500),
  ],
  'a long mark of continued words': [wordPiece({ continuing_subword_prefix: long }), word],
  'pieces inside each other': [unigram(nested(256)), long],
  'longer pieces inside each other': [unigram(nested(2000)), long],
  'merges inside each other': [
    bpe(
      nested(500),
      nested(499).map((piece) => [piece, 'a']),
    ),
    long,
  ],
  'longer merges inside each other': [
    bpe(
      nested(2000),
      nested(1999).map((piece) => [piece, 'a']),
    ),
    long,
  ],
  'a megabyte without a space': [bpe([...letters], []), long.repeat(10)],
  'parts of no length': [{ pre_tokenizer: { type: 'FixedLength', length: 0 } }, word],
  'parts of negative length': [{ pre_tokenizer: { type: 'FixedLength', length: -1 } }, word],
  'steps that double a text': [
    {
      normalizer: {
        type: 'Sequence',
        normalizers: new Array(40).fill(replace('a', 'aa')),
      },
    },
    word,
  ],
  'steps that double an added token': [
    {
      normalizer: { type: 'Sequence', normalizers: new Array(40).fill(replace('a', 'aa')) },
      added_tokens: [{ id: 5, content: 'a', normalized: true }],
    },
    'a',
  ],
  'bytes of bytes': [
    {
      pre_tokenizer: { type: 'Sequence', pretokenizers: new Array(40).fill({ type: 'ByteLevel' }) },
    },
    'é'.repeat(1000),
  ],
  'a long replacement': [{ normalizer: replace('a', long) }, long],
  'steps inside each other': [
    {
      normalizer: nested(500).reduce((inner) => ({ type: 'Sequence', normalizers: [inner] }), null),
    },
    word,
  ],
  'a template that doubles a text': [
    template([...small.post_processor.single, ...small.post_processor.single]),
    word,
  ],
  'a long added token': [
    { added_tokens: [{ id: 5, content: `${long}b`, normalized: false }] },
    long.repeat(10),
  ],
}

/** The attacks: a name, the description of the tokenizer, and the text. */
export const hostileTokenizers = Object.entries(attacks).map(([name, [changes, text]]) => ({
  name,
  description: { ...small, ...changes },
  text,
}))

/** Tokenizes the text of each attack by a model in a folder with the tokenizer of the attack. */
export function makeAttacks(folder) {
  const model = join(folder, 'hostile')
  mkdirSync(model, { recursive: true })
  writeSmallModel(model, TOKENS)
  return hostileTokenizers.map(({ name, description, text }) => ({
    name: `hostile tokenizer: ${name}`,
    read: async () => {
      writeFileSync(join(model, 'tokenizer.json'), JSON.stringify(description))
      const { tokenizer } = await openModel(model)
      tokenizer.encode(text)
    },
  }))
}
