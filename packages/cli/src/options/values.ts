import type { Values } from './command.ts'

/** An error in the command line itself: exit code 2, with a pointer to the help. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** An error for a check that the user requested and that failed. */
export class CheckFailed extends Error {}

/** The names of options with values of a kind; any name if the options are not known. */
type NamesOf<V, Kind> = string extends keyof V
  ? string
  : { [Name in keyof V]-?: NonNullable<V[Name]> extends Kind ? Name : never }[keyof V] & string

/**
 * Returns the text of an option that is known to be set: it is required, or the caller has checked.
 */
export function text<V extends object>(values: V, name: NamesOf<V, string>): string {
  return (values as Values)[name] as string
}

/** Returns the text of an option; undefined if the option is not set. */
export function optionalText<V extends object>(
  values: V,
  name: NamesOf<V, string>,
): string | undefined {
  return (values as Values)[name] as string | undefined
}

/** Returns the name of a file that only some uses of a command need; throws if it is missing. */
export function neededFile<V extends object>(values: V, name: NamesOf<V, string>): string {
  const given = optionalText(values, name)
  if (given === undefined) throw new UsageError(`--${name} FILE is required`)
  return given
}

/** Returns all texts of an option that may be repeated. */
export function texts<V extends object>(values: V, name: NamesOf<V, string[]>): string[] {
  return ((values as Values)[name] as string[] | undefined) ?? []
}

/** Refuses a list in which a run is named twice. */
export function refuseTwice(runs: readonly string[]): void {
  const twice = runs.find((run, i) => runs.indexOf(run) < i)
  if (twice !== undefined) throw new UsageError(`--run ${twice} is given twice; name each run once`)
}

/** Returns whether a switch is set. */
export function isSet<V extends object>(values: V, name: NamesOf<V, boolean>): boolean {
  return (values as Values)[name] === true
}

/** Reads the number of an option; returns undefined if the option is not set. */
export function optionalNumber<V extends object>(
  values: V,
  name: NamesOf<V, string>,
): number | undefined {
  const given = optionalText(values, name)
  if (given === undefined) return undefined
  const value = given.trim() === '' ? Number.NaN : Number(given)
  if (Number.isFinite(value)) return value
  throw new UsageError(`--${name} must be a number, got ${JSON.stringify(given)}`)
}

/** Reads a whole number within bounds; returns undefined if the option is not set. */
export function optionalWhole<V extends object>(
  values: V,
  name: NamesOf<V, string>,
  { from = 1, to = Number.MAX_SAFE_INTEGER } = {},
): number | undefined {
  const value = optionalNumber(values, name)
  if (value === undefined || (Number.isInteger(value) && value >= from && value <= to)) return value
  const upper = to === Number.MAX_SAFE_INTEGER ? `of at least ${from}` : `from ${from} to ${to}`
  throw new UsageError(`--${name} must be a whole number ${upper}, got ${value}`)
}

/**
 * Reads the value of an option with a fixed set of choices; returns undefined if the option is not
 * set.
 */
export function optionalChoice<V extends object, T extends string>(
  values: V,
  name: NamesOf<V, string>,
  allowed: readonly T[],
): T | undefined {
  const given = optionalText(values, name)
  if (given === undefined || (allowed as readonly string[]).includes(given)) return given as T
  throw new UsageError(
    `--${name} must be one of ${allowed.join(', ')}, got ${JSON.stringify(given)}`,
  )
}

const units: Record<string, number> = { '': 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30, T: 2 ** 40 }

/** Reads a size such as `4G` or `500M` in bytes; returns undefined if the option is not set. */
export function optionalBytes<V extends object>(
  values: V,
  name: NamesOf<V, string>,
): number | undefined {
  const given = optionalText(values, name)
  if (given === undefined) return undefined
  const match = /^(\d+(?:\.\d+)?)\s*([KMGT]?)i?B?$/i.exec(given)
  if (!match)
    throw new UsageError(`--${name} must be a size such as 4G, got ${JSON.stringify(given)}`)
  return Math.floor(Number(match[1]) * units[match[2]!.toUpperCase()]!)
}

/** Formats a size in bytes as `optionalBytes` reads it, such as `4G`. */
export function sizeText(bytes: number): string {
  const fitting = Object.entries(units).filter(([, unit]) => bytes > 0 && bytes % unit === 0)
  const [name, unit] = fitting.at(-1) ?? ['', 1]
  return `${bytes / unit}${name}`
}

/** Formats a default for the help: thirds as fractions, small numbers with an exponent. */
export function defaultText(value: number | string | readonly string[]): string {
  if (typeof value === 'object') return value.join(',')
  if (typeof value === 'string') return value
  if (!Number.isInteger(value) && Number.isInteger(3 * value)) return `${3 * value}/3`
  return value > 0 && value < 1e-3 ? value.toExponential() : String(value)
}
