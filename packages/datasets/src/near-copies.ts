import { addTo } from './add-to.ts'
import type { Category } from './categories.ts'

/** From this Jaccard similarity of their documents on, two categories count as one. */
const ALIKE = 0.8

/**
 * Leaves out categories that are nearly a larger one that is kept: they would count one finding
 * twice. Of equal sizes the first one in the file stays.
 */
export function withoutNearCopies(categories: readonly Category[]): Category[] {
  const largestFirst = categories.toSorted((a, b) => b.relevant.length - a.relevant.length)
  const kept = new Set<Category>()
  const keptWith = new Map<string, Category[]>()
  for (const category of largestFirst) {
    if (hasCopy(category, keptWith)) continue
    kept.add(category)
    for (const document of category.relevant) addTo(keptWith, document, category)
  }
  return categories.filter((category) => kept.has(category))
}

function hasCopy({ relevant }: Category, keptWith: ReadonlyMap<string, Category[]>): boolean {
  const shared = new Map<Category, number>()
  for (const document of relevant) {
    for (const other of keptWith.get(document) ?? []) {
      shared.set(other, (shared.get(other) ?? 0) + 1)
    }
  }
  for (const [other, both] of shared) {
    if (both / (relevant.length + other.relevant.length - both) >= ALIKE) return true
  }
  return false
}
