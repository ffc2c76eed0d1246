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
import { UsageError } from '../options/usage-error.ts'
import { optionalText, text, texts } from '../options/values.ts'

const options = {
  qrels: { value: 'FILE', file: 'input', help: 'judgments', required: true },
  run: {
    value: 'FILE',
    file: 'input',
    help: 'a run; the first one is what others are compared with',
    required: true,
    multiple: true,
  },
  out: { value: 'FILE', file: 'output', help: 'the page to write', required: true },
  ...textOptions,
  title: { value: 'TEXT', help: 'of the page' },
  training: { value: 'FOLDER', file: 'input', help: 'a folder of kith train', multiple: true },
  figures: {
    value: 'FILE',
    file: 'input',
    help: 'further figures, as kith sweep writes them (figures.json)',
  },
  tables: {
    value: 'FILE',
    file: 'input',
    help: 'further tables: a JSON list of { title, note, rows }',
  },
  about: { value: 'TEXT', help: 'what this is about, in a sentence' },
  ...datasetOptions,
  ...evaluationOptions,
} satisfies Options

/** `kith report`: one HTML page that compares runs. */
export const reportCommand = defineCommand({
  name: 'report',
  description:
    'Compares each run with the first one, and shows each query’s first ten documents before (first\n' +
    'run) and after (last run). One file without any outside part, light and dark, printable; the\n' +
    'same inputs give the same bytes. --training adds the curves of kith train.',
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
  async run(values, output) {
    const [out, runs] = [text(values, 'out'), texts(values, 'run')]
    if (new Set(runs).size < runs.length) throw new UsageError('a run is named twice')
    await reportRuns(
      {
        ...readEvaluationOptions(values),
        ...readTexts(values),
        qrels: text(values, 'qrels'),
        runs,
        out,
        title: optionalText(values, 'title'),
        about: optionalText(values, 'about'),
        training: texts(values, 'training'),
        figures: optionalText(values, 'figures'),
        tables: optionalText(values, 'tables'),
        commands: [commandLine('report', values, options)],
      },
      output.hooks(),
    )
    output.result({ out, runs: runs.length }, `${out}: open it in a browser`)
  },
})
