/**
 * The statistics of a corpus's terms in one pass: seconds, and the memory that they take. Passages
 * are written on the fly, a thousand at a time, and only their counting is measured.
 */
import { TermStatisticsBuilder } from '@kith/core'
import { table } from './measure.mjs'
import { writer } from './passages.mjs'

const WORDS = 60
const MILLION = 1_000_000
const BATCH = 1_000

export function countCollection(tokenizer) {
  const passages = asked() ?? 100_000
  const builder = new TermStatisticsBuilder({ tokenizer })
  const before = memory()
  let seconds = 0
  let most = 0
  for (let written = 0; written < passages; written += BATCH) {
    const text = writer(written)
    const texts = Array.from({ length: Math.min(BATCH, passages - written) }, () => text(WORDS))
    const start = performance.now()
    for (const own of texts) builder.add(own)
    seconds += (performance.now() - start) / 1000
    if ((written / BATCH) % 50 === 0) most = Math.max(most, memory() - before)
  }
  const start = performance.now()
  const statistics = builder.finish()
  seconds += (performance.now() - start) / 1000
  most = Math.max(most, memory() - before)
  const million = (seconds / passages) * MILLION
  console.log(
    `\nStatistics of ${passages} passages of ${WORDS} words, tokenizer ${tokenizer}, one core\n`,
  )
  console.log(
    table([
      ['figure', 'measured', 'at most'],
      ['different terms', statistics.hashes.length, ''],
      ['seconds', seconds.toFixed(2), ''],
      [`seconds per million passages`, million.toFixed(1), tokenizer === 'english' ? '25' : '12'],
      ['MB beyond the passages', (most / 2 ** 20).toFixed(0), '200'],
    ]),
  )
}

/** The number of passages that `--passages` names. */
function asked() {
  const option = process.argv.find((argument) => argument.startsWith('--passages='))
  return option === undefined ? undefined : Number(option.slice('--passages='.length))
}

/** Bytes in use once the garbage is gone. */
function memory() {
  globalThis.gc()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}
