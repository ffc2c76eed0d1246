import { useEffect, useState } from 'preact/hooks'
import type { DocumentText } from '../../src/studio-wire.ts'
import { fetchDocuments } from '../model/api.ts'
import type { Suspect } from './audit-messages.ts'

/** The texts of a suspect and of those that speak for it, as soon as they are there. */
export function useTexts(suspect: Suspect | undefined): ReadonlyMap<string, DocumentText> {
  const [texts, setTexts] = useState<ReadonlyMap<string, DocumentText>>(new Map())
  useEffect(() => {
    if (!suspect) return
    let wanted = true
    const ids = [suspect.document, ...suspect.vouchers.map(({ document }) => document)]
    fetchDocuments(ids).then(
      (found) => {
        if (wanted) setTexts(new Map(found.map((entry) => [entry.id, entry])))
      },
      () => {
        // The ids are shown; the next document will tell whether the server is gone.
      },
    )
    return () => {
      wanted = false
    }
  }, [suspect])
  return texts
}
