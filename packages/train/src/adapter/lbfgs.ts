/** A function to minimize: writes the gradient at a point and returns the value there. */
export type Objective = (point: Float32Array, gradient: Float32Array) => Promise<number>

/** A step of the point, and the resulting change of the gradient. */
interface Correction {
  step: Float32Array
  change: Float32Array
}

/** The state of a minimization after some iterations: everything that the next iteration needs. */
export interface LbfgsState {
  /** Number of finished iterations. */
  iteration: number
  point: Float32Array
  value: number
  gradient: Float32Array
  /** The norm of the first gradient, for the stopping criterion. */
  firstNorm: number
  /** The last corrections, oldest first. */
  corrections: readonly Correction[]
}

/** Limits of a minimization. */
export interface LbfgsOptions {
  /** Maximum number of iterations. */
  iterations: number
  /** Stops when the gradient norm is this fraction of the first gradient's norm. */
  tolerance?: number | undefined
  /** Number of corrections to keep. */
  memory?: number | undefined
  /** Called after each iteration. It may throw to stop; `minimize` can resume from the state. */
  onIteration?: ((state: LbfgsState) => void | Promise<void>) | undefined
}

/**
 * The Wolfe constants: the fraction of the predicted decrease that a step must reach, and the
 * fraction of the slope that may remain.
 */
const [DECREASE, SLOPE] = [1e-4, 0.9]
/** Maximum number of attempts of a line search before it takes the best point so far. */
const TRIES = 20
/**
 * Relative decreases below this are rounding errors: values are sums of single-precision numbers.
 */
const ROUNDING = 1e-9

/**
 * Minimizes a smooth function by L-BFGS with a line search for the weak Wolfe conditions.
 *
 * @param start A point, or the state of an earlier call; resuming gives the same result.
 */
export async function minimize(
  objective: Objective,
  start: Float32Array | LbfgsState,
  { iterations, tolerance = 1e-3, memory = 10, onIteration }: LbfgsOptions,
): Promise<LbfgsState> {
  let state = start instanceof Float32Array ? await stateAt(objective, start) : start
  while (state.iteration < iterations && norm(state.gradient) > tolerance * state.firstNorm) {
    const next = await iterate(objective, state, memory)
    if (!next) return state
    const gained = state.value - next.value
    state = next
    await onIteration?.(state)
    if (gained <= ROUNDING * Math.abs(state.value)) return state
  }
  return state
}

async function stateAt(objective: Objective, start: Float32Array): Promise<LbfgsState> {
  const point = start.slice()
  const gradient = new Float32Array(point.length)
  const value = await objective(point, gradient)
  return { iteration: 0, point, value, gradient, firstNorm: norm(gradient), corrections: [] }
}

/** Returns the state after one iteration, or undefined if no point along the direction is lower. */
async function iterate(
  objective: Objective,
  state: LbfgsState,
  memory: number,
): Promise<LbfgsState | undefined> {
  const { point, value, gradient, corrections } = state
  const direction = descent(gradient, corrections)
  const slope = dot(direction, gradient)
  if (!(slope < 0)) return undefined
  // Without corrections the scale of the function is unknown: the first step has length 1 at most.
  const first = corrections.length > 0 ? 1 : Math.min(1, 1 / norm(direction))
  const found = await searchLine(objective, { point, value, direction, slope }, first)
  if (!found) return undefined
  const step = difference(found.point, point)
  const change = difference(found.gradient, gradient)
  // A pair without positive curvature could make a later direction an ascent direction.
  const curved = dot(step, change) > 1e-12 * dot(change, change)
  const kept = curved ? [...corrections, { step, change }].slice(-memory) : corrections
  return { ...state, ...found, iteration: state.iteration + 1, corrections: kept }
}

/** Computes the direction of an iteration with the two-loop recursion. */
function descent(gradient: Float32Array, corrections: readonly Correction[]): Float32Array {
  const direction = gradient.map((value) => -value)
  const parts = corrections.map(({ step, change }) => ({ step, change, of: dot(step, change) }))
  const weights = parts.map(() => 0)
  for (let i = parts.length - 1; i >= 0; i--) {
    const { step, change, of } = parts[i]!
    weights[i] = dot(step, direction) / of
    add(direction, change, -weights[i]!)
  }
  const last = parts.at(-1)
  if (last) scale(direction, last.of / dot(last.change, last.change))
  parts.forEach(({ step, change, of }, i) => {
    add(direction, step, weights[i]! - dot(change, direction) / of)
  })
  return direction
}

/** A line to search: a point, a descent direction, and the slope of the function along it. */
interface Line {
  point: Float32Array
  value: number
  direction: Float32Array
  slope: number
}

type Found = Pick<LbfgsState, 'point' | 'value' | 'gradient'>

/** Doubles and halves a step until it meets the weak Wolfe conditions (Lewis and Overton). */
async function searchLine(
  objective: Objective,
  { point, value, direction, slope }: Line,
  first: number,
): Promise<Found | undefined> {
  let [low, high, length] = [0, Infinity, first]
  let best: Found | undefined
  for (let tried = 0; tried < TRIES; tried++) {
    const at = point.slice()
    add(at, direction, length)
    const gradient = new Float32Array(point.length)
    const there = await objective(at, gradient)
    const found = { point: at, value: there, gradient }
    if (!(there <= value + DECREASE * length * slope)) high = length
    else {
      if (!best || there < best.value) best = found
      if (dot(gradient, direction) >= SLOPE * slope) return found
      low = length
    }
    length = high < Infinity ? (low + high) / 2 : 2 * low
  }
  return best
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!
  return sum
}

function norm(a: Float32Array): number {
  return Math.sqrt(dot(a, a))
}

function add(to: Float32Array, from: Float32Array, factor: number): void {
  for (let i = 0; i < to.length; i++) to[i] = to[i]! + factor * from[i]!
}

function scale(values: Float32Array, factor: number): void {
  for (let i = 0; i < values.length; i++) values[i] = values[i]! * factor
}

function difference(a: Float32Array, b: Float32Array): Float32Array {
  return a.map((value, i) => value - b[i]!)
}
