import type { Method } from '@kith/core'
import { methods } from '@kith/core/internal'
import { studyBeside } from '@kith/pipelines/job'
import { type TuneInputs, tuneRun } from '@kith/pipelines/tune'
import { tuneDefaults } from '@kith/tune/internal'
import { defineCommand, type Options, rare, type Values } from '../options/command.ts'
import { judgedFiles, judgedOptions, readJudged } from '../options/judged-collection.ts'
import { methodOptions, namesTexts, readRanking } from '../options/setting-options.ts'
import { optionalText, optionalWhole, text } from '../options/values.ts'
import { tellTuned } from '../terminal/tell-tuned.ts'

const methodsOption = {
  methods: {
    value: 'LIST',
    help: `methods to choose among, or all: ${methods.join(', ')}`,
    default: 'neighbors',
  },
} satisfies Options

/** `kith tune`: settings for the user's own data, or the advice to leave the ranking alone. */
export const tuneCommand = defineCommand({
  name: 'tune',
  description:
    'With 50 judged queries or fewer it only decides between the default, the embeddings without the\n' +
    'words, and no reranking; with more it searches. Settings are chosen on some folds of the queries and judged on the others, and\n' +
    'replace the default only where they beat it there with t > 2. kith rerank --settings applies\n' +
    'what it found. Finished trials are kept in a study file: the same command goes on with them.',
  example:
    'kith tune --run run.trec --queries queries.npy --docs docs.npy --qrels qrels.trec --corpus corpus.jsonl --query-text queries.jsonl --out tuned.json',
  dataset: { purpose: 'tune', files: { ...judgedFiles, out: 'tuned' } },
  options: {
    ...judgedOptions,
    out: {
      value: 'FILE',
      file: 'output',
      help: 'what was found: settings, evidence, verdict',
      required: true,
    },
    trials: {
      value: 'N',
      help: 'settings that each study tries',
      default: String(tuneDefaults.trials),
    },
    folds: {
      value: 'N',
      help: 'parts that the queries are split into',
      default: String(tuneDefaults.folds),
    },
    seed: { value: 'N', help: 'of folds and trials', default: String(tuneDefaults.seed) },
    study: {
      value: 'FILE',
      file: 'output',
      help: 'where finished trials are kept',
      default: 'OUT.study.jsonl',
    },
    ...methodsOption,
    ...rare(methodOptions, 'preset', 'set'),
  },
  writes: (values) => (values['study'] === undefined ? [studyBeside(text(values, 'out'))] : []),
  async run(values, output, stop) {
    const out = text(values, 'out')
    const study = optionalText(values, 'study') ?? studyBeside(out)
    const inputs: TuneInputs = {
      ...readJudged(values),
      out,
      study,
      settings: (await readRanking(values, { texts: namesTexts(values) })).settings,
      methods: readMethods(values),
      trials: optionalWhole(values, 'trials'),
      folds: optionalWhole(values, 'folds', { from: 2 }),
      seed: optionalWhole(values, 'seed', { from: 0 }),
    }
    const result = await stop.heed((signal) => tuneRun(inputs, output.hooks(signal)), {
      next: `the same command goes on with the trials in ${study}`,
    })
    tellTuned(output, result)
  },
})

function readMethods(values: Values<typeof methodsOption>): TuneInputs['methods'] {
  const list = optionalText(values, 'methods') ?? 'neighbors'
  // Names that are no methods are refused where methods are known.
  return list === 'all' ? list : (list.split(',').map((name) => name.trim()) as Method[])
}
