/** Blocks of a corpus, which worker threads parse. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { type TextEntry, writeTexts } from '../src/index.ts'
import { entriesOf, readTextBlocks, type TextBlock } from '../src/internal.ts'

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

test('refuses a file without texts', async () => {
  const file = join(folder, 'blank.tsv')
  writeFileSync(file, '\n \t\n\r\n')
  await expect(blocksOf(file, 1)).rejects.toThrow('contains no texts (read as tsv)')
})
