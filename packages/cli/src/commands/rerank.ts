import { presets, type Ranking } from '@kith/core'
import {
  evaluate,
  openEmbeddings,
  type RankedQuery,
  type Run,
  readQrels,
  readRun,
  writeRun,
} from '@kith/ir'
import { readTuned, type Tuned } from '@kith/tune'
import type { Command, Values } from '../command.ts'
import { type CorrectedComparison, compareToFirst, type NamedEvaluation } from '../evaluations.ts'
import { formatEvaluations } from '../format-evaluations.ts'
import type { Output } from '../output.ts'
import { type RerankTask, rerankTasks } from '../rerank-tasks.ts'
import { searchAgain } from '../search-again.ts'
import { methodOptions, readMethodSettings } from '../setting-options.ts'
import {
  embeddingOptions,
  evaluationOptions,
  missingPolicies,
  readEmbeddingOptions,
  readEvaluationOptions,
  textFiles,
  textOptions,
  workerOption,
} from '../shared-options.ts'
import { writeSidecar } from '../sidecar.ts'
import { runTasks, workersFor } from '../task-pool.ts'
import { readShelves } from '../text-shelf.ts'
import { UsageError } from '../usage-error.ts'
import { isSet, optionalChoice, optionalText, optionalWhole, text } from '../values.ts'
import { vectorSource } from '../vector-rows.ts'

/** `kith rerank`: a run in, a better run out. */
export const rerankCommand: Command = {
  name: 'rerank',
  summary: 'reorder each query’s candidates by their reciprocal neighbours',
  description:
    'Takes a run and the embeddings it came from. With the texts of documents and queries\n' +
    '(--corpus, --query-text), their words are a second view, which helps most. With judgements\n' +
    '(--qrels), it prints figures before and after, and says plainly when reranking made them worse.\n' +
    'Other methods (--method) are there to compare with; average and rocchio can also search the\n' +
    'whole collection again with the vector that they make (--search-again).\n' +
    `Presets: ${Object.keys(presets).join(', ')}.`,
  example:
    'kith rerank --run run.trec --queries queries.npy --docs docs.npy --corpus corpus.jsonl --query-text queries.jsonl --out better.trec --qrels qrels.trec',
  options: {
    run: { value: 'FILE', help: 'the run to reorder', required: true },
    queries: { value: 'FILE', help: 'embeddings of the queries', required: true },
    docs: { value: 'FILE', help: 'embeddings of the documents', required: true },
    out: { value: 'FILE', help: 'the run to write', required: true },
    ...textOptions,
    qrels: { value: 'FILE', help: 'judgements: print figures before and after' },
    missing: {
      value: 'WHAT',
      help: 'queries or candidates without an embedding or text: error, or skip (they stay behind the reranked ones)',
      default: 'error',
    },
    settings: { value: 'FILE', help: 'what kith tune found: its settings instead of those below' },
    force: { help: 'rerank even where kith tune says that the old ranking is better' },
    'search-again': { help: 'search all documents with the vector of average or rocchio' },
    ...methodOptions,
    ...evaluationOptions,
    ...embeddingOptions,
    ...workerOption,
  },
  async run(values, output) {
    const tuned = await readTunedSettings(values)
    const settings = tuned?.settings ?? readMethodSettings(values)
    const again = isSet(values, 'search-again')
    if (again && settings.method !== 'average' && settings.method !== 'rocchio') {
      throw new UsageError('--search-again goes with --method average or rocchio')
    }
    const missing = optionalChoice(values, 'missing', missingPolicies) ?? 'error'
    const workers = optionalWhole(values, 'workers')
    const [runFile, out] = [text(values, 'run'), text(values, 'out')]
    if (tuned?.verdict === 'keep-geometric' && !isSet(values, 'force')) {
      return keepRun(runFile, out, tuned, output)
    }
    const [corpus, queryText] = textFiles(values)
    const embeddings = readEmbeddingOptions(values)
    const [queriesFile, docsFile] = [text(values, 'queries'), text(values, 'docs')]
    const queries = await openEmbeddings(queriesFile, embeddings)
    const docs = await openEmbeddings(docsFile, embeddings)
    try {
      const run = await readRun(runFile)
      const plan = { run, queries, docs, missing, contextSize: settings.contextSize }
      const shelves = corpus && queryText ? await readShelves(plan, corpus, queryText) : undefined
      const tasks = rerankTasks({ ...plan, shelves })
      for (const remark of tasks.remarks) output.remark(remark)
      const inputs = {
        queries: vectorSource(queriesFile, queries),
        docs: vectorSource(docsFile, docs),
        queryTexts: shelves?.queries.share(),
        docTexts: shelves?.documents.share(),
        settings,
      }
      const start = performance.now()
      const progress = output.progress('reranking', tasks.list.length)
      const onDone = (done: number): void => progress.update(done)
      const reranked = again
        ? searchAgain({ tasks: tasks.list, run, queries, docs, settings, workers, onDone })
        : rankings(
            run,
            tasks.list,
            runTasks('rerank', inputs, tasks.list, workers ?? workersFor(tasks.list.length)),
            onDone,
          )
      await writeRun(out, reranked).finally(() => progress.end())
      const seconds = (performance.now() - start) / 1000
      const files = [runFile, queriesFile, docsFile, corpus, queryText]
      await writeSidecar(
        out,
        'rerank',
        { ...settings, missing, texts: shelves !== undefined, again },
        files.filter((file) => file !== undefined),
      )
      const figures = await judge(values, run, out)
      const done = tasks.list.length
      output.result(
        { out, queries: done, seconds, ...figures?.json },
        [
          `${out}: ${done} queries reranked in ${seconds.toFixed(1)} s (${Math.round(done / seconds)}/s)`,
          ...(figures ? ['', figures.text] : []),
        ].join('\n'),
      )
    } finally {
      queries.close()
      docs.close()
    }
  },
}

