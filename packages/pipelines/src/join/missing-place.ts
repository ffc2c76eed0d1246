import { stat } from 'node:fs/promises'
import { isStandardInput, readLines } from '@kith/base'
import { KithError } from '@kith/core'

/** The files of a join, as far as there are any. */
export interface JoinFiles {
  run?: string | undefined
  queries?: string | undefined
  docs?: string | undefined
  corpus?: string | undefined
  queryText?: string | undefined
  qrels?: string | undefined
  labels?: string | undefined
}

/** An error about missing things. Its fields are plain, so that it crosses threads with them. */
export type MissingError = KithError & {
  /** The kinds of missing things, a line each. */
  readonly kinds: string
  /** The first id of the first kind. */
  readonly id: string
}

/**
 * Does a join's work. An error about a missing thing then names the file and line that mention it
 * first, and the file that lacks it.
 */
export async function namingFiles<T>(files: JoinFiles, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw isMissingError(error) ? await withFiles(error, files) : error
  }
}

function isMissingError(error: unknown): error is MissingError {
  const { kinds, id } = (error ?? {}) as Partial<MissingError>
  return error instanceof KithError && typeof kinds === 'string' && typeof id === 'string'
}

async function withFiles(error: MissingError, files: JoinFiles): Promise<KithError> {
  const kinds = error.kinds.split('\n')
  let message = error.message
  for (const kind of kinds) {
    const [lack, thing] = /have no (embedding|text|labels)/.exec(kind) ?? []
    const file = thing && sourceOf(kind, thing, files)
    if (file) message = message.replace(kind, () => kind.replace(lack!, `${lack} in ${file}`))
  }
  const from = namedIn(kinds[0]!, files)
  if (from === undefined) return new KithError(error.code, message)
  const line = await lineOf(from, error.id)
  const place = line === undefined ? from : `${from} line ${line}`
  return new KithError(error.code, `${place}: ${message}`)
}

/** The file that should have an embedding, a text or labels. */
function sourceOf(kind: string, thing: string, files: JoinFiles): string | undefined {
  if (thing === 'labels') return files.labels
  const ofQueries = kind.startsWith('queries')
  if (thing === 'text') return ofQueries ? files.queryText : files.corpus
  return ofQueries ? files.queries : files.docs
}

/** The file that mentions the things of a kind. */
function namedIn(kind: string, files: JoinFiles): string | undefined {
  if (kind.startsWith('judged documents')) return files.qrels
  return kind.startsWith('labeled documents') ? (files.labels ?? files.run) : files.run
}

/** The first line that has an id between spaces or quotes; undefined where the file has no lines. */
async function lineOf(file: string, id: string): Promise<number | undefined> {
  if (isStandardInput(file) || /\.json(\.gz)?$/i.test(file)) return undefined
  if (!(await stat(file)).isFile()) return undefined
  const ends = /[\s"]/
  const has = (text: string): boolean => {
    for (let at = text.indexOf(id); at >= 0; at = text.indexOf(id, at + 1)) {
      const [before, after] = [text[at - 1] ?? ' ', text[at + id.length] ?? ' ']
      if (ends.test(before) && ends.test(after)) return true
    }
    return false
  }
  const lines = readLines(file, (text, line) => (has(text) ? line : undefined))
  for await (const line of lines) return line
  return undefined
}
