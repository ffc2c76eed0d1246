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
  /** The judged queries from which the file, or one of its inputs, was learned. */
  learnedFrom?: readonly LearnedQueries[] | undefined
}

/** An input of a file; the inputs of shards have a digest. */
export interface Input {
  file: string
  bytes: number
  sha256?: string | undefined
}

/** A sidecar as read, with the digest of its file unless that is a folder. */
export type ReadSidecar = Partial<Sidecar> & { output?: Partial<Digest> | undefined }

/**
 * Writes `<out>.meta.json`: the command that made a file, its inputs and its settings. Call it
 * after the file is in place: until then, the earlier file keeps its sidecar.
 */
export async function writeSidecar(
  out: string,
  command: string,
  settings: Readonly<Record<string, unknown>>,
  inputs: readonly string[],
  more: Readonly<Record<string, unknown>> & Pick<Sidecar, 'learnedFrom'> = {},
  digest?: Digest,
): Promise<void> {
  const made = { command, version, settings, inputs: await inputsOf(inputs), ...more }
  await writeSidecarOf(out, made, digest)
}

/**
 * Writes a prepared sidecar, and adds the queries from which its inputs were learned. Pipes and
 * devices get no sidecar.
 *
 * @param digest The digest of the file, if it was computed while the file was written.
 */
export async function writeSidecarOf(out: string, made: Sidecar, digest?: Digest): Promise<void> {
  if (isPipeOrDevice(out)) return
  const output = digest ?? ((await stat(out)).isFile() ? await digestOf(out) : undefined)
  const behind = await learnedBehind(made.inputs.map(({ file }) => file))
  const all = [...(made.learnedFrom ?? []), ...behind]
  const learnedFrom = all.length > 0 ? all : undefined
  const written = `${JSON.stringify({ ...made, learnedFrom, output }, undefined, 2)}\n`
  await writeAtomic(sidecarOf(out), (write) => write(written))
}

/** Returns the path of a file's sidecar. */
export function sidecarOf(file: string): string {
  return `${file}.meta.json`
}

/** Reads a file's sidecar; undefined if there is none. */
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
    // The error below covers invalid JSON, too.
  }
  throw new FileError(
    name,
    '',
    'is not a .meta.json file of Kith; remove it, or make the output again',
  )
}

/**
 * Explains why a sidecar does not belong to the file beside it, which was changed, truncated, or
 * replaced without the sidecar; undefined if it does belong to the file.
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

/**
 * Describes input files for a sidecar, each once: a Parquet run may also hold the embeddings and
 * texts.
 */
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
 * Describes the input files of a shard for its sidecar, including the id files of embeddings: each
 * with the digest of its contents, so that only shards of the same contents are merged. Reads every
 * file completely, since a single vector may differ.
 */
export async function digestedInputs(
  files: readonly string[],
  embeddings: readonly string[],
): Promise<Input[]> {
  const inputs: Input[] = []
  for (const file of files.flatMap((one) =>
    embeddings.includes(one) ? embeddingFiles(one) : [one],
  )) {
    // A subfolder in the folder of embeddings is not part of the embeddings.
    if (findPath(file)?.isDirectory()) continue
    checkRegular(file, 'Kith compares shards by the contents of their inputs')
    inputs.push({ file, ...(await digestOf(file)) })
  }
  return inputs
}

/** Why the inputs of work that resumes must be files. */
export const RESUMES = 'the command must be able to resume'

/**
 * Returns a text that identifies the same work on the same files, independent of the spelling of
 * paths: interrupted work resumes if it is equal.
 */
export async function fingerprint(
  settings: Readonly<Record<string, unknown>>,
  inputs: readonly string[],
): Promise<string> {
  const files = await Promise.all(
    inputs.flatMap(embeddingFiles).map(async (file) => {
      const found = await stat(file).catch(() => undefined)
      // A pipe cannot be read again, so work on it cannot resume.
      if (!found?.isDirectory()) checkRegular(file, RESUMES)
      return [realPath(file), found?.size, found?.mtimeMs]
    }),
  )
  return JSON.stringify([version, settings, files], (name, value: unknown) => {
    // A model may be a folder, and statistics may be a file.
    const isPath = (name === 'model' || name === 'file') && typeof value === 'string'
    return isPath && statOf(value) ? realPath(value) : value
  })
}

/** Resolves links and relative parts of a path. */
function realPath(path: string): string {
  return statOf(path) ? realpathSync(path) : resolve(path)
}

type Named = Readonly<Record<string, unknown>>

/**
 * Returns the settings that influenced a ranking: the settings of its method and of its mix. A
 * sidecar has all settings, and readers would take unused settings for a cause of differences.
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
