import { studyBeside } from '@kith/pipelines/job'
import { type TuneInputs, tuneRun } from '@kith/pipelines/tune'
import { defineCommand } from '../options/command.ts'
import { judgedFiles, readJudged } from '../options/judged-options.ts'
import { namesTexts, readRanking } from '../options/setting-options.ts'
import { readMethods, tuneOptions } from '../options/tune-options.ts'
import { optionalText, optionalWhole, text } from '../options/values.ts'
import { tellTuned } from '../terminal/tell-tuned.ts'

/** `kith tune`: chooses settings for the user's own data, or advises to keep the ranking. */
export const tuneCommand = defineCommand({
  name: 'tune',
  description:
    'With 50 judged queries or fewer, chooses among the default, embeddings without BM25, and no\n' +
    'reranking; with more, searches all settings. Settings are chosen on some folds of the queries and\n' +
    'tested on the other folds, and replace the default only if they beat it there with t > 2. Use the\n' +
    'result with kith rerank --settings. Finished trials are kept in a study file; run the same command\n' +
    'again to resume.',
  example:
    'kith tune --run run.trec --queries queries.npy --docs docs.npy --qrels qrels.trec --corpus corpus.jsonl --query-text queries.jsonl --out tuned.json',
  dataset: { purpose: 'tune', files: { ...judgedFiles, out: 'tuned' } },
  options: tuneOptions,
  writes: (values) => (values['study'] === undefined ? [studyBeside(text(values, 'out'))] : []),
  async read(values): Promise<TuneInputs & { study: string }> {
    const out = text(values, 'out')
    return {
      ...readJudged(values),
      out,
      study: optionalText(values, 'study') ?? studyBeside(out),
      settings: (await readRanking(values, { texts: namesTexts(values) })).settings,
      methods: readMethods(values),
      trials: optionalWhole(values, 'trials'),
      folds: optionalWhole(values, 'folds', { from: 2 }),
      seed: optionalWhole(values, 'seed', { from: 0 }),
    }
  },
  async run(inputs, output, stop) {
    const result = await stop.untilStopped((signal) => tuneRun(inputs, output.hooks(signal)), {
      next: `finished trials are kept in ${inputs.study}; run the same command again to resume`,
    })
    tellTuned(output, result)
  },
})
