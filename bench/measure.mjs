/** The middle of some times. */
export function median(times) {
  const sorted = [...times].sort((a, b) => a - b)
  return sorted[sorted.length >> 1]
}

/**
 * Runs several things side by side, round by round, each round on an input of
 * its own, and returns the median milliseconds of each. Every second round runs backwards, so that
 * no one always runs behind the same neighbor. The order turns every two rounds: each contestant is
 * equally often the first, which finds its input in no cache.
 */
export async function sideBySide(contestants, inputs, rounds) {
  const names = Object.keys(contestants)
  const times = Object.fromEntries(names.map((name) => [name, []]))
  const warmUp = Math.ceil(rounds / 5)
  for (let round = -warmUp; round < rounds; round++) {
    for (let turn = 0; turn < names.length; turn++) {
      const step = round % 2 === 0 ? turn : names.length - 1 - turn
      const name = names[(step + ((round + warmUp) >> 1)) % names.length]
      const input = inputs[(round + warmUp) % inputs.length]
      const start = performance.now()
      const waiting = contestants[name](input)
      if (waiting instanceof Promise) await waiting
      const time = performance.now() - start
      if (round >= 0) times[name].push(time)
    }
  }
  return Object.fromEntries(names.map((name) => [name, median(times[name])]))
}

/**
 * Runs each of several functions this many times in a row, batch by batch in turn, and returns the median
 * milliseconds of CPU time of each, all threads together.
 */
export async function inARow(contestants, inputs, { calls, batches }) {
  const times = Object.fromEntries(Object.keys(contestants).map((name) => [name, []]))
  let next = 0
  for (let batch = -Math.ceil(batches / 5); batch < batches; batch++) {
    for (const [name, call] of Object.entries(contestants)) {
      const start = process.cpuUsage()
      for (let i = 0; i < calls; i++) {
        const waiting = call(inputs[next++ % inputs.length])
        if (waiting instanceof Promise) await waiting
      }
      const { user, system } = process.cpuUsage(start)
      if (batch >= 0) times[name].push((user + system) / 1000 / calls)
    }
  }
  return Object.fromEntries(Object.entries(times).map(([name, own]) => [name, median(own)]))
}

/** A table for the terminal, the first row its head. */
export function table(rows) {
  const widths = rows[0].map((_, c) => Math.max(...rows.map((row) => String(row[c]).length)))
  const lines = rows.map((row) => row.map((cell, c) => String(cell).padStart(widths[c])).join('  '))
  lines.splice(1, 0, widths.map((width) => '-'.repeat(width)).join('  '))
  return lines.join('\n')
}
