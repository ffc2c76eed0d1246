import { checkFields } from '../check-arguments.ts'
import { denseVector, idIn, numberIn, type Reader, type TextField, textIn } from '../reader.ts'

/** A match as Pinecone's `query` returns it. */
export interface PineconeHit {
  values?: readonly number[] | undefined
  metadata?: object | undefined
}

/**
 * Reads Pinecone's matches: ask for them with `includeValues: true` and `includeMetadata: true`.
 *
 * @param fields `text` is a key of the metadata.
 */
export function pinecone(fields: TextField = {}): Reader<PineconeHit> {
  checkFields(fields, 'pinecone', ['text'])
  const { text } = fields
  return {
    vector: (match) => denseVector(match.values),
    text: textIn(text, (match) => match.metadata),
    score: (match) => numberIn(match, 'score'),
    id: (match) => idIn(match, 'id'),
    advice: 'query Pinecone with includeValues: true',
  }
}
