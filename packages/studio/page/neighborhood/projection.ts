import type { Vector } from '@kith/core'

/** Rounds of the power iteration; a picture needs no more. */
const ROUNDS = 60
/** Rounds in which points that lie upon each other are moved apart. */
const APART = 24

/**
 * Places of vectors in the plane: their two principal components, brought to a square from −1
 * to 1, with points that would cover each other moved apart. The same vectors give the same places.
 */
export function project(vectors: readonly Vector[]): Float32Array {
  const centered = center(vectors)
  const first = component(centered, [])
  const second = component(centered, [first])
  const places = new Float32Array(2 * vectors.length)
  for (const [axis, direction] of [first, second].entries()) {
    centered.forEach((row, i) => {
      places[2 * i + axis] = dot(row, direction)
    })
  }
  fit(places)
  moveApart(places)
  fit(places)
  return places
}

function center(vectors: readonly Vector[]): Float64Array[] {
  const mean = new Float64Array(vectors[0]?.length ?? 0)
  for (const vector of vectors) for (let j = 0; j < mean.length; j++) mean[j]! += vector[j]!
  return vectors.map((vector) =>
    Float64Array.from(vector, (value, j) => value - mean[j]! / vectors.length),
  )
}

/** The direction in which the rows vary most, orthogonal to the known directions. */
function component(rows: readonly Float64Array[], known: readonly Float64Array[]): Float64Array {
  const dimensions = rows[0]?.length ?? 0
  // Any start will do that is not at right angles to the answer.
  let direction = Float64Array.from({ length: dimensions }, (_, j) => 1 + Math.sin(j + 1))
  for (let round = 0; round < ROUNDS; round++) {
    const next = new Float64Array(dimensions)
    for (const row of rows) {
      const length = dot(row, direction)
      for (let j = 0; j < dimensions; j++) next[j]! += length * row[j]!
    }
    for (const other of known) {
      const shared = dot(next, other)
      for (let j = 0; j < dimensions; j++) next[j]! -= shared * other[j]!
    }
    const size = Math.sqrt(dot(next, next))
    if (!(size > 0)) return new Float64Array(dimensions)
    direction = next.map((value) => value / size)
  }
  return direction
}

/** Brings each axis to −1 … 1, and leaves one alone on which nothing varies. */
function fit(places: Float32Array): void {
  for (const axis of [0, 1]) {
    let [low, high] = [Infinity, -Infinity]
    for (let i = axis; i < places.length; i += 2) {
      low = Math.min(low, places[i]!)
      high = Math.max(high, places[i]!)
    }
    const [middle, half] = [(low + high) / 2, (high - low) / 2]
    for (let i = axis; i < places.length; i += 2) {
      places[i] = half > 0 ? (places[i]! - middle) / half : 0
    }
  }
}

function moveApart(places: Float32Array): void {
  const count = places.length / 2
  // As if each point had a disc, and all discs together filled a third of the square.
  const distance = Math.min(0.12, Math.sqrt(4 / count / 3))
  for (let round = 0; round < APART; round++) {
    for (let i = 0; i < count; i++) {
      for (let j = i + 1; j < count; j++) {
        const x = places[2 * j]! - places[2 * i]!
        const y = places[2 * j + 1]! - places[2 * i + 1]!
        const gap = Math.hypot(x, y)
        if (gap >= distance) continue
        const push = (distance - gap) / 4
        // Points at one place part in a direction that depends on their numbers alone.
        const [dx, dy] =
          gap > 1e-9 ? [x / gap, y / gap] : [Math.cos(i + 2 * j), Math.sin(i + 2 * j)]
        places[2 * i]! -= push * dx
        places[2 * i + 1]! -= push * dy
        places[2 * j]! += push * dx
        places[2 * j + 1]! += push * dy
      }
    }
  }
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0
  for (let j = 0; j < a.length; j++) sum += a[j]! * b[j]!
  return sum
}
