import { jobDefaults } from '@kith/pipelines/job'
import { compareTrainings } from '@kith/pipelines/train'
import { defineCommand } from '../options/command.ts'
import { optionalText, text, texts } from '../options/values.ts'

/** `kith train compare`: the curves of several trainings over one another. */
export const trainCompareCommand = defineCommand({
  name: 'train compare',
  description:
    'Losses above, a measure below, over the steps. Writes an SVG,\n' +
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
    measure: {
      value: 'NAME',
      help: 'MRR@10, nDCG@10, MAP@10 or Recall@10',
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
