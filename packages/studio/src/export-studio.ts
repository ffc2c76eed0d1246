import { open, readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { asFileError, writeAtomic } from '@kith/base'
import { toHalves } from '@kith/base/half'
import {
  KithError,
  type TermStatistics,
  type TokenizerName,
  termStatistics,
  termStatisticsToBytes,
} from '@kith/core'
import { tokenizerNames } from '@kith/core/internal'
import { GENERATOR, pagePart, wholePage } from './page-files.ts'
import type { StudioCollection } from './studio-collection.ts'
import {
  type DocumentText,
  type HeldQuery,
  type StudioContext,
  type StudioFiles,
  type WrittenCollection,
  wordsOf,
} from './studio-wire.ts'

/** The files of an export. */
export const exportedFiles = ['index.html', 'paste.html', 'licenses.md'] as const

/** Options of an export. */
export interface ExportOptions {
  /** Approximate size of queries, documents and vectors in bytes. Default: 4 MiB. */
  bytes?: number | undefined
  /** The dataset's name in the page's header. Default: the run's file name. */
  name?: string | undefined
}

/** The contents of an export. */
export interface StudioExport {
  folder: string
  queries: number
  documents: number
  /** The size of all files. */
  bytes: number
}

/** The default size of an export in bytes. */
export const exportBytes = 4 * 2 ** 20

/**
 * Writes the studio as files that need no server: `index.html` shows a part of the dataset,
 * `paste.html` shows data that its reader pastes. Refuses a folder that contains files other than
 * an export.
 *
 * ```ts
 * await exportStudio(collection, 'studio')
 * ```
 */
export async function exportStudio(
  collection: StudioCollection,
  folder: string,
  { bytes = exportBytes, name }: ExportOptions = {},
): Promise<StudioExport> {
  await refuseOthers(folder)
  const { info, ...part } = partOf(collection, bytes)
  const files = info.files && withoutFolders(info.files)
  const shown = { ...info, files, name: name ?? basename(info.name) }
  const contents: Record<(typeof exportedFiles)[number], string> = {
    'index.html': wholePage({ title: 'Kith Studio', collection: { info: shown, ...part } }),
    'paste.html': wholePage({ title: 'Kith Studio: your own data' }),
    'licenses.md': pagePart('.md'),
  }
  for (const file of exportedFiles) {
    await writeAtomic(join(folder, file), (write) => write(contents[file]))
  }
  return {
    folder,
    queries: info.queries,
    documents: info.documents,
    bytes: Object.values(contents).reduce((sum, text) => sum + Buffer.byteLength(text), 0),
  }
}

/**
 * Removes folders from file names: readers of the page need not see the folders of this machine.
 */
function withoutFolders(files: StudioFiles): StudioFiles {
  const { run, queries, docs, corpus, queryText, qrels } = files
  const short = (file: string | undefined): string | undefined => file && basename(file)
  return {
    run: basename(run),
    queries: basename(queries),
    docs: basename(docs),
    corpus: short(corpus),
    queryText: short(queryText),
    qrels: short(qrels),
  }
}

/** Throws if a folder contains files but no earlier export. */
async function refuseOthers(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw asFileError(folder, error)
  })
  if (names.length === 0 || (await startOf(join(folder, 'index.html'))).includes(GENERATOR)) return
  throw new KithError(
    'BAD_INPUT',
    `${folder} has files that are no export; choose a new folder, or the folder of an earlier export`,
  )
}

/** Reads the first bytes of a file; returns zeros if the file cannot be read. */
async function startOf(file: string): Promise<string> {
  const bytes = Buffer.alloc(512)
  const handle = await open(file).catch(() => undefined)
  // A folder of this name can be opened, but not read.
  await handle?.read(bytes, 0, bytes.length, 0).catch(() => undefined)
  await handle?.close()
  return bytes.toString('latin1')
}

/** Candidates per query: as many as the default settings and an audit use. */
const CANDIDATES = 200
/** Maximum number of queries: a reader opens few, and the means are over all of them. */
const QUERIES = 200
/** The largest finite number in half precision. */
const LARGEST_HALF = 65_504

