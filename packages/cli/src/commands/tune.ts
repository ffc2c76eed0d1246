import { type Method, methods } from '@kith/core'
import { openEmbeddings, readQrels, readRun } from '@kith/ir'
import { collect, createEvaluator, type Tuned, tune, writeTuned } from '@kith/tune'
import type { Command, Values } from '../command.ts'
import { methodOptions, readMethodSettings } from '../setting-options.ts'
import {
  embeddingOptions,
  missingPolicies,
  readEmbeddingOptions,
  textFiles,
  textOptions,
  workerOption,
} from '../shared-options.ts'
import { fingerprint, writeSidecar } from '../sidecar.ts'
import { preparedTexts } from '../text-shelf.ts'
import { UsageError } from '../usage-error.ts'
import { isSet, optionalChoice, optionalText, optionalWhole, text } from '../values.ts'

/** The deepest context that is tried. */
const LARGEST = 100

/** `kith tune`: settings for the user's own data, or the advice to leave the ranking alone. */
export const tuneCommand: Command = {
  name: 'tune',
  summary: 'find settings on judged queries, and say whether reranking helps at all',
  description:
    'With 50 judged queries or fewer it only decides between the default and no reranking; with more\n' +
    'it searches. Settings are chosen on some folds of the queries and judged on the others, and\n' +
    'replace the default only where they beat it there with t > 2. kith rerank --settings applies\n' +
    'what it found. Finished trials are kept in a study file: the same command goes on with them.',
  example:
    'kith tune --run run.trec --queries queries.npy --docs docs.npy --qrels qrels.trec --out tuned.json',
  options: {
    run: { value: 'FILE', help: 'the run that would be reranked', required: true },
    queries: { value: 'FILE', help: 'embeddings of the queries', required: true },
    docs: { value: 'FILE', help: 'embeddings of the documents', required: true },
    qrels: { value: 'FILE', help: 'judgements', required: true },
    out: { value: 'FILE', help: 'what was found: settings, evidence, verdict', required: true },
    ...textOptions,
    measure: { value: 'NAME', help: 'what is made better', default: 'nDCG@10' },
    level: { value: 'GRADE', help: 'from which grade on a document is relevant', default: '1' },
    strict: { help: 'grades below the level give no gain in nDCG either (TREC DL)' },
    trials: { value: 'N', help: 'settings that each study tries', default: '200' },
    folds: { value: 'N', help: 'parts that the queries are split into', default: '5' },
    seed: { value: 'N', help: 'of folds and trials', default: '0' },
    study: { value: 'FILE', help: 'where finished trials are kept', default: 'OUT.study.jsonl' },
    missing: {
      value: 'WHAT',
      help: 'queries or candidates without an embedding or text: error, or skip',
      default: 'error',
    },
    methods: {
      value: 'LIST',
      help: `methods to choose among, or all: ${methods.join(', ')}`,
      default: 'neighbours',
    },
    ...methodOptions,
    ...embeddingOptions,
    ...workerOption,
  },
  async run(values, output) {
    const base = readMethodSettings(values)
    const chosen = readMethods(values)
    const missing = optionalChoice(values, 'missing', missingPolicies) ?? 'error'
    const [runFile, qrelsFile, out] = [
      text(values, 'run'),
      text(values, 'qrels'),
      text(values, 'out'),
    ]
    const [queriesFile, docsFile] = [text(values, 'queries'), text(values, 'docs')]
    const [corpus, queryText] = textFiles(values)
    const scoring = {
      measure: optionalText(values, 'measure') ?? 'nDCG@10',
      level: optionalWhole(values, 'level'),
      strict: isSet(values, 'strict'),
    }
    const files = [runFile, queriesFile, docsFile, qrelsFile, corpus, queryText].filter(
      (file) => file !== undefined,
    )
    const embeddings = readEmbeddingOptions(values)
    const queries = await openEmbeddings(queriesFile, embeddings)
    const docs = await openEmbeddings(docsFile, embeddings)
    try {
      const [run, qrels] = [await readRun(runFile), await readQrels(qrelsFile)]
      const largest = Math.max(LARGEST, base.contextSize)
      const texts =
        corpus && queryText
          ? await preparedTexts({ run, contextSize: largest, missing }, corpus, queryText)
          : undefined
      const { collection, remarks } = collect({
        run,
        qrels,
        queries,
        docs,
        texts,
        largest,
        missing,
      })
      for (const remark of remarks) output.remark(remark)
      const evaluator = createEvaluator(collection, {
        ...scoring,
        workers: optionalWhole(values, 'workers'),
      })
      let progress = output.progress('tuning', 1)
      let total = 0
      try {
        const tuned = await tune(evaluator, {
          ...scoring,
          base,
          methods: chosen,
          trials: optionalWhole(values, 'trials'),
          folds: optionalWhole(values, 'folds', { from: 2 }),
          seed: optionalWhole(values, 'seed', { from: 0 }),
          study: optionalText(values, 'study') ?? `${out}.study.jsonl`,
          fingerprint: await fingerprint({ missing, largest }, files),
          onProgress(done, all) {
            if (all !== total) progress = output.progress('tuning', all)
            total = all
            progress.update(done)
          },
        }).finally(() => progress.end())
        await writeTuned(out, tuned)
        await writeSidecar(out, 'tune', { ...scoring, missing }, files)
        output.result(tuned, describe(out, tuned))
      } finally {
        evaluator.close()
      }
    } finally {
      queries.close()
      docs.close()
    }
  },
}

function readMethods(values: Values): readonly Method[] {
  const list = optionalText(values, 'methods') ?? 'neighbours'
  const known = methods.filter((name) => name !== 'fusion' || values['corpus'] !== undefined)
  if (list === 'all') return known
  return list.split(',').map((name) => {
    const method = known.find((one) => one === name.trim())
    if (method) return method
    const why = name === 'fusion' ? ' (fusion needs --corpus and --query-text)' : ''
    throw new UsageError(`--methods has ${name}; there are: ${known.join(', ')}${why}`)
  })
}

function describe(out: string, tuned: Tuned): string {
  const { verdict, reason, heldOut, measure, queries, settings } = tuned
  const { gain, ci, t, p } = heldOut
  const shown = Object.entries(settings).map(([name, value]) => `${name} ${show(value)}`)
  return [
    `${out}: verdict ${verdict}`,
    reason,
    `held-out gain over the old ranking: ${signed(gain)} ${measure} (95 %: ${signed(ci[0])} to ${signed(ci[1])}; t ${t.toFixed(2)}, p ${p.toPrecision(2)}; ${queries} queries)`,
    `settings: ${shown.join(', ')}`,
  ].join('\n')
}

function show(value: unknown): string {
  if (typeof value === 'number') return String(Number(value.toPrecision(4)))
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

function signed(value: number): string {
  return `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(4)}`
}
