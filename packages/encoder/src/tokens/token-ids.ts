import { FileError } from '@kith/base'
import { isObject, type JsonObject } from '../json.ts'

/** No vocabulary is larger; a tokenizer that has such an id is damaged, and would fill the memory. */
const LARGEST = 10_000_000

/**
 * The largest token id that a tokenizer's description has. Ids are rows of the model's table, so one
 * that is not a whole number, or far too large, is an error that names the token.
 */
export function largestTokenId(file: string, { model, added_tokens }: JsonObject): number {
  const { vocab, unk_token: unknown, unk_id } = isObject(model) ? model : {}
  // Some models list their tokens in the order of their ids.
  let largest = Array.isArray(vocab) ? checkPieces(file, vocab, unk_id) : 0
  const known = new Set<unknown>()
  const look = (token: unknown, id: unknown): void => {
    if (!Number.isSafeInteger(id) || (id as number) < 0 || (id as number) > LARGEST) {
      const problem = `the token ${JSON.stringify(token)} has the id ${JSON.stringify(id)}, expected a whole number from 0 to ${LARGEST}`
      throw new FileError(file, '', problem)
    }
    known.add(token)
    largest = Math.max(largest, id as number)
  }
  if (isObject(vocab)) for (const [token, id] of Object.entries(vocab)) look(token, id)
  for (const added of Array.isArray(added_tokens) ? added_tokens : []) {
    if (isObject(added)) look(added['content'], added['id'])
  }
  if (isObject(vocab) && typeof unknown === 'string' && !known.has(unknown)) {
    const problem = `its unk_token ${JSON.stringify(unknown)} is no token of its vocabulary`
    throw new FileError(file, '', problem)
  }
  return largest
}

/** The largest id of a Unigram model, whose pieces must have log probabilities, one of them for unknown characters. */
function checkPieces(file: string, pieces: readonly unknown[], unknown: unknown): number {
  const bad = pieces.findIndex((piece) => {
    return !Array.isArray(piece) || typeof piece[0] !== 'string' || !Number.isFinite(piece[1])
  })
  if (bad >= 0) {
    const problem = `piece ${bad} of its vocabulary is ${JSON.stringify(pieces[bad])}, expected a text and its log probability`
    throw new FileError(file, '', problem)
  }
  if (!Number.isInteger(unknown) || pieces[unknown as number] === undefined) {
    const problem = `its unk_id ${JSON.stringify(unknown)} is no piece of its vocabulary`
    throw new FileError(file, '', problem)
  }
  return pieces.length - 1
}
