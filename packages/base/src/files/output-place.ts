import {
  constants,
  lstatSync,
  mkdirSync,
  readlinkSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { asFileError, FileError, findPath } from './file-error.ts'
import { finished, unfinishedBeside, unfinishedName } from './unfinished.ts'

/** The place of an output. */
export interface OutputPlace {
  /** The file itself: at the end of links, if the output is one. */
  file: string
  /** The regular file that stands there; a new one gets its mode and owner. */
  before?: Stats | undefined
  /** A pipe or a device: written straight into, since it cannot be replaced by a whole file. */
  straight: boolean
  /** For one of this process's own descriptors, such as `/dev/stdout`, its number. */
  descriptor?: number | undefined
}

/** Links that are followed, as many as Linux does. */
const LINKS = 40

/** Finds out where an output goes. A folder is refused. */
export function outputPlace(output: string): OutputPlace {
  try {
    return follow(output)
  } catch (error) {
    throw asFileError(output, error)
  }
}

/** Whether an output is a pipe or a device, beside which no other files are written. */
export function isPipeOrDevice(output: string): boolean {
  const found = findPath(output)
  return !found?.isDirectory() && outputPlace(output).straight
}

function follow(output: string): OutputPlace {
  let file = output
  for (let links = 0; links < LINKS; links++) {
    const descriptor = descriptorOf(file)
    if (descriptor !== undefined) return { file, straight: true, descriptor }
    const found = statSync(file, { throwIfNoEntry: false })
    if (found?.isDirectory()) throw new FileError(output, '', 'is a folder, not a file')
    // The links of open files, as in /proc, have no names that could be followed.
    if (found && !found.isFile()) return { file, straight: true }
    if (!lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) {
      return { file, straight: false, before: found }
    }
    file = linked(file)
  }
  throw new FileError(output, '', 'the symbolic links form a circle')
}

/** The target of a link. The system resolves its folder, since names before `..` may be links. */
function linked(link: string): string {
  const target = readlinkSync(link)
  const whole = isAbsolute(target) ? target : `${realpathSync.native(dirname(link))}/${target}`
  const parent = dirname(whole)
  const found = statSync(parent, { throwIfNoEntry: false })
  return join(found ? realpathSync.native(parent) : parent, basename(whole))
}

function descriptorOf(file: string): number | undefined {
  if (file === '/dev/stdout') return 1
  if (file === '/dev/stderr') return 2
  const [, owner, number] = /^\/(?:dev|proc\/(self|thread-self|\d+))\/fd\/(\d+)$/.exec(file) ?? []
  const foreign = owner !== undefined && /^\d/.test(owner) && Number(owner) !== process.pid
  return number === undefined || foreign ? undefined : Number(number)
}

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

/** Gives a file the mode of the one that it replaces, and owner and group if that is allowed. */
export async function keepAttributes(handle: FileHandle, before: Stats | undefined): Promise<void> {
  if (!before) return
  const { uid, gid } = await handle.stat()
  if (uid !== before.uid) await handle.chown(before.uid, before.gid).catch(() => {})
  else if (gid !== before.gid) await handle.chown(uid, before.gid).catch(() => {})
  const now = await handle.stat()
  // If the group could not be kept, its permissions would go to another group.
  const groupKept = now.gid === before.gid
  const mode = before.mode & (groupKept ? (now.uid === before.uid ? 0o7777 : 0o777) : 0o707)
  if ((now.mode & 0o7777) !== mode) await handle.chmod(mode)
}

/**
 * Lets a function work on a file that only it knows, and removes that: beside the output, or in the
 * temporary folder if the output is a pipe or a device.
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

/**
 * Makes a folder with the folders above it, one by one: Node's recursive `mkdir` says of a disk that
 * cannot be written that there is no such file.
 *
 * @param output The name that an error gives; default: the folder's.
 */
export function makeFolder(folder: string, output = folder): void {
  try {
    make(folder)
  } catch (error) {
    throw asFileError(output, error)
  }
}

function make(folder: string): void {
  const found = findPath(folder)
  if (found?.isDirectory()) return
  // A file in its place is an error of `mkdir`, not a reason to go further up.
  if (!found) make(dirname(folder))
  try {
    mkdirSync(folder)
  } catch (error) {
    // Another program has made it in the meantime.
    if (!findPath(folder)?.isDirectory()) throw error
  }
}
