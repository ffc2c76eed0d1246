/**
 * Tokenizers of all kinds against Hugging Face's own: small ones, whose ids of hard texts
 * `scripts/try-encoders.py --tokenizers` has recorded.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { TextTokenizer } from '../src/tokens/text-tokenizer.ts'
import { texts, tokenizers } from './fixtures.ts'

const open = (description: Record<string, unknown>, most = 1_000_000) =>
  new TextTokenizer('tokenizer.json', description, {}, most)

describe.each(Object.entries(tokenizers))('%s', (_, { description, ids }) => {
  const tokenizer = open(description)

  test.each(texts.map((text, i) => [text, i] as const))('%j', (text, i) => {
    expect(tokenizer.encode(text)).toEqual({ ids: ids[i], cut: false })
  })

  test('tokenizes a long text in pieces as a whole', () => {
    const text = Array.from({ length: 40 }, () => texts.slice(0, 14).join(' ')).join(' and ')
    expect(text.length).toBeGreaterThan(10_000)
    // A text is not cut where an added token has a space inside.
    const added = [...(description['added_tokens'] as object[]), withSpace(tokenizer.largestId)]
    const whole = open({ ...description, added_tokens: added })
    expect(tokenizer.encode(text)).toEqual(whole.encode(text))
  })

  test('returns ids of the vocabulary for any text, and fewer ids if the text is truncated', () => {
    const short = open(description, 12)
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
        const { ids } = tokenizer.encode(text)
        for (const id of ids) {
          expect(id).toBeGreaterThanOrEqual(0)
          expect(id).toBeLessThanOrEqual(tokenizer.largestId)
        }
        const cut = short.encode(text)
        expect(cut.cut).toBe(ids.length > 12)
        expect(cut.ids.length).toBe(Math.min(12, ids.length))
        expect(cut.ids.slice(0, -1)).toEqual(ids.slice(0, cut.ids.length - 1))
      }),
      { numRuns: 100 },
    )
  })

  test('tokenizes a very long word', () => {
    for (const unit of ['検索', 'ab', '🇫🇷', 'e\u0301']) {
      expect(tokenizer.encode(unit.repeat(5000)).ids.length).toBeGreaterThan(2)
    }
  })
})

function withSpace(largest: number): object {
  return { id: largest, content: 'un used', special: false, normalized: false }
}
