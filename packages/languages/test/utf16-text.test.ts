import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import '../src/index.ts'
import { prepareText, TermStatisticsBuilder, type TokenizerName } from '@kith/core'
import { countUtf16, prepareUtf16, type Utf16Text } from '@kith/core/internal'
import { tries } from '../../../test/thorough.ts'

function utf16(title: string, text: string): Utf16Text {
  const all = title === '' ? text : `${title} ${text}`
  const units = Uint16Array.from({ length: all.length }, (_, i) => all.charCodeAt(i))
  return { units, start: all.length - text.length }
}

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 80 }),
  fc
    .array(
      fc.constantFrom('Bees', 'find', 'flowers', 'Größe', 'İ', '東京', 'e\u0301', '𝔘', 'ﬁ', '-'),
    )
    .map((words) => words.join(' ')),
)

describe.each(['english', 'none', 'code', 'german', 'japanese', 'hindi'] as TokenizerName[])(
  'texts in UTF-16 with tokenizer %s',
  (tokenizer) => {
    test('have the terms of the same texts as strings', () => {
      fc.assert(
        fc.property(text, text, (title, body) => {
          const prepared = prepareUtf16(utf16(title, body), tokenizer)
          expect(prepared).toEqual(prepareText({ title, text: body }, { tokenizer }))
        }),
        tries(300),
      )
    })

    test('count like the same texts as strings', () => {
      const documents = [
        ['Bees', 'Bees find flowers'],
        ['', 'Größe der Bienen, 東京 𝔘'],
        ['ﬁ', ''],
      ] as const
      const [counted, expected] = [0, 1].map(() => new TermStatisticsBuilder({ tokenizer }))
      for (const [title, body] of documents) {
        countUtf16(counted!, utf16(title, body), tokenizer)
        expected!.add({ title, text: body })
      }
      expect(counted!.finish()).toEqual(expected!.finish())
    })
  },
)
