/**
 * Runs every command that writes files with two builds of Kith and compares what they write and
 * print, byte by byte: what a refactoring must leave as it is.
 *
 *   node scripts/compare-builds.mjs --before ../old-checkout [--after .] [--collections cranfield,cisi]
 *
 * Both checkouts must be built. Measured times do not count, nor does the name of the folder.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { commandLines } from './compare-lines.mjs'

const { values: options } = parseArgs({
  options: {
    before: { type: 'string' },
    after: { type: 'string', default: '.' },
    collections: { type: 'string', default: 'cranfield,cisi,scifact,trec-dl-2019-judged' },
    data: { type: 'string', default: '../shared/data' },
    only: { type: 'string' },
  },
})
if (!options.before) throw new Error('--before FOLDER is missing: a built checkout to compare with')

/** Options and methods that have another name in the newer build. */
const renamed = { '--words': '--texts', 'rank-fusion': 'rrf' }

/** Settings that have another name in what the newer build writes: a pattern of the old one, the new one. */
const renamedSettings = [
  [/"rate"(?=:)/g, '"learningRate"'],
  [/"clip"(?=:)/g, '"maxGradNorm"'],
  [/"accumulate"(?=:)/g, '"gradientAccumulation"'],
  [/"best"(?=:\s*")/g, '"selectBy"'],
  [/"stopAfter"(?=:)/g, '"earlyStoppingPatience"'],
  [/"learnScale"(?=:)/g, '"learnTemperature"'],
  [/"scale"(?=:\s*\d)/g, '"inverseTemperature"'],
  [/"scale"(?=:\s*")/g, '"rowScaling"'],
  [/"keep"(?=:)/g, '"maxLabelled"'],
  [/"rankConstant"(?=:)/g, '"rrfK"'],
  [/"rank-fusion"/g, '"rrf"'],
  [/"feedback"(?=:)/g, '"feedbackDocs"'],
  [/"feedbackShare"(?=:)/g, '"feedbackWeight"'],
  [/"words"(?=:)/g, '"texts"'],
  [/\(rate ([\d.e-]+), scale /g, '(learningRate $1, inverseTemperature '],
  [/, keep (?=\d)/g, ', maxLabelled '],
  [/\bscale (?=none|max|mean)/g, 'rowScaling '],
  [/\bfeedback (?=\d)/g, 'feedbackDocs '],
  [/\bfeedbackShare (?=\d)/g, 'feedbackWeight '],
  [/\brankConstant (?=\d)/g, 'rrfK '],
  [/\(--max-tokens\)/g, '(maxTokens)'],
]

let [compared, failures] = [0, 0]
for (const collection of options.collections.split(',')) compareOn(collection)
console.log(`${compared} command lines compared, ${failures} with differences`)
process.exitCode = failures > 0 ? 1 : 0

/** Compares all command lines on one collection. */
function compareOn(collection) {
  const root = mkdtempSync(join(tmpdir(), 'kith-compare-'))
  const source = resolve(options.data, collection)
  for (const side of ['before', 'after']) mkdirSync(join(root, side))
  try {
    makeInputs(source, root)
    for (const [name, ...args] of commandLines(source, root)) {
      if (options.only && !name.includes(options.only)) continue
      const [before, after] = ['before', 'after'].map((side) => run(side, args, root))
      const found = differences(root, before, after)
      compared++
      if (found.length === 0) continue
      failures++
      console.log(`${collection}: ${name}\n${found.map((line) => `  ${line}`).join('\n')}`)
    }
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

/** A hundred texts: encoding stays short. */
function makeInputs(source, root) {
  const lines = readFileSync(join(source, 'corpus.jsonl'), 'utf8').split('\n')
  writeFileSync(join(root, 'some.jsonl'), `${lines.slice(0, 100).join('\n')}\n`)
}

/** Runs one command line with one build. */
function run(side, args, root) {
  const program = resolve(options[side], 'packages/cli/bin/kith.js')
  const words = args.map((word) => word.replaceAll('{out}', join(root, side)))
  const names = side === 'after' ? words.map((word) => renamed[word] ?? word) : words
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...names], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  return { status, stdout, stderr }
}

function differences(root, before, after) {
  const plain = (text) =>
    withoutTimes(text.replaceAll(join(root, 'before'), '').replaceAll(join(root, 'after'), ''))
  const found = []
  if (before.status !== after.status) {
    found.push(`exit code ${before.status}, now ${after.status}: ${after.stderr.trim()}`)
  }
  for (const stream of ['stdout', 'stderr']) {
    const [was, is] = [before, after].map((side) => plain(withNewNames(side[stream])))
    if (was !== is) found.push(`${stream} was ${short(was)}, now ${short(is)}`)
  }
  const [old, now] = ['before', 'after'].map((side) => filesOf(join(root, side)))
  for (const file of old) if (!now.includes(file)) found.push(`${file} is missing`)
  for (const file of now) if (!old.includes(file)) found.push(`${file} is new`)
  for (const file of old.filter((one) => now.includes(one))) {
    const [a, b] = ['before', 'after'].map((side) => readFileSync(join(root, side, file), 'latin1'))
    const text = /\.(jsonl?|html|svg)$/.test(file)
    if (text ? plain(withNewNames(a)) === plain(withNewNames(b)) : a === b) continue
    found.push(`${file} differs`)
    // Said once, not again behind every later command.
    writeFileSync(join(root, 'after', file), a, 'latin1')
  }
  return found
}

/** All files but those of a store, which have random names, and the sweep's with measured times. */
function filesOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((file) => !/^(lance\/|sweep\/(time|index|figures)\.)/.test(file))
    .sort()
}

function withNewNames(text) {
  return renamedSettings.reduce((named, [old, now]) => named.replace(old, now), text)
}

function withoutTimes(text) {
  return text
    .replace(
      /"(milliseconds|labelShare|seconds|rate|perSecond|mtimeMs|time)":\s*[-+.\de]+/g,
      '"$1":0',
    )
    .replace(/[\d.,]+ (µs|ms|s|min|queries\/s|texts\/s)\b/g, '0 $1')
    .replace(/\(\d+\/s\)/g, '(0/s)')
}

function short(text) {
  const flat = text.trim().replace(/\s+/g, ' ')
  return JSON.stringify(flat.length > 300 ? `${flat.slice(0, 300)}…` : flat)
}
