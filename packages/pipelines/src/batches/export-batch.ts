import { type RankedQuery, writeRun } from '@kith/ir'
import { Batches } from '@kith/work'
import { type Sidecar, writeSidecarOf } from '../files/sidecar.ts'
import { type Hooks, stageOf } from '../job/hooks.ts'
import type { QueryLabels } from '../labels/query-labels.ts'
import { writeLabelResults } from '../labels/write-labels.ts'
import { decodeItem } from './batch-item.ts'
import { decodeLabels } from './batch-label.ts'
import { decodeRanking, type RerankWork } from './batch-rerank.ts'
import { checkBatch } from './check-batch.ts'
import { databaseOf } from './submit-batch.ts'

/** A submitted batch, and the file for its results. */
export interface ExportInputs {
  /** The database: `postgres://…`. */
  store: string
  /** The name under which the batch was submitted. */
  name: string
  out: string
}

/** The result of an export. */
export interface ExportResult {
  out: string
  queries: number
}

/**
 * Writes the results of a finished batch to a file: the same bytes that `rerankRun` or `labelRun`
 * would write on one machine. Throws if the batch is not finished.
 *
 * ```ts
 * await exportBatch({ store: 'postgres://localhost/kith', name: 'mine', out: 'better.trec' })
 * ```
 */
export async function exportBatch(
  { store, name, out }: ExportInputs,
  hooks: Hooks = {},
): Promise<ExportResult> {
  const batches = await Batches.open(databaseOf(store))
  try {
    const { kind, settings, origin, queries } = await batches.find(name)
    const made = origin as unknown as Sidecar
    const batch = checkBatch({ name, kind, settings })
    if (batch.kind === 'rerank') {
      await writeRun(
        out,
        rankings(batches, name, batch.settings, stageOf(hooks, 'exporting', queries)),
      )
      await writeSidecarOf(out, made)
    } else {
      const { layout } = batch.settings
      const key = JSON.stringify([name, settings])
      const file = { out, layout, key, from: 0, to: queries, made }
      await writeLabelResults(file, (from) => labels(batches, name, from), hooks)
    }
    return { out, queries }
  } finally {
    await batches.close()
  }
}

async function* rankings(
  batches: Batches,
  name: string,
  { columns }: RerankWork,
  onDone: (done: number) => void,
): AsyncGenerator<RankedQuery> {
  let done = 0
  for await (const { item, result } of batches.results(name)) {
    yield decodeRanking(decodeItem(item.query, item.body), result.body, columns)
    onDone(++done)
  }
}

async function* labels(
  batches: Batches,
  name: string,
  from: number,
): AsyncGenerator<QueryLabels[]> {
  for await (const { result } of batches.results(name, from)) {
    yield [decodeLabels(result.query, result.body)]
  }
}
