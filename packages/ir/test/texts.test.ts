import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { FileError } from '@kith/base'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cpuSeconds } from '../../../test/cpu-seconds.ts'
import { temporaryFolder } from '../../../test/files.ts'
import { readTexts, type TextEntry, type TextLayout, writeTexts } from '../src/index.ts'
import { all, filesIn } from './support.ts'

const folder = temporaryFolder()
const fileOf = filesIn(folder)

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
        '<doc><docno>d2</docno>bare <p>text</p></doc> <DOC><DOCNO>d3</DOCNO><TEXT></TEXT></DOC>\n' +
        '<DOC><DOCNO>d4</DOCNO><TEXT>one</TEXT> <BYLINE>x</BYLINE><TEXT>two</TEXT></DOC>\n',
      [
        { id: 'd1', title: 'Head', text: 'p < 0.05 & more' },
        { id: 'd2', text: 'bare  text' },
        { id: 'd3', text: '' },
        { id: 'd4', text: 'one\ntwo' },
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
    ['broken.jsonl', '{"_id": "1", "text": "a"}\n{"_id": "2", \n', ':2: not JSON'],
    ['list.jsonl', '{"_id": "1", "text": "a"}\n[1]\n', ':2: '],
    ['no-id.jsonl', '{"text": "a"}\n', ':1: '],
    [
      'no-text.jsonl',
      '{"_id": "1"}\n',
      ':1: text or contents must be a string; the line has the fields _id',
    ],
    ['wide.tsv', '1\ta\n2\tb\tc\n', ':2: '],
    ['narrow.tsv', 'just text\n', ':1: '],
    ['no-id.tsv', ' \ta\n', ':1: '],
    ['open.sgml', '<DOC>\n<DOCNO>1</DOCNO>\n</DOC>\n\n<DOC>\n<DOCNO>2</DOCNO>\n', ':5: the <DOC>'],
    ['no-id.sgml', '<DOC>\n<TEXT>a</TEXT>\n</DOC>', ':1: '],
    ['no-title.sgml', '<top>\n<num> 1\n</top>', ':1: '],
    ['empty.jsonl', '', ': contains no texts'],
    ['title.jsonl', '{"_id": "1", "title": 5, "text": "a"}', ':1: title must be a string, got 5'],
    [
      'large-id.jsonl',
      '{"_id": 1, "text": "a"}\n{"_id": 12345678901234567890, "text": "a"}',
      ':2: ',
    ],
    ['half.jsonl', '{"_id": "1", "text": "a \\uD800 b"}', ':1: '],
    ['within.sgml', '<DOC><DOCNO>1</DOCNO>\nlost <DOC><DOCNO>2</DOCNO></DOC>', ':1: '],
    ['stray.sgml', '<DOC><DOCNO>1</DOCNO></DOC>\n</DOC>', ':2: '],
  ])('refuses %s with its position', async ([name, text, message]) => {
    await expect(all(readTexts(await fileOf(name!, text!)))).rejects.toThrow(message!)
  })
})

/** Text as the plainest format keeps it: one line, no spaces around it. */
const line = fc.string().map((text) => text.replace(/[\s\ufeff]+/g, ' ').trim())
const id = fc.stringMatching(/^[A-Za-z0-9_.-]{1,12}$/)

