import { open, readdir } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { asFileError, writeAtomic } from '@kith/base'
import { KithError } from '@kith/core'
import { partOf } from './collection-part.ts'
import { pagePart } from './page-files.ts'
import type { StudioCollection } from './studio-collection.ts'
import type { StudioFiles } from './studio-wire.ts'
import { GENERATOR, wholePage } from './whole-page.ts'

/** The files of an export. */
export const exportedFiles = ['index.html', 'paste.html', 'licenses.md'] as const

/** How an export is made. */
export interface ExportOptions {
  /** Bytes of queries, documents and vectors, roughly; default 4 MiB. */
  bytes?: number | undefined
  /** The collection's name in the page's head; default the run's file name. */
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

/** How large an export is unless told otherwise. */
export const exportBytes = 4 * 2 ** 20

/**
 * Writes the studio as files that need no server: `index.html` shows a part of the collection,
 * `paste.html` what its reader brings. A folder with anything but an earlier export is refused.
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

/** Whoever gets the page need not know the folders of the machine that it was made on. */
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

/** Throws where a folder has files that are no export of ours. */
async function refuseOthers(folder: string): Promise<void> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw asFileError(folder, error)
  })
  if (names.length === 0 || (await startOf(join(folder, 'index.html'))).includes(GENERATOR)) return
  throw new KithError(
    'BAD_INPUT',
    `${folder} has other files: name a new folder, or one of an earlier export`,
  )
}

/** The first bytes of a file; zeros where there are none. */
async function startOf(file: string): Promise<string> {
  const bytes = Buffer.alloc(512)
  const handle = await open(file).catch(() => undefined)
  // A folder of this name can be opened, but not read.
  await handle?.read(bytes, 0, bytes.length, 0).catch(() => undefined)
  await handle?.close()
  return bytes.toString('latin1')
}
