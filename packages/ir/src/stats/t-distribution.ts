/**
 * Returns the two-sided p-value of Student's t: how often chance alone gives a value at least as
 * far from 0.
 */
export function tTestP(t: number, degrees: number): number {
  if (Number.isNaN(t) || degrees <= 0) return Number.NaN
  if (!Number.isFinite(t)) return 0
  return incompleteBeta(degrees / (degrees + t * t), degrees / 2, 0.5)
}

/**
 * Returns the t whose `tTestP` is 1 − level: by chance alone, a value is between −t and t in a
 * share `level` of all cases. Requires whole degrees of freedom.
 */
export function tQuantile(level: number, degrees: number): number {
  // The angle θ with t = tan θ · √degrees is bounded, unlike t, so it can be bisected.
  let low = 0
  let high = Math.PI / 2
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2
    if (withinAngle(middle, degrees) < level) low = middle
    else high = middle
  }
  return Math.tan((low + high) / 2) * Math.sqrt(degrees)
}

/**
 * Returns the probability that |t| ≤ tan θ · √degrees. As a function of the angle, it is a finite
 * series for whole degrees (Abramowitz and Stegun 26.7.3 and 4), without the loss of digits near
 * 90° that the incomplete beta function of t would have.
 */
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

/** Computes the regularized incomplete beta function I_x(a, b). */
export function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0
  if (x >= 1) return 1
  const front = Math.exp(
    logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x),
  )
  // The fraction converges fast only on this side; the other side follows by symmetry.
  if (x < (a + 1) / (a + b + 2)) return (front * betaFraction(x, a, b)) / a
  return 1 - (front * betaFraction(1 - x, b, a)) / b
}

/** Computes the continued fraction of the incomplete beta function, by Lentz's method. */
function betaFraction(x: number, a: number, b: number): number {
  const tiny = 1e-300
  const away = (value: number) => (Math.abs(value) < tiny ? tiny : value)
  let c = 1
  let d = 1 / away(1 - ((a + b) * x) / (a + 1))
  let result = d
  for (let m = 1; m <= 1000; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / away(1 + even * d)
    c = away(1 + even / c)
    result *= d * c
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / away(1 + odd * d)
    c = away(1 + odd / c)
    result *= d * c
    if (Math.abs(d * c - 1) < 1e-15) break
  }
  return result
}

const lanczos = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313,
  -176.61502916214059, 12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6,
  1.5056327351493116e-7,
]

/** Computes the logarithm of the gamma function for arguments above 0.5 (Lanczos, g = 7). */
function logGamma(x: number): number {
  const z = x - 1
  let sum = lanczos[0]!
  for (let i = 1; i < lanczos.length; i++) sum += lanczos[i]! / (z + i)
  const t = z + 7.5
  return 0.5 * Math.log(2 * Math.PI) + (z + 0.5) * Math.log(t) - t + Math.log(sum)
}
