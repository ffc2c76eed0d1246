import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { openEmbeddings, readQrels, readRun, writeWhole } from '@kith/ir'
import type { Figure } from '@kith/report'
import { collect, createEvaluator, sweep } from '@kith/tune'
import type { Command } from '../command.ts'
import { commandLine } from '../command-line.ts'
import type { Output } from '../output.ts'
import { methodOptions, readTunedOrSettings } from '../setting-options.ts'
import {
  embeddingOptions,
  missingPolicies,
  readEmbeddingOptions,
  textFiles,
  textOptions,
  workerOption,
} from '../shared-options.ts'
import { labelFigure, scoresFigure, settingFigures, timeFigure } from '../sweep-figures.ts'
import { preparedTexts } from '../text-shelf.ts'
import { isSet, optionalChoice, optionalText, optionalWhole, text } from '../values.ts'
import { version } from '../version.ts'

/** The deepest context that is measured. */
const LARGEST = 1000

/** `kith sweep`: the paper's analysis figures on the user's own data. */
export const sweepCommand: Command = {
  name: 'sweep',
  summary: 'draw a measure against context size and every setting, time per query, and spreads',
  description:
    'The measure against the number of candidates reranked (5 to 1000) and against each setting\n' +
    'around the chosen point, with the ranking as it was; the time per query; the scores per rank;\n' +
    'the spread of training labels. Writes an SVG for each, figures.json (which kith report --figures\n' +
    'takes) and index.html. Settings: those of the options, or of kith tune (--settings).',
  example:
    'kith sweep --run run.trec --queries queries.npy --docs docs.npy --qrels qrels.trec --out sweep',
  options: {
    run: { value: 'FILE', help: 'the run that would be reranked', required: true },
    queries: { value: 'FILE', help: 'embeddings of the queries', required: true },
    docs: { value: 'FILE', help: 'embeddings of the documents', required: true },
    qrels: { value: 'FILE', help: 'judgements', required: true },
    out: { value: 'FOLDER', help: 'where the figures go', required: true },
    ...textOptions,
    measure: { value: 'NAME', help: 'what is measured', default: 'nDCG@10' },
    level: { value: 'GRADE', help: 'from which grade on a document is relevant', default: '1' },
    strict: { help: 'grades below the level give no gain in nDCG either (TREC DL)' },
    missing: {
      value: 'WHAT',
      help: 'queries or candidates without an embedding or text: error, or skip',
      default: 'error',
    },
    settings: { value: 'FILE', help: 'what kith tune found: the chosen point' },
    ...methodOptions,
    ...embeddingOptions,
    ...workerOption,
  },
  async run(values, output) {
    const settings = await readTunedOrSettings(values)
    const missing = optionalChoice(values, 'missing', missingPolicies) ?? 'error'
    const measure = optionalText(values, 'measure') ?? 'nDCG@10'
    const scoring = {
      measure,
      level: optionalWhole(values, 'level'),
      strict: isSet(values, 'strict'),
    }
    const [corpus, queryText] = textFiles(values)
    const embeddings = readEmbeddingOptions(values)
    const queries = await openEmbeddings(text(values, 'queries'), embeddings)
    const docs = await openEmbeddings(text(values, 'docs'), embeddings)
    try {
      const [run, qrels] = [
        await readRun(text(values, 'run')),
        await readQrels(text(values, 'qrels')),
      ]
      const texts =
        corpus && queryText
          ? await preparedTexts({ run, contextSize: LARGEST, missing }, corpus, queryText)
          : undefined
      const { collection, remarks } = collect({
        ...{ run, qrels, queries, docs, texts, missing },
        largest: LARGEST,
      })
      for (const remark of remarks) output.remark(remark)
      const evaluator = createEvaluator(collection, {
        ...scoring,
        workers: optionalWhole(values, 'workers'),
      })
      const figures: Figure[] = []
      let progress = output.progress('sweeping', 1)
      try {
        const swept = await sweep(evaluator, settings, (done, total) => {
          if (done === 1) progress = output.progress('sweeping', total)
          progress.update(done)
        }).finally(() => progress.end())
        const baseline = evaluator.geometric.reduce((sum, value) => sum + value, 0)
        figures.push(...settingFigures(swept, measure, baseline / evaluator.queries))
        const sizes = swept[0]!.points.map(({ value }) => Number(value))
        figures.push(timeFigure(collection, sizes, settings))
      } finally {
        evaluator.close()
      }
      figures.push(await scoresFigure(run, collection, settings))
      const level = scoring.level ?? 1
      figures.push(await labelFigure({ run, qrels, queries, docs, level }, settings))
      await write(text(values, 'out'), figures, commandLine('sweep', values), output)
    } finally {
      queries.close()
      docs.close()
    }
  },
}

async function write(
  out: string,
  figures: readonly Figure[],
  command: string,
  output: Output,
): Promise<void> {
  const { drawFigure, formatFigures, renderReport, standaloneSvg } = await import('@kith/report')
  await mkdir(out, { recursive: true })
  const files: string[] = []
  const put = async (name: string, content: string): Promise<void> => {
    const file = join(out, name)
    await writeWhole(file, (append) => append(content))
    files.push(file)
  }
  for (const figure of figures)
    await put(`${nameOf(figure)}.svg`, standaloneSvg(drawFigure(figure)))
  await put('figures.json', formatFigures(figures))
  await put(
    'index.html',
    renderReport({
      title: 'Settings around the chosen point',
      figures,
      versions: { kith: version, node: process.version },
      commands: [command],
    }),
  )
  output.result({ out, files }, `${join(out, 'index.html')}: ${figures.length} figures`)
}

function nameOf(figure: Figure): string {
  return figure.kind === 'setting' ? `setting-${figure.setting.replaceAll(' ', '-')}` : figure.kind
}
