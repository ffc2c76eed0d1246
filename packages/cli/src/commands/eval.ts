import { evaluateRuns } from '@kith/pipelines/eval'
import { defineCommand } from '../options/command.ts'
import { datasetOptions } from '../options/dataset-options.ts'
import { evaluationOptions, readEvaluationOptions } from '../options/shared-options.ts'
import { CheckFailed, UsageError } from '../options/usage-error.ts'
import { isSet, optionalChoice, optionalText, text, texts } from '../options/values.ts'
import { evaluationFormats, formatEvaluations } from '../terminal/format-evaluations.ts'
import { print } from '../terminal/output.ts'

/** `kith eval`: trec_eval's figures for one run or several, with significance. */
export const evalCommand = defineCommand({
  name: 'eval',
  description:
    'Runs: TREC six columns, MS MARCO (query, document, rank) or JSON. Judgments: TREC or BEIR.\n' +
    'Measures by the names of ir_measures: nDCG@10, MRR@10, MAP@10, Recall@100, P(rel=2)@10,\n' +
    'Success@5, Rprec, Bpref, Judged@10. With several runs, each is compared with the first:\n' +
    "* marks p < 0.05 and ** p < 0.01 in Fisher's randomization test (Holm-corrected over the runs).",
  example:
    'kith eval --qrels qrels.trec --run bm25.trec --run better.trec --measures nDCG@10,MRR@10',
  dataset: {
    purpose: 'measure',
    files: { qrels: 'qrels', run: ['run', 'reranked'] },
  },
  options: {
    qrels: { value: 'FILE', file: 'input', help: 'judgments', required: true },
    run: { value: 'FILE', file: 'input', help: 'a run', required: true, multiple: true },
    baseline: {
      value: 'FILE',
      file: 'input',
      help: 'run to compare with (default: the first --run)',
    },
    'fail-on': {
      value: 'CHANGE',
      help: 'exit with code 3 if a run is worse than the baseline: significant (p < 0.05) or drop:0.01; judged queries that a run lacks count as 0',
    },
    ...datasetOptions,
    ...evaluationOptions,
    clusters: {
      rare: true,
      value: 'FILE',
      file: 'input',
      help: 'queries and their clusters (TSV): the tests take the queries of a cluster as one',
    },
    'per-query': { help: 'also print the figures of each query' },
    format: {
      value: 'NAME',
      help: `how to print: ${evaluationFormats.join(', ')}`,
      default: 'table',
    },
  },
  async run(values, output) {
    const format = optionalChoice(values, 'format', evaluationFormats)
    const baseline = optionalText(values, 'baseline')
    const failOn = optionalText(values, 'fail-on')
    const runs = texts(values, 'run')
    if (baseline !== undefined) runs.unshift(baseline)
    if (failOn !== undefined && runs.length === 1) {
      throw new UsageError('--fail-on compares runs: name a --baseline as well')
    }
    const result = await evaluateRuns(
      {
        ...readEvaluationOptions(values),
        qrels: text(values, 'qrels'),
        runs,
        clusters: optionalText(values, 'clusters'),
        failOn,
      },
      output.hooks(),
    )
    const chosen = output.json ? 'json' : (format ?? 'table')
    print(formatEvaluations(chosen, result, isSet(values, 'per-query')))
    const { failures } = result
    if (failures?.length) throw new CheckFailed(`${failures.join('; ')}: fails --fail-on ${failOn}`)
  },
})
