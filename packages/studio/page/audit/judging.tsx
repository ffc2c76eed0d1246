import { auditPreset } from '@kith/core'
import { judgingStyle, startJudging } from '@kith/pipelines/judging'
import type { VNode } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { StudioInfo } from '../../src/studio-wire.ts'
import { source } from '../model/source.ts'
import type { AuditFound } from './audit-messages.ts'

// The studio's policy allows no style elements; a sheet that a script makes is none.
const sheet = new CSSStyleSheet()
sheet.replaceSync(judgingStyle)
document.adoptedStyleSheets.push(sheet)

/** The judging page of `kith audit`, with texts from the page's source. */
export function Judging(props: { info: StudioInfo; found: AuditFound; leftOut: number }): VNode {
  const { info, found, leftOut } = props
  const root = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const { name, files, level: grade } = info
    const title = files ? `${files.run} · ${files.qrels}` : name
    const note =
      leftOut > 0
        ? `${leftOut} queries have more relevant documents than a context of ${auditPreset.contextSize} holds, and were left out.`
        : undefined
    return startJudging(
      root.current!,
      { title, grade, ...found, documents: {} },
      { fetchDocuments: (ids) => source().documents(ids), note },
    )
  }, [info, found, leftOut])
  return <div ref={root} />
}
