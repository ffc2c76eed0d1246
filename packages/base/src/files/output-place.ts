import { lstatSync, readlinkSync, realpathSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { asFileError, FileError } from './file-error.ts'
import { findPath } from './find-path.ts'

/** Where an output goes. */
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

/** Whether an output is a pipe or a device: nothing is put beside those. */
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
  throw new FileError(output, '', 'its links lead in a circle')
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
