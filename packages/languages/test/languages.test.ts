import {
  explain,
  prepareText,
  rerank,
  type TokenizerName,
  termSpans,
  termStatistics,
} from '@kith/core'
import { languageNames } from '@kith/core/internal'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import '../src/index.ts'
import { languages } from '../src/languages.ts'
import { sentences } from './sentences.ts'

const termsOf = (text: string, tokenizer: TokenizerName): string[] =>
  termSpans(text, tokenizer).map(({ term }) => term)

/** The terms of a text without those that are prefixes of terms. */
const stemsOf = (text: string, tokenizer: TokenizerName): string[] =>
  termsOf(text, tokenizer).filter((term) => !term.endsWith('*'))

/** Forms of one word in each language, and a stop word. */
const forms: Record<string, [words: string, stop: string]> = {
  arabic: ['المدرسة مدرسة مَدْرَسَة مدرســة', 'في'],
  bulgarian: ['книга книги книгата', 'защото'],
  danish: ['hus huset husene', 'eller'],
  dutch: ['boek boeken', 'het'],
  finnish: ['talo talossa talot', 'koska'],
  french: ['national nationale nationales NATIONALES', 'avec'],
  german: ['Häuser Haus Hauses Haeuser', 'über'],
  greek: ['άνθρωπος ανθρώπων ΑΝΘΡΩΠΟΣ', 'και'],
  hindi: ['लड़की लड़कियाँ', 'और'],
  hungarian: ['könyv könyvek', 'hogy'],
  indonesian: ['baca membaca bacaan', 'yang'],
  italian: ['nazionale nazionali', 'della'],
  norwegian: ['hus huset husene', 'eller'],
  portuguese: ['livro livros', 'você'],
  romanian: ['naționale naţionale național', 'și'],
  russian: ['ёлка елка ёлки', 'чтобы'],
  spanish: ['canción cancion canciones', 'también'],
  swedish: ['bok boken', 'eller'],
  turkish: ['kitap kitaplar KİTAP', 'şey'],
  ukrainian: ['книга книги книгою', 'який'],
}

describe.each(Object.keys(forms) as TokenizerName[])('tokenizer %s', (name) => {
  test('gives the forms of a word one stem', () => {
    expect(new Set(stemsOf(forms[name]![0], name)).size).toBe(1)
  })

  test('removes a stop word', () => {
    expect(termsOf(forms[name]![1], name)).toEqual([])
  })
})

test('has rules for each language that core names', () => {
  const plain = ['chinese', 'hebrew', 'japanese', 'korean', 'thai', 'vietnamese']
  expect([...Object.keys(languages), ...plain].sort()).toEqual(languageNames)
  expect(Object.keys(forms)).toEqual(Object.keys(languages))
})

test.each([
  [
    'korean',
    '한국어를 배웁니다 2024년',
    ['한국', '국어', '어를', '배웁', '웁니', '니다', '2024', '년'],
  ],
  ['thai', 'ห้องสมุดปิด 6 โมง', ['ห้อง', 'องส', 'งสมุ', 'สมุด', 'มุดปิ', 'ดปิด', '6', 'โมง']],
  ['thai', 'ພາສາລາວ', ['ພາສ', 'າສາ', 'ສາລ', 'າລາ', 'ລາວ']],
  ['chinese', 'ភាសាខ្មែរ', ['ភាសា', 'សាខ្', 'ខ្មែ', 'មែរ']],
] as const)('groups of characters are terms, with their marks: %s %s', (tokenizer, text, terms) => {
  const spans = termSpans(text, tokenizer)
  expect(spans.map(({ term }) => term)).toEqual(terms)
  for (const { term, start, end } of spans) expect(text.slice(start, end)).toBe(term)
  expect(prepareText(text, { tokenizer }).postings.length / 3).toBe(terms.length)
})

test.each([
  ['french', 'ecole', 'les e\u0301coles et', ['e\u0301coles']],
  ['arabic', 'مدرسة', 'في الْمَدْرَسَةِ كتب', ['الْمَدْرَسَةِ']],
  ['hindi', 'ल\u095cकी', 'एक ल\u0921\u093cकियाँ थी', ['ल\u0921\u093cकियाँ']],
  ['japanese', 'ガス', '新ｶﾞｽ工場', ['ｶﾞｽ']],
  ['german', 'Krankenhaus', 'Die Krankenhausverwaltung', ['Krankenhausverwaltung']],
  ['code', 'response', 'x = parseHTTPResponse()', ['parseHTTPResponse']],
] as const)('explain names the terms that a text shares: %s', (tokenizer, query, text, places) => {
  const candidates = {
    vectors: [
      [1, 0],
      [0, 1],
    ],
    texts: [text, 'x'],
  }
  const { matched } = explain({ vector: [1, 1], text: query }, candidates, 0, { tokenizer })
  const terms = new Set(matched.map(({ term }) => term))
  const marked = termSpans(text, tokenizer).filter(({ term }) => terms.has(term))
  expect([...new Set(marked.map(({ start, end }) => text.slice(start, end)))]).toEqual(places)
})

