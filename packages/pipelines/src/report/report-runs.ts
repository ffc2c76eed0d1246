import { readFile, stat } from 'node:fs/promises'
import { FileError, version, writeAtomic } from '@kith/base'
import { KithError } from '@kith/core'
import type { Run } from '@kith/ir'
import type { Figure, ReportData, ReportInput } from '@kith/report'
import {
  compareToFirst,
  type EvaluateInputs,
  measureRuns,
  warnLearned,
} from '../eval/evaluate-runs.ts'
import { collectionName, shownPath, shownPaths } from '../files/paths.ts'
import { otherThan, readSidecar, sidecarOf, usedSettings } from '../files/sidecar.ts'
import type { Hooks } from '../job/hooks.ts'
import { usualMeasures } from '../job/job-defaults.ts'
import { checkTextPair, OpenTexts, type TextFiles } from '../join/open-texts.ts'
import { trainingFigure } from '../train/compare-trainings.ts'

/** Maximum bytes of a file of figures; real files are much smaller. */
const LARGEST_FIGURES = 64 * 2 ** 20

/** The runs to compare on a page, and its further contents. */
export interface ReportInputs extends Omit<EvaluateInputs, 'clusters'>, TextFiles {
  /** The page to write. */
  out: string
  title?: string | undefined
  /** The subject of the page, in one sentence. */
  about?: string | undefined
  /** Folders of trainings, for plotting their metrics. */
  training?: readonly string[] | undefined
  /** A file of further figures, as written by `sweepRun`. */
  figures?: string | undefined
  /** A file of further tables: a JSON array of `{ title, note, rows }`. */
  tables?: string | undefined
  /** Command lines for making the page again, to show on it. */
  commands?: string[] | undefined
}

/**
 * Compares runs on one HTML page: measures, significance, and every query before and after.
 *
 * ```ts
 * await reportRuns({ qrels: 'qrels.trec', runs: ['run.trec', 'better.trec'], out: 'report.html' })
 * ```
 */
export async function reportRuns(inputs: ReportInputs, hooks: Hooks = {}): Promise<void> {
  const { renderReport } = await import('@kith/report')
  const { parseFigures, parseTables, queryRows } = await import('@kith/report/internal')
  const { measures = usualMeasures, runs: files, level } = inputs
  const twice = files.find((file, i) => files.indexOf(file) < i)
  if (twice !== undefined) {
    throw new KithError('BAD_INPUT', `run ${twice} is given twice; name each run once`)
  }
  const texts = checkTextPair(inputs)
  const { evaluations, runs, qrels } = await measureRuns(inputs)
  await warnLearned(evaluations, qrels, hooks)
  const pair = texts && (await OpenTexts.open(texts, 'english'))
  try {
    const comparisons = compareToFirst(evaluations)
    const figures: Figure[] = []
    if (inputs.training?.length) {
      figures.push(await trainingFigure([...inputs.training], measures[0]!))
    }
    if (inputs.figures) {
      figures.push(...parseFigures(await readSmall(inputs.figures), inputs.figures))
    }
    const [first, last] = [evaluations[0]!, evaluations.at(-1)!]
    const both = (): ReturnType<typeof queryRows> =>
      queryRows(
        [first.evaluation, last.evaluation],
        [runs[0]!, runs.at(-1)!],
        qrels,
        pair,
        measures[0]!,
        { level },
      )
    const data: ReportData = {
      title: inputs.title,
      about: inputs.about,
      collection: collectionName(inputs.corpus ?? inputs.qrels),
      inputs: shownInputs(inputs, runs),
      runs: evaluations.map(({ name, evaluation }) => ({
        name: shownPath(name),
        queries: evaluation.queries.length,
        measures: evaluation.mean,
        comparison: comparisons.get(name),
      })),
      measure: measures[0],
      queries:
        evaluations.length < 2
          ? undefined
          : { ...both(), before: shownPath(first.name), after: shownPath(last.name) },
      figures,
      tables: inputs.tables
        ? parseTables(await readSmall(inputs.tables), inputs.tables)
        : undefined,
      settings: await settingsOf(files.at(-1)!, hooks),
      versions: { kith: version, node: process.version },
      commands: inputs.commands,
    }
    const page = renderReport(data)
    await writeAtomic(inputs.out, (write) => write(page))
  } finally {
    await pair?.close()
  }
}

function shownInputs(
  { qrels, runs: files, corpus, queryText }: ReportInputs,
  runs: readonly Run[],
): ReportInput[] {
  const all = [
    ...files.map((file, i) => ({ what: 'run', file, size: `${runs[i]!.queries.length} queries` })),
    { what: 'judgments', file: qrels },
    ...(corpus ? [{ what: 'documents', file: corpus }] : []),
    ...(queryText ? [{ what: 'queries', file: queryText }] : []),
  ]
  return all.map((input) => ({ ...input, file: shownPath(input.file) }))
}

/** Returns the settings of a run, if its sidecar belongs to exactly this file. */
async function settingsOf(
  run: string,
  { onRemark }: Hooks,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const found = await readSidecar(run)
  const used =
    found?.settings && (shownPaths(usedSettings(found.settings)) as Record<string, unknown>)
  if (found?.output === undefined) return used
  const other = await otherThan(run, found)
  if (other === undefined) return used
  onRemark?.(`ignoring ${sidecarOf(run)}: ${other}`)
  return undefined
}

async function readSmall(file: string): Promise<string> {
  const found = await stat(file).catch(() => {
    throw new FileError(file, '', 'there is no such file')
  })
  if (found.size > LARGEST_FIGURES) {
    throw new KithError(
      'BAD_INPUT',
      `${file}: too large for a file of figures (${found.size} bytes, at most ${LARGEST_FIGURES})`,
    )
  }
  return readFile(file, 'utf8')
}
