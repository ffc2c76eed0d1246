import type { MethodSettings } from '@kith/core'
import { lookedAt } from '@kith/core/internal'
import { readRun, writeRun } from '@kith/ir'
import { writeSidecar } from '../files/sidecar.ts'
import { type Hooks, stageOf } from '../hooks.ts'
import { type MissingPolicy, remarkMissing } from '../join/missing.ts'
import { type OpenVectors, openVectors } from '../join/open-vectors.ts'
import { PreparedTexts } from '../join/prepared-texts.ts'
import {
  checkNamedTerms,
  readStatistics,
  shareStatistics,
  usesStatistics,
} from '../join/statistics.ts'
import { checkTextPair } from '../join/text-files.ts'
import { vectorSource } from '../join/vector-rows.ts'
import { runTasks, workersFor } from '../tasks/task-pool.ts'
import { newRankings } from './new-rankings.ts'
import { measureReranking } from './rerank-figures.ts'
import type { RerankInputs, RerankResult } from './rerank-run.ts'
import { rerankTasks } from './rerank-tasks.ts'
import { searchAgain } from './search-again.ts'

/** Inputs whose settings are complete and whose documents are in a file. */
export interface RerankFilesPlan extends RerankInputs {
  docs: string
  settings: MethodSettings
  missing: MissingPolicy
  searchAgain: boolean
}

/** Reranks with embeddings from files. */
export async function rerankFiles(plan: RerankFilesPlan, hooks: Hooks): Promise<RerankResult> {
  const vectors = await openVectors(plan)
  try {
    return await rerankWith(vectors, plan, hooks)
  } finally {
    await vectors.close()
  }
}

async function rerankWith(
  { queries, docs }: OpenVectors,
  plan: RerankFilesPlan,
  hooks: Hooks,
): Promise<RerankResult> {
  const { out, settings, missing, qrels, workers, corpus, queryText } = plan
  const textFiles = checkTextPair(plan)
  const run = await readRun(plan.run)
  checkNamedTerms(settings)
  const { statistics: source = 'corpus' } = plan
  const known = textFiles && usesStatistics(settings)
  const kept = known ? await readStatistics(source, settings) : undefined
  const count = known === true && source === 'corpus'
  const looked = lookedAt(settings, textFiles !== undefined, kept !== undefined || count)
  const wanted = { run, queries, docs, missing, lookedAt: looked }
  const texts =
    textFiles && (await PreparedTexts.read(textFiles, wanted, { terms: settings.terms, count }))
  const statistics = shareStatistics(kept ?? texts?.statistics)
  const { list, report } = rerankTasks({ ...wanted, texts })
  remarkMissing(report, hooks)
  const inputs = {
    queries: vectorSource(plan.queries, queries),
    docs: vectorSource(plan.docs, docs),
    queryTexts: texts?.queries.share(),
    docTexts: texts?.documents.share(),
    settings: { ...settings, statistics },
  }
  const start = performance.now()
  const onDone = stageOf(hooks, 'reranking', list.length)
  const reranked = plan.searchAgain
    ? searchAgain({ tasks: list, run, queries, docs, settings, workers, onDone })
    : newRankings(
        run,
        list,
        runTasks('rerank', inputs, list, workers ?? workersFor(list.length)),
        onDone,
      )
  await writeRun(out, reranked)
  const seconds = (performance.now() - start) / 1000
  const terms = typeof source === 'object' && kept ? source.file : undefined
  const files = [plan.run, plan.queries, plan.docs, corpus, queryText, terms]
  await writeSidecar(
    out,
    'rerank',
    {
      ...{ ...settings, missing, texts: texts !== undefined, again: plan.searchAgain },
      ...(statistics ? { statistics: { documents: statistics.documents } } : {}),
    },
    files.filter((file) => file !== undefined),
  )
  const figures =
    qrels === undefined
      ? undefined
      : await measureReranking(qrels, { file: plan.run, run }, out, plan.measuring ?? {})
  return { out, queries: list.length, seconds, missing: report.list(), figures }
}
