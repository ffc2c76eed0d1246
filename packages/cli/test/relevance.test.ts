import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { background } from '@kith/core'
import { openEmbeddings, readRun } from '@kith/ir'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import { beforeAll, describe, expect, test } from 'vitest'
import { sharedCollection, temporaryFolder } from '../../../test/files.ts'
import { kith, succeed } from './support.ts'

const cisi = sharedCollection('cisi')
const shared = cisi ?? ''

test('a threshold on scores is refused with what to do instead', () => {
  for (const option of ['--min-score', '--score-threshold']) {
    expect(kith('rerank', option, '0.5').err).toContain(
      `${option} does not exist, because scores only compare the documents of one query; use kith rerank --cutoff relevance:0.5`,
    )
  }
})

describe.skipIf(!cisi)('on CISI', () => {
  const folder = temporaryFolder()
  const docs = join(folder, 'docs.npy')
  const own = join(shared, 'embeddings/all-MiniLM-L6-v2/')
  beforeAll(() => {
    for (const name of ['docs.npy', 'docs.ids.txt', 'queries.npy', 'queries.ids.txt']) {
      cpSync(join(own, name), join(folder, name))
    }
  })
  const files = [
    ...['--run', join(own, 'top200.run.trec'), '--queries', join(folder, 'queries.npy')],
    ...['--docs', docs, '--corpus', join(shared, 'corpus.jsonl')],
    ...['--query-text', join(shared, 'queries.jsonl'), '--qrels', join(shared, 'qrels/test.trec')],
  ]

  test('kith background writes the background of the library beside the embeddings', async () => {
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

  test('kith rerank --cutoff writes only the documents above the cutoff', () => {
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
    expect(kith('rerank', ...bare).err).toContain(
      'docs.npy: has no background of its documents, which the cutoff needs; make it with kith background --docs',
    )
  })

  test('kith rerank --set collapse, group and prior folds documents, and prints how many', () => {
    const corpus = join(folder, 'fields.jsonl')
    const lines = readFileSync(join(shared, 'corpus.jsonl'), 'utf8').trimEnd().split('\n')
    const documents = lines.map((line, i) => ({
      ...JSON.parse(line),
      metadata: { source: `shelf ${i % 40}`, loans: i % 9 },
    }))
    writeFileSync(corpus, documents.map((one) => JSON.stringify(one)).join('\n'))
    const own = files.map((file) => (file === join(shared, 'corpus.jsonl') ? corpus : file))
    const written = (name: string, ...more: string[]) => {
      const out = join(folder, name)
      const said = succeed('rerank', ...own, '--out', out, ...more)
        .trimEnd()
        .split('\n')
      return { out: readFileSync(out, 'utf8').trimEnd().split('\n'), last: said.at(-1)! }
    }
    const plain = written('plain.trec')
    expect(plain.last).toContain('Reranking helped')
    const set = ['collapse=0.9', 'group=source', 'prior=loans', 'priorWeight=0.3']
    const one = written('one.trec', ...set.flatMap((name) => ['--set', name]), '--workers', '1')
    const folded = /^(\d+) documents folded into a higher-ranked document$/.exec(one.last)
    expect(Number(folded![1])).toBe(plain.out.length - one.out.length)
    const sources = new Map(documents.map(({ _id, metadata }) => [_id, metadata.source]))
    const groups = one.out.map((line) => line.split(' ')).map(([q, , d]) => q + sources.get(d))
    expect(new Set(groups).size).toBe(groups.length)
    const settings = join(folder, 'list.json')
    const list = { collapse: 0.9, group: 'source', prior: 'loans', priorWeight: 0.3 }
    writeFileSync(settings, JSON.stringify(list))
    const two = written('two.trec', '--settings', settings, '--workers', '2')
    expect(two.out).toEqual(one.out)
    expect(
      JSON.parse(readFileSync(`${join(folder, 'two.trec')}.meta.json`, 'utf8')).settings,
    ).toMatchObject({ list })
  })

  test.each([
    [['colapse=0.9'], 'unknown setting "colapse", did you mean collapse?'],
    [['collapse=2'], 'setting collapse must be a number from 0 to 1, got 2'],
    [['maxPerGroup=2'], 'setting maxPerGroup has no effect: it needs group; leave it out'],
    [['prior=loans'], 'but document "1" lacks it; add the number, or name another field'],
  ])('kith rerank refuses --set %j', (set, message) => {
    const out = ['--out', join(folder, 'x.trec')]
    const given = set.flatMap((name) => ['--set', name])
    expect(kith('rerank', ...files, ...out, ...given).err).toContain(message)
  })

  test('kith calibrate prints whether judgments help, and writes a calibration for all commands', () => {
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
    // A background that is missing is made, and the command says so.
    rmSync(`${docs}.background.json`)
    const made = kith('calibrate', ...files, '--out', out)
    expect(made.err).toContain(`${docs}.background.json: made the background, which was missing`)
    expect(kith('calibrate', ...files, '--out', out).err).not.toContain('made the background')
    const wrong = kith('calibrate', ...files, '--background', out, '--out', join(folder, 'x.json'))
    expect(wrong.err).toContain('is not a background')
    const texts = join(folder, 'texts.html')
    cpSync(join(shared, 'corpus.jsonl'), texts)
    const clash = files.map((file) => (file === join(shared, 'corpus.jsonl') ? texts : file))
    expect(kith('calibrate', ...clash, '--out', join(folder, 'texts.json')).err).toContain(
      `kith calibrate would overwrite ${texts}, which is an input`,
    )
  })

  test('kith rerank --cutoff accepts a background and a calibration from other paths', () => {
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
      '--calibration has no effect without --cutoff auto, a cutoff by relevance, or texts and a .parquet output; leave it out',
    )
  })

  test('a Parquet run has the similarity and the estimated relevance as columns', async () => {
    const [whole, cut, plain] = ['whole.parquet', 'cut.parquet', 'whole.trec'].map((name) =>
      join(folder, name),
    ) as [string, string, string]
    succeed('rerank', ...files, '--out', whole)
    succeed('rerank', ...files, '--out', plain)
    succeed('rerank', ...files, '--out', cut, '--cutoff', 'auto')
    const rows = await readRows(whole)
    const [before, after] = [await readRun(plain), await readRun(whole)]
    for (const { query, ids } of before) expect(after.get(query)!.ids).toEqual(ids)
    const first = rows.filter(({ rank }) => rank <= 20)
    expect(first.every(({ relevance }) => relevance! > 0 && relevance! < 1)).toBe(true)
    expect(rows.every(({ rank, relevance }) => rank <= 20 || relevance === null)).toBe(true)
    expect(rows.every(({ similarity }) => Math.abs(similarity!) <= 1.00001)).toBe(true)
    // The run's own scores are cosines.
    const old = new Map(
      Array.from(await readRun(files[1]!), ({ query, ids, scores }) => [
        query,
        new Map(ids.map((id, i) => [id, scores[i]!])),
      ]),
    )
    for (const { qid, docid, similarity } of rows) {
      expect(similarity).toBeCloseTo(old.get(qid)!.get(docid)!, 4)
    }
    const of = ({ qid, docid, rank, similarity, relevance }: Row) =>
      [qid, docid, rank, similarity, relevance].join()
    const all = new Set(rows.map(of))
    const kept = await readRows(cut)
    expect(kept.length).toBeLessThan(first.length)
    expect(kept.filter((row) => !all.has(of(row)))).toEqual([])
    // Without texts, there is nothing to estimate with.
    succeed('rerank', ...files.slice(0, 6), '--out', whole)
    expect(Object.keys((await readRows(whole))[0]!)).toEqual(
      'qid docid rank score similarity'.split(' '),
    )
  })

  test('kith rerank --store --cutoff takes the background that LanceDB keeps', async () => {
    const store = join(folder, 'lance')
    const texts = ['--corpus', join(shared, 'corpus.jsonl')]
    succeed('load', '--store', store, '--docs', docs, ...texts)
    const run = readFileSync(files[1]!, 'utf8')
      .split('\n')
      .slice(0, 20 * 200)
    const some = files.with(1, join(folder, 'some.trec'))
    writeFileSync(some[1]!, `${run.join('\n')}\n`)
    const stored = some.filter((_, i) => i < 4 || i > 7).concat('--store', store)
    const lines = (name: string, from: string[], ...more: string[]): string[] => {
      const out = join(folder, name)
      succeed('rerank', ...from, '--out', out, ...more)
      return readFileSync(out, 'utf8')
        .split('\n')
        .map((line) => line.split(' ', 3).join(' '))
    }
    // The store draws a sample of its own: one background for both.
    const known = ['--background', `${docs}.background.json`]
    for (const cutoff of ['relevance:0.6', '4']) {
      const own = cutoff === '4' ? [] : known
      const fromFiles = lines('files.trec', some, '--cutoff', cutoff, ...own)
      expect(lines('store.trec', stored, '--cutoff', cutoff, ...own)).toEqual(fromFiles)
    }
    const fold = ['--set', 'collapse=0.8']
    const folded = lines('files.trec', some, ...fold)
    expect(lines('store.trec', stored, ...fold)).toEqual(folded)
    expect(folded.length).toBeLessThan(20 * 200)
    const last = (from: string[]) =>
      succeed('rerank', ...from, '--out', join(folder, 'x.trec'), ...fold, '--cutoff', '5')
        .trimEnd()
        .split('\n')
        .at(-1)
    const said = last(stored)
    expect(said).toBe(last(some))
    expect(said).toMatch(/^[1-9]\d* documents folded/)
    const auto = lines('store.trec', stored, '--cutoff', 'auto')
    expect(auto.length).toBeGreaterThan(50)
    expect(auto.length).toBeLessThan(20 * 20)
    const out = join(folder, 'store.parquet')
    succeed('rerank', ...stored, '--out', out)
    const rows = await readRows(out)
    expect(rows.every(({ rank, relevance }) => rank > 20 === (relevance === null))).toBe(true)
    // Documents behind those that are looked at have no relevance.
    succeed('rerank', ...stored, '--out', out, '--term-statistics', 'none')
    expect(await readRows(out)).toHaveLength(20 * 200)
    const { connect } = await import('@lancedb/lancedb')
    const connection = await connect(store)
    for (const table of await connection.tableNames()) {
      if (table.endsWith('.background')) await connection.dropTable(table)
    }
    connection.close()
    expect(kith('rerank', ...stored, '--out', out, '--cutoff', 'auto').err).toContain(
      `has no background of its documents, which the cutoff needs; make it with kith background --store`,
    )
  })
})

interface Row {
  qid: string
  docid: string
  rank: number
  similarity: number | null
  relevance: number | null
}

async function readRows(file: string): Promise<Row[]> {
  return (await parquetReadObjects({ file: await asyncBufferFromFile(file) })) as unknown as Row[]
}
