/** A measure as the page writes it. */
export function figure(value: number): string {
  return value.toFixed(3)
}

/** Any other number, with a real minus. */
export function decimal(value: number, digits = 3): string {
  return value.toFixed(digits).replace('-', '−')
}

/** A difference with its sign, a real minus included. */
export function difference(value: number): string {
  const text = Math.abs(value).toFixed(3)
  if (Number(text) === 0) return '±0'
  return `${value > 0 ? '+' : '−'}${text}`
}

/** The class of a difference: what is better is colored otherwise than what is worse. */
export function tone(value: number): string {
  if (Math.abs(value) < 0.0005) return 'same'
  return value > 0 ? 'gain' : 'loss'
}
