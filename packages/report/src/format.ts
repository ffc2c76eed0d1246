import { formatFigure } from '@kith/ir'

/** A difference with its sign. */
export function signedFigure(value: number): string {
  return `${value < 0 ? '−' : '+'}${formatFigure(Math.abs(value))}`
}

/** A p value in a sentence. */
export function pInWords(p: number): string {
  if (!Number.isFinite(p)) return 'too few queries for a test'
  const value = p < 0.0001 ? 'p < 0.0001' : `p = ${p.toFixed(p < 0.05 ? 4 : 2)}`
  return p < 0.05 ? `significant, ${value}` : `not significant, ${value}`
}

/** A whole number with its thousands apart. */
export function count(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',')
}
