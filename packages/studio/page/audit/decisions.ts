import type { Suspect } from './audit-messages.ts'

/** What a person said about a suspect. */
export type Decision = 'accepted' | 'rejected' | 'skipped'

/** Decisions about suspects, kept in the browser, with a way back. */
export class Decisions {
  readonly #storage: string
  /** By query and document: another list under the same name must not show them elsewhere. */
  readonly #made: Map<string, Decision>
  readonly #history: { suspect: Suspect; before: Decision | undefined }[] = []

  /** @param name What the decisions are about. */
  constructor(name: string) {
    this.#storage = `kith-audit ${name}`
    this.#made = new Map(this.#load())
  }

  get(suspect: Suspect): Decision | undefined {
    return this.#made.get(keyOf(suspect))
  }

  count(suspects: readonly Suspect[], decision: Decision): number {
    return suspects.filter((suspect) => this.get(suspect) === decision).length
  }

  decide(suspect: Suspect, decision: Decision): void {
    this.#history.push({ suspect, before: this.get(suspect) })
    this.#made.set(keyOf(suspect), decision)
    this.#save()
  }

  /** Takes the last decision back; returns what it was about. */
  undo(): Suspect | undefined {
    const last = this.#history.pop()
    if (!last) return undefined
    if (last.before) this.#made.set(keyOf(last.suspect), last.before)
    else this.#made.delete(keyOf(last.suspect))
    this.#save()
    return last.suspect
  }

  /** The judgements that were made, in TREC's format, for `kith audit --accept`. */
  qrels(suspects: readonly Suspect[], grade: number): string {
    return suspects
      .map((suspect) => {
        const decision = this.get(suspect)
        if (decision === undefined || decision === 'skipped') return ''
        return `${suspect.query} 0 ${suspect.document} ${decision === 'accepted' ? grade : 0}\n`
      })
      .join('')
  }

  #load(): [string, Decision][] {
    try {
      return JSON.parse(localStorage.getItem(this.#storage) ?? '[]')
    } catch {
      return []
    }
  }

  #save(): void {
    try {
      localStorage.setItem(this.#storage, JSON.stringify([...this.#made]))
    } catch {
      // A browser that keeps nothing still lets one judge and export.
    }
  }
}

function keyOf({ query, document }: Suspect): string {
  return `${query}\t${document}`
}
