import { FileError } from '@kith/base'

/** Extensions that stand for one format. */
const known = /\.(npy|safetensors|fvecs|memmap|parquet|jsonl|ndjson|json|tsv|sgml)(\.gz)?$/i

/**
 * Refuses an output file whose extension stands for a format that its content is not written in, and
 * Parquet packed by gzip, which is read as embeddings only. Any other name is accepted.
 *
 * @param content What the file would hold, in words, and the names of the extensions that fit it.
 */
export function checkEnding(
  file: string,
  { content, fits }: { content: string; fits: readonly string[] },
): void {
  const [ending, name, packed] = known.exec(file) ?? []
  if (name === undefined) return
  const parquet = name.toLowerCase() === 'parquet'
  if (fits.includes(name.toLowerCase()) && !(parquet && packed)) return
  const expected = fits.map((fit) => `.${fit}`).join(', ')
  throw new FileError(
    file,
    '',
    `${content} cannot be written as ${ending}; expected an extension such as ${expected}`,
  )
}
