import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { KithError } from '@kith/core'

/**
 * Takes a lock, so that two programs never write the same files; returns what gives it back. The
 * lock of a program that was killed is taken over.
 */
export function lockFile(file: string): () => void {
  const own = `${process.pid} ${hostname()}`
  for (let attempt = 0; ; attempt++) {
    try {
      writeFileSync(file, own, { flag: 'wx' })
      return () => rmSync(file, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || attempt > 0) throw error
    }
    const [pid, host] = read(file).split(' ')
    if (host !== undefined && (host !== hostname() || isAlive(Number(pid)))) {
      throw new KithError(
        'BAD_INPUT',
        `process ${pid} on ${host} is writing this already; if it is not, remove ${file}`,
      )
    }
    rmSync(file, { force: true })
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function isAlive(pid: number): boolean {
  if (pid === process.pid || !Number.isInteger(pid)) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
