import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { tries } from '../../../test/thorough.ts'
import { termSpans } from '../src/index.ts'
import { kernel } from '../src/kernel/load.ts'
import { appendWords } from '../src/kernel/word-counter.ts'
import { normalizeWithPlaces } from '../src/text/language-spans.ts'
import { Postings } from '../src/text/postings.ts'
import { registerLanguages } from '../src/text/register-tokenizers.ts'
import { scannerOf } from '../src/text/scan-text.ts'
import { hashOf, TermCounter } from '../src/text/term-counter.ts'
import { termHash } from '../src/text/term-spans.ts'
import type { TokenizerName } from '../src/text/tokenizer.ts'
import { CHANGES, COMPOSES, composePair, normalizationBits } from '../src/text/unnormalized.ts'

// Words full of combining marks, with two terms each.
registerLanguages(
  { hindi: { scripts: ['Devanagari'], term: (word) => word.slice(0, 4), prefixes: true } },
  () => 'hindi',
)

const tokenizers: TokenizerName[] = ['code', 'japanese', 'english+hebrew', 'korean+vietnamese']

/** Texts of every kind of character, and what joins or splits them. */
const samples = [
  'Boundary layer, boundary-layer; LAYER 2!',
  'naïve café CAFÉ cafe\u0301 Å Å',
  'ΟΔΟΣ οδος Σ',
  'İstanbul Istanbul ISPARTA',
  '東京都の天気と2020年オリンピック',
  '葛\u{e0100}飾区 𠮷野家 ｶﾞｷﾞ ﾊﾟ',
  'สวัสดีครับ ที่นี่ กา ก',
  'ភាសាខ្មែរ ພາສາລາວ မြန်မာ',
  '한국어 띄어쓰기 \u1112\u1161\u11ab\u1100\u116e\u11a8 ㅎㅏㄴ 한',
  'हिन्दी भाषा १२३ क\u200dष',
  '\u095e\u094d\u0930\u093e\u0902\u0938 \u092b\u093c\u094d\u0930 \u0929 \u0928\u093c \u095c\u0334\u093c\u094d\u0334',
  '１，０００ 2．5 3，x 😀 it’s “so” — é',
  'שָׁלוֹם עולם مَدْرَسَة المدرســة ١٢٣',
  '3.14 1,000,000 12.05.2020 3. 4 5,x ½ ² ⑩ ㎏ ﷺ',
  'ﬁne ＦＵＬＬ　ｗｉｄｔｈ ｱｲｳ',
  'co\u00adoperate zero\u200bwidth word\u2060joiner',
  'def parseHTTPResponse(self, x2): return getUser_by_id',
  'func (r *Reader) ReadAll(n int) class Foo type type def',
  '__init__ $scope a.b.c kebab-case-name path/to/file.txt XMLHttpRequest2',
  '𝐁𝐨𝐥𝐝 𐐀𐐁 lone \ud800 surrogate \udc00x 👩‍👩‍👧',
]
const pieces = fc.constantFrom(...samples, ...samples.flatMap((sample) => Array.from(sample)))
const text = fc
  .array(fc.oneof(pieces, fc.string({ unit: 'binary', maxLength: 8 }), fc.constantFrom(' ', '.')))
  .map((parts) => parts.join(''))

/** One in four with characters beyond the first plane, one in four empty. */
const mostlyFirstPlane = fc.oneof(
  text,
  fc.constant(''),
  text.map((one) => one.replace(/[\u{10000}-\u{10ffff}]/gu, '')),
  text.map((one) => one.replace(/[\u{10000}-\u{10ffff}]/gu, '').normalize('NFKC')),
)

/** The hashes of a text's terms, in the order in which they are counted. */
function scanned(text: string, tokenizer: string): number[] {
  const hashes: number[] = []
  const counter = { count: (a: number, b: number) => hashes.push(hashOf(a, b)) }
  scannerOf(tokenizer).scan(text, counter as unknown as TermCounter)
  return hashes
}

const termsOf = (text: string, tokenizer: TokenizerName): string[] =>
  termSpans(text, tokenizer).map(({ term }) => term)

