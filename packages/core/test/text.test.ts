import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { thorough, tries } from '../../../test/thorough.ts'
import { prepareText } from '../src/index.ts'
import { createEngine, kernel } from '../src/kernel/load.ts'
import { TextUnits } from '../src/kernel/text-units.ts'
import { appendWords } from '../src/kernel/word-counter.ts'
import { Postings } from '../src/text/postings.ts'
import { appendString, appendText } from '../src/text/prepare-text.ts'
import { tokenizerNames } from '../src/text/tokenizer.ts'
import { allKernels, expectClose, random } from './support.ts'
import { termsOf, textCosines } from './text-oracle.ts'

/** S_text of a context's texts, row after row. */
function similarities(
  kernel: (typeof allKernels)[number],
  texts: readonly string[],
): Float32Array[] {
  const postings = new Postings()
  for (const text of texts) appendText(postings, text, 'none')
  const s = createEngine(kernel).texts(postings).similarity()
  return texts.map((_, i) => new Float32Array(s.row(i)))
}

/** The multiset of counts says whether two splittings agree; the hash hides the terms themselves. */
function countsOf(postings: Uint32Array): string[] {
  return Array.from({ length: postings.length / 3 }, (_, i) => String(postings[i * 3 + 2])).sort()
}

const samples = [
  '',
  '   ',
  'Boundary layer, boundary-layer; LAYER 2!',
  'naïve café CAFÉ cafe\u0301',
  'ΟΔΟΣ οδος ΟΔΟΣ. Σ',
  'İstanbul istanbul',
  'Straße STRASSE ẞ',
  '東京都の天気と2020年オリンピック',
  '葛\u{e0100}飾区',
  'สวัสดีครับ ที่นี่',
  'ភាសាខ្មែរ ພາສາລາວ မြန်မာ',
  '한국어 띄어쓰기',
  'हिन्दी भाषा',
  'שלום עולם مرحبا بالعالم',
  '👩‍👩‍👧 ❤️ 🇩🇪 x👍y',
  'lone \ud800 surrogate \udc00x',
  'snake_case kebab-case 3.14 1e9 ½ ²',
  '\u0301mark first',
]

describe('splitting texts into terms', () => {
  test.each(samples)('%j', (text) => {
    const expected = new Map<string, number>()
    for (const term of termsOf(text)) expected.set(term, (expected.get(term) ?? 0) + 1)
    const counts = [...expected.values()].map(String).sort()
    expect(countsOf(prepareText(text, { tokenizer: 'none' }).postings)).toEqual(counts)
  })

  test('splits any string as the oracle does, with equal hashes for equal terms', () => {
    const words = fc.constantFrom(...samples.flatMap(termsOf), 'é', 'a', 'の', 'ที่')
    const text = fc
      .array(fc.oneof(words, fc.string({ unit: 'binary' }), fc.constantFrom(' ', '-', '，')))
      .map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, text, (a, b) => {
        const { postings } = prepareText(`${a} ${b}`, { tokenizer: 'none' })
        const terms = termsOf(`${a} ${b}`)
        expect(postings.length / 3).toBe(new Set(terms).size)
        const ofA = prepareText(a, { tokenizer: 'none' }).postings
        const keys = new Set(keysOf(postings))
        expect(keysOf(ofA).filter((key) => !keys.has(key))).toEqual([])
      }),
      tries(60),
    )
  })

  test.each(tokenizerNames)(
    'finds the same postings in any text by the fast path, tokenizer %s',
    (tokenizer) => {
      const some = fc.constantFrom(
        ...[
          'the ',
          'Flies ',
          'running ',
          'caresses. ',
          'Of ',
          'generalization',
          'it’s ',
          '“so” — ',
        ],
        ...[
          'CAFÉS ',
          'cafe\u0301s',
          'ΟΔΟΣ ',
          'İs',
          '東京都',
          'ที่นี่',
          '😀',
          '𝐁',
          '\ud800',
          'é'.repeat(65),
        ],
      )
      const strings = fc.oneof(
        fc.string({ unit: 'binary-ascii', maxLength: 300 }),
        fc.string({ unit: 'binary', maxLength: 10 }),
        some,
      )
      const any = fc.array(strings, { maxLength: 30 }).map((parts) => parts.join(''))
      fc.assert(
        fc.property(any, fc.oneof(fc.constant(''), any), (text, title) => {
          const [fast, slow] = [new Postings(), new Postings()]
          appendText(fast, { title, text }, tokenizer)
          appendString(slow, text, tokenizer, title)
          expect(fast.used().join()).toBe(slow.used().join())
          expect(fast.positionsOf(0).join()).toBe(slow.positionsOf(0).join())
          expect(fast.titles).toEqual(slow.titles)
        }),
        tries(30),
      )
      const long = Array.from({ length: 80_000 }, (_, i) => `word${i % 66_001}`).join(' ')
      const [fast, slow] = [new Postings(), new Postings()]
      appendText(fast, long, tokenizer)
      appendString(slow, long, tokenizer)
      expect(bytesOf(fast.used()).equals(bytesOf(slow.used()))).toBe(true)
      expect(bytesOf(fast.positionsOf(0)).equals(bytesOf(slow.positionsOf(0)))).toBe(true)
    },
  )

  test.runIf(kernel() !== 'typescript')(
    'reads prose with quotes, dashes, accents and emoji by the fast path',
    () => {
      for (const text of ['It’s “so” — naïve…', '東京都 ok 😀', 'x'.repeat(70)]) {
        expect(appendWords(new Postings(), 'Été', text, 'english')).toBe(true)
      }
      // The lower case of a sigma depends on the word around it.
      expect(appendWords(new Postings(), '', 'ΟΔΟΣ', 'english')).toBe(false)
    },
  )

  test('copies the same texts with and without Buffer', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary-ascii' }), (a, b) => {
        for (const node of [null, Buffer]) {
          const room = new TextUnits(new ArrayBuffer(4096), 64, 1024, node as never)
          room.write(a)
          room.write(b, a.length)
          const { units } = room
          expect(String.fromCharCode(...units.subarray(0, a.length + b.length))).toBe(a + b)
        }
      }),
    )
  })

  test('numbers the terms of title and text in order', () => {
    const { postings, positions, titleTerms } = prepareText({
      title: 'Wings and wings of Größe',
      text: 'größe, the wing, 東京都 flow',
    })
    expect([...positions!]).toEqual([0, 1, 4, 2, 3, 5, 6, 7])
    expect(titleTerms).toBe(2)
    expect(postings.length / 3).toBe(5)
    const whole = prepareText('Wings and wings of Größe größe, the wing, 東京都 flow')
    expect(whole).toEqual({ postings, positions, tokenizer: 'english' })
    expect(prepareText('wing', { positions: false }).positions).toBeUndefined()
    const split = { tokenizer: (text: string) => text.split(' ') }
    expect(prepareText({ title: 'a b', text: 'b a c' }, split)).toMatchObject({
      positions: Uint32Array.of(0, 3, 1, 2, 4),
      titleTerms: 2,
    })
  })

  test('accepts a string, or a title and a text', () => {
    for (const wrong of [7, {}, { title: 'a' }, { title: 1, text: 'a' }, { text: null }]) {
      expect(() => prepareText(wrong as never)).toThrow('{ title, text }')
    }
    expect(() => prepareText({ text: 'a', titles: 'b' } as never)).toThrow('did you mean title?')
    expect(prepareText({ title: undefined, text: 'a' })).toEqual(prepareText('a'))
  })

  test.runIf(thorough)(
    'tokenizes correctly after a text that exceeds the memory of the kernel',
    () => {
      // The counter takes 28 bytes for each character, and a kernel's memory ends at 4 GiB.
      const huge = `bee${' '.repeat(154_000_000)}`
      expect(prepareText(huge).postings.length).toBe(3)
      expect(prepareText('hello world').postings.length).toBe(6)
    },
  )

  test('gives 200,000 terms different hashes', () => {
    const terms = Array.from({ length: 200_000 }, (_, i) => `t${i.toString(36)}`)
    const keys = keysOf(prepareText(terms.join(' '), { tokenizer: 'none' }).postings)
    expect(new Set(keys).size).toBe(terms.length)
  })
})