/** The settings that `kith tune` found; those on the command line would be other ones. */
async function readTunedSettings(values: Values): Promise<Tuned | undefined> {
  const file = optionalText(values, 'settings')
  if (file === undefined) return undefined
  const also = Object.keys(methodOptions).filter((name) => values[name] !== undefined)
  if (also.length > 0) {
    throw new UsageError(`--settings has all settings: leave out --${also.join(', --')}`)
  }
  const tuned = await readTuned(file)
  if (tuned.texts && values['corpus'] === undefined) {
    throw new UsageError('these settings were tuned with texts: give --corpus and --query-text')
  }
  return tuned
}

/** Where tuning found that reranking does not help, the run stays what it is. */
async function keepRun(runFile: string, out: string, tuned: Tuned, output: Output): Promise<void> {
  await writeRun(out, await readRun(runFile))
  const { verdict, reason } = tuned
  await writeSidecar(out, 'rerank', { verdict }, [runFile])
  output.result(
    { out, verdict, reason },
    `${out}: the old ranking, unchanged. ${reason} (--force reranks all the same)`,
  )
}

/** Each query's documents in their new order; queries that were left out keep the old one. */
async function* rankings(
  run: Run,
  tasks: readonly RerankTask[],
  results: AsyncGenerator<[RerankTask, Ranking]>,
  onDone: (done: number) => void,
): AsyncGenerator<RankedQuery> {
  let done = 0
  try {
    for (const query of run.queries) {
      const ranking = run.get(query)!
      const task = tasks[done]
      if (task?.query !== query) {
        yield ranking
        continue
      }
      const [, { order, scores }] = (await results.next()).value as [RerankTask, Ranking]
      const ids = Array.from(order, (candidate) => ranking.ids[task.places[candidate]!]!)
      yield { query, ids, scores: strictlyFalling(scores) }
      onDone(++done)
    }
  } finally {
    // Lets the workers go, also when writing failed.
    await results.return(undefined)
  }
}

const float = new Float32Array(1)
const bits = new Int32Array(float.buffer)

/** Equal scores would be reordered by document id by every tool that reads the run. */
function strictlyFalling(scores: Float32Array): Float32Array {
  for (let i = 1; i < scores.length; i++) {
    if (scores[i]! < scores[i - 1]!) continue
    float[0] = scores[i - 1]!
    // The next float below: towards zero for a positive one, away from it for the others.
    if (float[0] === 0) float[0] = -1e-45
    else bits[0]! += float[0]! > 0 ? -1 : 1
    scores[i] = float[0]!
  }
  return scores
}

/** Figures before and after, with a verdict in words. */
async function judge(
  values: Values,
  run: Run,
  out: string,
): Promise<{ text: string; json: object } | undefined> {
  const qrelsFile = optionalText(values, 'qrels')
  if (!qrelsFile) return undefined
  const { measures, ...options } = readEvaluationOptions(values)
  const qrels = await readQrels(qrelsFile)
  const evaluations: NamedEvaluation[] = [
    {
      name: 'before',
      file: text(values, 'run'),
      evaluation: evaluate(qrels, run, measures, options),
    },
    {
      name: 'after',
      file: out,
      evaluation: evaluate(qrels, await readRun(out), measures, options),
    },
  ]
  const comparisons = compareToFirst(evaluations)
  const verdict = verdictOf(comparisons.get('after')![measures[0]!]!)
  const table = formatEvaluations('table', evaluations, comparisons, false).trimEnd()
  const json = JSON.parse(formatEvaluations('json', evaluations, comparisons, false))
  return { text: `${table}\n\n${verdict}`, json: { ...json, verdict } }
}

function verdictOf({ measure, difference, p }: CorrectedComparison): string {
  const size = `${difference >= 0 ? '+' : '−'}${Math.abs(difference).toFixed(4)} ${measure}`
  const chance =
    p < 0.05 ? `significant, p = ${p.toFixed(4)}` : `not significant, p = ${p.toFixed(2)}`
  if (difference === 0) return `Reranking left ${measure} as it was.`
  if (difference < 0) {
    return `Reranking made it WORSE: ${size} (${chance}). Keep the old run, or look for other settings.`
  }
  return p < 0.05
    ? `Reranking helped: ${size} (${chance}).`
    : `Reranking may have helped: ${size} (${chance}).`
}
