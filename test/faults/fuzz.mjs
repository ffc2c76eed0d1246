/**
 * Gives damaged files to every reader of Kith. A reader must give an answer or throw a KithError
 * that names the file; any other exception, a hang, or a process that dies is a failure.
 *
 *   node test/faults/fuzz.mjs --rounds 100                100 files for each reader
 *   node test/faults/fuzz.mjs --minutes 60                rounds with ever new seeds, for an hour,
 *                                                         and before them absent stores and killed workers
 *   node test/faults/fuzz.mjs --seed 7 --case 1234        one case again
 *
 * A child process reads the files, and says before each one which it is; this process ends a child
 * that takes too long over one file, and starts another behind that file.
 */
import { fork } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { KithError } from '@kith/core'
import { mutate, seeded } from './mutate.mjs'
import { makeReaders } from './readers.mjs'

/** The longest that one small file may take, on a machine with other work to do. */
const LONGEST = 30_000

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '100' },
    minutes: { type: 'string', default: '0' },
    seed: { type: 'string', default: '1' },
    case: { type: 'string' },
    // Of the child: the cases that it reads, and where.
    from: { type: 'string' },
    to: { type: 'string' },
    folder: { type: 'string' },
  },
})

if (process.send) await readDamaged()
else process.exitCode = await supervise()

/** The child: each case is one damaged file for one reader. */
async function readDamaged() {
  const { folder, seed } = options
  const readers = await makeReaders(folder)
  for (let number = Number(options.from); number < Number(options.to); number++) {
    const { name, file, bytes, read } = readers[number % readers.length]
    process.send({ number, name })
    writeFileSync(file, mutate(bytes, seeded(Number(seed) * 1_000_003 + number * 7919)))
    const problem = await problemOf(read, folder)
    if (problem) process.send({ number, name, problem })
    // Another reader may need this file whole.
    writeFileSync(file, bytes)
  }
  process.disconnect()
}

/** What is wrong with a reader's end, undefined where it is an answer or an error of ours. */
async function problemOf(read, folder) {
  try {
    await read()
    return undefined
  } catch (error) {
    if (!(error instanceof KithError)) return error?.stack ?? String(error)
    return error.message.includes(folder) ? undefined : `names no file: ${error.message}`
  }
}

/** Runs the cases of one seed after the other; the exit code. */
async function supervise() {
  const folder = mkdtempSync(join(tmpdir(), 'kith-fuzz-'))
  try {
    const readers = await makeReaders(folder)
    for (const { file, bytes, read } of readers) {
      writeFileSync(file, bytes)
      await read()
    }
    const [first, count] =
      options.case === undefined
        ? [0, Number(options.rounds) * readers.length]
        : [Number(options.case), Number(options.case) + 1]
    const end = Date.now() + Number(options.minutes) * 60_000
    let [seed, files, failures] = [Number(options.seed), 0, 0]
    if (Number(options.minutes) > 0) {
      const { disturbStores } = await import('./disturb-stores.mjs')
      failures += await disturbStores(join(folder, 'stores'))
    }
    do {
      for (const { number, name, problem } of await runCases(seed, first, count, folder)) {
        failures++
        console.log(`${name}: ${problem}`)
        console.log(`  again: node test/faults/fuzz.mjs --seed ${seed} --case ${number}`)
      }
      files += count - first
      seed++
    } while (Date.now() < end)
    console.log(`${files} damaged files for ${readers.length} readers, ${failures} failures`)
    return failures > 0 ? 1 : 0
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** All problems of some cases, with a new child behind each file that a child did not survive. */
async function runCases(seed, first, count, folder) {
  const problems = []
  for (let from = first; from < count; ) {
    const last = await runChild({ seed, from, to: count, folder }, problems)
    if (last.problem) problems.push(last)
    from = last.problem ? last.number + 1 : count
  }
  return problems
}

/** One child: its last case, and what ended the process, if that was not the end of its work. */
function runChild(work, problems) {
  return new Promise((resolve) => {
    const args = Object.entries(work).flatMap(([name, value]) => [`--${name}`, String(value)])
    const child = fork(fileURLToPath(import.meta.url), args, {
      execArgv: ['--max-old-space-size=512'],
    })
    let [last, timer, hung] = [{ number: work.from, name: 'the start' }, undefined, false]
    const watch = () => {
      clearTimeout(timer)
      timer = setTimeout(() => {
        hung = true
        child.kill('SIGKILL')
      }, LONGEST)
    }
    watch()
    child.on('message', (message) => {
      watch()
      last = { number: message.number, name: message.name }
      if (message.problem) problems.push(message)
    })
    child.on('exit', (code, signal) => {
      clearTimeout(timer)
      const died = code === 0 ? undefined : `the process ended with ${code ?? signal}`
      resolve({ ...last, problem: hung ? `no answer within ${LONGEST / 1000} s` : died })
    })
  })
}
