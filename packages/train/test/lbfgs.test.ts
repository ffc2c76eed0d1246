import { describe, expect, test } from 'vitest'
import { type LbfgsState, minimize, type Objective } from '../src/adapter/lbfgs.ts'

/** Half the sum of c (x − 1)², with curvatures c from 1 to 100. */
const curvatures = Array.from({ length: 20 }, (_, i) => 10 ** ((2 * i) / 19))
const quadratic: Objective = async (point, gradient) => {
  let value = 0
  curvatures.forEach((curvature, i) => {
    const away = point[i]! - 1
    value += (curvature / 2) * away * away
    gradient[i] = curvature * away
  })
  return value
}

const rosenbrock: Objective = async (point, gradient) => {
  const [x, y] = [point[0]!, point[1]!]
  gradient[0] = -2 * (1 - x) - 400 * x * (y - x * x)
  gradient[1] = 200 * (y - x * x)
  return (1 - x) ** 2 + 100 * (y - x * x) ** 2
}

describe('minimize', () => {
  test('finds the minimum of a badly scaled quadratic', async () => {
    const found = await minimize(quadratic, new Float32Array(20), {
      iterations: 100,
      tolerance: 2e-7,
    })
    for (const value of found.point) expect(value).toBeCloseTo(1, 3)
    expect(found.iteration).toBeLessThan(80)
  })

  test('follows the valley of the Rosenbrock function', async () => {
    const start = Float32Array.of(-1.2, 1)
    const found = await minimize(rosenbrock, start, { iterations: 100, tolerance: 1e-6 })
    expect(found.point[0]).toBeCloseTo(1, 2)
    expect(found.point[1]).toBeCloseTo(1, 2)
    expect(Array.from(start)).toEqual(Array.from(Float32Array.of(-1.2, 1)))
  })

  test('never takes a step that raises the value, and stops at a minimum', async () => {
    const values: number[] = []
    const onIteration = ({ value }: LbfgsState) => void values.push(value)
    await minimize(rosenbrock, Float32Array.of(-1.2, 1), { iterations: 20, onIteration })
    expect(values).toEqual([...values].sort((a, b) => b - a))
    const there = await minimize(quadratic, new Float32Array(20).fill(1), { iterations: 10 })
    expect(there).toMatchObject({ iteration: 0, value: 0 })
  })

  test('continues from a state with the same points', async () => {
    const start = Float32Array.of(-1.2, 1)
    const options = { iterations: 12, tolerance: 0 }
    const whole = await minimize(rosenbrock, start, options)
    const half = await minimize(rosenbrock, start, { ...options, iterations: 5 })
    const resumed = await minimize(rosenbrock, half, options)
    expect(Array.from(resumed.point)).toEqual(Array.from(whole.point))
    expect(resumed.iteration).toBe(whole.iteration)
  })
})
