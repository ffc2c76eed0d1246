import { reportRuns } from '@kith/pipelines/report'
import { defineCommand, type Options } from '../options/command.ts'
import { datasetOptions } from '../options/dataset-options.ts'
import {
  evaluationOptions,
  readEvaluationOptions,
  readTexts,
  textOptions,
} from '../options/shared-options.ts'
import { commandLine } from '../options/spell-options.ts'
import { optionalText, refuseTwice, text, texts } from '../options/values.ts'

const options = {
  qrels: { value: 'FILE', file: 'input', help: 'relevance judgments', required: true },
  run: {
    value: 'FILE',
    file: 'input',
    help: 'run to compare; the first run is the baseline',
    required: true,
    multiple: true,
  },
  out: { value: 'FILE', file: 'output', help: 'output page', required: true },
  ...textOptions,
  title: { value: 'TEXT', help: 'title of the page' },
  training: {
    value: 'FOLDER',
    file: 'input',
    help: 'output folder of kith train, to plot its curves',
    multiple: true,
  },
  figures: {
    value: 'FILE',
    file: 'input',
    help: 'figures.json of kith sweep, to add its charts',
  },
  tables: {
    value: 'FILE',
    file: 'input',
    help: 'JSON array of { title, note, rows }, to add tables',
  },
  about: { value: 'TEXT', help: 'one sentence about the comparison, shown below the title' },
  ...datasetOptions,
  ...evaluationOptions,
} satisfies Options

/** `kith report`: writes one HTML page that compares runs. */
export const reportCommand = defineCommand({
  name: 'report',
  description:
    'Writes a self-contained HTML page that compares each run with the first run and shows each query’s\n' +
    'first ten documents before (first run) and after (last run). The same inputs give the same bytes.\n' +
    '--training adds the curves of kith train.',
  example:
    'kith report --qrels qrels.trec --run run.trec --run better.trec --corpus corpus.jsonl --query-text queries.jsonl --out report.html',
  dataset: {
    purpose: 'measure',
    files: {
      ...{ qrels: 'qrels', run: ['run', 'reranked'] },
      ...{ corpus: 'corpus', 'query-text': 'queries', out: 'report' },
    },
  },
  options,
  read(values) {
    const runs = texts(values, 'run')
    refuseTwice(runs)
    return {
      ...readEvaluationOptions(values),
      ...readTexts(values),
      qrels: text(values, 'qrels'),
      runs,
      out: text(values, 'out'),
      title: optionalText(values, 'title'),
      about: optionalText(values, 'about'),
      training: texts(values, 'training'),
      figures: optionalText(values, 'figures'),
      tables: optionalText(values, 'tables'),
      commands: [commandLine('report', values, options)],
    }
  },
  async run(inputs, output) {
    await reportRuns(inputs, output.hooks())
    const { out, runs } = inputs
    output.result({ out, runs: runs.length }, `${out}: open it in a browser`)
  },
})
