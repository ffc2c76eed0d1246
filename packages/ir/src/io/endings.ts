import { FileError } from '@kith/base'

/** Extensions that stand for a format. */
const known = /\.(npy|safetensors|fvecs|memmap|parquet|jsonl|ndjson|json|tsv|sgml)(\.gz)?$/i

/**
 * Refuses an output file whose extension stands for a different format than its content, and
 * Parquet compressed with gzip, which is read as embeddings only. Any other name is accepted.
 *
 * @param content A description of the file's content, and the extensions that fit it.
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
