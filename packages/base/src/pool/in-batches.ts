/** Things in lists of a size; the last one may be shorter. */
export async function* inBatches<T>(
  things: Iterable<T> | AsyncIterable<T>,
  size: number,
): AsyncGenerator<T[]> {
  let batch: T[] = []
  for await (const thing of things) {
    batch.push(thing)
    if (batch.length < size) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}