/** Of a long array, which vitest would compare number by number. */
function bytesOf({ buffer, byteOffset, byteLength }: Uint32Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

function keysOf(postings: Uint32Array): string[] {
  return Array.from(
    { length: postings.length / 3 },
    (_, i) => `${postings[i * 3]} ${postings[i * 3 + 1]}`,
  )
}

describe.each(allKernels)('text similarity on %s', (kernel) => {
  test('tokenizes the samples as docs/method.md says', () => {
    const expected = textCosines(samples)
    similarities(kernel, samples).forEach((row, i) => {
      expectClose(row, expected[i]!, 2e-6)
    })
  })

  test('tokenizes random texts of any number and length', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 70 }),
        fc.integer({ min: 1, max: 60 }),
        fc.integer({ min: 1, max: 400 }),
        fc.integer(),
        (count, length, vocabulary, seed) => {
          const next = random(seed)
          const texts = Array.from({ length: count }, () =>
            Array.from(
              { length: Math.floor(next() * length) },
              () => `w${Math.floor(vocabulary ** next())}`,
            ).join(' '),
          )
          const expected = textCosines(texts)
          similarities(kernel, texts).forEach((row, i) => {
            expectClose(row, expected[i]!, 3e-6)
          })
        },
      ),
      tries(10),
    )
  })

  test('counts more frequent terms than fit into one pass', () => {
    const next = random(3)
    const texts = Array.from({ length: 8 }, () =>
      Array.from({ length: 900 }, (_, i) => (next() < 0.6 ? `w${i}` : '')).join(' '),
    )
    const expected = textCosines(texts)
    similarities(kernel, texts).forEach((row, i) => {
      expectClose(row, expected[i]!, 3e-6)
    })
  })

  test('finds a text without terms similar to itself only, and identical texts equal', () => {
    const rows = similarities(kernel, ['query words', 'shared text', '', 'shared text', '!?'])
    expect([...rows[2]!]).toEqual([0, 0, 1, 0, 0])
    expect([...rows[4]!]).toEqual([0, 0, 0, 0, 1])
    expect(rows[1]![3]).toBe(rows[1]![1])
    expect(rows[3]).toEqual(rows[1])
    expectClose(rows[1]!, [0, 1, 0, 1, 0], 1e-6)
  })
})
