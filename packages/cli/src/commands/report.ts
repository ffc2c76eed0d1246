import { readFile, stat } from 'node:fs/promises'
import { KithError } from '@kith/core'
import { evaluate, FileError, type Run, readQrels, readRun, writeAtomic } from '@kith/ir'
import {
  compareToFirst,
  type NamedEvaluation,
  namesOf,
  otherThan,
  readSidecar,
  sidecarOf,
  TextPair,
  trainingFigure,
} from '@kith/pipelines/internal'
import type { Figure, ReportData, ReportInput } from '@kith/report'
import { defineCommand } from '../options/command.ts'
import { commandLine } from '../options/command-line.ts'
import {
  evaluationOptions,
  readEvaluationOptions,
  textFiles,
  textOptions,
} from '../options/shared-options.ts'
import { UsageError } from '../options/usage-error.ts'
import { optionalText, text, texts } from '../options/values.ts'
import type { Output } from '../terminal/output.ts'
import { version } from '../version.ts'

/** No file of figures comes near this size. */
const LARGEST_FIGURES = 64 * 2 ** 20

/** `kith report`: one page that a person would rather look at than read. */
export const reportCommand = defineCommand({
  name: 'report',
  summary: 'compare runs on one HTML page: figures, significance, every query before and after',
  description:
    'Compares each run with the first one, and shows each query’s first ten documents before (first\n' +
    'run) and after (last run). One file without any outside part, light and dark, printable; the\n' +
    'same inputs give the same bytes. --training adds the curves of kith train.',
  example:
    'kith report --qrels qrels.trec --run run.trec --run better.trec --corpus corpus.jsonl --query-text queries.jsonl --out report.html',
  options: {
    qrels: { value: 'FILE', file: 'input', help: 'judgements', required: true },
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
    ...evaluationOptions,
  },
  async run(values, output) {
    const { parseFigures, parseTables, queryRows, renderReport } = await import('@kith/report')
    const [corpus, queryText] = textFiles(values)
    const { measures, ...options } = readEvaluationOptions(values)
    const [qrelsFile, out] = [text(values, 'qrels'), text(values, 'out')]
    const runFiles = texts(values, 'run')
    const qrels = await readQrels(qrelsFile)
    const runs: Run[] = []
    for (const file of runFiles) runs.push(await readRun(file))
    const evaluations = evaluateAll(runs, runFiles, (run) =>
      evaluate(qrels, run, measures, options),
    )
    const pair = corpus && queryText ? await TextPair.open(corpus, queryText) : undefined
    try {
      const comparisons = compareToFirst(evaluations)
      const figures: Figure[] = []
      const trained = texts(values, 'training')
      if (trained.length > 0) figures.push(await trainingFigure(trained, measures[0]!))
      const figuresFile = optionalText(values, 'figures')
      if (figuresFile) figures.push(...parseFigures(await readSmall(figuresFile), figuresFile))
      const tablesFile = optionalText(values, 'tables')
      const [first, last] = [evaluations[0]!, evaluations.at(-1)!]
      const data: ReportData = {
        title: optionalText(values, 'title'),
        about: optionalText(values, 'about'),
        inputs: inputsOf(qrelsFile, runFiles, runs, corpus, queryText),
        runs: evaluations.map(({ name, evaluation }) => ({
          name,
          queries: evaluation.queries.length,
          measures: evaluation.mean,
          comparison: comparisons.get(name),
        })),
        measure: measures[0],
        queries:
          evaluations.length < 2
            ? undefined
            : {
                ...queryRows(
                  [first.evaluation, last.evaluation],
                  [runs[0]!, runs.at(-1)!],
                  qrels,
                  pair,
                  measures[0]!,
                  { level: options.level },
                ),
                before: first.name,
                after: last.name,
              },
        figures,
        tables: tablesFile ? parseTables(await readSmall(tablesFile), tablesFile) : undefined,
        settings: await settingsOf(runFiles.at(-1)!, output),
        versions: { kith: version, node: process.version },
        commands: [commandLine('report', values)],
      }
      const page = renderReport(data)
      await writeAtomic(out, (write) => write(page))
      output.result({ out, runs: runFiles.length }, `${out}: open it in a browser`)
    } finally {
      pair?.close()
    }
  },
})

function evaluateAll(
  runs: readonly Run[],
  files: readonly string[],
  measure: (run: Run) => NamedEvaluation['evaluation'],
): NamedEvaluation[] {
  if (new Set(files).size < files.length) throw new UsageError('a run is named twice')
  const names = namesOf(files)
  return runs.map((run, i) => ({ name: names[i]!, file: files[i]!, evaluation: measure(run) }))
}

function inputsOf(
  qrels: string,
  files: readonly string[],
  runs: readonly Run[],
  corpus: string | undefined,
  queryText: string | undefined,
): ReportInput[] {
  return [
    ...files.map((file, i) => ({ what: 'run', file, size: `${runs[i]!.queries.length} queries` })),
    { what: 'judgements', file: qrels },
    ...(corpus ? [{ what: 'documents', file: corpus }] : []),
    ...(queryText ? [{ what: 'queries', file: queryText }] : []),
  ]
}

/** The settings that a run was made with, where its sidecar tells of this very run. */
async function settingsOf(
  run: string,
  output: Output,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const found = await readSidecar(run)
  if (found?.output === undefined) return found?.settings
  const other = await otherThan(run, found)
  if (other === undefined) return found.settings
  output.remark(`${sidecarOf(run)} is left out: ${other}`)
  return undefined
}

async function readSmall(file: string): Promise<string> {
  const found = await stat(file).catch(() => {
    throw new FileError(file, '', 'there is no such file')
  })
  if (found.size > LARGEST_FIGURES)
    throw new KithError('BAD_INPUT', `${file}: too large for figures`)
  return readFile(file, 'utf8')
}
