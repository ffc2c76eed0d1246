import { cpSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { background } from '@kith/core'
import { openEmbeddings } from '@kith/ir'
import { describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import { kith, succeed } from './support.ts'

const shared = fileURLToPath(new URL('../../../../shared/data/cisi/', import.meta.url))

describe.skipIf(!existsSync(shared))('on CISI', () => {
  const folder = temporaryFolder()
  const docs = join(folder, 'docs.npy')
  const own = join(shared, 'embeddings/all-MiniLM-L6-v2/')
  for (const name of ['docs.npy', 'docs.ids.txt', 'queries.npy', 'queries.ids.txt']) {
    cpSync(join(own, name), join(folder, name))
  }
  const files = [
    ...['--run', join(own, 'top200.run.trec'), '--queries', join(folder, 'queries.npy')],
    ...['--docs', docs, '--corpus', join(shared, 'corpus.jsonl')],
    ...['--query-text', join(shared, 'queries.jsonl'), '--qrels', join(shared, 'qrels/test.trec')],
  ]

  test('kith background keeps what the library computes beside the embeddings', async () => {
    succeed('background', '--docs', docs)
    const made = JSON.parse(readFileSync(`${docs}.background.json`, 'utf8'))
    const embeddings = await openEmbeddings(docs)
    const { rows, dimensions } = embeddings
    const whole = background({ data: embeddings.read(0, rows), rows, dimensions })
    await embeddings.close()
    expect(made.sample).toBe(whole.sample)
    expect(made).toMatchObject({ documents: 1460, dimensions: 384 })
    for (const part of ['pairs', 'nearest'] as const) {
      expect(made[part].mean).toBeCloseTo(whole[part].mean, 5)
      expect(made[part].deviation).toBeCloseTo(whole[part].deviation, 5)
    }
  })

  test('kith rerank --cutoff writes the documents that are worth their place', () => {
    const reranked = (...more: string[]) => {
      const out = join(folder, 'cut.trec')
      succeed('rerank', ...files, '--out', out, ...more)
      const lines = readFileSync(out, 'utf8').trimEnd().split('\n')
      const byQuery = new Map<string, string[]>()
      for (const line of lines) {
        const [query, , document] = line.split(' ') as [string, string, string]
        byQuery.set(query, [...(byQuery.get(query) ?? []), document])
      }
      return byQuery
    }
    const whole = reranked()
    const auto = reranked('--cutoff', 'auto')
    expect(auto.size).toBe(whole.size)
    for (const [query, ids] of auto) {
      expect(ids.length).toBeLessThan(21)
      expect(ids).toEqual(whole.get(query)!.slice(0, ids.length))
    }
    expect(new Set(Array.from(auto.values(), (ids) => ids.length)).size).toBeGreaterThan(3)
    expect([...reranked('--cutoff', '3').values()].every((ids) => ids.length === 3)).toBe(true)
    const sure = reranked('--cutoff', 'relevance:0.5')
    expect([...sure.values()].flat().length).toBeLessThan([...auto.values()].flat().length)
    const out = ['--out', join(folder, 'x.trec')]
    expect(kith('rerank', ...files, ...out, '--cutoff', 'some').err).toContain(
      '--cutoff must be auto',
    )
    const bare = [...files, ...out, '--cutoff', 'auto']
    bare[bare.indexOf('--docs') + 1] = join(own, 'docs.npy')
    expect(kith('rerank', ...bare).err).toContain('make it with kith background')
  })

  test('kith calibrate says whether judgments help, and writes what every entry takes', () => {
    const out = join(folder, 'calibration.json')
    const said = succeed('calibrate', ...files, '--out', out)
    expect(said).toContain('76 judged queries')
    expect(said).toContain('Calibration helps.')
    const result = JSON.parse(succeed('calibrate', ...files, '--out', out, '--json'))
    expect(result.calibrated.calibrationError).toBeLessThan(result.estimated.calibrationError)
    expect(result.calibrated.f1).toBeGreaterThan(result.fixed[1].f1)
    const page = join(folder, 'calibration.html')
    const picture = join(folder, 'calibration.svg')
    expect(said).toContain(`\n${page}: the reliability diagram\n`)
    expect(result).toMatchObject({ page, picture })
    expect(readFileSync(page, 'utf8')).toContain('aria-label="Reliability diagram.')
    expect(readFileSync(picture, 'utf8')).toMatch(/^<svg .*<\/svg>\n$/s)
    for (const { bins } of [result.estimated, result.calibrated]) {
      expect(bins.reduce((sum: number, { hits }: { hits: number }) => sum + hits, 0)).toBe(76 * 20)
    }
    const { a, b } = JSON.parse(readFileSync(out, 'utf8'))
    expect([a, b]).toEqual([result.calibration.a, result.calibration.b])
    const wrong = kith('calibrate', ...files, '--background', out, '--out', join(folder, 'x.json'))
    expect(wrong.err).toContain('is not a background')
    const texts = join(folder, 'texts.html')
    cpSync(join(shared, 'corpus.jsonl'), texts)
    const clash = files.map((file) => (file === join(shared, 'corpus.jsonl') ? texts : file))
    expect(kith('calibrate', ...clash, '--out', join(folder, 'texts.json')).err).toContain(
      `kith calibrate would overwrite ${texts}, which is an input`,
    )
  })

  test('kith rerank --cutoff takes a background and a calibration from other places', () => {
    const elsewhere = join(folder, 'background.json')
    succeed('background', '--docs', docs, '--out', elsewhere)
    const calibration = join(folder, 'calibration-2.json')
    succeed('calibrate', ...files, '--out', calibration)
    const bare = [...files]
    bare[bare.indexOf('--docs') + 1] = join(own, 'docs.npy')
    const cut = (name: string, ...more: string[]): string => {
      const out = join(folder, name)
      succeed('rerank', ...bare, '--out', out, '--cutoff', 'auto', ...more)
      return readFileSync(out, 'utf8')
    }
    const estimated = cut('estimated.trec', '--background', elsewhere)
    const calibrated = cut(
      ...(['calibrated.trec', '--background', elsewhere, '--calibration', calibration] as const),
    )
    expect(calibrated).not.toBe(estimated)
    const idle = ['--out', join(folder, 'x.trec'), '--cutoff', '3', '--calibration', calibration]
    expect(kith('rerank', ...files, ...idle).err).toContain(
      '--calibration works only with --cutoff auto or --cutoff relevance:0.5',
    )
  })
})
