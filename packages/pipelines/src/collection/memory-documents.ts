import { KithError } from '@kith/core'
import type { TextEntry } from '@kith/ir'
import type { Hooks } from '../job/hooks.ts'
import { MOST_PASSAGES, textPassages } from './markdown-passages.ts'

/** A document in memory. */
export interface MemoryDocument {
  id: string
  text: string
  title?: string | undefined
  /** Any data, which is returned with results. */
  metadata?: unknown
}

/** The passages of documents in memory, and the document of each passage by the passage's id. */
interface CutDocuments {
  passages: (TextEntry & { metadata?: unknown })[]
  documents: ReadonlyMap<string, MemoryDocument>
}

/**
 * Splits documents into passages, in the same way as text files. The first passage of a document
 * has its id; the ids of other passages differ from the ids of all documents.
 */
export function cutDocuments(given: readonly MemoryDocument[], { onRemark }: Hooks): CutDocuments {
  const ids = checkDocuments(given)
  const passages: CutDocuments['passages'] = []
  const documents = new Map<string, MemoryDocument>()
  for (const [i, document] of given.entries()) {
    const { passages: cut, leftOut } = textPassages(document.id, document.text)
    if (leftOut > 0) {
      const place = `documents[${i}] (${JSON.stringify(document.id)})`
      onRemark?.(`${leftOut} passages of ${place} left out (beyond ${MOST_PASSAGES})`)
    }
    // A text of one passage stays unchanged, including surrounding whitespace.
    const texts = cut.length > 1 ? cut.map(({ text }) => text) : [document.text]
    for (const [place, text] of texts.entries()) {
      let id = place === 0 ? document.id : `${document.id}\0${place}`
      while (place > 0 && (ids.has(id) || documents.has(id))) id += '\0'
      const { title, metadata } = document
      passages.push({ id, text, metadata, ...(title === undefined ? {} : { title }) })
      documents.set(id, document)
    }
  }
  return { passages, documents }
}

/** Throws for documents without a text or a unique id; returns the ids. */
function checkDocuments(documents: readonly MemoryDocument[]): ReadonlySet<string> {
  const ids = new Set<string>()
  for (const [i, { id, text, title }] of documents.entries()) {
    const parts = { id, text, ...(title === undefined ? {} : { title }) }
    for (const [name, value] of Object.entries(parts)) {
      if (typeof value === 'string') continue
      const got = value === null ? 'null' : typeof value
      throw new KithError('BAD_INPUT', `documents[${i}].${name} must be a string, got ${got}`)
    }
    if (ids.has(id)) {
      throw new KithError(
        'BAD_INPUT',
        `documents[${i}].id ${JSON.stringify(id)} occurs twice; give each document a unique id`,
      )
    }
    ids.add(id)
  }
  if (ids.size > 0) return ids
  throw new KithError('BAD_INPUT', 'documents must have at least one document, got an empty array')
}
