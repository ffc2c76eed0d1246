import { calibrateRun, reliabilityFiles, verdicts } from '@kith/pipelines/relevance'
import { defineCommand } from '../options/command.ts'
import { datasetOptions } from '../options/dataset-options.ts'
import { judgedFiles } from '../options/judged-options.ts'
import { optionalText, text } from '../options/values.ts'

/** `kith calibrate`: fits estimated relevance to judged queries. */
export const calibrateCommand = defineCommand({
  name: 'calibrate',
  description:
    'Fits the estimated relevance of hits to the judgments of ten queries or more. Prints how good the\n' +
    'estimates are (cross-validated), and compares the F1 of the cutoff with the F1 of fixed numbers of\n' +
    'hits. Use the output with kith serve --calibration, openCollection and adapters. Writes a\n' +
    'reliability diagram beside the output, as a page (.html) and as a picture (.svg).',
  example:
    'kith calibrate --run run.trec --queries queries.npy --docs docs.npy --corpus corpus.jsonl --query-text queries.jsonl --qrels qrels.trec --out calibration.json',
  dataset: { purpose: 'tune', files: { ...judgedFiles, out: 'calibration' } },
  options: {
    run: { value: 'FILE', file: 'input', help: 'a run of vector search', required: true },
    queries: { value: 'FILE', file: 'input', help: 'embeddings of the queries', required: true },
    docs: { value: 'FILE', file: 'input', help: 'embeddings of the documents', required: true },
    corpus: { value: 'FILE', file: 'input', help: 'texts of the documents', required: true },
    'query-text': { value: 'FILE', file: 'input', help: 'texts of the queries', required: true },
    qrels: { value: 'FILE', file: 'input', help: 'relevance judgments', required: true },
    background: {
      value: 'FILE',
      file: 'input',
      help: 'file of kith background (default: the file beside DOCS, made if missing)',
    },
    out: { value: 'FILE', file: 'output', help: 'output file for the calibration', required: true },
    ...datasetOptions,
  },
  writes: (values) => {
    const out = optionalText(values, 'out')
    return out === undefined ? [] : Object.values(reliabilityFiles(out) ?? {})
  },
  read: (values) => ({
    run: text(values, 'run'),
    queries: text(values, 'queries'),
    docs: text(values, 'docs'),
    corpus: text(values, 'corpus'),
    queryText: text(values, 'query-text'),
    qrels: text(values, 'qrels'),
    defaultTokenizer: values.defaultTokenizer,
    background: optionalText(values, 'background'),
    out: text(values, 'out'),
  }),
  async run(inputs, output, stop) {
    const result = await stop.untilStopped((signal) => calibrateRun(inputs, output.hooks(signal)), {
      next: 'nothing was written',
    })
    const { estimated, calibrated, fixed, queries, helps, out, page } = result
    const line = (name: string, figures: typeof estimated) =>
      `${name.padEnd(11)} ${figures.calibrationError.toFixed(3).padStart(17)} ${figures.brier.toFixed(3).padStart(6)} ${figures.f1.toFixed(3).padStart(12)}`
    output.result(
      { ...result },
      [
        `${queries} judged queries, cross-validated`,
        'relevance    calibration error  Brier  F1 of cutoff',
        line('estimated', estimated),
        line('calibrated', calibrated),
        `F1 of a fixed number of hits: ${fixed.map(({ hits, f1 }, i) => `${hits} ${f1.toFixed(3)}${i === fixed.length - 1 ? ' (best)' : ''}`).join(', ')}`,
        verdicts[helps],
        out,
        ...(page === undefined ? [] : [`${page}: the reliability diagram`]),
      ].join('\n'),
    )
  },
})
