import { mergeLabels } from '@kith/pipelines/labels'
import { defineCommand } from '../options/command.ts'
import { text, texts } from '../options/values.ts'
import { tellMerged } from '../terminal/tell-labeled.ts'

/** `kith labels merge`: shares in, the whole out. */
export const mergeCommand = defineCommand({
  name: 'labels merge',
  description:
    'Joins shares in the order of their queries, whatever the order they are named in. Gaps,\n' +
    'overlaps, shares of other settings or inputs, and shares that were cut or changed since they\n' +
    'were made are refused: each share has its .meta.json beside it, which tells.',
  example: 'kith labels merge labels-1.jsonl labels-2.jsonl --out labels.jsonl',
  rest: { value: 'SHARE…', file: 'input', help: 'the files of all shares' },
  options: { out: { value: 'FILE', file: 'output', help: 'the labels to write', required: true } },
  async run(values, output) {
    const inputs = { shares: texts(values, 'rest'), out: text(values, 'out') }
    tellMerged(output, await mergeLabels(inputs))
  },
})
