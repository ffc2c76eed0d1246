import type { Values } from './command.ts'

/** The command line itself is wrong: exit code 2, with the way to the help. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** A check that the user asked for does not hold. */
export class CheckFailed extends Error {}

/** The names of the options whose values are of a kind; of options that are not known, any name. */
type NamesOf<V, Kind> = string extends keyof V
  ? string
  : { [Name in keyof V]-?: NonNullable<V[Name]> extends Kind ? Name : never }[keyof V] & string

/** The text of an option that is there: required, or checked by the caller. */
export function text<V extends object>(values: V, name: NamesOf<V, string>): string {
  return (values as Values)[name] as string
}

/** The text of an option, undefined without it. */
export function optionalText<V extends object>(
  values: V,
  name: NamesOf<V, string>,
): string | undefined {
  return (values as Values)[name] as string | undefined
}

/** The name of a file that only some uses of a command need. */
export function neededFile<V extends object>(values: V, name: NamesOf<V, string>): string {
  const given = optionalText(values, name)
  if (given === undefined) throw new UsageError(`--${name} FILE is required`)
  return given
}

/** All texts of an option that may be repeated. */
export function texts<V extends object>(values: V, name: NamesOf<V, string[]>): string[] {
  return ((values as Values)[name] as string[] | undefined) ?? []
}

/** Refuses runs of which one is named twice. */
export function refuseTwice(runs: readonly string[]): void {
  const twice = runs.find((run, i) => runs.indexOf(run) < i)
  if (twice !== undefined) throw new UsageError(`--run ${twice} is given twice; name each run once`)
}

/** Whether a switch is set. */
export function isSet<V extends object>(values: V, name: NamesOf<V, boolean>): boolean {
  return (values as Values)[name] === true
}

/** The number of an option, undefined without it. */
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

/** A whole number within bounds, undefined without the option. */
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

/** The value of an option that must be one of some words; undefined without the option. */
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

/** A size such as `4G` or `500M` in bytes, undefined without the option. */
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

/** A size in bytes as `optionalBytes` takes it, such as `4G`. */
export function sizeText(bytes: number): string {
  const fitting = Object.entries(units).filter(([, unit]) => bytes > 0 && bytes % unit === 0)
  const [name, unit] = fitting.at(-1) ?? ['', 1]
  return `${bytes / unit}${name}`
}

/** A default as the help shows it: thirds as fractions, small numbers with an exponent. */
export function defaultText(value: number | string | readonly string[]): string {
  if (typeof value === 'object') return value.join(',')
  if (typeof value === 'string') return value
  if (!Number.isInteger(value) && Number.isInteger(3 * value)) return `${3 * value}/3`
  return value > 0 && value < 1e-3 ? value.toExponential() : String(value)
}
