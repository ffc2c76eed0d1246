import { constants, type Stats, statSync } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { asFileError } from './file-error.ts'
import { makeFolder } from './make-folder.ts'
import type { OutputPlace } from './output-place.ts'
import { finished, unfinishedBeside, unfinishedName } from './unfinished.ts'

/** Milliseconds until a pipe without a reader is tried again. */
const NO_READER = 20

/**
 * Opens a pipe or a device for writing; waits until a pipe has a reader. The system would wait too,
 * in a way that a signal could not end.
 */
export async function openStraight(
  { file, descriptor }: OutputPlace,
  output: string,
): Promise<{ descriptor: number; close(): Promise<void> }> {
  if (descriptor !== undefined) return { descriptor, close: async () => {} }
  for (;;) {
    try {
      const handle = await open(file, constants.O_WRONLY | constants.O_NONBLOCK)
      return { descriptor: handle.fd, close: () => named(output, () => handle.close()) }
    } catch (error) {
      const waits = (error as NodeJS.ErrnoException).code === 'ENXIO' && statSync(file).isFIFO()
      if (!waits) throw asFileError(output, error)
      await setTimeout(NO_READER)
    }
  }
}

/** The mode in which the file that replaces another is created: never wider than that one's. */
export function modeFor({ before }: OutputPlace): number {
  return before ? (before.mode & 0o777) | 0o600 : 0o666
}

/** Gives a file the mode of the one that it replaces, and owner and group where that is allowed. */
export async function keepAttributes(handle: FileHandle, before: Stats | undefined): Promise<void> {
  if (!before) return
  const { uid, gid } = await handle.stat()
  if (uid !== before.uid) await handle.chown(before.uid, before.gid).catch(() => {})
  else if (gid !== before.gid) await handle.chown(uid, before.gid).catch(() => {})
  const now = await handle.stat()
  // Rights of a group that could not be kept would be those of another one.
  const groupKept = now.gid === before.gid
  const mode = before.mode & (groupKept ? (now.uid === before.uid ? 0o7777 : 0o777) : 0o707)
  if ((now.mode & 0o7777) !== mode) await handle.chmod(mode)
}

/**
 * Lets a function work on a file that only it knows, and removes that: beside the output, or in the
 * temporary folder where the output is a pipe or a device.
 */
export async function withScratch<T>(
  place: OutputPlace,
  output: string,
  work: (scratch: string) => Promise<T>,
): Promise<T> {
  if (!place.straight) makeFolder(dirname(place.file), output)
  const scratch = place.straight
    ? unfinishedName(tmpdir(), `kith-${basename(output)}`)
    : unfinishedBeside(place.file)
  try {
    return await work(scratch)
  } finally {
    await rm(scratch, { force: true }).catch(() => {})
    finished(scratch)
  }
}

/** Does something to a file; errors of the system name it. */
export async function named<T>(file: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action()
  } catch (error) {
    throw asFileError(file, error)
  }
}
