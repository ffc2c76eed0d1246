/** A default as the help shows it: thirds as fractions, small numbers with an exponent. */
export function defaultText(value: number | string | readonly string[]): string {
  if (typeof value === 'object') return value.join(',')
  if (typeof value === 'string') return value
  if (!Number.isInteger(value) && Number.isInteger(3 * value)) return `${3 * value}/3`
  return value > 0 && value < 1e-3 ? value.toExponential() : String(value)
}
