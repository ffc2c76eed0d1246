import { availableParallelism } from 'node:os'
import type { MethodSettings } from '@kith/core'
import { countRankings, type RankedQuery, readRun, writeRun } from '@kith/ir'
import { decodeItem } from './batch-item.ts'
import { BatchPool } from './batch-pool.ts'
import { decodeRanking, type RerankStudy } from './batch-rerank.ts'
import { BatchSource } from './batch-source.ts'
import type { BatchPart } from './batch-study.ts'
import type { Values } from './command.ts'
import type { Output } from './output.ts'
import { judge, tellReranked } from './rerank-judge.ts'
import { missingPolicies, readEmbeddingOptions } from './shared-options.ts'
import { inputsOf, type Sidecar, writeSidecarOf } from './sidecar.ts'
import { checkStore, readSubmit, type StoreAddress, storeName } from './store-options.ts'
import { submitStudy } from './submit-study.ts'
import { UsageError } from './usage-error.ts'
import { optionalChoice, optionalText, optionalWhole, text } from './values.ts'
import { version } from './version.ts'

/** Queries that go to a thread at a time. */
const BATCH = 64

/** Reranks with documents of a store: here, or as a study that `kith work` does. */
export async function rerankFromStore(
  values: Values,
  store: StoreAddress,
  settings: MethodSettings,
  output: Output,
): Promise<void> {
  if (values['corpus'] !== undefined) {
    throw new UsageError('--corpus goes into the store with kith load; --query-text is enough here')
  }
  const submit = readSubmit(values)
  const missing = optionalChoice(values, 'missing', missingPolicies) ?? 'error'
  const [run, queries] = [text(values, 'run'), text(values, 'queries')]
  const queryText = optionalText(values, 'query-text')
  const study: RerankStudy = { settings, missing, texts: queryText !== undefined }
  const files = [run, queries, queryText].filter((file) => file !== undefined)
  const made: Sidecar = {
    command: 'rerank',
    version,
    settings: { ...settings, missing, texts: study.texts, store: storeName(store) },
    inputs: await inputsOf(files),
  }
  const source = await BatchSource.open({ run, queries, queryText }, readEmbeddingOptions(values))
  try {
    await checkStore(store, source.dimensions)
    const { address, collection } = store
    if (submit !== undefined) {
      const whole = { name: submit, kind: 'rerank', settings: { collection, ...study } }
      const parts = source.parts({ missing, submitted: true })
      await submitStudy(values, address, { ...whole, origin: { ...made } }, parts, output)
      return
    }
    const out = text(values, 'out')
    const workers = optionalWhole(values, 'workers') ?? availableParallelism()
    const pool = new BatchPool(address, workers)
    const start = performance.now()
    const progress = output.progress('reranking', await countRankings(run))
    const batches = source.batches({ missing }, BATCH)
    const results = pool.runAll({ kind: 'rerank', settings: study, collection }, batches)
    let done = 0
    const onDone = (more: number): void => {
      done += more
      progress.update(done)
    }
    await writeRun(out, rankings(results, onDone)).finally(async () => {
      progress.end()
      await pool.close()
    })
    const seconds = (performance.now() - start) / 1000
    await writeSidecarOf(out, made)
    const figures =
      values['qrels'] === undefined ? undefined : await judge(values, await readRun(run), out)
    tellReranked(output, { out, queries: done, seconds }, figures)
  } finally {
    source.close()
  }
}

async function* rankings(
  batches: AsyncIterable<{ parts: readonly BatchPart[]; results: readonly BatchPart[] }>,
  onDone: (more: number) => void,
): AsyncGenerator<RankedQuery> {
  for await (const { parts, results } of batches) {
    for (const [i, { query, body }] of parts.entries()) {
      yield decodeRanking(decodeItem(query, body), results[i]!.body)
    }
    onDone(parts.length)
  }
}
