/** The t that lies as far from 0 as chance alone brings it in `level` of all cases, for whole degrees of freedom. */
export function tQuantile(level: number, degrees: number): number {
  // Of the angle θ with t = tan θ · √degrees, which has ends.
  let low = 0
  let high = Math.PI / 2
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2
    if (withinAngle(middle, degrees) < level) low = middle
    else high = middle
  }
  return Math.tan((low + high) / 2) * Math.sqrt(degrees)
}

/** The probability that |t| ≤ tan θ · √degrees, by its finite series (Abramowitz and Stegun 26.7.3 and 4). */
function withinAngle(angle: number, degrees: number): number {
  const cosine = Math.cos(angle)
  const odd = degrees % 2 === 1
  let term = odd ? cosine : 1
  let sum = degrees === 1 ? 0 : term
  for (let j = odd ? 3 : 2; j <= degrees - 2; j += 2) {
    term *= (cosine * cosine * (j - 1)) / j
    sum += term
  }
  const part = Math.sin(angle) * sum
  return odd ? (2 / Math.PI) * (angle + part) : part
}
