import { writeAtomic } from '@kith/base'
import { type Background, KithError, shortlist, TermStatisticsBuilder } from '@kith/core'
import { throwIfAborted } from '@kith/core/internal'
import { openEmbeddings, readQrels, readRun, readTexts } from '@kith/ir'
import { type CalibrationResult, calibrate, type JudgedHits, TextStore } from '@kith/ir/internal'
import { backgroundBeside, readBackground } from '@kith/stores/internal'
import { type LearnedQuery, learnedQueries } from '../files/learned-queries.ts'
import { writeSidecar } from '../files/sidecar.ts'
import { type Hooks, stageOf } from '../job/hooks.ts'
import { type DefaultTokenizer, nameTokenizer } from '../join/name-tokenizer.ts'
import { prepareEntry } from '../join/prepare-block.ts'
import { collectBackground } from './collect-background.ts'
import { drawReliability, type ReliabilityFiles, reliabilityFiles } from './reliability-page.ts'

/** The inputs of a calibration: a run with judgments, its embeddings and its texts. */
export interface CalibrateInputs extends DefaultTokenizer {
  run: string
  queries: string
  docs: string
  corpus: string
  queryText: string
  qrels: string
  /**
   * A file made by `kith background`; default: the file beside `docs`, which is made if it is
   * missing.
   */
  background?: string | undefined
  /** The file to write. */
  out: string
}

/** Number of candidates to read per query, as with the default settings. */
const LOOKED_AT = 200
/** Number of hits with an estimate. */
const ESTIMATED = 20

/** Fits the estimated relevance to judged queries, reports whether that helps, and plots it. */
export async function calibrateRun(
  inputs: CalibrateInputs,
  hooks: Hooks = {},
): Promise<CalibrationResult & { out: string } & Partial<ReliabilityFiles>> {
  const judged = await judgedHits(inputs, hooks)
  const result = calibrate(judged.map(({ hits }) => hits))
  const { a, b } = result.calibration
  const { out, run, queries, docs, corpus, queryText, qrels } = inputs
  const kept = { a, b, queries: result.queries, helps: result.helps }
  await writeAtomic(out, (write) => write(`${JSON.stringify(kept, null, 2)}\n`))
  const learned = judged.map(({ query }) => query)
  const learnedFrom = [await learnedQueries('calibrate', out, qrels, learned)]
  const files = [run, queries, docs, corpus, queryText, qrels]
  await writeSidecar(out, 'calibrate', kept, files, { learnedFrom })
  const drawn = reliabilityFiles(out)
  if (drawn) await drawReliability(result, drawn, corpus)
  return { ...result, out, ...drawn }
}

async function judgedHits(
  inputs: CalibrateInputs,
  hooks: Hooks,
): Promise<{ hits: JudgedHits; query: LearnedQuery }[]> {
  const known = await backgroundFor(inputs, hooks)
  const [run, qrels] = await Promise.all([readRun(inputs.run), readQrels(inputs.qrels)])
  const { tokenizer } = await nameTokenizer({}, inputs, hooks)
  const builder = new TermStatisticsBuilder({ tokenizer })
  for await (const entry of readTexts(inputs.corpus)) builder.add(prepareEntry(entry, tokenizer))
  const statistics = builder.finish()
  const corpus = await TextStore.open(inputs.corpus)
  const asked = await TextStore.open(inputs.queryText)
  const queries = await openEmbeddings(inputs.queries)
  const docs = await openEmbeddings(inputs.docs)
  try {
    const some = [...qrels.keys()].filter((query) => run.has(query))
    const onDone = stageOf(hooks, 'estimating', some.length)
    const found: Awaited<ReturnType<typeof judgedHits>> = []
    for (const [i, query] of some.entries()) {
      throwIfAborted(hooks.signal)
      const row = queries.rowOf(query)
      const text = asked.get(query)?.text
      const ids = run.get(query)!.ids.slice(0, LOOKED_AT)
      const rows = ids.map((id) => docs.rowOf(id))
      if (row === undefined || text === undefined || rows.includes(undefined)) {
        throw new KithError(
          'BAD_INPUT',
          `query ${query} or one of its candidates has no embedding or no text; pass the files that the run was made from`,
        )
      }
      const { dimensions } = docs
      const data = docs.gather(rows as number[])
      const vectors = { data, rows: ids.length, dimensions }
      const texts = ids.map((id) => {
        const { title, text: body = '' } = corpus.get(id) ?? {}
        return { title, text: body }
      })
      const vector = queries.gather([row])
      const { hits } = shortlist(
        { vector, text },
        { vectors, texts },
        { background: known, statistics },
      )
      const first = hits.slice(0, ESTIMATED)
      const grades = qrels.get(query)!
      const relevant = [...grades].filter(([, grade]) => grade > 0).map(([id]) => id)
      found.push({
        query: { id: query, relevant },
        hits: {
          relevances: first.map(({ relevance }) => relevance!),
          relevant: first.map(({ index }) => (grades.get(ids[index]!) ?? 0) > 0),
        },
      })
      onDone(i + 1)
    }
    return found
  } finally {
    await Promise.all([corpus.close(), asked.close(), queries.close(), docs.close()])
  }
}

async function backgroundFor(
  { background, docs }: CalibrateInputs,
  hooks: Hooks,
): Promise<Background> {
  if (background !== undefined) return readBackground(background)
  await using embeddings = await openEmbeddings(docs)
  const found = await backgroundBeside(docs, embeddings)
  if (found) return found
  const { out, ...made } = await collectBackground({ docs }, hooks)
  hooks.onRemark?.(`${out}: made the background, which was missing`)
  return made
}
