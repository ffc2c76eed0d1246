import { evaluateRuns } from '@kith/pipelines/eval'
import { parseGate } from '@kith/pipelines/job'
import { defineCommand } from '../options/command.ts'
import { datasetOptions } from '../options/dataset-options.ts'
import { evaluationOptions, readEvaluationOptions } from '../options/shared-options.ts'
import {
  CheckFailed,
  isSet,
  optionalChoice,
  optionalText,
  text,
  texts,
  UsageError,
} from '../options/values.ts'
import { evaluationFormats, formatEvaluations } from '../terminal/format-evaluations.ts'
import { print } from '../terminal/output.ts'

/** `kith eval`: prints trec_eval's measures for one or more runs, with significance tests. */
export const evalCommand = defineCommand({
  name: 'eval',
  description:
    'Reads runs in TREC, MS MARCO (query, document, rank), JSON or Parquet format, and TREC or BEIR\n' +
    'qrels. Measures have the names of ir_measures: nDCG@10, MRR@10, MAP@10, Recall@100, P(rel=2)@10,\n' +
    'Success@5, Rprec, Bpref, Judged@10. Compares several runs with the first run: * marks p < 0.05\n' +
    "and ** p < 0.01 in Fisher's randomization test (Holm-corrected for the number of runs).",
  example:
    'kith eval --qrels qrels.trec --run bm25.trec --run better.trec --measures nDCG@10,MRR@10',
  dataset: {
    purpose: 'measure',
    files: { qrels: 'qrels', run: ['run', 'reranked'] },
  },
  options: {
    qrels: { value: 'FILE', file: 'input', help: 'relevance judgments', required: true },
    run: { value: 'FILE', file: 'input', help: 'run to measure', required: true, multiple: true },
    baseline: {
      value: 'FILE',
      file: 'input',
      help: 'run to compare with (default: the first --run)',
    },
    'fail-on': {
      value: 'CHANGE',
      help: 'exit with code 3 if a run is worse than the baseline: significant (p < 0.05) or drop:0.01; judged queries missing from a run count as 0',
    },
    ...datasetOptions,
    ...evaluationOptions,
    clusters: {
      rare: true,
      value: 'FILE',
      file: 'input',
      help: 'clusters of queries (TSV: query, cluster); tests treat the queries of a cluster as one sample',
    },
    'per-query': { help: 'print the measures of each query, too' },
    format: {
      value: 'NAME',
      help: `output format: ${evaluationFormats.join(', ')}`,
      default: 'table',
    },
  },
  read(values) {
    const baseline = optionalText(values, 'baseline')
    const failOn = optionalText(values, 'fail-on')
    const named = texts(values, 'run')
    // Comparing the baseline with itself would only weaken the tests of the other runs.
    const others = named.filter((run) => run !== baseline)
    const runs = others.length > 0 ? others : named
    if (baseline !== undefined) runs.unshift(baseline)
    if (failOn !== undefined && runs.length === 1) {
      throw new UsageError('--fail-on needs a run to compare with; add --baseline FILE')
    }
    if (failOn !== undefined) parseGate(failOn)
    const inputs = {
      ...readEvaluationOptions(values),
      qrels: text(values, 'qrels'),
      runs,
      clusters: optionalText(values, 'clusters'),
      failOn,
    }
    const format = optionalChoice(values, 'format', evaluationFormats)
    return { inputs, format, perQuery: isSet(values, 'per-query') }
  },
  async run({ inputs, format = 'table', perQuery }, output) {
    const result = await evaluateRuns(inputs, output.hooks())
    print(formatEvaluations(output.json ? 'json' : format, result, perQuery))
    const { failures } = result
    if (failures?.length)
      throw new CheckFailed(`--fail-on ${inputs.failOn} failed: ${failures.join('; ')}`)
  },
})
