import { createHash } from 'node:crypto'
import { realpath, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { version } from '@kith/base'
import type { Settings } from '@kith/core'
import { tokenizerOf } from '@kith/core/internal'
import type { TextEntry } from '@kith/ir'
import type { WordsPlace } from '@kith/stores/internal'

/** Returns the folder that caches the embeddings and full-text indexes of folders and corpora. */
export function defaultCache(): string {
  return join(process.env['KITH_CACHE'] ?? join(homedir(), '.cache', 'kith'), 'embeddings')
}

/** The source of a full-text index: a corpus file, or the passages of a folder. */
type WordsSource = { corpus: string } | { folder: string; passages: readonly TextEntry[] }

/**
 * Returns the cache file of a full-text index. It is reused while the corpus has the same size and
 * modification time, or the folder the same passages, with the same tokenizer and version of Kith.
 * Undefined if the index cannot be cached: the texts come from a pipe, or the tokenizer is a
 * function.
 */
export async function wordsPlace(
  source: WordsSource,
  settings: Settings,
  cache: string = defaultCache(),
): Promise<WordsPlace | undefined> {
  const tokenizer = tokenizerOf(settings)
  if (typeof tokenizer === 'function') return undefined
  const [place, texts] =
    'corpus' in source
      ? [source.corpus, await stateOf(source.corpus)]
      : [source.folder, passagesKey(source.passages)]
  if (texts === undefined) return undefined
  const name = digest(`${await realpath(place)}\0${tokenizer}`)
  return { file: join(cache, `${name}.words`), key: digest(`${version}\0${tokenizer}\0${texts}`) }
}

/** Returns the size and modification time of a file, or undefined for anything else. */
async function stateOf(file: string): Promise<string | undefined> {
  const found = await stat(file)
  return found.isFile() ? `${found.size} ${found.mtimeMs}` : undefined
}

function passagesKey(passages: readonly TextEntry[]): string {
  const hash = createHash('sha256')
  for (const { id, title, text } of passages) hash.update(JSON.stringify([id, title, text]))
  return hash.digest('hex')
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
