import { join } from 'node:path'
import { version, writeAtomic } from '@kith/base'
import { type PartialMethodSettings, resolveMethodSettings } from '@kith/core'
import { throwIfAborted } from '@kith/core/internal'
import type { Figure } from '@kith/report'
import { sweep } from '@kith/tune'
import { collectionName } from '../files/paths.ts'
import type { Hooks } from '../job/hooks.ts'
import { jobDefaults } from '../job/job-defaults.ts'
import { type Missing, namingFiles } from '../join/missing.ts'
import { nameTokenizer } from '../join/name-tokenizer.ts'
import {
  type JudgedInputs,
  judgedMetric,
  openJudged,
  tokenizersToTry,
} from './judged-collection.ts'
import {
  labelContexts,
  labelFigure,
  scoresFigure,
  settingFigures,
  timeFigure,
} from './sweep-figures.ts'

/** The largest measured context size. */
const LARGEST = 1000

/** The inputs of a sweep. */
export interface SweepInputs extends JudgedInputs {
  /** The folder to write the figures to. */
  out: string
  /** The base settings, from which single settings are varied. */
  settings?: PartialMethodSettings | undefined
  /** Command lines for making the page again, to show on it. */
  commands?: readonly string[] | undefined
}

/** The result of a sweep. */
export interface SweepResult {
  out: string
  /** The written files: an image of each figure, `figures.json` and `index.html`. */
  files: readonly string[]
  figures: readonly Figure[]
  /** The queries, candidates and judged documents that were skipped because of missing data. */
  missing: readonly Missing[]
}

/**
 * Measures judged queries with several context sizes and with several values of every setting, and
 * plots the results: a folder of figures and a page. If it is stopped early, it writes nothing.
 *
 * ```ts
 * await sweepRun({ run: 'run.trec', queries: 'queries.npy', docs: 'docs.npy', qrels: 'qrels.trec',
 * out: 'sweep' })
 * ```
 */
export async function sweepRun(inputs: SweepInputs, hooks: Hooks = {}): Promise<SweepResult> {
  const { statistics, corpus: texts, defaultTokenizer } = inputs
  const about = { statistics, texts, defaultTokenizer }
  const asked = await nameTokenizer(resolveMethodSettings(inputs.settings), about, hooks)
  const judged = await openJudged({ ...inputs, tokenizers: tokenizersToTry(asked) }, LARGEST)
  const { run, qrels, queries, docs, collection, evaluator, scoring, policy, report } = judged
  try {
    throwIfAborted(hooks.signal)
    const metric = await judgedMetric(asked.metric, inputs.run, judged, hooks)
    const settings = { ...asked, metric }
    const sources = { run, qrels, queries, docs, level: scoring.level ?? jobDefaults.level }
    // Before the long work, so that missing embeddings are reported at its start, not at its end.
    const contexts = await namingFiles(inputs, async () =>
      labelContexts(sources, settings.contextSize, policy, report),
    )
    for (const remark of report.remarks()) hooks.onRemark?.(remark)
    const swept = await sweep(evaluator, settings, (done, total) => {
      throwIfAborted(hooks.signal)
      hooks.onProgress?.({ stage: 'sweeping', done, total })
    })
    const baseline = evaluator.baseline.reduce((sum, value) => sum + value, 0) / evaluator.queries
    const sizes = swept[0]!.points.map(({ value }) => Number(value))
    const figures = [
      ...settingFigures(swept, scoring.measure, baseline),
      timeFigure(collection, sizes, settings),
      await scoresFigure(run, collection, settings),
      await labelFigure(contexts, sources, settings),
    ]
    // From here on, an abort would leave a folder with figures of two sweeps.
    throwIfAborted(hooks.signal)
    const files = await writeFigures(inputs, figures)
    const { out } = inputs
    return { out, files, figures, missing: report.list() }
  } finally {
    await judged.close()
  }
}

async function writeFigures(
  { out, qrels, corpus, commands = [] }: SweepInputs,
  figures: readonly Figure[],
): Promise<string[]> {
  const { renderReport, standaloneSvg } = await import('@kith/report')
  const { drawFigure, formatFigures } = await import('@kith/report/internal')
  const files: string[] = []
  const put = async (name: string, content: string): Promise<void> => {
    const file = join(out, name)
    await writeAtomic(file, (append) => append(content))
    files.push(file)
  }
  for (const figure of figures)
    await put(`${nameOf(figure)}.svg`, standaloneSvg(drawFigure(figure)))
  await put('figures.json', formatFigures(figures))
  await put(
    'index.html',
    renderReport({
      title: 'Settings around the chosen point',
      collection: collectionName(corpus ?? qrels),
      figures,
      versions: { kith: version, node: process.version },
      commands,
    }),
  )
  return files
}

function nameOf(figure: Figure): string {
  return figure.kind === 'setting' ? `setting-${figure.setting.replaceAll(' ', '-')}` : figure.kind
}
