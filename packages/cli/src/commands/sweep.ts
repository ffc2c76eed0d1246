import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { writeAtomic } from '@kith/ir'
import { labelFigure, scoresFigure, settingFigures, timeFigure } from '@kith/pipelines/internal'
import type { Figure } from '@kith/report'
import { sweep } from '@kith/tune'
import { defineCommand } from '../options/command.ts'
import { commandLine } from '../options/command-line.ts'
import { judgedOptions, openJudged } from '../options/judged-collection.ts'
import { methodOptions, readTunedOrSettings } from '../options/setting-options.ts'
import { text } from '../options/values.ts'
import type { Output } from '../terminal/output.ts'
import { version } from '../version.ts'

/** The deepest context that is measured. */
const LARGEST = 1000

/** `kith sweep`: the paper's analysis figures on the user's own data. */
export const sweepCommand = defineCommand({
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
    ...judgedOptions,
    out: { value: 'FOLDER', file: 'output', help: 'where the figures go', required: true },
    settings: { value: 'FILE', file: 'input', help: 'what kith tune found: the chosen point' },
    ...methodOptions,
  },
  writes: (values) => ['figures.json', 'index.html'].map((name) => join(text(values, 'out'), name)),
  async run(values, output, stop) {
    const settings = await readTunedOrSettings(values)
    const judged = await openJudged(values, output, LARGEST)
    const { run, qrels, queries, docs, collection, evaluator, scoring } = judged
    try {
      let progress = output.progress('sweeping', 1)
      const swept = await sweep(evaluator, settings, (done, total) => {
        if (done === 1) progress = output.progress('sweeping', total)
        progress.update(done)
      }).finally(() => progress.end())
      const baseline = evaluator.baseline.reduce((sum, value) => sum + value, 0) / evaluator.queries
      const sizes = swept[0]!.points.map(({ value }) => Number(value))
      const level = scoring.level ?? 1
      const figures = [
        ...settingFigures(swept, scoring.measure, baseline),
        timeFigure(collection, sizes, settings),
        await scoresFigure(run, collection, settings),
        await labelFigure({ run, qrels, queries, docs, level }, settings),
      ]
      const command = commandLine('sweep', values)
      // A signal now would leave a folder with figures of two sweeps.
      await stop.heed(() => write(text(values, 'out'), figures, command, output))
    } finally {
      await judged.close()
    }
  },
})

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
