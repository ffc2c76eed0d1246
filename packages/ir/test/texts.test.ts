import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readTexts, type TextEntry, type TextLayout, writeTexts } from '../src/index.ts'
import { all, fileOf, folder } from './support.ts'

describe('reading texts', () => {
  test.for([
    [
      'beir.jsonl',
      '{"_id": "1", "title": "T", "text": "a b"}\r\n\r\n{"_id": 2, "title": "", "text": "ü"}',
      [
        { id: '1', title: 'T', text: 'a b' },
        { id: '2', text: 'ü' },
      ],
    ],
    ['pyserini.jsonl', '{"id": "1", "contents": "a"}\n', [{ id: '1', text: 'a' }]],
    [
      'msmarco.tsv',
      '\ufeff7\twhat is <b>\n8\t\n',
      [
        { id: '7', text: 'what is <b>' },
        { id: '8', text: '' },
      ],
    ],
    [
      'documents.sgml',
      '<DOC>\n<DOCNO> d1 </DOCNO>\n<TITLE>Head</TITLE>\n<TEXT>\np < 0.05 &amp; more\n</TEXT>\n</DOC>\n' +
        '<doc><docno>d2</docno>bare <p>text</p></doc> <DOC><DOCNO>d3</DOCNO><TEXT></TEXT></DOC>\n',
      [
        { id: 'd1', title: 'Head', text: 'p < 0.05 & more' },
        { id: 'd2', text: 'bare  text' },
        { id: 'd3', text: '' },
      ],
    ],
    [
      'topics.txt',
      '<?xml version="1.0"?>\n<top>\n\n<num> Number: 301\n<title> organized crime\n\n<desc> Description:\nlong\n</top>\n' +
        '<top><num>302</num><title>polio < 5</title></top>\n',
      [
        { id: '301', text: 'organized crime' },
        { id: '302', text: 'polio < 5' },
      ],
    ],
  ] as [string, string, TextEntry[]][])('%s', async ([name, text, expected]) => {
    expect(await all(readTexts(await fileOf(name, text)))).toEqual(expected)
  })

  test.for([
    ['broken.jsonl', '{"_id": "1", "text": "a"}\n{"_id": "2", \n', 'line 2: not JSON'],
    ['list.jsonl', '{"_id": "1", "text": "a"}\n[1]\n', 'line 2: expected a JSON object'],
    ['no-id.jsonl', '{"text": "a"}\n', 'line 1: expected an _id'],
    ['no-text.jsonl', '{"_id": "1"}\n', 'line 1: expected a text'],
    ['wide.tsv', '1\ta\n2\tb\tc\n', 'line 2: expected 2 fields, got 3'],
    ['narrow.tsv', 'just text\n', 'line 1: expected 2 fields, got 1'],
    ['no-id.tsv', ' \ta\n', 'line 1: the id is empty'],
    [
      'open.sgml',
      '<DOC>\n<DOCNO>1</DOCNO>\n</DOC>\n\n<DOC>\n<DOCNO>2</DOCNO>\n',
      'line 5: a <DOC>',
    ],
    ['no-id.sgml', '<DOC>\n<TEXT>a</TEXT>\n</DOC>', 'line 1: the <DOC> that starts here has no'],
    [
      'no-title.sgml',
      '<top>\n<num> 1\n</top>',
      'line 1: the <top> that starts here has no <title>',
    ],
    ['empty.jsonl', '', ': holds no texts'],
  ])('%s is an error with its place', async ([name, text, message]) => {
    await expect(all(readTexts(await fileOf(name!, text!)))).rejects.toThrow(message!)
  })
})

/** Text as the plainest format keeps it: one line, no spaces around it. */
const line = fc.string().map((text) => text.replace(/[\s\ufeff]+/g, ' ').trim())
const id = fc.stringMatching(/^[A-Za-z0-9_.-]{1,12}$/)

describe('writing texts', () => {
  test.for(['jsonl', 'tsv', 'documents', 'topics'] as TextLayout[])(
    '%s round-trips',
    async (format) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.record({ id, text: line }), { minLength: 1, maxLength: 5 }),
          async (entries) => {
            const file = join(folder, `round.${format}`)
            await writeTexts(file, entries, { format })
            const read = format === 'documents' || format === 'topics' ? 'sgml' : format
            expect(await all(readTexts(file, { format: read as 'jsonl' }))).toEqual(entries)
          },
        ),
        { numRuns: 50 },
      )
    },
  )

  test('titles: kept in JSONL and SGML, joined in TSV', async () => {
    const entry = { id: '1', title: 'T & <U>', text: 'a\tb\nc' }
    const packed = join(folder, 'titles.jsonl.gz')
    await writeTexts(packed, [entry])
    expect(await all(readTexts(packed))).toEqual([entry])
    const sgml = join(folder, 'titles.sgml')
    await writeTexts(sgml, [entry], { format: 'documents' })
    expect(await all(readTexts(sgml))).toEqual([entry])
    const tsv = join(folder, 'titles.tsv')
    await writeTexts(tsv, [entry])
    expect(await all(readTexts(tsv))).toEqual([{ id: '1', text: 'T & <U> a b c' }])
  })
})
