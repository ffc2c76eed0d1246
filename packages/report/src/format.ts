import { formatFigure } from '@kith/ir'

/** A difference with its sign. */
export function signedFigure(value: number): string {
  return `${value < 0 ? '−' : '+'}${formatFigure(Math.abs(value))}`
}

/** A p value with as many digits as matter. */
export function formatP(p: number): string {
  if (!Number.isFinite(p)) return '–'
  return p < 0.0001 ? '< 0.0001' : p.toFixed(4)
}

/** A p value in a sentence. */
export function pInWords(p: number): string {
  if (!Number.isFinite(p)) return 'too few queries for a test'
  const value = p < 0.0001 ? 'p < 0.0001' : `p = ${p.toFixed(p < 0.05 ? 4 : 2)}`
  return p < 0.05 ? `significant, ${value}` : `not significant, ${value}`
}

/** The mark of a significant difference. */
export function markOf(p: number): string {
  if (p < 0.01) return '**'
  return p < 0.05 ? '*' : ''
}

/** A whole number with its thousands apart. */
export function count(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',')
}
