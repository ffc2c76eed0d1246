import { type Method, methods } from '@kith/core'
import { fingerprint, writeSidecar } from '@kith/pipelines/internal'
import { type Tuned, tune, writeTuned } from '@kith/tune'
import { defineCommand, type Values } from '../options/command.ts'
import { judgedOptions, openJudged } from '../options/judged-collection.ts'
import { methodOptions, readMethodSettings } from '../options/setting-options.ts'
import { UsageError } from '../options/usage-error.ts'
import { optionalText, optionalWhole, text } from '../options/values.ts'

/** The deepest context that is tried. */
const LARGEST = 100

/** `kith tune`: settings for the user's own data, or the advice to leave the ranking alone. */
export const tuneCommand = defineCommand({
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
    ...judgedOptions,
    out: {
      value: 'FILE',
      file: 'output',
      help: 'what was found: settings, evidence, verdict',
      required: true,
    },
    trials: { value: 'N', help: 'settings that each study tries', default: '200' },
    folds: { value: 'N', help: 'parts that the queries are split into', default: '5' },
    seed: { value: 'N', help: 'of folds and trials', default: '0' },
    study: {
      value: 'FILE',
      file: 'output',
      help: 'where finished trials are kept',
      default: 'OUT.study.jsonl',
    },
    methods: {
      value: 'LIST',
      help: `methods to choose among, or all: ${methods.join(', ')}`,
      default: 'neighbours',
    },
    ...methodOptions,
  },
  writes: (values) => (values['study'] === undefined ? [studyBeside(values)] : []),
  async run(values, output, stop) {
    const base = readMethodSettings(values)
    const chosen = readMethods(values)
    const out = text(values, 'out')
    const largest = Math.max(LARGEST, base.contextSize)
    const judged = await openJudged(values, output, largest)
    const { evaluator, scoring, missing, files } = judged
    let progress = output.progress('tuning', 1)
    let total = 0
    try {
      const study = optionalText(values, 'study') ?? studyBeside(values)
      const options = {
        ...scoring,
        base,
        methods: chosen,
        trials: optionalWhole(values, 'trials'),
        folds: optionalWhole(values, 'folds', { from: 2 }),
        seed: optionalWhole(values, 'seed', { from: 0 }),
        study,
        fingerprint: await fingerprint({ missing, largest }, files),
        onProgress(done: number, all: number) {
          if (all !== total) progress = output.progress('tuning', all)
          total = all
          progress.update(done)
        },
      }
      const tuned = await stop
        .heed((signal) => tune(evaluator, { ...options, signal }), {
          next: `the same command goes on with the trials in ${study}`,
        })
        .finally(() => progress.end())
      await writeTuned(out, tuned)
      await writeSidecar(out, 'tune', { ...scoring, missing }, files)
      output.result(tuned, describe(out, tuned))
    } finally {
      await judged.close()
    }
  },
})

/** Where trials are kept if no option names a place. */
function studyBeside(values: Values): string {
  return `${text(values, 'out')}.study.jsonl`
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
