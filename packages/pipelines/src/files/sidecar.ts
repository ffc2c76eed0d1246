import { realpathSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import {
  asFileError,
  checkRegular,
  FileError,
  findPath,
  isPipeOrDevice,
  isStandardInput,
  version,
  writeAtomic,
} from '@kith/base'
import { idleReason, methods, methodTable, type Setting } from '@kith/core/internal'
import { embeddingFiles } from '@kith/ir/internal'
import { type LearnedQueries, learnedBehind } from './learned-queries.ts'
import { type Digest, digestOf, statOf } from './paths.ts'

/** The origin of a file: the command, its version, its settings and its inputs. */
export interface Sidecar {
  command: string
  version: string
  settings: Readonly<Record<string, unknown>>
  inputs: readonly Input[]
  /** The judged queries that the file, or something that it was made from, was learned from. */
  learnedFrom?: readonly LearnedQueries[] | undefined
}

/** A file that another file was made from; the inputs of shards have a digest. */
export interface Input {
  file: string
  bytes: number
  sha256?: string | undefined
}

/** A sidecar as read: the file it belongs to, unless that is a folder. */
export type ReadSidecar = Partial<Sidecar> & { output?: Partial<Digest> | undefined }

/**
 * Writes `<out>.meta.json`: the command that made a file, its inputs and its settings. The file must
 * be in its place by now: a file of an earlier command keeps its own metadata until it is replaced.
 */
export async function writeSidecar(
  out: string,
  command: string,
  settings: Readonly<Record<string, unknown>>,
  inputs: readonly string[],
  more: Readonly<Record<string, unknown>> & Pick<Sidecar, 'learnedFrom'> = {},
): Promise<void> {
  await writeSidecarOf(out, { command, version, settings, inputs: await inputsOf(inputs), ...more })
}

/**
 * Writes a sidecar that is known already, with the queries that its inputs were learned from; a pipe
 * or a device gets none.
 */
export async function writeSidecarOf(out: string, made: Sidecar): Promise<void> {
  if (isPipeOrDevice(out)) return
  const output = (await stat(out)).isFile() ? await digestOf(out) : undefined
  const behind = await learnedBehind(made.inputs.map(({ file }) => file))
  const all = [...(made.learnedFrom ?? []), ...behind]
  const learnedFrom = all.length > 0 ? all : undefined
  const written = `${JSON.stringify({ ...made, learnedFrom, output }, undefined, 2)}\n`
  await writeAtomic(sidecarOf(out), (write) => write(written))
}

/** The name of a file's sidecar. */
export function sidecarOf(file: string): string {
  return `${file}.meta.json`
}

/** The contents of a file's sidecar; undefined if there is none. */
export async function readSidecar(file: string): Promise<ReadSidecar | undefined> {
  const name = sidecarOf(file)
  const written = await readFile(name, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw new FileError(name, '', error.message)
  })
  if (written === undefined) return undefined
  try {
    const found: unknown = JSON.parse(written)
    if (typeof found === 'object' && found !== null) return found
  } catch {
    // The error below is the same as for other JSON.
  }
  throw new FileError(
    name,
    '',
    'is not a .meta.json file of Kith; remove it, or make the output again',
  )
}

/**
 * Why a sidecar belongs to another file than the one beside it, which was changed, truncated, or
 * replaced without the sidecar; undefined if it belongs to this file.
 */
export async function otherThan(
  file: string,
  { output }: ReadSidecar,
): Promise<string | undefined> {
  if (typeof output?.sha256 !== 'string') return 'no digest is recorded'
  const { bytes, sha256 } = await digestOf(file)
  if (bytes !== output.bytes) return `${output.bytes} bytes are recorded, the file has ${bytes}`
  return sha256 === output.sha256 ? undefined : `the contents of the file have changed`
}

/** Files as a sidecar names them, each once: a run in Parquet can be the embeddings and texts, too. */
export function inputsOf(files: readonly string[]): Promise<Input[]> {
  return Promise.all(
    Array.from(new Set(files), async (file) => ({ file, bytes: await sizeOf(file) })),
  )
}

async function sizeOf(file: string): Promise<number> {
  if (isStandardInput(file)) return 0
  const { size } = await stat(file).catch((error: unknown) => {
    throw asFileError(file, error)
  })
  return size
}

/**
 * Files as the sidecar of a shard names them, embeddings with the ids beside them: each
 * with the digest of its contents, so that shares of other contents are not joined. Every file is
 * read to its end for this, as nothing less would tell one changed vector.
 */
export async function digestedInputs(
  files: readonly string[],
  embeddings: readonly string[],
): Promise<Input[]> {
  const inputs: Input[] = []
  for (const file of files.flatMap((one) =>
    embeddings.includes(one) ? embeddingFiles(one) : [one],
  )) {
    // A folder within the folder of embeddings is not part of the embeddings.
    if (findPath(file)?.isDirectory()) continue
    checkRegular(file, 'Kith compares shards by the contents of their inputs')
    inputs.push({ file, ...(await digestOf(file)) })
  }
  return inputs
}

/**
 * A text that is the same for the same work on the same files, however their paths are written:
 * long work resumes after a stop.
 */
export async function fingerprint(
  settings: Readonly<Record<string, unknown>>,
  inputs: readonly string[],
): Promise<string> {
  const files = await Promise.all(
    inputs.flatMap(embeddingFiles).map(async (file) => {
      const found = await stat(file).catch(() => undefined)
      // A pipe is never the same again, so that work on it cannot resume.
      if (!found?.isDirectory()) checkRegular(file, 'the command must be able to resume')
      return [realPath(file), found?.size, found?.mtimeMs]
    }),
  )
  return JSON.stringify([version, settings, files], (name, value: unknown) => {
    // A model may be a folder, and statistics may be in a file.
    const isPath = (name === 'model' || name === 'file') && typeof value === 'string'
    return isPath && statOf(value) ? realPath(value) : value
  })
}

/** A path that is the same through links and from any folder. */
function realPath(path: string): string {
  return statOf(path) ? realpathSync(path) : resolve(path)
}

type Named = Readonly<Record<string, unknown>>

/**
 * The settings that influenced a ranking: the settings of its method and of its mix. A sidecar has all
 * of them, and a reader would take the others for what made the difference.
 */
export function usedSettings(settings: Named): Named {
  if (!methods.some((name) => name === settings['method'])) return settings
  const use = { texts: settings['texts'] === true }
  const table: Readonly<Record<string, Setting>> = methodTable
  return Object.fromEntries(
    Object.entries(settings).filter(([name, value]) => {
      if (name === 'missing') return value !== 'error'
      if (name === 'views' && !use.texts) return false
      const row = table[name]
      return !row || idleReason(row, settings, use) === undefined
    }),
  )
}