describe.each(tokenizers)('tokenizer %s', (tokenizer) => {
  test('counts the terms of termSpans in their order', () => {
    fc.assert(
      fc.property(text, (text) => {
        const spans = termSpans(text, tokenizer)
        expect(scanned(text, tokenizer)).toEqual(spans.map(({ term }) => termHash(term)))
      }),
      tries(80),
    )
  })

  test('finds the same terms in every normalization form of a text', () => {
    fc.assert(
      fc.property(text, (text) => {
        const terms = termsOf(text, tokenizer)
        for (const form of ['NFC', 'NFD', 'NFKC', 'NFKD']) {
          expect(termsOf(text.normalize(form), tokenizer)).toEqual(terms)
        }
      }),
      tries(60),
    )
  })

  test('returns spans whose part of the text has the term of the span', () => {
    fc.assert(
      fc.property(text, (text) => {
        for (const { term, start, end } of termSpans(text, tokenizer)) {
          expect(start).toBeGreaterThanOrEqual(0)
          expect(end).toBeLessThanOrEqual(text.length)
          expect(termsOf(text.slice(start, end), tokenizer)).toContain(term)
        }
      }),
      tries(50),
    )
  })

  // Quadratic work would take a thousand times as many reads; the clock plays no part.
  test.each([
    'a',
    '1.',
    '東',
    'ก',
    '한',
    '\u0301',
    'a\u0301',
    '\u200d',
    'def ',
    'func (',
    'aB',
    '_',
    '𝐁',
  ])('reads each character of a long text a few times: %j', (piece) => {
    const reads = (length: number): number => {
      let count = 0
      const { charCodeAt, codePointAt } = String.prototype
      const long = piece.repeat(length / piece.length)
      String.prototype.charCodeAt = function (at) {
        count++
        return charCodeAt.call(this, at)
      }
      String.prototype.codePointAt = function (at) {
        count++
        return codePointAt.call(this, at)
      }
      try {
        scanned(long, tokenizer)
      } finally {
        Object.assign(String.prototype, { charCodeAt, codePointAt })
      }
      return count
    }
    reads(1000)
    expect(reads(64_000)).toBeLessThan(8 * 64_000 + 10_000)
  })
})

describe.runIf(kernel() !== 'typescript')('the compiled counter', () => {
  test.each(['japanese', 'english+hebrew', 'korean+vietnamese', 'thai', 'hindi'] as const)(
    'counts what the scanner counts, with a title or without: %s',
    (tokenizer) => {
      let compiled = 0
      fc.assert(
        fc.property(mostlyFirstPlane, mostlyFirstPlane, (text, title) => {
          const [found, expected] = [new Postings(), new Postings()]
          if (!appendWords(found, title, text, tokenizer)) {
            // It leaves texts with characters beyond the first plane to the scanner, and nothing behind.
            expect(`${title}${text}`.normalize('NFKC')).toMatch(/[\u{10000}-\u{10ffff}]/u)
            expect(found.count).toBe(0)
            return
          }
          compiled++
          const counter = new TermCounter()
          if (title !== '') scannerOf(tokenizer).scan(title, counter)
          const { size } = counter
          scannerOf(tokenizer).scan(text, counter)
          counter.drain(expected, size)
          expect(found.used()).toEqual(expected.used())
          expect(found.titles).toEqual(expected.titles)
          expect(found.positionsOf(0)).toEqual(expected.positionsOf(0))
        }),
        tries(200),
      )
      expect(compiled).toBeGreaterThan(40)
    },
  )

  test('reads a text that is longer than its memory', () => {
    const long = 'שלום 3.14 '.repeat(20_000)
    const postings = new Postings()
    expect(appendWords(postings, '', long, 'english+hebrew')).toBe(true)
    expect(postings.count).toBe(2)
  })
})

test('marks every character that composes with the one before it', () => {
  const isBreak = (): boolean => false
  const seconds = new Set<number>()
  for (let code = 0x80; code < 0x10000; code++) {
    const character = String.fromCharCode(code)
    const parts = character.normalize('NFD')
    if (parts === character || character.normalize('NFC') !== character) continue
    const second = parts.charCodeAt(parts.length - 1)
    seconds.add(second)
    const first = parts.slice(0, -1).normalize('NFC')
    if (first.length === 1) expect(composePair(first.charCodeAt(0), second)).toBe(true)
  }
  const wrong: number[] = []
  for (let code = 0x80; code < 0x10000; code++) {
    const composes = (normalizationBits(code, isBreak) & COMPOSES) !== 0
    if (composes !== seconds.has(code)) wrong.push(code)
  }
  expect(wrong).toEqual([])
})

test('marks every character that normalization changes, except for other breaks', () => {
  const isBreak = (code: number): boolean => !/[\p{L}\p{N}\p{M}]/u.test(String.fromCodePoint(code))
  const changes = (character: string): boolean =>
    (normalizationBits(character.charCodeAt(0), isBreak) & CHANGES) !== 0
  expect(['½', 'ﬁ', 'ｱ', '\u2024', '\u0958', '´'].filter((one) => !changes(one))).toEqual([])
  expect(['…', '\u00a0', 'é', 'ß', '東', 'ड'].filter(changes)).toEqual([])
})

test('normalizes a text part by part as it normalizes the whole text', () => {
  fc.assert(
    fc.property(text, (text) => {
      const { text: whole, end } = normalizeWithPlaces(text)
      expect(whole).toBe(text.normalize('NFKC'))
      if (whole !== '') expect(end(whole.length - 1)).toBe(text.length)
      expect(end(whole.length)).toBe(whole === text ? whole.length + 1 : undefined)
    }),
    tries(600),
  )
})
