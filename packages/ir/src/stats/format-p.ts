/** A p value with as many digits as matter. */
export function formatP(p: number): string {
  if (!Number.isFinite(p)) return '–'
  return p < 0.0001 ? '<0.0001' : p.toFixed(4)
}

/** The mark of a significant difference. */
export function markOf(p: number): string {
  if (p < 0.01) return '**'
  return p < 0.05 ? '*' : ''
}
