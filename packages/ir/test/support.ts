import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Run, RunBuilder } from '../src/index.ts'

export { filesIn } from '../../../test/files.ts'

/** A run from scores by document by query. */
export function runOf(scores: Record<string, Record<string, number>>): Run {
  const builder = new RunBuilder()
  for (const [query, documents] of Object.entries(scores)) {
    builder.add({ query, ids: Object.keys(documents), scores: Object.values(documents) })
  }
  return builder.finish()
}

/** Judgments from grades by document by query. */
export function qrelsOf(grades: Record<string, Record<string, number>>) {
  return new Map(
    Object.entries(grades).map(([query, judged]) => [query, new Map(Object.entries(judged))]),
  )
}

/** The real collections, undefined if the machine does not have them. */
export function sharedData(): string | undefined {
  const data = fileURLToPath(new URL('../../../../shared/data', import.meta.url))
  if (existsSync(data)) return data
  console.warn(`skipped: no real collections at ${data}`)
  return undefined
}

/** All values of an async iterable. */
export async function all<T>(values: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const value of values) list.push(value)
  return list
}
