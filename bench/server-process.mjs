/** A rerank server in a process of its own, and the load generator that sends it requests. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { root } from './processes.mjs'

export const DOCUMENTS = 60
export const DIMENSIONS = 384

/**
 * Runs the load generator; returns its measurements, and the CPU time of the server for each
 * request.
 */
export async function load(server, options) {
  const { port } = server
  const job = { port, documents: DOCUMENTS, dimensions: DIMENSIONS, connections: 8, ...options }
  const file = fileURLToPath(new URL('serve-load.mjs', import.meta.url))
  const before = server.cpu()
  const child = spawn(process.execPath, [file, JSON.stringify(job)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let printed = ''
  child.stdout.on('data', (data) => {
    printed += data
  })
  await once(child, 'close')
  const result = JSON.parse(printed)
  const done = Object.values(result.statuses).reduce((sum, count) => sum + count, 0)
  const failed = done - (result.statuses['200'] ?? 0)
  if (failed > 0) console.log('some requests failed:', result.statuses)
  return { ...result, done, failed, serverCpu: (server.cpu() - before) / done }
}

/** Separate processes, so that CPU time and memory are the server's. */
export async function serverProcess(workers, cwd = root) {
  const program = `import { startServer } from '@kith/server'
const server = await startServer({ port: 0, workers: ${workers} })
console.log(server.url)
process.once('SIGTERM', () => server.close())`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
    cwd,
  })
  const [line] = await once(createInterface({ input: child.stdout }), 'line')
  const read = (name) => readFileSync(`/proc/${name}`, 'utf8')
  const children = read(`${child.pid}/task/${child.pid}/children`).split(' ').filter(Boolean)
  const processes = [String(child.pid), ...children]
  const total = (figure) => processes.reduce((sum, pid) => sum + figure(pid), 0)
  /** Milliseconds of CPU time so far; Linux counts hundredths of a second. */
  const cpuOf = (name) => {
    const fields = read(`${name}/stat`).split(') ')[1].split(' ')
    return (Number(fields[11]) + Number(fields[12])) * 10
  }
  return {
    port: Number(new URL(line).port),
    cpu: () => total(cpuOf),
    /** The CPU time of each thread; the main thread of a process answers requests. */
    threads: () =>
      new Map(
        processes.flatMap((pid) =>
          readdirSync(`/proc/${pid}/task`).map((id) => [
            id,
            { cpu: cpuOf(`${pid}/task/${id}`), isMain: id === pid },
          ]),
        ),
      ),
    memory: () => total((pid) => Number(/VmRSS:\s+(\d+)/.exec(read(`${pid}/status`))[1]) * 1024),
    stop: async () => {
      child.kill('SIGTERM')
      await once(child, 'exit')
    },
  }
}
