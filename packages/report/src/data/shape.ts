import { KithError } from '@kith/core'

/** Throws if a value does not have a shape; `path` names the value in the message. */
export type Shape = (value: unknown, path: string) => void

/** Maximum length of lists and texts: far more than a plot can show or a page should contain. */
const LONGEST_LIST = 100_000
const LONGEST_TEXT = 1_000

/** Accepts a finite number. */
export const number: Shape = (value, path) => {
  if (!Number.isFinite(value)) throw wrong(value, path, 'a finite number')
}

/** Accepts a finite number above 0, as a logarithmic axis needs. */
export const positive: Shape = (value, path) => {
  if (!Number.isFinite(value) || (value as number) <= 0)
    throw wrong(value, path, 'a number above 0')
}

/** Accepts a text that is short enough for a label. */
export const text: Shape = (value, path) => {
  if (typeof value !== 'string') throw wrong(value, path, 'a text')
  if (value.length > LONGEST_TEXT) {
    throw new KithError(
      'BAD_INPUT',
      `${path} has ${value.length} characters, the limit is ${LONGEST_TEXT}`,
    )
  }
}

/** Accepts a finite number or a text. */
export const numberOrText: Shape = (value, path) => {
  if (typeof value === 'string') text(value, path)
  else number(value, path)
}

/** Returns a shape that accepts values of another shape, or undefined. */
export function optional(shape: Shape): Shape {
  return (value, path) => {
    if (value !== undefined) shape(value, path)
  }
}

/** Returns a shape that accepts a list with at least one value of a shape. */
export function list(shape: Shape): Shape {
  return (value, path) => {
    if (!Array.isArray(value) || value.length === 0) {
      throw wrong(value, path, 'a list with at least one entry')
    }
    if (value.length > LONGEST_LIST) {
      throw new KithError(
        'BAD_INPUT',
        `${path} has ${value.length} entries, the limit is ${LONGEST_LIST}`,
      )
    }
    for (let i = 0; i < value.length; i++) shape(value[i], `${path}[${i}]`)
  }
}

/** Returns a shape that accepts an object with certain fields; further fields are not checked. */
export function object(fields: Readonly<Record<string, Shape>>): Shape {
  return (value, path) => {
    if (typeof value !== 'object' || value === null) throw wrong(value, path, 'an object')
    for (const [name, shape] of Object.entries(fields)) {
      shape((value as Record<string, unknown>)[name], `${path}.${name}`)
    }
  }
}

function wrong(value: unknown, path: string, expected: string): KithError {
  const given = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? 'nothing')
  const short = given.length > 60 ? `${given.slice(0, 60)}…` : given
  return new KithError('BAD_INPUT', `${path} must be ${expected}, got ${short}`)
}
