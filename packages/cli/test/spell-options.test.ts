import { expect, test } from 'vitest'
import { trainCommand } from '../src/commands/train.ts'
import { spellOptions } from '../src/options/spell-options.ts'

const { options } = trainCommand

test.each([
  ["; pass missing: 'skip' to leave them out", '; pass --missing skip to leave them out'],
  ["(outside: 'inject' puts them in)", '(--set outside=inject puts them in)'],
  ['texts for a teacher (queryText)', 'texts for a teacher (--query-text)'],
  ["rebuild them or pass tokenizer: 'none'", 'rebuild them or pass --set tokenizer=none'],
  ['load documents first (openStore with create: true)', 'load documents first (kith load)'],
])('spells a setting as its option: %s', (message, spelled) => {
  expect(spellOptions(message, options)).toBe(spelled)
})

test.each([
  'folder/maxTokens/run.trec: is empty',
  'no text has the id "maxTokens"',
  'setting contextSize is 0',
  'take longer lists (listSize)',
  "setting nobody is 1, nothing: 'of' anything",
  'training queries: 2 judged documents have no embedding',
])('leaves other text unchanged: %s', (message) => {
  expect(spellOptions(message, options)).toBe(message)
})
