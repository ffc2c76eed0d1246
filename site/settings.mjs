import {
  labelSettingOptions,
  methodOptions,
  settingOptions,
  trainOptions,
  wordsOptions,
} from '@kith/cli/commands'
import { labelPresets, presets, resolveLabelSettings, resolveMethodSettings } from '@kith/core'
import { cell, table } from './markdown.mjs'
import { writePage } from './place.mjs'

/** Fields that are not called as their options are. */
const fields = {
  preset: 'presets.…',
  context: 'contextSize',
  stems: 'terms',
  preselect: 'preselect',
  'texts-weights': 'views',
  'drop-ground-truth': 'keepGroundTruth: false',
}

/** Writes the page of all settings, from the tables of options and the presets. */
export function writeSettings() {
  const others = without(methodOptions, { ...settingOptions, ...wordsOptions })
  const labels = without(labelSettingOptions, settingOptions)
  writePage(
    'settings.md',
    [
      '---\npageClass: options\naside: false\n---\n',
      '# Settings\n',
      'The same in a shell (`--k-exp 4`), in a program (`{ kExp: 4 }`) and in the file that `kith tune` writes. What they mean in the method: [the idea in pictures](./idea.md). Which suit your data: [tune](./tune.md).\n',
      `## Reranking\n\n${optionTable(settingOptions)}`,
      `## Reranking with texts\n\nWords score and support count where texts are given and the mix is \`words\`, the default; \`--tokenizer\` and the collection's statistics (\`statistics\` in a program, from \`termStatistics\`) belong to them too.\n\n${optionTable(wordsOptions)}`,
      `## Other methods\n\nTo compare with, as \`kith rerank --method NAME\`, or \`rerank(query, candidates, { method })\` in a program.\n\n${optionTable(others)}`,
      `## Labels\n\n\`kith labels\`, \`kith train\` and \`smoothLabels\` take these besides the settings of reranking.\n\n${optionTable(labels)}`,
      `## Training\n\n${table(['option', 'what it does', 'default'], Object.entries(trainOptions).map(optionCells))}`,
      `## Presets for reranking\n\n${presetTable(presets)}`,
      `## Presets for labels\n\n${presetTable(labelPresets)}`,
    ].join('\n'),
  )
}

function without(options, others) {
  return Object.fromEntries(Object.entries(options).filter(([name]) => !(name in others)))
}

function optionTable(options) {
  const known = { ...resolveMethodSettings({}), ...resolveLabelSettings({}) }
  const rows = Object.entries(options).map(([name, option]) => {
    const field = fields[name] ?? name.replace(/-(\w)/g, (_, letter) => letter.toUpperCase())
    if (!(name in fields) && !(field in known)) {
      throw new Error(`the option --${name} has no setting ${field}: name it in site/settings.mjs`)
    }
    return [...optionCells([name, option]), `\`${field}\``]
  })
  return table(['option', 'what it does', 'default', 'in a program'], rows)
}

function optionCells([name, option]) {
  const value = option.value ? ` ${cell(option.value)}` : ''
  return [`\`--${name}\`${value}`, cell(option.help), cell(option.default ?? '')]
}

function presetTable(named) {
  const names = Object.keys(named)
  const settings = [...new Set(names.flatMap((name) => Object.keys(named[name])))]
  const rows = settings.map((setting) => [
    `\`${setting}\``,
    ...names.map((name) => cell(shown(named[name][setting]))),
  ])
  return table(['', ...names.map((name) => `\`${name}\``)], rows)
}

function shown(value) {
  if (value === undefined) return ''
  if (typeof value === 'number') return String(Number(value.toPrecision(4)))
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
