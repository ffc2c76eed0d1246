import {
  allCommands,
  common,
  datasetArgument,
  datasetOptions,
  labelSettingOptions,
  settingOptions,
} from '@kith/cli/commands'
import { cell, table } from './markdown.mjs'
import { writePage } from './place.mjs'

/** The commands in the order of `kith --help`, with their guides. */
export const commandPages = (await allCommands()).map((command) => ({
  command,
  page: `commands/${command.name.replace(/\W+/g, '-')}.md`,
}))

/** Options that several commands share, under a separate heading. */
const groups = [
  {
    title: 'Options of DATASET',
    note: 'More about them: [datasets](../formats.md#a-dataset-in-a-folder).',
    options: [datasetOptions],
  },
  {
    title: 'Settings of the method',
    note: 'More about them: [settings](../settings.md).',
    options: [settingOptions, labelSettingOptions],
  },
]

/** Writes the list of commands and a page for each, from what `--help` is made of. */
export function writeCommands() {
  const rows = commandPages.map(({ command, page }) => [
    `[\`kith ${command.name}\`](./${page.slice('commands/'.length)})`,
    cell(command.summary),
  ])
  const intro =
    'In this repository, run `npx kith`; elsewhere, `npx @kith/cli`. `kith COMMAND --help` prints the usual options of a command, and `--help-all` prints all of them. [Exit codes](../errors.md#exit-codes-of-the-command-line) tell scripts how a command ended.'
  writePage(
    'commands/index.md',
    `# Commands\n\n${intro}\n\n${table(['command', 'what it does'], rows)}`,
  )
  for (const { command, page } of commandPages) writePage(page, commandPage(command))
}

function commandPage(command) {
  const argument = command.rest ?? (command.dataset && datasetArgument)
  const note = command.rest ? 'required' : ''
  const needed = command.dataset ? 'required without DATASET' : 'required'
  const rest = argument ? [[`\`${cell(argument.value)}\``, cell(argument.help), note]] : []
  const entries = Object.entries(command.options)
  const own = entries.filter((entry) => !groups.some((group) => belongs(group, entry)))
  const grouped = groups.map((group) => ({
    ...group,
    rows: entries.filter((entry) => belongs(group, entry)).map((entry) => optionRow(entry)),
  }))
  return [
    '---\npageClass: options\naside: false\n---\n',
    `# kith ${command.name}\n`,
    `${cell(command.summary[0].toUpperCase() + command.summary.slice(1))}.\n`,
    describe(command.description),
    `\`\`\`sh\n${inLines(command.example)}\n\`\`\`\n`,
    `## Options\n\n${optionTable([...rest, ...own.map((entry) => optionRow(entry, needed))])}`,
    ...grouped
      .filter(({ rows }) => rows.length > 0)
      .map(({ title, note, rows }) => `## ${title}\n\n${note}\n\n${optionTable(rows)}`),
    `## Options of every command\n\n${optionTable(Object.entries(common).map((entry) => optionRow(entry)))}`,
  ].join('\n')
}

/** A command may change a shared option's text: then it is one of its own. */
function belongs({ options }, [name, option]) {
  return options.some((shared) => shared[name]?.help === option.help)
}

/** The row of an option; `needed` says of an option that it is required. */
function optionRow([name, option], needed = 'required') {
  const notes = [
    option.required ? needed : '',
    option.multiple ? 'may be repeated' : '',
    option.default === undefined ? '' : cell(option.default),
  ].filter(Boolean)
  const value = option.value ? ` ${cell(option.value)}` : ''
  return [`\`--${name}\`${value}`, cell(option.help), notes.join(', ')]
}

function optionTable(rows) {
  return table(['option', 'what it does', 'default'], rows)
}

/** Lines that are set in are a table for the terminal, and stay one. */
function describe(text) {
  return text.replace(/(?:^ {2}.*(?:\n|$))+|(?:^(?! {2}).*(?:\n|$))+/gm, (block) =>
    block.startsWith('  ')
      ? `\n\`\`\`text\n${block.trimEnd()}\n\`\`\`\n`
      : `${cell(block.trim())}\n`,
  )
}

/** A long command line on several lines. */
function inLines(example) {
  return example.split(/ (?=--)/).reduce((text, part) => {
    const last = text.slice(text.lastIndexOf('\n') + 1)
    return last.length + part.length < 66 ? `${text} ${part}` : `${text} \\\n  ${part}`
  })
}
