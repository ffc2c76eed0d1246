import { KithError } from '@kith/core'
import type { RankedQuery, TextEntry } from '@kith/ir'
import { MOST_PASSAGES, textPassages } from '../collection/markdown-passages.ts'
import type { Hooks } from '../job/hooks.ts'

/** The end of a passage's id, from the second passage of a document on. */
const PLACE = /#\d+$/

/**
 * Splits long texts into passages, as `openCollection` does. The first passage has the id of its
 * document; the others are numbered from 2 (`d7#2`). Each passage has the title of the document.
 */
export async function* passagesOf(
  entries: AsyncIterable<TextEntry>,
  file: string,
  { onRemark }: Hooks,
): AsyncGenerator<TextEntry> {
  for await (const entry of entries) {
    if (PLACE.test(entry.id)) {
      throw new KithError(
        'BAD_INPUT',
        `${file}: the id ${JSON.stringify(entry.id)} looks like the id of a passage; rename the document, so that its id does not end with # and a number`,
      )
    }
    const { passages, leftOut } = textPassages(entry.id, entry.text)
    if (leftOut > 0) {
      onRemark?.(`${leftOut} passages of ${entry.id} left out (beyond ${MOST_PASSAGES})`)
    }
    if (passages.length < 2) yield entry
    else {
      for (const [i, { text }] of passages.entries()) {
        yield { ...entry, id: i === 0 ? entry.id : `${entry.id}#${i + 1}`, text }
      }
    }
  }
}

/** Ranks documents by their best passages. */
export function* byDocument(run: Iterable<RankedQuery>): Generator<RankedQuery> {
  for (const { query, ids, scores } of run) {
    const best = new Map<string, number>()
    for (const [i, id] of ids.entries()) {
      const document = id.replace(PLACE, '')
      if (!best.has(document)) best.set(document, scores[i]!)
    }
    yield { query, ids: [...best.keys()], scores: [...best.values()] }
  }
}
