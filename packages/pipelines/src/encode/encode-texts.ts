import { createReadStream } from 'node:fs'
import { FileError, optionalPackage, writeResumably } from '@kith/base'
import { openEndpoint } from '@kith/base/endpoint'
import type { Encoder, EncoderOptions, Role } from '@kith/encoder'
import { readTexts, type TextEntry, writeEmbeddings } from '@kith/ir'
import { learnedBehind } from '../files/learned-queries.ts'
import { fingerprint, writeSidecar } from '../files/sidecar.ts'
import { type Hooks, stageOf } from '../job/hooks.ts'
import { jobDefaults } from '../job/job-defaults.ts'
import { collectBackground } from '../relevance/collect-background.ts'

/** A file of texts to encode, and the file for their embeddings. */
export interface EncodeInputs extends Omit<EncoderOptions, 'onDownload'> {
  /** The texts, in a format of BEIR, MS MARCO or TREC. */
  input: string
  /** The embeddings to write; the ending selects the format. */
  out: string
  /** The kind of the texts. Default: document. */
  role?: Role | undefined
  /** The number type; f16 takes half the space. Default f32. */
  type?: 'f16' | 'f32' | undefined
  /**
   * `minilm`, a folder, or a name on the hub; default minilm. With `embedUrl`, the endpoint's
   * model.
   */
  model?: string | undefined
  /** An OpenAI-compatible embeddings endpoint to use instead of the built-in encoder. */
  embedUrl?: string | undefined
}

/** The result of an encoding. */
export interface EncodeResult {
  out: string
  dimensions: number
  maxTokens: number
  texts: number
  /** Number of texts that were truncated to the model's limit. */
  cut: number
  /** Number of texts that an earlier call had encoded. */
  resumed: number
  seconds: number
}

/** The progress of an encoding, stored for the next call. */
interface Done {
  texts: number
  cut: number
}

/**
 * Encodes the texts of a file. If it was interrupted, the same call resumes.
 *
 * ```ts
 * const { texts } = await encodeTexts({ input: 'corpus.jsonl', out: 'docs.npy', model: 'minilm' })
 * ```
 */
export async function encodeTexts(inputs: EncodeInputs, hooks: Hooks = {}): Promise<EncodeResult> {
  const opened = await openEncoder(inputs, hooks)
  try {
    return await encodeWith(opened, inputs, hooks)
  } finally {
    await opened.encoder.close()
  }
}

/**
 * Encodes the texts of a file with an open encoder. Appends rows to a partial file, and writes the
 * embeddings in their final format when all rows are complete.
 */
export async function encodeWith(
  { encoder, model }: NamedEncoder,
  { input, out, role = 'document', type = 'f32' }: EncodeInputs,
  hooks: Hooks = {},
): Promise<EncodeResult> {
  const { dimensions, maxTokens } = encoder
  // An endpoint does not report its token limit.
  const most = Number.isFinite(maxTokens) ? { maxTokens } : {}
  const settings = { ...model, role, dimensions, ...most }
  const { files, ...head } = encoder.source
  const key = await fingerprint({ ...settings, ...head }, [input, ...files])
  const total = await countTexts(input)
  let result = { texts: 0, cut: 0, resumed: 0, seconds: 0 }
  await writeResumably<Done>(out, {
    key,
    isState: isDone,
    packed: false,
    async write(append, before = { texts: 0, cut: 0 }) {
      if (before.texts > 0) hooks.onRemark?.(`resuming: ${before.texts} of ${total} texts are done`)
      const onDone = stageOf(hooks, 'encoding', total, before.texts)
      const start = performance.now()
      let { texts, cut } = before
      const windows = encoder.encodeStream(textsOf(input, texts), {
        role,
        onProgress: (done) => onDone(before.texts + done),
      })
      for await (const window of windows) {
        texts += window.rows
        cut += window.cut
        const { buffer, byteOffset, byteLength } = window.data
        await append(new Uint8Array(buffer, byteOffset, byteLength), { texts, cut })
      }
      const seconds = (performance.now() - start) / 1000
      result = { texts, cut, resumed: before.texts, seconds }
    },
    async finish(partial) {
      const rows = rowsOf(partial, dimensions)
      await writeEmbeddings(out, { dimensions, type, ids: idsOf(input) }, rows)
      const learnedFrom = await learnedBehind([String(model['model'])])
      const more = { cut: result.cut, learnedFrom }
      await writeSidecar(out, 'encode', { ...settings, type }, [input], more)
    },
  })
  const { texts, cut } = result
  if (cut > 0) {
    const limit = `${maxTokens} tokens (maxTokens)`
    const rest =
      role === 'document'
        ? '; split long documents with kith convert --passages to search the rest'
        : ''
    hooks.onRemark?.(`${cut} of ${texts} texts were truncated to ${limit}${rest}`)
  }
  // Searches look for the background of estimated relevance beside the vectors.
  if (role === 'document' && texts > 1) await collectBackground({ docs: out })
  return { out, dimensions, maxTokens, ...result }
}

