import { type Command, common, type Group, groups, type Option, type Options } from './command.ts'
import { datasetArgument } from './dataset-options.ts'
import { settingRows } from './set-option.ts'

/**
 * Formats the help of a command: its usual options in groups, or with `all` every option and
 * setting.
 */
export function helpOf(command: Command, all = false): string {
  const options: Options = { ...command.options, ...common }
  const shown = Object.entries(options).filter(([, { rare }]) => all || !rare)
  const left = ([name, { value }]: [string, Option]): string =>
    value ? `--${name} ${value}` : `--${name}`
  const rest = command.rest ?? (command.dataset && datasetArgument)
  const width = Math.max(...shown.map((entry) => left(entry).length), rest?.value.length ?? 0)
  const row = (start: string, text: string): string => `  ${start.padEnd(width)}  ${text}`
  const needed = command.dataset ? 'required without DATASET' : 'required'
  const parts = groups.flatMap((group) => {
    const rows = shown.filter(([name, option]) => groupOf(name, option) === group)
    const first = group === 'Input' && rest ? [row(rest.value, rest.help)] : []
    if (rows.length + first.length === 0) return []
    return [
      '',
      `${group}:`,
      ...first,
      ...rows.map((entry) => row(left(entry), textOf(entry[1], needed))),
    ]
  })
  const isShort = command.example.startsWith(`kith ${command.name} cisi`)
  const hidden = Object.keys(options).length - shown.length
  return [
    `kith ${command.name}: ${command.summary}`,
    '',
    command.description,
    ...parts,
    ...(all ? settingsPart(options) : []),
    ...(hidden > 0 ? ['', `${hidden} more options: kith ${command.name} --help-all`] : []),
    '',
    'Example:',
    ...(command.dataset && !isShort ? [`  kith ${command.name} cisi`] : []),
    `  ${command.example}`,
    '',
  ].join('\n')
}

/** Formats the settings that `--set` takes, if the command has that option. */
function settingsPart({ set }: Options): string[] {
  if (!set?.settings) return []
  const rows = settingRows(set.settings)
  const width = Math.max(...rows.map(([start]) => start.length))
  return [
    '',
    'Settings (--set):',
    ...rows.map(([start, text]) => `  ${start.padEnd(width)}  ${text}`),
  ]
}

/** Formats an option's help with its notes. */
function textOf({ help, required, multiple, default: standard }: Option, needed: string): string {
  const notes = [
    required ? needed : '',
    multiple ? 'repeatable' : '',
    standard === undefined ? '' : `default: ${standard}`,
  ].filter(Boolean)
  return notes.length > 0 ? `${help} (${notes.join(', ')})` : help
}

/** Returns the heading of an option: the declared one, or the heading for the option's kind. */
function groupOf(name: string, { group, file }: Option): Group {
  if (group) return group
  if (Object.hasOwn(common, name)) return 'General'
  if (file) return file === 'input' ? 'Input' : 'Output'
  return PERFORMANCE.includes(name) ? 'Performance' : 'Method'
}

const PERFORMANCE: readonly string[] = ['workers', 'threads', 'device', 'job-size']
