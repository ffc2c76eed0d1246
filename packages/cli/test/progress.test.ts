import { PassThrough } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { Progress } from '../src/terminal/progress.ts'

/** A bar on a stream, and what the stream shows: the text behind the last removed line. */
function barOf(total: number, columns?: number) {
  const stream = Object.assign(new PassThrough({ encoding: 'utf8' }), { columns })
  let written = ''
  stream.on('data', (text: string) => {
    written += text
  })
  const bar = new Progress('encoding', total, stream)
  return { bar, stream, written: () => written, shown: () => written.split('\r\u001b[K').at(-1)! }
}

test('computes the rate from the work of this bar, without the work of an earlier call', () => {
  const { bar } = barOf(300)
  bar.update(250)
  expect(bar.line(250, 1)).toMatch(/250 of 300$/)
  expect(bar.line(264, 2)).toMatch(/264 of 300, 7\.0\/s, 6 s left$/)
})

test('computes the rate from all work if there is no earlier work', () => {
  const { bar } = barOf(300)
  bar.update(0)
  expect(bar.line(100, 10)).toMatch(/100 of 300, 10\/s, 20 s left$/)
})

test('prints other lines above the bar, and draws the bar again below them', async () => {
  const { bar, stream, shown } = barOf(300)
  bar.update(250)
  const line = shown()
  bar.below(() => stream.write('continuing: 250 of 300 texts are done\n'))
  await setTimeout(0)
  expect(shown()).toBe(`continuing: 250 of 300 texts are done\n${line}`)
})

test('never prints a line that is wider than the terminal', async () => {
  const { bar, shown } = barOf(300, 40)
  bar.update(3, 'loss 0.1234, rate 1.00e-5')
  await setTimeout(0)
  expect(shown()).toHaveLength(39)
})
