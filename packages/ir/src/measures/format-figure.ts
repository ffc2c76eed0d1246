/**
 * A figure as trec_eval prints it. C rounds an exact middle to the even digit, 0.03125
 * to 0.0312, where `toFixed` rounds it up.
 */
export function formatFigure(value: number, digits = 4): string {
  const longer = value.toFixed(digits + 1)
  // Only a number with so few binary places can lie exactly in the middle.
  const middle = longer.endsWith('5') && Number.isInteger(value * 2 ** (digits + 1))
  if (!middle) return value.toFixed(digits)
  const shorter = longer.slice(0, -1)
  const even = Number(shorter.at(-1) === '.' ? shorter.at(-2) : shorter.at(-1)) % 2 === 0
  return even ? shorter.replace(/\.$/, '') : value.toFixed(digits)
}
