import { fuseRuns } from '@kith/pipelines/fuse'
import { fusions, jobDefaults } from '@kith/pipelines/job'
import { defineCommand } from '../options/command.ts'
import { evaluationOptions, readEvaluationOptions } from '../options/shared-options.ts'
import {
  optionalChoice,
  optionalNumber,
  optionalText,
  optionalWhole,
  refuseTwice,
  text,
  texts,
  UsageError,
} from '../options/values.ts'
import { formatEvaluations } from '../terminal/format-evaluations.ts'

/** `kith fuse`: fuses several runs into one. */
export const fuseCommand = defineCommand({
  name: 'fuse',
  description:
    'Merges the runs of several searches, such as dense and lexical search, into one run with each\n' +
    'document once. --method rrf adds 1 / (k + rank) over the runs and ignores scores; min-max and z\n' +
    'add scores that are normalized per query. A document missing from a run counts 0 with rrf and\n' +
    'min-max, and like the last document of the run with z. If all scores of a run are equal, its\n' +
    'documents count 1 with min-max and 0 with z. With judgments (--qrels), prints the measures of\n' +
    'each run and of the merged run, compared with the first run.',
  example:
    'kith fuse --run dense.trec --run bm25.trec --weights 2,1 --top 200 --out fused.trec --qrels qrels.trec',
  options: {
    run: { value: 'FILE', file: 'input', help: 'run to merge', required: true, multiple: true },
    out: {
      value: 'FILE',
      file: 'output',
      help: 'output run (format from the extension: .trec, .json, .parquet, .gz)',
      required: true,
    },
    method: { value: 'NAME', help: fusions.join(', '), default: fusions[0] },
    'rrf-k': {
      value: 'K',
      help: 'constant k of reciprocal rank fusion',
      default: String(jobDefaults.rrfK),
    },
    weights: {
      value: 'LIST',
      help: 'weight of each run, separated by commas',
      default: 'all 1',
    },
    top: { value: 'N', help: 'number of documents per query', default: 'all' },
    qrels: {
      value: 'FILE',
      file: 'input',
      help: 'relevance judgments; prints measures before and after',
    },
    ...evaluationOptions,
  },
  async run(values, output) {
    const runs = texts(values, 'run')
    refuseTwice(runs)
    const { out, queries, figures } = await fuseRuns(
      {
        runs,
        out: text(values, 'out'),
        method: optionalChoice(values, 'method', fusions),
        rrfK: optionalNumber(values, 'rrf-k'),
        weights: readWeights(optionalText(values, 'weights'), runs.length),
        top: optionalWhole(values, 'top'),
        qrels: optionalText(values, 'qrels'),
        measuring: readEvaluationOptions(values),
      },
      output.hooks(),
    )
    const done = `${out}: ${runs.length} runs merged, ${queries} queries`
    if (!figures) return output.result({ out, queries }, done)
    const table = formatEvaluations('table', figures, false).trimEnd()
    const json = JSON.parse(formatEvaluations('json', figures, false))
    output.result({ out, queries, ...json }, [done, '', table].join('\n'))
  },
})

function readWeights(list: string | undefined, runs: number): number[] | undefined {
  const weights = list?.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)))
  if (!weights || (weights.length === runs && weights.every(Number.isFinite))) return weights
  throw new UsageError(
    `--weights must be ${runs} numbers separated by commas, one per run, got ${list}`,
  )
}
