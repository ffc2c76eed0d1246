/**
 * The statistics of a collection's terms in one pass: seconds of CPU time, and the memory that they take.
 * Passages are written on the fly, a thousand at a time, and only their counting is measured.
 */
import { readFileSync } from 'node:fs'
import { TermStatisticsBuilder } from '@kith/core'
import { appendText, Postings } from '@kith/core/steps'
import { generator } from './clusters.mjs'
import { table } from './measure.mjs'
import { writer } from './passages.mjs'

const WORDS = 60
const MILLION = 1_000_000
const BATCH = 1_000

/** Words side by side in a passage that is made of a corpus. */
const RUN = 10

/** The corpora that `--corpus=german:corpus.jsonl` names, with their tokenizers. */
export function corpora() {
  return process.argv
    .filter((argument) => argument.startsWith('--corpus='))
    .map((argument) => /^--corpus=([^:]+):(.+)$/.exec(argument).slice(1))
}

/** The texts of a corpus file. */
function textsOf(file) {
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  return lines.map((line) => JSON.parse(line).text)
}

/** Microseconds that a text of a corpus takes: of each 40 texts the fastest of 40 rounds through the corpus. */
function perText(file, tokenizer) {
  const texts = textsOf(file)
  const postings = new Postings()
  const least = []
  for (let round = 0; round < 40; round++) {
    for (let from = 0; from < texts.length; from += 40) {
      postings.clear()
      const start = performance.now()
      for (const text of texts.slice(from, from + 40)) appendText(postings, text, tokenizer)
      least[from / 40] = Math.min(performance.now() - start, least[from / 40] ?? Infinity)
    }
  }
  return (least.reduce((sum, one) => sum + one) / texts.length) * 1000
}

/** A writer of passages for each seed, of runs of words of a corpus. */
function writerOf(file) {
  const words = textsOf(file).flatMap((text) => text.split(/\s+/))
  return (seed) => {
    const random = generator(seed)
    return (count) =>
      Array.from({ length: count / RUN }, () => {
        const start = Math.floor(random() * (words.length - RUN))
        return words.slice(start, start + RUN).join(' ')
      }).join(' ')
  }
}

export function countCollection(tokenizer, corpus) {
  const passages = asked() ?? 100_000
  const { statistics, seconds, most } = measureStatistics(tokenizer, passages, corpus)
  const million = (seconds / passages) * MILLION
  console.log(
    `\nStatistics of ${passages} passages of ${WORDS} words, tokenizer ${tokenizer}, one core\n`,
  )
  console.log(
    table([
      ['figure', 'measured', 'at most'],
      ['different terms', statistics.hashes.length, ''],
      ['seconds of CPU time', seconds.toFixed(2), ''],
      [`seconds per million passages`, million.toFixed(1), tokenizer === 'english' ? '25' : '12'],
      ...(corpus ? [['µs per text of the corpus', perText(corpus, tokenizer).toFixed(1), '']] : []),
      ['MB beyond the passages', (most / 2 ** 20).toFixed(0), '200'],
    ]),
  )
}

/** The statistics of so many passages, the seconds of CPU time they take, and the bytes. */
export function measureStatistics(tokenizer, passages, corpus) {
  const write = corpus === undefined ? writer : writerOf(corpus)
  const builder = new TermStatisticsBuilder({ tokenizer })
  const before = memory()
  let seconds = 0
  let most = 0
  for (let written = 0; written < passages; written += BATCH) {
    const text = write(written)
    const texts = Array.from({ length: Math.min(BATCH, passages - written) }, () => text(WORDS))
    const start = process.cpuUsage()
    for (const own of texts) builder.add(own)
    seconds += secondsSince(start)
    if ((written / BATCH) % 50 === 0) most = Math.max(most, memory() - before)
  }
  const start = process.cpuUsage()
  const statistics = builder.finish()
  seconds += secondsSince(start)
  most = Math.max(most, memory() - before)
  return { statistics, seconds, most }
}

/** Seconds of CPU time since then. */
function secondsSince(start) {
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1e6
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
