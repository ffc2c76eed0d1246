import { join } from 'node:path'
import { type SweepInputs, sweepRun } from '@kith/pipelines/tune'
import { defineCommand, type Options } from '../options/command.ts'
import { judgedFiles, judgedOptions, readJudged } from '../options/judged-options.ts'
import { namesTexts, readRanking, settingOptions } from '../options/setting-options.ts'
import { missingOption } from '../options/shared-options.ts'
import { commandLine } from '../options/spell-options.ts'
import { text } from '../options/values.ts'

const options = {
  ...judgedOptions,
  ...missingOption('queries, candidates or judged documents'),
  out: { value: 'FOLDER', file: 'output', help: 'output folder for the charts', required: true },
  ...settingOptions,
} satisfies Options

/** `kith sweep`: computes the paper's analysis figures on the user's own data. */
export const sweepCommand = defineCommand({
  name: 'sweep',
  description:
    'Plots the measure against the number of reranked candidates (5 to 1000) and against each setting\n' +
    'around the chosen point, beside the original ranking; also the time per query, the scores per rank\n' +
    'and the spread of training labels. Writes an SVG per chart, figures.json (for kith report --figures)\n' +
    'and index.html. Settings come from the options or from kith tune (--settings).',
  example:
    'kith sweep --run run.trec --queries queries.npy --docs docs.npy --qrels qrels.trec --corpus corpus.jsonl --query-text queries.jsonl --out sweep',
  dataset: { purpose: 'tune', files: { ...judgedFiles, out: 'sweep' } },
  options,
  writes: (values) => ['figures.json', 'index.html'].map((name) => join(text(values, 'out'), name)),
  async read(values): Promise<SweepInputs> {
    return {
      ...readJudged(values),
      out: text(values, 'out'),
      settings: (await readRanking(values, { texts: namesTexts(values) })).settings,
      commands: [commandLine('sweep', values, options)],
    }
  },
  async run(inputs, output, stop) {
    const { out, files, figures } = await stop.untilStopped(
      (signal) => sweepRun(inputs, output.hooks(signal)),
      { next: 'unfinished output was removed; run the same command again to start over' },
    )
    output.result({ out, files }, `${join(out, 'index.html')}: ${figures.length} figures`)
  },
})
