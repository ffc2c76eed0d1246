/**
 * Kills a command (-9) again and again, lets it finish, and compares what it wrote with what the
 * undisturbed command writes: the same files with the same bytes, and nothing left over.
 *
 *   node test/faults/kill.mjs --times 8 -- labels --run run.trec … --out {out}/labels.jsonl
 *
 * `{out}` stands for a folder of this program. Figures of time in JSON files do not count.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { seeded } from './mutate.mjs'

const program = fileURLToPath(new URL('../../packages/cli/bin/kith.js', import.meta.url))

/** What one disturbed command came to. */
export async function killAndCompare(args, { times = 4, seed = 1 } = {}) {
  const root = mkdtempSync(join(tmpdir(), 'kith-kill-'))
  try {
    const [whole, disturbed] = ['whole', 'disturbed'].map((name) => join(root, name))
    const start = performance.now()
    await complete(place(args, whole), whole)
    const milliseconds = performance.now() - start
    const random = seeded(seed)
    let kills = 0
    for (let attempt = 0; attempt < times; attempt++) {
      const moment =
        attempt % 2 === 0
          ? { change: 1 + random(3) }
          : { after: (milliseconds * (30 + random(65))) / 100 }
      if (await runAndKill(place(args, disturbed), disturbed, moment)) kills++
    }
    await complete(place(args, disturbed), disturbed)
    return { kills, differences: differences(whole, disturbed) }
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

function place(args, folder) {
  return args.map((word) => word.replaceAll('{out}', folder))
}

/** Runs a command to its end. */
async function complete(args, folder) {
  mkdirSync(folder, { recursive: true })
  const child = spawn(process.execPath, [program, ...args], { stdio: ['ignore', 'ignore', 'pipe'] })
  let errors = ''
  child.stderr.on('data', (text) => {
    errors += text
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`kith ${args.join(' ')} ended with ${code}: ${errors}`)
}

/** Starts a command and kills it at a moment; whether it was still running then. */
async function runAndKill(args, folder, { change, after }) {
  mkdirSync(folder, { recursive: true })
  // A group of its own, so that its child processes are killed with it.
  const child = spawn(process.execPath, [program, ...args], { stdio: 'ignore', detached: true })
  let running = true
  const ended = once(child, 'exit').then(() => {
    running = false
  })
  const end = performance.now() + (after ?? 240_000)
  let [before, changes] = [look(folder), 0]
  while (running && performance.now() < end && changes !== change) {
    await Promise.race([ended, wait(2)])
    const now = look(folder)
    if (now !== before) changes++
    before = now
  }
  const killed = running
  if (running) process.kill(-child.pid, 'SIGKILL')
  await ended
  return killed
}

/** Names and sizes of everything below a folder. */
function look(folder) {
  return filesOf(folder)
    .map((file) => `${file} ${statSync(join(folder, file), { throwIfNoEntry: false })?.size}`)
    .join('\n')
}

function filesOf(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort()
}

function differences(whole, disturbed) {
  const [wanted, found] = [filesOf(whole), filesOf(disturbed)]
  const read = (folder, file) => withoutTimes(file, readFileSync(join(folder, file)), folder)
  return [
    ...wanted.filter((file) => !found.includes(file)).map((file) => `${file} is missing`),
    ...found.filter((file) => !wanted.includes(file)).map((file) => `${file} is left over`),
    ...wanted
      .filter((file) => found.includes(file) && read(whole, file) !== read(disturbed, file))
      .map((file) => `${file} differs`),
  ]
}

/** The contents as text, JSON without measured times and without the name of the folder. */
function withoutTimes(file, bytes, folder) {
  const text = bytes.toString('latin1')
  if (!/\.jsonl?$/.test(file)) return text
  return text
    .replaceAll(folder, '{out}')
    .replace(/"(milliseconds|labelShare|seconds)":\s*[-+.\de]+/g, '"$1":0')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values, positionals } = parseArgs({
    options: { times: { type: 'string', default: '8' }, seed: { type: 'string', default: '1' } },
    allowPositionals: true,
  })
  const result = await killAndCompare(positionals, {
    times: Number(values.times),
    seed: Number(values.seed),
  })
  for (const difference of result.differences) console.log(difference)
  console.log(`killed ${result.kills} times, ${result.differences.length} differences`)
  process.exitCode = result.differences.length > 0 ? 1 : 0
}