describe('writing texts', () => {
  test.for(['jsonl', 'tsv', 'documents', 'topics', 'parquet'] as TextLayout[])(
    'reads back %s as written',
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

  /** Writes an entry in a format and reads it back, the format being told by the first bytes. */
  async function again(entries: TextEntry[], format: TextLayout): Promise<TextEntry[]> {
    const file = join(folder, `again.${format}`)
    await writeTexts(file, entries, { format })
    return all(readTexts(file))
  }

  test.for(['jsonl', 'tsv', 'documents', 'topics', 'parquet'] as TextLayout[])(
    '%s: reads back any text as written, or refuses to write it',
    async (format) => {
      const special = fc.constantFrom('\t', '\n', '\r', '\r\n', ' ', '#', '<', '</DOC>', '<top>')
      const more = fc.constantFrom(
        '&#32;',
        '&amp;',
        '{',
        '\ufeff',
        'Topic: ',
        'Number: ',
        '\ud800',
        'ü',
      )
      const piece = fc.oneof(special, more, fc.string({ unit: 'binary', maxLength: 3 }), line)
      const any = fc.array(piece, { maxLength: 4 }).map((pieces) => pieces.join(''))
      const entry = fc.record({
        id: fc.oneof(id, any),
        title: fc.oneof(fc.constant(''), any),
        text: any,
      })
      let kept = 0
      await fc.assert(
        fc.asyncProperty(fc.array(entry, { minLength: 1, maxLength: 3 }), async (entries) => {
          const back = await again(entries, format).catch((error) => {
            expect(error).toBeInstanceOf(FileError)
          })
          if (!back) return
          kept++
          const expected = entries.map(({ id, title, text }) => ({
            id,
            ...(title && { title }),
            text,
          }))
          expect(back).toEqual(expected)
        }),
        { numRuns: 300, seed: 15 },
      )
      expect(kept).toBeGreaterThan(5)
    },
  )

  test.for([
    ['tsv', { id: '1', text: 'a\tb' }, 'text 1: "1": TSV cannot express tabs'],
    ['tsv', { id: '1', text: 'a\nb' }, 'TSV cannot express tabs and line breaks in texts; flatten'],
    ['tsv', { id: '1', title: 'T', text: 'a' }, 'TSV cannot express titles; flatten'],
    ['tsv', { id: '', text: 'a' }, 'the id does not fit into a column'],
    ['tsv', { id: 'a\tb', text: 'a' }, 'the id does not fit into a column'],
    ['topics', { id: '1', title: 'T', text: 'a' }, 'topics cannot express titles'],
    ['documents', { id: '', text: 'a' }, 'the id is empty'],
    ['jsonl', { id: '1', text: '\udc00' }, 'half a surrogate pair'],
  ] as [TextLayout, TextEntry, string][])(
    '%s: refuses to lose data',
    async ([format, entry, message]) => {
      const file = join(folder, `refused.${format}`)
      await expect(writeTexts(file, [entry], { format })).rejects.toThrow(message)
      expect(existsSync(file)).toBe(false)
    },
  )

  test('joins titles and texts and replaces line breaks by spaces with flatten', async () => {
    const entry = { id: '1', title: 'T', text: 'a\tb\nc' }
    const file = join(folder, 'flat')
    await writeTexts(file, [entry], { format: 'tsv', flatten: true })
    expect(await all(readTexts(file))).toEqual([{ id: '1', text: 'T a b c' }])
    await writeTexts(file, [entry], { format: 'topics', flatten: true })
    expect(await all(readTexts(file))).toEqual([{ id: '1', text: 'T a\tb\nc' }])
  })

  test('keeps titles in JSONL and SGML', async () => {
    const entry = { id: '1', title: 'T & <U>', text: 'a\tb\nc' }
    const packed = join(folder, 'titles.jsonl.gz')
    await writeTexts(packed, [entry])
    expect(await all(readTexts(packed))).toEqual([entry])
    const sgml = join(folder, 'titles.sgml')
    await writeTexts(sgml, [entry], { format: 'documents' })
    expect(await all(readTexts(sgml))).toEqual([entry])
  })
})

describe('reading time grows linearly with the size of the file', () => {
  // Each of these took minutes when tags were looked for from the beginning again and again.
  const many = 120_000
  const head = '<DOC><DOCNO>1</DOCNO>'
  test.for([
    ['tags that are not closed', `${head}${'<TEXT>'.repeat(many)}</DOC>`, 1],
    ['titles that are not closed', `${head}${'<TITLE>\n'.repeat(many)}</DOC>`, 1],
    ['records in one line', `${head}</DOC>`.repeat(many), many],
    ['fields of a topic', `<top><num>1<title>a${'<desc>'.repeat(many)}</top>`, 1],
    ['half tags', `${head}${'<a'.repeat(many)}${'&'.repeat(many)}</DOC>`, 1],
  ] as [string, string, number][])('%s', async ([name, text, count]) => {
    const file = await fileOf(`${name}.sgml`, text)
    const read = async () =>
      expect(await all(readTexts(file, { format: 'sgml' }))).toHaveLength(count)
    expect(await cpuSeconds(read)).toBeLessThan(30)
  })

  test('reads records that are not closed in linear time', async () => {
    const file = await fileOf('unclosed.sgml', '<DOC>\n'.repeat(60_000))
    const read = () =>
      expect(all(readTexts(file))).rejects.toThrow('unclosed.sgml:1: the <DOC> that starts here')
    expect(await cpuSeconds(read)).toBeLessThan(30)
  })
})
