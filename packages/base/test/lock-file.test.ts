import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { filesIn, temporaryFolder } from '../../../test/files.ts'
import { thorough } from '../../../test/thorough.ts'
import { type FileLock, lockFile } from '../src/index.ts'

const folder = temporaryFolder()
const fileOf = filesIn(folder)

/** The locks on a file, by name. */
function locksOn(file: string): string[] {
  return readdirSync(folder).filter((name) => name.startsWith(`${file}.lock-`))
}

/** The names of locks, behind that of the file, end in marks: host, process, start and chance. */
async function markOf(lock: FileLock, file: string): Promise<string[]> {
  const [name] = locksOn(file)
  await lock.close()
  return name!.slice(`${file}.lock-`.length).split('-')
}

const NONCE = '0123456789ab'

/** A process that takes locks when it is told to, says whether it got them, and keeps them. */
async function contender(): Promise<ChildProcess> {
  const library = new URL('../dist/index.js', import.meta.url).href
  const script = await fileOf(
    'contender.mjs',
    `import { lockFile } from ${JSON.stringify(library)}
     let lock
     process.on('message', ({ take, exit }) => {
       lock?.close()
       lock = undefined
       if (exit) process.exit(0)
       try {
         if (take) lock = lockFile(take)
         process.send({ got: lock !== undefined })
       } catch (error) {
         process.send({ got: false, message: error.message })
       }
     })
     process.send('ready')`,
  )
  const child = fork(script)
  children.push(child)
  await once(child, 'message')
  return child
}

const children: ChildProcess[] = []
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
})
afterEach(() => vi.useRealTimers())

async function tell(
  child: ChildProcess,
  take?: string,
): Promise<{ got: boolean; message?: string }> {
  const answer = once(child, 'message')
  child.send({ take })
  return (await answer)[0]
}

describe('lock files', () => {
  test('have one holder when several processes take over from a dead one at once', async () => {
    const dead = await contender()
    await tell(dead, join(folder, 'dead'))
    dead.kill('SIGKILL')
    await once(dead, 'exit')
    const [stale] = locksOn('dead')
    const contenders = await Promise.all([contender(), contender(), contender(), contender()])
    const rounds = thorough ? 200 : 40
    let held = 0
    for (let round = 0; round < rounds; round++) {
      writeFileSync(join(folder, stale!.replace('dead', `round${round}`)), hostname())
      const file = join(folder, `round${round}`)
      const answers = await Promise.all(contenders.map((child) => tell(child, file)))
      const holders = answers.filter(({ got }) => got).length
      expect(holders).toBeLessThanOrEqual(1)
      expect(locksOn(`round${round}`).length).toBe(holders)
      held += holders
    }
    expect(held).toBeGreaterThan(rounds * 0.9)
  })

  test('stay with a living process of this host, however long it is silent', async () => {
    const child = await contender()
    const file = join(folder, 'living')
    expect(await tell(child, file)).toEqual({ got: true })
    const lock = join(folder, locksOn('living')[0]!)
    utimesSync(lock, 1000, 1000)
    expect(() => lockFile(file)).toThrow(
      expect.objectContaining({
        code: 'BAD_INPUT',
        message: expect.stringContaining(`${child.pid}`),
      }),
    )
    expect(locksOn('living').length).toBe(1)
    child.kill('SIGKILL')
    await once(child, 'exit')
    await lockFile(file).close()
    expect(locksOn('living')).toEqual([])
  })

  test('are released by a process that exits', async () => {
    const child = await contender()
    expect(await tell(child, join(folder, 'ended'))).toEqual({ got: true })
    child.send({ exit: true })
    await once(child, 'exit')
    expect(locksOn('ended')).toEqual([])
  })

  test('exclude other calls of the same process', async () => {
    const file = join(folder, 'twice')
    const lock = lockFile(file)
    expect(() => lockFile(file)).toThrow(`process ${process.pid} on ${hostname()}`)
    await lock.close()
    await lockFile(file).close()
  })

  test('are taken over if the process id now belongs to another process', async () => {
    const file = join(folder, 'reused')
    const [host, pid, start] = await markOf(lockFile(file), 'reused')
    expect(start).toMatch(/^[0-9a-f]{8}$/)
    const left = `${file}.lock-${host}-${pid}-deadbeef-${NONCE}`
    writeFileSync(left, hostname())
    await lockFile(file).close()
    expect(locksOn('reused')).toEqual([])
  })

  test('of another host are taken over after two minutes of silence, and not before', async () => {
    const file = join(folder, 'far')
    const far = `${file}.lock-ffffffff-7-00000000-${NONCE}`
    writeFileSync(far, 'far-away')
    expect(() => lockFile(file)).toThrow(
      /process 7 on far-away is already writing this .*last active 0 s ago; after 120 s of silence, run the same command again/,
    )
    const ago = (seconds: number): void => {
      const then = Date.now() / 1000 - seconds
      utimesSync(far, then, then)
    }
    ago(100)
    expect(() => lockFile(file)).toThrow(
      expect.objectContaining({ code: 'BAD_INPUT', message: expect.stringContaining('100 s') }),
    )
    ago(121)
    await lockFile(file).close()
    expect(locksOn('far')).toEqual([])
  })

  test('are refreshed by a timer and by each check', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const file = join(folder, 'beating')
    const lock = lockFile(file)
    const own = join(folder, locksOn('beating')[0]!)
    const silence = (): number => Date.now() - statSync(own).mtimeMs
    for (const sign of [() => vi.advanceTimersByTime(10_000), () => lock.check()]) {
      utimesSync(own, 1000, 1000)
      expect(silence()).toBeGreaterThan(100_000)
      sign()
      expect(silence()).toBeLessThan(100_000)
    }
    await lock.close()
  })

  test('stop the process that lost its lock to another one', async () => {
    const lock = lockFile(join(folder, 'lost'))
    lock.check()
    rmSync(join(folder, locksOn('lost')[0]!))
    expect(() => lock.check()).toThrow(/the lock .*lost.* is gone: .* another process took over/)
    await lock.close()
  })

  test('are released by `await using`, and not checked after that', async () => {
    const file = join(folder, 'disposed')
    let kept: FileLock
    {
      await using lock = lockFile(file)
      kept = lock
      expect(locksOn('disposed').length).toBe(1)
    }
    expect(locksOn('disposed')).toEqual([])
    expect(() => kept.check()).toThrow(expect.objectContaining({ code: 'CLOSED' }))
    await kept.close()
  })

  test('throw an error with the path if no file can be created', async () => {
    const file = await fileOf('no-folder', '')
    expect(() => lockFile(join(file, 'below'))).toThrow(
      expect.objectContaining({
        code: 'BAD_FILE',
        message: expect.stringContaining(join(file, 'below')),
      }),
    )
  })
})
