/**
 * Runs every command that writes files with two builds of Kith and compares what they write and
 * print, byte by byte: what a refactoring must leave as it is.
 *
 *   node scripts/compare-builds.mjs --before ../old-checkout [--after .] [--collections cranfield,cisi]
 *
 * Both checkouts must be built. `--only NAME` runs the command lines whose names have that in them,
 * `--keep FOLDER` keeps the files that differ, by dataset. Measured times do not count, nor does
 * the name of the folder.
 */
import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { commandLines } from './compare-lines.mjs'
import { isOlder, olderLine, withNewNames, withoutRecipe } from './older-line.mjs'

const { values: options } = parseArgs({
  options: {
    before: { type: 'string' },
    after: { type: 'string', default: '.' },
    collections: { type: 'string', default: 'cranfield,cisi,scifact,trec-dl-2019-judged' },
    data: { type: 'string', default: '../shared/data' },
    only: { type: 'string' },
    keep: { type: 'string' },
  },
})
if (!options.before)
  throw new Error('--before FOLDER is required: a built checkout to compare with')

let [compared, failures] = [0, 0]
for (const collection of options.collections.split(',')) compareOn(collection)
console.log(`${compared} command lines compared, ${failures} with differences`)
process.exitCode = failures > 0 ? 1 : 0

/** Compares all command lines on one dataset. */
function compareOn(collection) {
  const root = mkdtempSync(join(tmpdir(), 'kith-compare-'))
  const source = resolve(options.data, collection)
  for (const side of ['before', 'after']) mkdirSync(join(root, side))
  try {
    makeInputs(source, root)
    for (const [name, ...args] of commandLines(source, root)) {
      if (options.only && !name.includes(options.only)) continue
      const [before, after] = ['before', 'after'].map((side) => run(side, args, root))
      const found = differences(collection, root, before, after)
      // A command line that neither build takes compares nothing.
      if (name !== 'no file' && before.status !== 0) found.push(`fails: ${before.stderr.trim()}`)
      compared++
      if (found.length === 0) continue
      failures++
      console.log(`${collection}: ${name}\n${found.map((line) => `  ${line}`).join('\n')}`)
    }
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

/** A hundred texts, so that encoding stays short, and one decision of a judge. */
function makeInputs(source, root) {
  const lines = readFileSync(join(source, 'corpus.jsonl'), 'utf8').split('\n')
  writeFileSync(join(root, 'some.jsonl'), `${lines.slice(0, 100).join('\n')}\n`)
  const [query] = readFileSync(join(source, 'qrels/test.trec'), 'utf8').split(/\s/)
  writeFileSync(join(root, 'decisions.trec'), `${query} 0 ${JSON.parse(lines[0])._id} 1\n`)
}

/** Runs one command line with one build. */
function run(side, args, root) {
  const program = resolve(options[side], 'packages/cli/bin/kith.js')
  const line = isOlder(options[side]) ? olderLine(args) : args
  const words = line.map((word) => word.replaceAll('{out}', join(root, side)))
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
  })
  return { status, stdout, stderr }
}

function differences(collection, root, before, after) {
  const renamed = isOlder(options.before) && !isOlder(options.after)
  const sameNames = (text) => (renamed ? withoutRecipe(withNewNames(text)) : text)
  const plain = (text) =>
    withoutTimes(
      sameNames(text).replaceAll(join(root, 'before'), '').replaceAll(join(root, 'after'), ''),
    )
  const found = []
  if (before.status !== after.status) {
    found.push(`exit code ${before.status}, now ${after.status}: ${after.stderr.trim()}`)
  }
  for (const stream of ['stdout', 'stderr']) {
    const [was, is] = [before, after].map((side) => plain(side[stream]))
    if (was !== is) found.push(`${stream} was ${short(was)}, now ${short(is)}`)
  }
  const files = new Set(filesOf(join(root, 'after')))
  for (const file of filesOf(join(root, 'before'))) {
    if (!files.delete(file)) {
      found.push(`${file} is missing`)
      continue
    }
    const [was, is] = [join(root, 'before', file), join(root, 'after', file)]
    const [a, b] = [was, is].map(partsOf)
    if (plain(a.text) === plain(b.text) && a.data.equals(b.data)) continue
    found.push(`${file} differs`)
    keep(was, `${collection}/before/${file}`)
    keep(is, `${collection}/after/${file}`)
    // Said once, not again behind every later command.
    copyFileSync(was, is)
  }
  for (const file of files) found.push(`${file} is new`)
  return found
}

/** The text of a file, whose names and times may differ, and the bytes that must be the same. */
function partsOf(path) {
  const bytes = readFileSync(path)
  if (path.endsWith('.safetensors')) return checkpointParts(bytes)
  if (!/\.(jsonl?|html|svg)$/.test(path)) return { text: '', data: bytes }
  // The digest of an output that has other names in it is another one.
  const output = path.endsWith('.meta.json') ? /"output":\s*{[^}]*}/ : ''
  return { text: bytes.toString('utf8').replace(output, ''), data: Buffer.alloc(0) }
}

/** The metadata of a checkpoint, without digests that depend on names, and its tensors. */
function checkpointParts(bytes) {
  const end = 8 + Number(bytes.readBigUInt64LE())
  const header = JSON.parse(bytes.toString('utf8', 8, end))
  delete header.__metadata__?.trainingDigest
  delete header.__metadata__?.tensorsDigest
  return { text: JSON.stringify(header), data: bytes.subarray(end) }
}

/** Copies a file that differs to where it can be looked at. */
function keep(path, name) {
  if (!options.keep) return
  const copy = resolve(options.keep, name)
  mkdirSync(dirname(copy), { recursive: true })
  copyFileSync(path, copy)
}

/** All files except the files of a store, which have random names, and files of a sweep with measured times. */
function filesOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .filter((file) => !/^(lance\/|sweep\/(time|index|figures)\.)/.test(file))
    .sort()
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