function isDone(value: unknown): value is Done {
  const done = value as Done | undefined
  return Number.isSafeInteger(done?.texts) && Number.isSafeInteger(done?.cut)
}

async function countTexts(input: string): Promise<number> {
  let count = 0
  for await (const _ of readTexts(input)) count++
  return count
}

/** Yields the encoded part of each entry: its title and its text. */
async function* textsOf(input: string, skip: number): AsyncGenerator<string> {
  let position = 0
  for await (const { title, text } of readTexts(input)) {
    if (position++ >= skip) yield title ? `${title} ${text}` : text
  }
}

async function* idsOf(input: string): AsyncGenerator<string> {
  for await (const { id } of readTexts(input) as AsyncIterable<TextEntry>) yield id
}

/** Yields the rows of a file of float32 numbers, up to 1,024 at a time. */
async function* rowsOf(file: string, dimensions: number): AsyncGenerator<Float32Array> {
  const size = dimensions * 4 * 1024
  for await (const chunk of createReadStream(file, {
    highWaterMark: size,
  }) as AsyncIterable<Buffer>) {
    if (chunk.length % (dimensions * 4) !== 0) {
      throw new FileError(
        file,
        '',
        `is truncated: expected rows of ${dimensions} numbers; remove the file and encode again`,
      )
    }
    // The copy aligns the chunk's numbers.
    yield new Float32Array(new Uint8Array(chunk).buffer)
  }
}

/** The properties of an encoder that jobs use: an encoder of `@kith/encoder`, or an endpoint. */
export type AnyEncoder = Pick<
  Encoder,
  'name' | 'dimensions' | 'maxTokens' | 'source' | 'encode' | 'encodeStream' | 'close'
>

/** An encoder, and the name and options that identify it. */
export interface NamedEncoder {
  encoder: AnyEncoder
  model: Readonly<Record<string, unknown>>
}

/** Loads an encoder by name, and first downloads it if it is on the hub. */
export async function openEncoder(
  inputs: Omit<EncoderOptions, 'onDownload'> & Pick<EncodeInputs, 'model' | 'embedUrl'>,
  hooks: Hooks = {},
): Promise<NamedEncoder> {
  if (inputs.embedUrl !== undefined) {
    const { model, embedUrl } = inputs
    const encoder = await openEndpoint(embedUrl, inputs, hooks.signal)
    const { queryPrefix, documentPrefix } = inputs
    return { encoder, model: { model, embedUrl, queryPrefix, documentPrefix } }
  }
  const { model: name = jobDefaults.model, pooling, normalize, maxTokens, threads } = inputs
  const { queryPrefix, documentPrefix, revision, quantize } = inputs
  const chosen = { pooling, normalize, maxTokens, queryPrefix, revision, documentPrefix, quantize }
  const { loadEncoder } = await optionalPackage(
    'encoding needs',
    '@kith/encoder',
    () => import('@kith/encoder'),
  )
  const onDownload = downloadRemarks(hooks)
  const encoder = await loadEncoder(name, { ...chosen, threads, onDownload })
  return { encoder, model: { model: name, ...chosen } }
}

/** Creates a callback that reports the download progress of a model's files, once per percent. */
export function downloadRemarks({
  onRemark,
}: Hooks): (file: string, bytes: number, total: number) => void {
  let shown = ''
  return (file, bytes, total) => {
    const line = `downloading ${file}: ${Math.floor((100 * bytes) / Math.max(1, total))} %`
    if (line !== shown) onRemark?.(line)
    shown = line
  }
}
