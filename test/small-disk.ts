import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Whether tests can mount a disk; without one they are skipped, in CI they fail. */
export const smallDisks = canMount()

/** A small disk of its own, mounted at a folder. */
export interface SmallDisk {
  /** Makes it a disk that can only be read. */
  freeze(): void
}

/**
 * Lets a test use a small disk.
 *
 * @param where The folder to mount it at, which is made.
 * @param size As `mount` takes it, such as `64k`.
 */
export async function onSmallDisk(
  where: string,
  size: string,
  body: (disk: SmallDisk) => unknown,
): Promise<void> {
  mkdirSync(where, { recursive: true })
  mount('-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', where)
  try {
    await body({ freeze: () => mount('-o', 'remount,ro', where) })
  } finally {
    unmount(where)
  }
}

function canMount(): boolean {
  const where = mkdtempSync(join(tmpdir(), 'kith-disk-'))
  try {
    mount('-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', where)
    unmount(where)
    return true
  } catch (error) {
    if (process.env['CI']) throw error
    console.warn('skipped: only root may mount a small disk')
    return false
  } finally {
    rmdirSync(where)
  }
}

function mount(...args: string[]): void {
  execFileSync('mount', args, { stdio: 'ignore' })
}

function unmount(where: string): void {
  // A program that has just ended may still hold it.
  execFileSync('umount', ['--lazy', where])
}
