import { jobDefaults } from '@kith/pipelines/job'
import { compareTrainings } from '@kith/pipelines/train'
import { defineCommand } from '../options/command.ts'
import { optionalText, text, texts } from '../options/values.ts'

/** `kith train compare`: the curves of several trainings over one another. */
export const trainCompareCommand = defineCommand({
  name: 'train compare',
  description:
    'Plots losses and a measure against the training steps. Writes an SVG, or an HTML page if --out\n' +
    'ends in .html.',
  example: 'kith train compare trained-one-hot trained-mixed --out curves.svg',
  rest: { value: 'FOLDER…', file: 'input', help: 'output folders of kith train' },
  options: {
    out: {
      value: 'FILE',
      file: 'output',
      help: 'output chart: .svg or .html',
      required: true,
    },
    measure: {
      value: 'NAME',
      help: 'measure to plot: MRR@10, nDCG@10, MAP@10 or Recall@10',
      default: jobDefaults.measure,
    },
  },
  async run(values, output) {
    const result = await compareTrainings({
      folders: texts(values, 'rest'),
      out: text(values, 'out'),
      measure: optionalText(values, 'measure'),
    })
    output.result(result, `${result.out}: ${result.trainings} trainings`)
  },
})
