import { writeAtomic } from '@kith/ir'
import { trainingFigure } from '@kith/pipelines/internal'
import { defineCommand } from '../options/command.ts'
import { optionalText, text, texts } from '../options/values.ts'

/** `kith train compare`: the curves of several trainings over one another. */
export const trainCompareCommand = defineCommand({
  name: 'train compare',
  summary: 'draw the curves of several trainings over one another',
  description:
    'Validation loss with the original labels above, a measure below, over the steps. Writes an SVG,\n' +
    'or with an ending .html a page.',
  example: 'kith train compare trained-one-hot trained-mixed --out curves.svg',
  rest: { value: 'FOLDER…', file: 'input', help: 'folders of kith train' },
  options: {
    out: {
      value: 'FILE',
      file: 'output',
      help: 'the picture to write: .svg or .html',
      required: true,
    },
    measure: { value: 'NAME', help: 'MRR@10, nDCG@10, MAP@10 or Recall@10', default: 'nDCG@10' },
  },
  async run(values, output) {
    const { renderReport, standaloneSvg, trainingCurves } = await import('@kith/report')
    const out = text(values, 'out')
    const folders = texts(values, 'rest')
    const figure = await trainingFigure(folders, optionalText(values, 'measure') ?? 'nDCG@10')
    const picture = out.endsWith('.html')
      ? renderReport({ title: 'Trainings compared', figures: [figure] })
      : standaloneSvg(trainingCurves(figure))
    await writeAtomic(out, (write) => write(picture))
    output.result({ out, trainings: folders.length }, `${out}: ${folders.length} trainings`)
  },
})
