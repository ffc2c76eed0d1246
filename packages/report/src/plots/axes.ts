import type { ScaleOptions } from '@observablehq/plot'
import { shortened } from '../shortened.ts'

/** An axis by powers of ten, with as many round numbers as fit. */
export function logAxis(values: readonly number[], label: string, most = 8): ScaleOptions {
  const lowest = values.reduce((a, b) => Math.min(a, b))
  const highest = values.reduce((a, b) => Math.max(a, b))
  const ticks = (steps: readonly number[]): number[] => {
    const found: number[] = []
    for (let power = Math.floor(Math.log10(lowest)); power <= Math.log10(highest); power++) {
      for (const step of steps) {
        const tick = Number(`${step}e${power}`)
        if (tick >= lowest && tick <= highest) found.push(tick)
      }
    }
    return found
  }
  const fine = ticks([1, 2, 5])
  const coarse = ticks([1])
  // One power of ten alone does not tell how large the others are.
  const chosen = fine.length <= most || coarse.length < 2 ? fine : coarse
  // Plot's own logarithmic scale leaves out the labels of some ticks, under all of its options.
  return {
    label,
    transform: Math.log10,
    ticks: chosen.map(Math.log10),
    tickFormat: (power: number) => String(Number((10 ** power).toPrecision(3))),
  }
}

/** A name beside an axis, no longer than the narrowest plot. */
export function axisLabel(name: string): string {
  return shortened(name, 48)
}

/**
 * A vertical axis with faint lines across.
 *
 * @param values What is drawn on it. A single value gets room on both sides: it would be the only
 * tick, with all of its digits.
 */
export function measureAxis(label: string, values: readonly number[] = []): ScaleOptions {
  const [first = 0] = values
  const flat = values.length > 0 && values.every((value) => value === first)
  return {
    label: axisLabel(label),
    grid: true,
    nice: true,
    ticks: 5,
    ...(flat ? { domain: [first - 0.01, first + 0.01] } : {}),
  }
}
