import { fuseRuns } from '@kith/pipelines/fuse'
import { fusions, jobDefaults } from '@kith/pipelines/job'
import { defineCommand } from '../options/command.ts'
import { evaluationOptions, readEvaluationOptions } from '../options/shared-options.ts'
import { UsageError } from '../options/usage-error.ts'
import {
  optionalChoice,
  optionalNumber,
  optionalText,
  optionalWhole,
  text,
  texts,
} from '../options/values.ts'
import { formatEvaluations } from '../terminal/format-evaluations.ts'

/** `kith fuse`: several runs in, one out. */
export const fuseCommand = defineCommand({
  name: 'fuse',
  description:
    'Takes the runs of several searches, such as a dense and a lexical one or those of several\n' +
    'encoders, and writes one that has every document once. rrf adds the reciprocals of ranks:\n' +
    '1 / (k + rank), whatever the scores are. min-max and z add the scores, normalized query by\n' +
    'query. A document that a run lacks counts 0 with rrf and min-max, and as the run’s last with z;\n' +
    'where all scores of a run are equal, its documents count 1 with min-max and 0 with z. With\n' +
    'judgments (--qrels), it prints the figures of each run and of the fused one, compared with the first.',
  example:
    'kith fuse --run dense.trec --run bm25.trec --weights 2,1 --top 200 --out fused.trec --qrels qrels.trec',
  options: {
    run: { value: 'FILE', file: 'input', help: 'a run', required: true, multiple: true },
    out: {
      value: 'FILE',
      file: 'output',
      help: 'the run to write (.json, .gz by ending)',
      required: true,
    },
    method: { value: 'NAME', help: fusions.join(', '), default: fusions[0] },
    'rrf-k': {
      value: 'K',
      help: 'added to ranks in rrf (reciprocal rank fusion)',
      default: String(jobDefaults.rrfK),
    },
    weights: {
      value: 'LIST',
      help: 'a weight for each run, separated by commas',
      default: 'all 1',
    },
    top: { value: 'N', help: 'documents per query', default: 'all' },
    qrels: { value: 'FILE', file: 'input', help: 'judgments: print figures before and after' },
    ...evaluationOptions,
  },
  async run(values, output) {
    const runs = texts(values, 'run')
    if (new Set(runs).size < runs.length) throw new UsageError('a run is named twice')
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
    const done = `${out}: ${runs.length} runs fused, ${queries} queries`
    if (!figures) return output.result({ out, queries }, done)
    const table = formatEvaluations('table', figures, false).trimEnd()
    const json = JSON.parse(formatEvaluations('json', figures, false))
    output.result({ out, queries, ...json }, [done, '', table].join('\n'))
  },
})

function readWeights(list: string | undefined, runs: number): number[] | undefined {
  const weights = list?.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)))
  if (!weights || (weights.length === runs && weights.every(Number.isFinite))) return weights
  throw new UsageError(`--weights takes ${runs} numbers, separated by commas, not ${list}`)
}