/** A part of a dataset: as many queries as fit, with all their documents, each stored once. */
class Part {
  readonly queries: HeldQuery[] = []
  readonly documents: DocumentText[] = []
  readonly #rows: { queries: Float32Array[]; documents: Float32Array[] } = {
    queries: [],
    documents: [],
  }
  readonly #places = new Map<string, number>()
  #bytes = 0

  /**
   * Adds a query unless the part would become larger than `most` bytes; the first query always
   * fits.
   */
  add(context: StudioContext, judged: boolean, most: number): void {
    const { vectors, documents, ...rest } = context
    const { data, dimensions } = vectors
    const fresh = documents.filter(({ id }) => !this.#places.has(id))
    const query: HeldQuery = {
      ...rest,
      documents: [],
      judged,
      scores: documents.slice(0, rest.retrieved).map(({ score }) => Number(score!.toPrecision(6))),
      grades: documents.flatMap(({ grade }, place) =>
        grade === undefined ? [] : [[place, grade]],
      ),
    }
    const vectorBytes = (fresh.length + 1) * dimensions * 2 * (4 / 3)
    const bytes = vectorBytes + lengthOf(fresh) + lengthOf(query) + 6 * documents.length
    if (this.queries.length > 0 && this.#bytes + bytes > most) return
    this.#bytes += bytes
    documents.forEach(({ id, title, text }, i) => {
      if (!this.#places.has(id)) {
        this.#places.set(id, this.documents.length)
        this.documents.push({ id, title, text })
        this.#rows.documents.push(data.subarray((i + 1) * dimensions, (i + 2) * dimensions))
      }
      query.documents.push(this.#places.get(id)!)
    })
    this.queries.push(query)
    this.#rows.queries.push(data.subarray(0, dimensions))
  }

  /** Returns the vectors of the queries, then of the documents, in half precision. */
  vectors(): WrittenCollection['vectors'] {
    const rows = [...this.#rows.queries, ...this.#rows.documents]
    const dimensions = rows[0]!.length
    const halves = new Uint16Array(rows.length * dimensions)
    rows.forEach((row, i) => {
      if (row.some((value) => Math.abs(value) > LARGEST_HALF)) {
        throw new KithError(
          'BAD_VECTOR',
          `a vector has a number above ${LARGEST_HALF}, the largest in the half precision of an export; scale the embeddings`,
        )
      }
      halves.set(toHalves(row), i * dimensions)
    })
    return { base64: base64Of(halves), rows: rows.length, dimensions }
  }
}

/**
 * Selects a part of a dataset for a page without a server: the opening query, then judged queries
 * and others in the order of the run, until the part has `bytes`.
 */
function partOf(collection: StudioCollection, bytes: number): WrittenCollection {
  const { info } = collection
  const part = new Part()
  const judged = new Set(collection.judged())
  const { background } = collection
  const room = bytes - (background ? lengthOf(background) : 0)
  const wanted = new Set([info.first, ...judged, ...collection.ids()])
  for (const id of [...wanted].slice(0, QUERIES)) {
    part.add(collection.context(id, CANDIDATES, true), judged.has(id), room)
  }
  return {
    info: {
      ...info,
      documents: part.documents.length,
      queries: part.queries.length,
      judged: part.queries.filter((query) => query.judged).length,
      depth: Math.min(info.depth, CANDIDATES),
      model: undefined,
    },
    queries: part.queries,
    documents: part.documents,
    vectors: part.vectors(),
    statistics: info.texts ? statisticsOf(part.documents, collection) : undefined,
    background,
  }
}

/** Returns the statistics of the whole dataset for the terms that the documents contain. */
function statisticsOf(
  documents: readonly DocumentText[],
  collection: StudioCollection,
): Record<TokenizerName, string> {
  const words = documents.map(wordsOf)
  const kept = tokenizerNames.map((tokenizer) => {
    const own = new Set(termStatistics(words, { tokenizer }).hashes)
    return [tokenizer, base64Of(termStatisticsToBytes(keep(collection.statistics(tokenizer), own)))]
  })
  return Object.fromEntries(kept)
}

function keep(all: TermStatistics, wanted: ReadonlySet<number>): TermStatistics {
  const isWanted = (_: number, i: number): boolean => wanted.has(all.hashes[i]!)
  return {
    ...all,
    hashes: all.hashes.filter(isWanted),
    frequencies: all.frequencies.filter(isWanted),
  }
}

function base64Of({ buffer, byteOffset, byteLength }: Uint8Array | Uint16Array): string {
  return Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength).toString('base64')
}

function lengthOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}
