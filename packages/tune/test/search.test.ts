import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/files.ts'
import type { RunningTrial, SearchedTrial } from '../src/index.ts'
import { MedianPruner, search } from '../src/search/search.ts'
import type { Parameters, Space } from '../src/search/space.ts'

const folder = temporaryFolder()
const space: Space = {
  x: { kind: 'float', from: 0, to: 1 },
  y: { kind: 'float', from: 0, to: 1 },
}
const start: Parameters = { x: 0.1, y: 0.9 }

/** A trial that comes nearer to its final value report by report. */
function worth({ x, y }: Parameters): number {
  return 1 - ((x as number) - 0.7) ** 2 - ((y as number) - 0.3) ** 2
}

async function climb({ parameters, report }: RunningTrial, reports: number[]): Promise<void> {
  for (let i = 1; i <= 10; i++) {
    reports.push(i)
    if (!report(worth(parameters) * (1 - 0.5 ** i))) return
  }
}

test('ends a trial once it is below the median of the others at the same point', () => {
  const others = [0.1, 0.2, 0.3, 0.4, 0.5].map((x) => [x, 2 * x, 3 * x])
  const good = new MedianPruner(others)
  expect([0.1, 0.2, 1].map((value) => good.add(value))).toEqual([true, true, true])
  const bad = new MedianPruner(others)
  expect([0.1, 0.2, 0.3].map((value) => bad.add(value))).toEqual([true, true, false])
  expect(bad.pruned).toBe(true)
  // Few others, or others that did not come as far, end nothing.
  const alone = new MedianPruner(others.slice(0, 3))
  expect([0, 0, 0].map((value) => alone.add(value))).toEqual([true, true, true])
  expect([0, 0, 0, 0].map((value) => new MedianPruner(others).add(value)).at(-1)).toBe(true)
})

test('treats missing values as the worst, and never lowers the best value so far', () => {
  const course = new MedianPruner([])
  course.add(Number.NaN)
  course.add(0.5)
  course.add(0.2)
  expect(course.values).toEqual([-Number.MAX_VALUE, 0.5, 0.5])
})

test('finds a good point, and ends trials that fall behind', async () => {
  const reports: number[] = []
  const trials = await search((trial) => climb(trial, reports), { space, start, trials: 40 })
  expect(trials[0]!.parameters).toEqual(start)
  const best = Math.max(...trials.map(({ value }) => value))
  expect(best).toBeGreaterThan(0.98)
  expect(reports.length).toBeLessThan(0.95 * 400)
  expect(trials.some(({ course }) => course.length < 10)).toBe(true)
})

test('resumes from a study with the same trials', async () => {
  const file = join(folder, 'study.jsonl')
  const options = { space, start, trials: 15, seed: 3, study: file }
  const whole = await search((trial) => climb(trial, []), options)
  const lines = readFileSync(file, 'utf8').split('\n')
  writeFileSync(file, `${lines.slice(0, 8).join('\n')}\n{"study":0,"tri`)
  const known: SearchedTrial[] = []
  let run = 0
  const resumed = await search(
    (trial) => {
      run++
      return climb(trial, [])
    },
    { ...options, onTrial: (done, ended) => void (ended === 'known' && known.push(done)) },
  )
  expect(resumed).toEqual(whole)
  expect([known.length, run]).toEqual([7, 8])
  const other = search((trial) => climb(trial, []), { ...options, seed: 4 })
  await expect(other).rejects.toMatchObject({ code: 'BAD_FILE' })
})