test('a compound shares a term with the word that it starts with', () => {
  const compound = termsOf('Krankenhausverwaltung', 'german')
  expect(compound).toContain('krank*')
  expect(termsOf('Krankenhaus', 'german')).toContain('krank*')
})

test('treats ß, umlauts and their spellings as the same letters in German', () => {
  expect(termsOf('Strasse Muenchen Goethe', 'german')).toEqual(
    termsOf('Straße München Göthe', 'german'),
  )
  // Two syllables, and q with its u.
  expect(stemsOf('neue Quelle Bauer', 'german')).toEqual(['neu', 'quell', 'bau'])
})

test('lowercases I to ı only in Turkish', () => {
  expect(termsOf('IŞIK', 'turkish')).toEqual(termsOf('ışık', 'turkish'))
  expect(termsOf('ISPARTA', 'german')).toEqual(termsOf('isparta', 'german'))
})

test('ignores accents that readers leave out', () => {
  for (const [name, text] of [
    ['french', 'éléphant forêt garçon'],
    ['spanish', 'árbol jardín'],
    ['italian', 'felicità'],
    ['portuguese', 'história'],
  ] as const) {
    const bare = text.normalize('NFD').replace(/\p{Mn}/gu, '')
    expect(termsOf(bare, name), name).toEqual(termsOf(text, name))
  }
  expect(termsOf('för', 'swedish')).not.toEqual(termsOf('for', 'swedish'))
})

test('reads one text in two scripts with two languages', () => {
  const tokenizer = 'german+russian'
  expect(stemsOf('Die Häuser и книги', tokenizer)).toEqual(['haus', 'книг'])
  expect(() => prepareText('a', { tokenizer: 'german+french' })).toThrow(
    expect.objectContaining({
      code: 'BAD_SETTING',
      message: expect.stringContaining('german+french'),
    }),
  )
})

/** Texts of all languages, in parts. */
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom(...Object.values(sentences).flat()),
      fc.constantFrom(
        ...Object.values(sentences)
          .flat()
          .flatMap((one) => one.split(/\s+/)),
      ),
      fc.string({ unit: 'binary', maxLength: 5 }),
    ),
    { maxLength: 5 },
  )
  .map((parts) => parts.join(' '))

describe.each([
  ...['arabic', 'german+russian+greek+hindi', 'turkish', 'french', 'thai', 'korean', 'japanese'],
] as TokenizerName[])('properties of %s', (tokenizer) => {
  test('counts the terms of termSpans, in every normalization form, at their positions', () => {
    fc.assert(
      fc.property(text, (text) => {
        const spans = termSpans(text, tokenizer)
        const counts = new Map<string, number>()
        for (const { term } of spans) counts.set(term, (counts.get(term) ?? 0) + 1)
        const { postings } = prepareText(text, { tokenizer })
        const counted = Array.from({ length: postings.length / 3 }, (_, i) => postings[i * 3 + 2])
        expect(counted).toEqual([...counts.values()])
        for (const form of ['NFD', 'NFKC']) {
          expect(termsOf(text.normalize(form), tokenizer)).toEqual(spans.map(({ term }) => term))
        }
        for (const { term, start, end } of spans) {
          expect(termsOf(text.slice(start, end), tokenizer)).toContain(term)
        }
      }),
      { numRuns: 100 },
    )
  })
})

test('records the tokenizer in the statistics, and refuses another', () => {
  const documents = sentences.german!
  const statistics = termStatistics(documents, { tokenizer: 'german' })
  expect(statistics.tokenizer).toBe('german')
  const query = { vector: [1, 0], text: 'schlafende Katzen' }
  const candidates = {
    vectors: [
      [0.6, 0.8],
      [0.6, 0.8],
    ],
    texts: [documents[1], documents[0]],
  }
  const { order } = rerank(query, candidates, { tokenizer: 'german', statistics })
  expect([...order]).toEqual([1, 0])
  expect(() => rerank(query, candidates, { tokenizer: 'french', statistics })).toThrow(
    expect.objectContaining({ code: 'BAD_INPUT', message: expect.stringContaining("'french'") }),
  )
})
