import { KithError } from '@kith/core'

/**
 * Why a text cannot be kept in a database, or undefined where it can: PostgreSQL has no character
 * U+0000, and half of a surrogate pair would come back as another character.
 */
export function unstorable(text: string): string | undefined {
  if (text.includes('\0')) return 'has the character U+0000'
  if (/\p{Surrogate}/u.test(text)) return 'has half of a surrogate pair, which is broken Unicode'
  return undefined
}

/** Throws where a text cannot be kept in a database; the message begins with the text's name. */
export function checkStorable(what: string, text: string): void {
  const flaw = unstorable(text)
  if (flaw) throw new KithError('BAD_INPUT', `${what} ${flaw}: PostgreSQL cannot keep it`)
}

/** The ids, each once, that a store can have at all: no other document can be there. */
export function storableOf(ids: readonly string[]): string[] {
  return [...new Set(ids)].filter((id) => unstorable(id) === undefined)
}
