import { createHash, type Hash } from 'node:crypto'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { downloadFile, type ListFileEntry, listFiles } from '@huggingface/hub'
import { writeAtomic } from '@kith/base'
import { KithError } from '@kith/core'
import { hasModel } from './model-folder.ts'

/** How a model is downloaded. */
export interface DownloadOptions {
  /** The folder of downloaded models; default: `KITH_CACHE`, or `~/.cache/kith/models`. */
  cache?: string | undefined
  /** A branch, tag or commit; default: `main`. */
  revision?: string | undefined
  /** The address of the hub, if it is not the public one. */
  hubUrl?: string | undefined
  /** Called with the bytes of a file that have arrived, and with its size. */
  onDownload?: ((file: string, bytes: number, total: number) => void) | undefined
}

/** The files of a repository that are downloaded besides the weights. */
const SMALL_FILES =
  /^(\d+_\w+\/)?(config|config_sentence_transformers|tokenizer|tokenizer_config|modules|sentence_bert_config)\.json$|^(\d+_\w+\/)?vocab\.txt$/
/** The ways in which weights are stored; the first that a repository has is taken. */
const WEIGHTS = [
  /^(0_Transformer\/)?model\.safetensors$/,
  /^(0_Transformer\/)?model(-\d+-of-\d+\.safetensors|\.safetensors\.index\.json)$/,
  /^model\.onnx(_data)?$/,
  /^onnx\/model\.onnx(_data)?$/,
]

/**
 * Downloads a model from the hub unless its files are there already; returns their folder. Every
 * file is compared with the checksum that the hub lists for it before it gets its name.
 */
export async function downloadModel(name: string, options: DownloadOptions): Promise<string> {
  const { cache = defaultCache(), revision = 'main' } = options
  const folder = join(cache, ...name.split('/'), ...(revision === 'main' ? [] : [revision]))
  if (hasModel(folder)) return folder
  const hub = { repo: name, revision, ...(options.hubUrl ? { hubUrl: options.hubUrl } : {}) }
  try {
    const files: HubFile[] = []
    for await (const entry of listFiles({ ...hub, recursive: true })) {
      if (entry.type === 'file') files.push(asHubFile(entry))
    }
    for (const file of choose(name, files)) {
      const blob = await downloadFile({ ...hub, path: file.path })
      if (!blob) throw new Error(`the hub has no file ${file.path}`)
      await saveHubFile(blob, file, join(folder, file.path), (bytes) =>
        options.onDownload?.(file.path, bytes, file.size),
      )
    }
  } catch (error) {
    if (error instanceof KithError) throw error
    throw unreachable(name, folder, error as Error)
  }
  return folder
}

/** Small files first: a model with weights is complete. */
function choose(name: string, files: HubFile[]): HubFile[] {
  const weights = WEIGHTS.map((pattern) => files.filter(({ path }) => pattern.test(path)))
  const chosen = weights.find((found) => found.length > 0)
  if (!chosen) {
    const problem = `the model ${name} has neither safetensors nor ONNX files; convert the model and pass its folder`
    throw new KithError('BAD_INPUT', problem)
  }
  // Shards come before the index, and data before the model, that refers to them.
  chosen.sort((a, b) => rank(a.path) - rank(b.path))
  return [...files.filter(({ path }) => SMALL_FILES.test(path)), ...chosen]
}

function rank(path: string): number {
  return /(-of-\d+\.safetensors|_data)$/.test(path) ? 0 : 1
}

function unreachable(name: string, folder: string, error: Error): KithError {
  const cause =
    error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
  const wrapped = new KithError(
    'BAD_INPUT',
    `the model ${name} could not be downloaded (${cause}). Without a connection, copy config.json, tokenizer.json and model.safetensors (and modules.json and 1_Pooling/config.json, if the model has them) into ${folder}, or pass a folder with these files`,
  )
  wrapped.cause = error
  return wrapped
}

function defaultCache(): string {
  return process.env['KITH_CACHE'] ?? join(homedir(), '.cache', 'kith', 'models')
}

/** A file of a repository, as the hub lists it. */
interface HubFile {
  path: string
  size: number
  /** The hash that its bytes must have: git's, or the hash of large-file storage. */
  checksum: { kind: 'sha1' | 'sha256'; hex: string } | undefined
}

/** A file from the list of a repository. */
function asHubFile({ path, size, oid, lfs }: ListFileEntry): HubFile {
  if (lfs) return { path, size: lfs.size, checksum: { kind: 'sha256', hex: lfs.oid } }
  return { path, size, checksum: oid === undefined ? undefined : { kind: 'sha1', hex: oid } }
}

/**
 * Writes a downloaded file, whole and with the bytes that the hub promises, or not at all.
 *
 * @param onBytes Called with the number of bytes that have arrived.
 */
async function saveHubFile(
  blob: Blob,
  { path, size, checksum }: HubFile,
  target: string,
  onBytes: (bytes: number) => void,
): Promise<void> {
  if (!checksum) throw refused(path, 'the hub lists no checksum')
  await writeAtomic(target, async (write) => {
    const hash = startHash(checksum.kind, size)
    let bytes = 0
    for await (const part of blob.stream() as unknown as AsyncIterable<Uint8Array>) {
      bytes += part.length
      if (bytes > size) break
      hash.update(part)
      await write(part)
      onBytes(bytes)
    }
    if (bytes !== size) {
      throw refused(path, `expected ${size} bytes, got ${bytes > size ? 'more' : bytes}`)
    }
    const found = hash.digest('hex')
    if (found === checksum.hex) return
    throw refused(path, `expected the ${checksum.kind} ${checksum.hex}, got ${found}`)
  })
}

/** The hash of a file that is as long as listed; git puts the length before the bytes. */
function startHash(kind: 'sha1' | 'sha256', size: number): Hash {
  const hash = createHash(kind)
  return kind === 'sha1' ? hash.update(`blob ${size}\0`) : hash
}

function refused(path: string, problem: string): KithError {
  return new KithError(
    'BAD_INPUT',
    `the download of ${path} does not match the hub’s listing and was removed: ${problem}. Try again; if the error stays, a proxy may change the file`,
  )
}
