import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { readRun, readTexts, writeQrels, writeRun, writeTexts } from '../src/index.ts'

const folder = temporaryFolder()
const run = [{ query: 'q', ids: ['d'], scores: [1] }]
const qrels = new Map([['q', new Map([['d', 1]])]])
const texts = [{ id: 'd', title: 'T', text: 'a' }]

describe('a file whose extension stands for another format', () => {
  test.for([
    ['a run', ['npy', 'safetensors', 'jsonl', 'sgml', 'tsv', 'tsv.gz', 'jsonl.gz', 'parquet.gz']],
    ['relevance judgments', ['npy', 'json', 'jsonl', 'parquet', 'json.gz']],
    ['texts', ['npy', 'fvecs', 'sgml', 'PARQUET.GZ', 'npy.gz']],
  ] as const)('%s: is not written', async ([content, endings]) => {
    for (const ending of endings) {
      const file = join(folder, `wrong.${ending}`)
      const written =
        content === 'a run'
          ? writeRun(file, run)
          : content === 'texts'
            ? writeTexts(file, texts)
            : writeQrels(file, qrels)
      await expect(written).rejects.toMatchObject({
        code: 'BAD_FILE',
        message: expect.stringContaining(`wrong.${ending}`),
      })
      expect(existsSync(file)).toBe(false)
    }
  })

  test.for([
    ['a.parquet', 'trec', 'parquet'],
    ['a.json.gz', 'trec', 'json'],
    ['a.trec', 'parquet', 'trec'],
  ] as const)(
    'a run: %s in the format %s, which no reader expects there',
    async ([name, format, as]) => {
      await expect(writeRun(join(folder, name), run, { format })).rejects.toThrow(
        `${name}: a run in the format ${format} would be read as ${as} by its extension; choose another extension`,
      )
    },
  )

  test('other names are free, and a format that is named is written', async () => {
    const free = join(folder, 'better.run')
    await writeRun(free, run)
    expect((await readRun(free)).get('q')?.ids).toEqual(['d'])
    const topics = join(folder, 'topics.sgml')
    await writeTexts(topics, [{ id: '1', text: 'a' }], { format: 'topics' })
    for await (const entry of readTexts(topics)) expect(entry).toEqual({ id: '1', text: 'a' })
  })
})
