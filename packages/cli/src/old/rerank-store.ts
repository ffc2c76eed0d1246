import { availableParallelism } from 'node:os'
import type { MethodSettings } from '@kith/core'
import { countRankings, type RankedQuery, readRun, writeRun } from '@kith/ir'
import type { BatchPart } from '@kith/pipelines/internal'
import {
  BatchPool,
  BatchSource,
  checkStore,
  decodeItem,
  decodeRanking,
  inputsOf,
  missingPolicies,
  type RerankStudy,
  type Sidecar,
  type StoreAddress,
  storeName,
  writeSidecarOf,
} from '@kith/pipelines/internal'
import type { Values } from '../options/command.ts'
import { readEmbeddingOptions } from '../options/shared-options.ts'
import { readSubmit } from '../options/store-options.ts'
import { UsageError } from '../options/usage-error.ts'
import { optionalChoice, optionalText, optionalWhole, text } from '../options/values.ts'
import type { Output } from '../terminal/output.ts'
import { version } from '../version.ts'
import { judge, tellReranked } from './rerank-judge.ts'
import { submitStudy } from './submit-study.ts'

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
