import { createHash, type Hash } from 'node:crypto'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { downloadFile, type ListFileEntry, listFiles } from '@huggingface/hub'
import { writeAtomic } from '@kith/base'
import { KithError } from '@kith/core'
import { hasModel } from './model-folder.ts'

/** Options for downloading a model. */
export interface DownloadOptions {
  /** The folder of downloaded models. Default: `KITH_CACHE`, or `~/.cache/kith/models`. */
  cache?: string | undefined
  /** A branch, tag or commit. Default: `main`. */
  revision?: string | undefined
  /** The address of the hub, if it is not the public hub. */
  hubUrl?: string | undefined
  /** Called with a file, the number of bytes received, and the file's size. */
  onDownload?: ((file: string, bytes: number, total: number) => void) | undefined
}

/** The files of a repository that are downloaded besides the weights. */
const SMALL_FILES =
  /^(\d+_\w+\/)?(config|config_sentence_transformers|tokenizer|tokenizer_config|modules|sentence_bert_config)\.json$|^(\d+_\w+\/)?vocab\.txt$/
/** The ways in which weights are stored; the first that a repository has is used. */
const WEIGHTS = [
  /^(0_Transformer\/)?model\.safetensors$/,
  /^(0_Transformer\/)?model(-\d+-of-\d+\.safetensors|\.safetensors\.index\.json)$/,
  /^model\.onnx(_data)?$/,
  /^onnx\/model\.onnx(_data)?$/,
]

/**
 * Downloads a model from the hub unless its files exist already; returns their folder. Every file
 * is verified with the checksum that the hub lists, before the file gets its name.
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

/** Chooses the files to download, small files first: a model whose weights exist is complete. */
function choose(name: string, files: HubFile[]): HubFile[] {
  const weights = WEIGHTS.map((pattern) => files.filter(({ path }) => pattern.test(path)))
  const chosen = weights.find((found) => found.length > 0)
  if (!chosen) {
    const problem = `the model ${name} has neither safetensors nor ONNX files; convert the model and pass its folder`
    throw new KithError('BAD_INPUT', problem)
  }
  // Shards come before the index, and data before the model, because the index and the model refer
  // to them.
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
  /** The expected hash of the file: git's hash, or the hash of large-file storage. */
  checksum: { kind: 'sha1' | 'sha256'; hex: string } | undefined
}

/** Converts an entry in the list of a repository. */
function asHubFile({ path, size, oid, lfs }: ListFileEntry): HubFile {
  if (lfs) return { path, size: lfs.size, checksum: { kind: 'sha256', hex: lfs.oid } }
  return { path, size, checksum: oid === undefined ? undefined : { kind: 'sha1', hex: oid } }
}

/**
 * Writes a downloaded file completely and with the expected bytes, or not at all.
 *
 * @param onBytes Called with the number of bytes received.
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

/** Starts the hash of a file with the listed size; git hashes the size before the bytes. */
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
