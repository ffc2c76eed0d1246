/** Logistic regression, and measures of probabilities. */

/** Deviations from the mean that an input is clipped to. */
const CLIP = 5

/**
 * Fits a model by Newton's method with the same weight for each dataset; a little ridge.
 *
 * @param datasets Lists of { x, y, share }; `share` is a sample's weight in its dataset.
 * @param clipped Which inputs are clipped.
 */
export function fit(datasets, clipped) {
  const samples = datasets.flatMap((list) => {
    const whole = list.reduce((sum, { share = 1 }) => sum + share, 0)
    return list.map(({ x, y, share = 1 }) => ({ x, y, weight: share / whole }))
  })
  const size = samples[0].x.length
  const whole = samples.reduce((sum, { weight }) => sum + weight, 0)
  const means = Array.from(
    { length: size },
    (_, i) => samples.reduce((sum, { x, weight }) => sum + weight * x[i], 0) / whole,
  )
  const deviations = means.map((own, i) =>
    Math.sqrt(samples.reduce((sum, { x, weight }) => sum + weight * (x[i] - own) ** 2, 0) / whole),
  )
  const model = { weights: new Array(size + 1).fill(0), means, deviations, clipped }
  const rows = samples.map(({ x, y, weight }) => ({ x: [1, ...clip(model, x)], y, weight }))
  for (let step = 0; step < 30; step++) {
    const gradient = new Array(size + 1).fill(0)
    const hessian = Array.from({ length: size + 1 }, (_, i) =>
      Array.from({ length: size + 1 }, (_, j) => (i === j ? 1e-6 : 0)),
    )
    for (const { x, y, weight } of rows) {
      const q = 1 / (1 + Math.exp(-x.reduce((sum, value, i) => sum + value * model.weights[i], 0)))
      for (let i = 0; i <= size; i++) {
        gradient[i] += weight * (q - y) * x[i]
        for (let j = 0; j <= size; j++) hessian[i][j] += weight * q * (1 - q) * x[i] * x[j]
      }
    }
    solve(hessian, gradient).forEach((change, i) => {
      model.weights[i] -= change
    })
  }
  return model
}

/** The probability that a model gives to inputs. */
export function predict(model, x) {
  const logit = clip(model, x).reduce(
    (sum, value, i) => sum + value * model.weights[i + 1],
    model.weights[0],
  )
  return Math.min(1 - 1e-9, Math.max(1e-9, 1 / (1 + Math.exp(-logit))))
}

function clip({ means, deviations, clipped }, x) {
  return x.map((value, i) => {
    const [least, most] = [-1, 1].map((sign) => means[i] + sign * CLIP * deviations[i])
    return clipped[i] ? Math.max(least, Math.min(most, value)) : value
  })
}

function solve(matrix, vector) {
  const rows = matrix.map((row, i) => [...row, vector[i]])
  const size = rows.length
  for (let i = 0; i < size; i++) {
    const pivot = rows
      .slice(i)
      .reduce((best, row, k) => (Math.abs(row[i]) > Math.abs(rows[best][i]) ? i + k : best), i)
    ;[rows[i], rows[pivot]] = [rows[pivot], rows[i]]
    for (let k = 0; k < size; k++) {
      if (k === i) continue
      const factor = rows[k][i] / rows[i][i]
      for (let j = i; j <= size; j++) rows[k][j] -= factor * rows[i][j]
    }
  }
  return rows.map((row, i) => row[size] / row[i])
}

/** The area under the curve of probabilities p for labels y. */
export function aucOf(all) {
  const sorted = all.toSorted((a, b) => a.p - b.p)
  let [rankSum, positives] = [0, 0]
  for (let i = 0; i < sorted.length; ) {
    let end = i
    while (end < sorted.length && sorted[end].p === sorted[i].p) end++
    for (let k = i; k < end; k++)
      if (sorted[k].y) [rankSum, positives] = [rankSum + (i + end + 1) / 2, positives + 1]
    i = end
  }
  return (rankSum - (positives * (positives + 1)) / 2) / (positives * (all.length - positives))
}

/** Expected calibration error over ten bins of the same width. */
export function calibrationError(all) {
  const bins = Array.from({ length: 10 }, () => ({ p: 0, y: 0 }))
  for (const { p, y } of all) {
    const bin = bins[Math.min(9, Math.floor(p * 10))]
    bin.p += p
    bin.y += y
  }
  return bins.reduce((sum, { p, y }) => sum + Math.abs(p - y), 0) / all.length
}

export function mean(values) {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
