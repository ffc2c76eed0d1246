/** Blocks of a corpus, which worker threads parse. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { tries } from '../../../test/thorough.ts'
import { type TextEntry, writeTexts } from '../src/index.ts'
import { eachText, entriesOf, readTextBlocks, type TextBlock } from '../src/internal.ts'

const folder = temporaryFolder()

const entries: TextEntry[] = Array.from({ length: 12_000 }, (_, i) => ({
  id: `d${i}`,
  text: `text ${i} of bées`.repeat(5),
}))

async function blocksOf(file: string, size: number): Promise<TextBlock[]> {
  const blocks: TextBlock[] = []
  for await (const block of readTextBlocks(file, { size })) blocks.push(block)
  return blocks
}

describe.each(['corpus.jsonl', 'corpus.tsv', 'corpus.parquet'])('%s', (name) => {
  test('has the texts of the file in its blocks', async () => {
    const file = join(folder, name)
    await writeTexts(file, entries)
    for (const size of [50, 300_000]) {
      const blocks = await blocksOf(file, size)
      expect(blocks.length).toBeGreaterThan(1)
      expect(blocks.flatMap(entriesOf)).toEqual(entries)
    }
  })
})

test.each(['bad.jsonl', 'bad.jsonl.gz'])(
  'names the line of an error in any block (%s)',
  async (name) => {
    const file = join(folder, name)
    const lines = entries.map(({ id, text }) => JSON.stringify({ _id: id, text }))
    lines[7] = '\r'
    lines[11_000] = '{"_id": "d11000"}'
    const bytes = Buffer.from(lines.join('\r\n'))
    writeFileSync(file, name.endsWith('.gz') ? gzipSync(bytes) : bytes)
    const blocks = await blocksOf(file, 50)
    expect(() => blocks.flatMap(entriesOf)).toThrow(
      `${file}:11001: text or contents must be a string`,
    )
  },
)

test('reads lines that are longer than a block', async () => {
  const file = join(folder, 'long.tsv')
  const texts = [10, 300_000, 5, 1_000_000, 20].map((length, i) => ({
    id: `d${i}`,
    text: 'x'.repeat(length),
  }))
  await writeTexts(file, texts)
  for (const size of [7, 1000, 200_000]) {
    const blocks = await blocksOf(file, size)
    expect(blocks.flatMap(entriesOf)).toEqual(texts)
  }
})

test('refuses a file without texts', async () => {
  const file = join(folder, 'blank.tsv')
  writeFileSync(file, '\n \t\n\r\n')
  await expect(blocksOf(file, 1)).rejects.toThrow('contains no texts (read as tsv)')
})

describe('eachText', () => {
  const decoder = new TextDecoder('utf-16le', { ignoreBOM: true })

  /** Reads lines; returns their texts, and the number of texts that were read as strings. */
  function read(format: 'jsonl' | 'tsv', bytes: Uint8Array): { texts: TextEntry[]; slow: number } {
    const texts: TextEntry[] = []
    let slow = 0
    eachText(
      { file: 'corpus', format, fields: [], bytes, line: 4 },
      {
        text(ids, index, { units, start }) {
          const id = ids.get(index)
          const text = decoder.decode(units.subarray(start))
          const title = decoder.decode(units.subarray(0, Math.max(0, start - 1)))
          texts.push(title === '' ? { id, text } : { id, title, text })
        },
        entry(entry) {
          slow++
          texts.push(entry)
        },
      },
    )
    return { texts, slow }
  }

  function expectSame(format: 'jsonl' | 'tsv', bytes: Uint8Array): void {
    const outcome = (run: () => TextEntry[]) => {
      try {
        return run()
      } catch (error) {
        return (error as Error).message
      }
    }
    const block = { file: 'corpus', format, fields: [], bytes, line: 4 }
    expect(outcome(() => read(format, bytes).texts)).toEqual(outcome(() => entriesOf(block)))
  }

  const piece = fc.constantFrom(
    ...[
      'a',
      'Ä',
      '€',
      '😀',
      ' ',
      '\\"',
      '\\\\',
      '\\n',
      '\\/',
      '\\u00e9',
      '\\uD83D\\uDE00',
      '\\ud800',
    ],
    ...[
      '\\u12',
      '\\x',
      '\u0001',
      '\u00a0',
      '\ufeff',
      '}',
      '{',
      ',',
      'a word, and the next one, in ASCII',
    ],
  )
  const content = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''))
  const value = fc.oneof(
    { weight: 8, arbitrary: content.map((text) => `"${text}"`) },
    fc.constantFrom('7', 'null', '{}', '{"a": "b"}', '{"a": {"b": ""}}', '[]', '{"a": 1}', '"'),
  )
  const key = fc.constantFrom('_id', 'id', 'title', 'text', 'contents', 'metadata', 'texts', 'x')
  const space = fc.constantFrom('', '', ' ', '\t ', '\r')
  const member = fc
    .tuple(space, key, space, value, space)
    .map(([before, name, between, of, behind]) => `${before}"${name}"${between}:${of}${behind}`)
  const usual = fc
    .tuple(content, content, content)
    .map(([id, title, text]) => `{"_id": "${id}", "title": "${title}", "text": "${text}"}`)
  const line = fc.oneof(
    usual,
    fc.array(member, { maxLength: 5 }).map((members) => `{${members.join(',')}}`),
    fc.tuple(content, content).map((columns) => columns.join('\t')),
    fc.constantFrom('', ' ', '\t', '\r', '{', '{"_id": "a", "text": "b"} c', '\u00a0'),
  )
  const file = fc.tuple(
    fc.array(line, { maxLength: 4 }),
    fc.constantFrom('\n', '\r\n'),
    fc.boolean(),
  )

  test.each(['jsonl', 'tsv'] as const)('reads the same texts as a parser (%s)', (format) => {
    fc.assert(
      fc.property(file, ([lines, end, closed]) => {
        expectSame(format, Buffer.from(lines.join(end) + (closed ? end : '')))
      }),
      tries(2000),
    )
  })

  test('reads bytes that are not UTF-8 as a parser does', () => {
    const bytes = Buffer.from('{"_id": "a", "text": "b"}\n{"_id": "c", "text": "é"}\n', 'latin1')
    expect(() => read('jsonl', bytes)).toThrow('corpus:6: is not UTF-8')
  })

  test.each(['jsonl', 'tsv'] as const)('reads usual lines without strings (%s)', (format) => {
    const texts = [
      ...entries.slice(0, 9_000).map(({ id, text }) => ({ id, text })),
      // Longer than the kernel reads at a time.
      { id: 'long', text: 'ünïcödé '.repeat(90_000) },
      { id: 'last', text: 'x' },
    ]
    const jsonl = texts.map(({ id, text }) => JSON.stringify({ _id: id, text, metadata: {} }))
    const lines = format === 'jsonl' ? jsonl : texts.map(({ id, text }) => `${id}\t${text}`)
    expect(read(format, Buffer.from(lines.join('\n')))).toEqual({ texts, slow: 0 })
  })
})
