import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Reranker } from '@kith/core'
import {
  compare,
  evaluate,
  openEmbeddings,
  RunBuilder,
  readQrels,
  readRun,
  readTexts,
  type TextEntry,
} from '@kith/ir'
import { expect, test } from 'vitest'
import { browser, browserOfFile } from '../../../test/browser.ts'
import { sharedCollection, temporaryFolder } from '../../../test/files.ts'
import { renderReport } from '../src/index.ts'
import { quantilesPerRank } from '../src/plots/spread-plots.ts'
import { verdictOf } from '../src/sections/measures-section.ts'
import { queryRows } from '../src/sections/query-rows.ts'

const withBrowser = browserOfFile()

const collection = sharedCollection('cranfield')
const folder = temporaryFolder()
const measures = ['nDCG@10', 'MRR@10']

test.skipIf(!collection)('renders a report of a reranked run of Cranfield from files', async () => {
  const at = (...path: string[]) => join(collection!, ...path)
  const model = (name: string) => at('embeddings/all-MiniLM-L6-v2', name)
  const qrels = await readQrels(at('qrels/test.trec'))
  const before = await readRun(model('top200.run.trec'))
  const [queries, documents] = [
    await textsOf(at('queries.jsonl')),
    await textsOf(at('corpus.jsonl')),
  ]
  const after = await reranked(before, model('queries.npy'), model('docs.npy'))
  const evaluations = [evaluate(qrels, before, measures), evaluate(qrels, after, measures)] as const
  const texts = {
    query: (id: string) => queries.get(id),
    document: (id: string) => documents.get(id),
  }
  const rows = queryRows(evaluations, [before, after], qrels, texts, 'nDCG@10')
  const compared = compare(...evaluations, 'nDCG@10')
  const mean = rows.rows.reduce((sum, row) => sum + row.after - row.before, 0) / rows.rows.length
  expect(mean).toBeCloseTo(compared.difference, 10)
  const [first, second] = evaluations.map(({ mean, queries }, i) => ({
    name: ['as retrieved', 'reranked'][i]!,
    queries: queries.length,
    measures: mean,
    comparison: { 'nDCG@10': { ...compared, p: compared.randomization } },
  }))
  // docs/method.md section 4: the default helps a little on Cranfield.
  expect(verdictOf(first!, second!, 'nDCG@10')!.kind).toMatch(/better|unsure/)
  const page = renderReport({
    runs: [{ ...first!, comparison: undefined }, second!],
    queries: { ...rows, before: 'as retrieved', after: 'reranked' },
    figures: [
      {
        kind: 'scores-per-rank',
        before: quantilesPerRank(Array.from(before, ({ scores }) => scores)),
        after: quantilesPerRank(Array.from(after, ({ scores }) => scores)),
      },
    ],
  })
  expect(page).toContain('nDCG@10 rises from 0.3739 to')
  if (!browser) return
  writeFileSync(join(folder, 'cranfield.html'), page)
  await withBrowser(async (context) => {
    const opened = await context.newPage()
    await opened.goto(pathToFileURL(join(folder, 'cranfield.html')).href)
    expect(await opened.getByRole('status').innerText()).toBe('50 of 225 queries')
    await opened.getByRole('searchbox').fill('aeroelastic models of heated')
    expect(await opened.locator('.queries td.query .id').allInnerTexts()).toEqual(['1'])
  })
})

async function textsOf(file: string): Promise<Map<string, TextEntry>> {
  const texts = new Map<string, TextEntry>()
  for await (const text of readTexts(file)) texts.set(text.id, text)
  return texts
}

/** The first 50 of each query by the default settings; the rest is of no interest here. */
async function reranked(run: Awaited<ReturnType<typeof readRun>>, queries: string, docs: string) {
  const [queryRows, documentRows] = [await openEmbeddings(queries), await openEmbeddings(docs)]
  const reranker = new Reranker()
  const builder = new RunBuilder()
  for (const { query, ids } of run) {
    const first = ids.slice(0, 50)
    const data = documentRows.gather(first.map((id) => documentRows.rowOf(id)!))
    const vectors = { data, rows: first.length, dimensions: documentRows.dimensions }
    const vector = queryRows.gather([queryRows.rowOf(query)!])
    const { order, scores } = reranker.rerank(vector, vectors)
    builder.add({ query, ids: Array.from(order, (i) => first[i]!), scores })
  }
  queryRows.close()
  documentRows.close()
  return builder.finish()
}
