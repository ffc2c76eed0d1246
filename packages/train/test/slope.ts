/** The slope of a function of a number that can be set, by differences of fourth order. */
export function slope(at: () => number, set: (x: number) => void, x: number): number {
  const step = 5e-4
  const value = (steps: number) => {
    set(x + steps * step)
    return at()
  }
  const result = (8 * (value(1) - value(-1)) - (value(2) - value(-2))) / (12 * step)
  set(x)
  return result
}
