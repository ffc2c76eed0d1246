/**
 * A thread that runs one command after the other, as `bin/kith.js` runs one: what it prints is
 * kept, and handed over with its exit code.
 */
import { parentPort } from 'node:worker_threads'
import { main } from '../dist/main.js'

// The encoder sets it in the main thread of a program, and refuses to be loaded by a thread without it.
process.env.ORT_DISABLE_TELEMETRY ??= '1'

/** What the command under way has printed, by the name of the stream. */
const printed = { stdout: '', stderr: '' }
for (const name of ['stdout', 'stderr']) {
  process[name].write = (part) => {
    printed[name] += part
    return true
  }
}

parentPort.on('message', async ({ args, answers, done }) => {
  const answer = (code) => {
    answers.postMessage({ code, out: printed.stdout, err: printed.stderr })
    Atomics.store(done, 0, 1)
    Atomics.notify(done, 0)
  }
  // Node prints what nobody has caught, and ends with 1.
  const crash = (error) => {
    printed.stderr += `${error?.stack ?? error}\n`
    answer(1)
  }
  process.once('uncaughtException', crash)
  Object.assign(printed, { stdout: '', stderr: '' })
  await main(args).then(answer, crash)
  process.removeListener('uncaughtException', crash)
  // Those of `main`, which expects to be called once in a program.
  process.stdout.removeAllListeners('error')
})
