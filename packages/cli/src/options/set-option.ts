import { readFile } from 'node:fs/promises'
import { FileError } from '@kith/base'
import type { PartialSettings } from '@kith/core'
import { type AnyTable, type Setting, textWeights, unknownName } from '@kith/core/internal'
import type { Options, Values } from './command.ts'
import { defaultText, optionalText, texts, UsageError } from './values.ts'

/** Returns the options that set settings of a table by name and from a file. */
export const setOptionsOf = (settings: AnyTable) => ({
  ...setOptions,
  set: { ...setOptions.set, settings },
})

/** Options that set settings by name and from a file. */
export const setOptions = {
  set: {
    value: 'NAME=VALUE',
    help: 'setting, such as k=12; --help-all lists all settings',
    multiple: true,
  },
  settings: {
    value: 'FILE',
    file: 'input',
    help: 'JSON object of settings, or the output of kith tune',
  },
} satisfies Options

/**
 * The weights of the text view, which --set accepts although they are not settings; embeddings get
 * the remaining weight.
 */
const viewNames = ['views.texts.score', 'views.texts.graph'] as const

/** Settings that a command line cannot set. */
const unnamed = ['statistics', 'views']

/** Returns the names that --set takes. */
export function settableNames(table: AnyTable): string[] {
  const names = Object.keys(table).filter((name) => !unnamed.includes(name))
  return 'views' in table ? [...names, ...viewNames] : names
}

/** Reads the settings of --settings and --set; --set takes precedence. Checks names, not values. */
export async function readGiven(
  values: Values<typeof setOptions>,
  table: AnyTable,
): Promise<Record<string, unknown>> {
  const file = optionalText(values, 'settings')
  return { ...(file === undefined ? {} : await readObject(file, table)), ...readSet(values, table) }
}

/** Returns the settings of --set. */
export function readSet(
  values: Values<typeof setOptions>,
  table: AnyTable,
): Record<string, unknown> {
  const known = settableNames(table)
  const given: Record<string, unknown> = {}
  for (const one of texts(values, 'set')) {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(one) ?? []
    if (name === undefined || value === undefined) {
      throw new UsageError(`--set must be NAME=VALUE, such as k=12, got ${JSON.stringify(one)}`)
    }
    if (!known.includes(name)) {
      throw new UsageError(unknownName(name, { part: 'setting', known }).message)
    }
    given[name] = readValue(name, value, table)
  }
  return withViews(given)
}

function readValue(name: string, value: string, table: AnyTable): unknown {
  const row = table[name]
  const number = value.trim() === '' ? Number.NaN : Number(value)
  if (!row || row.range) {
    if (Number.isFinite(number)) return number
    throw new UsageError(`--set ${name} must be a number, got ${JSON.stringify(value)}`)
  }
  if (row.values) return row.values.find((one) => String(one) === value) ?? value
  return Number.isFinite(number) ? number : value
}

/** Converts the weights of the text view to the setting `views`. */
function withViews(given: Record<string, unknown>): Record<string, unknown> {
  const [byScore, byGraph] = viewNames
  const { [byScore]: score, [byGraph]: graph, ...others } = given
  if (score === undefined && graph === undefined) return given
  const own = {
    score: Number(score ?? (others['mix'] === 'standard' ? textWeights.score : 0)),
    graph: Number(graph ?? textWeights.graph),
  }
  const rest = (part: number) => Number((1 - part).toFixed(12))
  const views: PartialSettings['views'] = {
    vectors: { score: rest(own.score), graph: rest(own.graph) },
    texts: own,
  }
  return { ...others, views }
}

/** Reads the object in a file of settings. */
async function readObject(file: string, table: AnyTable): Promise<Record<string, unknown>> {
  const found: unknown = parse(file, await readFile(file, 'utf8').catch(noFile(file)))
  if (typeof found !== 'object' || found === null || Array.isArray(found)) {
    throw new FileError(file, '', 'must be a JSON object of settings, such as {"k": 12}')
  }
  if ('kith' in found) {
    throw new FileError(
      file,
      '',
      `is the output of kith ${String(found.kith)}, which this command does not read; pass a JSON object of settings`,
    )
  }
  const known = Object.keys(table)
  const unknown = Object.keys(found).find((name) => !known.includes(name))
  if (unknown === undefined) return found as Record<string, unknown>
  throw new FileError(file, '', unknownName(unknown, { part: 'setting', known }).message)
}

/** Returns whether a file is the result of `kith tune`. */
export async function isTuned(file: string): Promise<boolean> {
  const found: unknown = parse(file, await readFile(file, 'utf8').catch(noFile(file)))
  return typeof found === 'object' && found !== null && 'kith' in found
}

function noFile(file: string): () => never {
  return () => {
    throw new FileError(file, '', 'there is no such file')
  }
}

function parse(file: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new FileError(file, '', `invalid JSON: ${(error as Error).message}`)
  }
}

/** Formats the settings of a table as rows of the help: `name=values`, and the description. */
export function settingRows(table: AnyTable): [left: string, right: string][] {
  return settableNames(table).map((name) => {
    const { help, symbol, default: usual } = table[name] ?? viewRows[name as ViewName]
    const notes = [symbol ?? '', usual === undefined ? '' : `default: ${shown(usual)}`].filter(
      Boolean,
    )
    return [
      `${name}=${allowed(table[name])}`,
      notes.length > 0 ? `${help} (${notes.join(', ')})` : help,
    ]
  })
}

type ViewName = (typeof viewNames)[number]

const viewRows: Record<ViewName, Pick<Setting, 'help' | 'symbol' | 'default'>> = {
  'views.texts.score': { help: 'weight of the texts in the geometric score', default: undefined },
  'views.texts.graph': { help: 'weight of the texts in the graph', default: textWeights.graph },
}

/** Formats the values that a setting accepts. */
function allowed(row: Setting | undefined): string {
  if (row?.values) return row.values.join('|')
  if (row?.range?.integer) return 'N'
  return row === undefined || row.range ? 'NUMBER' : 'VALUE'
}

function shown(value: unknown): string {
  return typeof value === 'number' ? defaultText(value) : String(value)
}
